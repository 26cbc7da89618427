import ArgumentParser
import SwiftDataInspection

struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Describe a store: its maker, models, counts, sizes, indices, history and integrity.")

  @OptionGroup var store: StoreArgument
  @OptionGroup var output: OutputOptions

  func run() throws {
    let inspection = try store.open().inspection()
    try output.print(inspection) { inspection.text }
  }
}
