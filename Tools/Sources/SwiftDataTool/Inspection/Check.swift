import ArgumentParser
import SwiftDataInspection

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Checks a store for problems: references, uniqueness, inverses, external files, history.",
    discussion: "Exits with status 1 if it finds problems.")

  @OptionGroup var store: StoreArgument
  @OptionGroup var output: OutputOptions

  func run() throws {
    let faults = try store.open().faults()
    try output.print(faults) { faults.isEmpty ? "nothing is wrong" : faults.map(\.text).joined(separator: "\n") }
    if !faults.isEmpty { throw ExitCode(1) }
  }
}
