import ArgumentParser
import CommandLineSupport
import Foundation
import Sorted
import SwiftData
import SwiftDataRecovery

struct RecoverCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Copy the readable part of a damaged store into a new one.",
    discussion: """
      The damaged file is not changed. The report lists losses by class.

      EXAMPLE
        sorted recover inbox.store --to recovered.store
      """)

  @Argument(help: ArgumentHelp("The file of the damaged store.", valueName: "file"))
  var damaged: String

  @Option(help: ArgumentHelp("The file of the new store.", valueName: "new"))
  var to: String

  @OptionGroup var output: OutputOptions

  func run() throws {
    let report = try Failure.explained {
      try ModelContainer.recover(
        from: URL(fileURLWithPath: damaged), to: URL(fileURLWithPath: to), for: SortedContainer.schema)
    }
    try output.print(report) { _ in report.description }
    // The exit code tells scripts that something is missing.
    guard report.isComplete else { throw ExitStatus.found }
  }
}
