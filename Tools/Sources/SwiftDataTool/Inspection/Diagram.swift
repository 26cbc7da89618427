import ArgumentParser
import SwiftDataInspection

struct Diagram: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Draw the models of a store.")

  enum Format: String, ExpressibleByArgument, CaseIterable { case svg, mermaid }

  @OptionGroup var store: StoreArgument
  @Option(help: "The form of the diagram.")
  var format = Format.mermaid
  @OptionGroup var output: OutputOptions

  func run() throws {
    let diagram = StoreDiagram(try store.open().inspection())
    let text = format == .svg ? diagram.svg : diagram.mermaid
    try output.print(["format": format.rawValue, "diagram": text]) { String(text.dropLast()) }
  }
}
