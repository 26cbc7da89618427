import ArgumentParser
import CommandLineSupport
import Foundation
import SwiftDataInspection

struct Dump: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print every object of a store as a line of JSON.",
    discussion: """
      Dates are ISO 8601, data are Base64, relationships are keys. The exit code is 1 if files with external data \
      are missing. Standard error names them.
      """)

  @OptionGroup var store: StoreArgument
  @Option(help: ArgumentHelp("A class whose objects are printed. Repeatable. (default: all)", valueName: "class"))
  var entity: [String] = []
  @Flag(help: "Print JSON, which is the only form.")
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
    throw ExitStatus.found
  }
}
