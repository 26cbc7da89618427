import ArgumentParser
import SwiftDataInspection

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Looks for what is wrong with a store: references, uniqueness, inverses, external files, history.",
    discussion: "Ends with 1 where something is wrong.")

  @OptionGroup var store: StoreArgument
  @OptionGroup var output: OutputOptions

  func run() throws {
    let faults = try store.open().faults()
    try output.print(faults) { faults.isEmpty ? "nothing is wrong" : faults.map(\.text).joined(separator: "\n") }
    if !faults.isEmpty { throw ExitCode(1) }
  }
}
