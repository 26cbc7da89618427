import ArgumentParser
import Foundation
import Sorted

struct CleanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clean",
    abstract: "Delete old sent messages. Unsent messages and kept conversations stay.",
    discussion: """
      EXAMPLE
        sorted clean --older-than 365 --dry-run
      """)

  @Option(help: ArgumentHelp("The minimum age in days of the deleted messages.", valueName: "days"))
  var olderThan: Int

  @Flag(help: "Only print what would be deleted.")
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
