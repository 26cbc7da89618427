import ArgumentParser
import SwiftDataInspection

struct Dump: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints every object of a store, one line of JSON each.",
    discussion: "Dates are ISO 8601, data are Base64, relationships are keys.")

  @OptionGroup var store: StoreArgument
  @Option(help: "A class whose objects are printed; may be repeated.")
  var entity: [String] = []
  @Flag(help: "Accepted, like in the other commands; the output is always JSON.")
  var json = false

  func run() throws {
    try store.open().forEachRow(of: entity) { print($0.line) }
  }
}
