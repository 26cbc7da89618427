import ArgumentParser
import CommandLineSupport
import SwiftDataInspection

struct History: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the saves of a store, the newest first.",
    discussion: """
      Each save has its number, time, program and author, and the number of objects that it inserted, updated and deleted.

      EXAMPLE
        swiftdata history app.store --since 2h
        swiftdata history app.store --since 2026-11-29 --json
      """)

  @OptionGroup var store: StoreArgument
  @Option(
    help: ArgumentHelp(
      "Leave out saves before a time (2026-11-29, 2026-11-29T04:20:00Z) or an age (30m, 2h, 7d).", valueName: "time"))
  var since: Moment?
  @Option(help: ArgumentHelp("The greatest number of saves.", valueName: "count"))
  var limit = 100
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard limit > 0 else { throw ValidationError("--limit takes a number above 0.") }
  }

  func run() throws {
    let transactions = try store.open().transactions(since: since?.date, limit: limit)
    try output.print(transactions) {
      transactions.isEmpty ? "no saves" : transactions.map(\.text).joined(separator: "\n")
    }
  }
}
