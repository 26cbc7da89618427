import ArgumentParser
import Foundation
import Sorted

struct CleanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clean",
    abstract: "Delete old messages that have been sent; what waits to be sent stays, and so do kept conversations.",
    discussion: """
      EXAMPLE
        sorted clean --older-than 365 --dry-run
      """)

  @Option(help: ArgumentHelp("How many days old a message is when it goes.", valueName: "days"))
  var olderThan: Int

  @Flag(help: "Only say what would be deleted.")
  var dryRun = false

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let report = try store.withContext { context in
      let service = RetentionService(context: context)
      return dryRun
        ? try service.preview(olderThan: olderThan) : try service.deleteMessages(olderThan: olderThan)
    }
    try output.print(report) {
      $0.table([
        ("older than", report.cutoff.formatted(.iso8601)),
        (dryRun ? "would be deleted" : "deleted", "\(report.deleted)"), ("stay", "\(report.stayed)"),
      ])
    }
  }
}
