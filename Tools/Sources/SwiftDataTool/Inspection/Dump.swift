import ArgumentParser
import Foundation
import SwiftDataInspection

struct Dump: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints every object of a store, one line of JSON each.",
    discussion: """
      Dates are ISO 8601, data are Base64, relationships are keys. Ends with 1 if files with external data are missing, \
      and names them on standard error.
      """)

  @OptionGroup var store: StoreArgument
  @Option(help: "A class whose objects are printed; may be repeated.")
  var entity: [String] = []
  @Flag(help: "Accepted, like in the other commands; the output is always JSON.")
  var json = false

  func run() throws {
    var missing = [String]()
    var standardOutput = StandardOutput()
    try store.open().forEachRow(of: entity, missing: { missing.append($0) }) {
      try standardOutput.write($0.line)
    }
    try standardOutput.flush()
    guard !missing.isEmpty else { return }
    FileHandle.standardError.write(Data((missing.joined(separator: "\n") + "\n").utf8))
    throw ExitCode(1)
  }
}
