import ArgumentParser
import CommandLineSupport
import SwiftDataInspection

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check a store for problems: references, uniqueness, inverses, external files, history.",
    discussion: "The exit code is 1 if it finds problems.")

  @OptionGroup var store: StoreArgument
  @OptionGroup var output: OutputOptions

  func run() throws {
    let faults = try store.open().faults()
    try output.print(faults) { faults.isEmpty ? "nothing is wrong" : faults.map(\.text).joined(separator: "\n") }
    if !faults.isEmpty { throw ExitStatus.found }
  }
}
