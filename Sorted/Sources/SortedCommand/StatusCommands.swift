import ArgumentParser
import FirestoreProtocol
import Foundation
import Sorted
import SortedSync
import SwiftData

struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the state of the sync: online, queued, failed with the reasons, last sync.",
    discussion: """
      Checks whether the server answers if --remote, --server or
      FIRESTORE_EMULATOR_HOST names one.

      EXAMPLE
        sorted status
      """)

  @Option(help: ArgumentHelp("The sync server, as in http://127.0.0.1:8787.", valueName: "url"))
  var server: String?

  @OptionGroup var remote: RemoteOptions
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let user = try store.withContext { try LocalUser.id(in: $0) }
    let online = try await isOnline(user)
    let report = try store.withContext { try SyncStatusReport($0, online: online) }
    try output.print(report) { text(report, $0) }
  }

  private func isOnline(_ user: String) async throws -> Bool? {
    if let server {
      guard let url = URL(string: server), url.host != nil else {
        throw Failure("--server \(server) is not an address; write it as in http://127.0.0.1:8787")
      }
      return await SharedInbox.answers(url)
    }
    let emulator = ProcessInfo.processInfo.environment["FIRESTORE_EMULATOR_HOST"] ?? ""
    guard remote.remote != nil || remote.key != nil || !emulator.isEmpty else { return nil }
    let database = try Failure.explained { try remote.database() }
    do {
      _ = try await database.documents(["\(database.root)/users/\(user)"])
      return true
    } catch let error as FirestoreError {
      // Any answer means that the server is reachable.
      return ![.unavailable, .deadlineExceeded].contains(error.status)
    }
  }

  private func text(_ report: SyncStatusReport, _ rendering: TextRendering) -> String {
    var rows = [
      ("user", report.user ?? "nobody yet"),
      ("server", report.server ?? (report.user == nil ? "none yet" : "Firestore")),
      ("online", report.online.map { $0 ? "yes" : "no" } ?? "not asked"),
      ("pending", "\(report.pending)"), ("failed", "\(report.failedCount)"),
      ("last sync", report.lastSync?.formatted(.iso8601) ?? "never"),
    ]
    if !report.conflicts.isEmpty { rows.append(("conflicts", "\(report.conflicts.count)")) }
    var lines = [rendering.table(rows)]
    if let error = report.lastError { lines.append("last error: \(error)") }
    lines += report.failed.map { message in
      let next = message.nextAttempt.map { "again at \($0.formatted(.iso8601))" } ?? "sorted retry \(message.id)"
      return "failed  \(message.id)  \(message.reason)  (\(next))"
    }
    lines += report.conflicts.map {
      "replaced  \($0.id) \($0.field): \"\($0.local)\" by the later \"\($0.remote)\""
    }
    // Names and texts come from others, so control sequences are removed.
    return lines.joined(separator: "\n").split(separator: "\n").map { rendering.safe(String($0)) }
      .joined(separator: "\n")
  }
}

struct RetryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry",
    abstract: "Queue failed messages again for the next sync.",
    discussion: """
      EXAMPLE
        sorted retry --all
      """)

  @Argument(help: "The id of the message, as `sorted status` shows it.")
  var id: String?

  @Flag(help: "Queue all messages that failed.")
  var all = false

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if (id == nil) != all { throw ValidationError("give the id of a message, or --all") }
  }

  func run() throws {
    let outcome = Outcome(retried: try store.withInbox { try $0.retry(id) })
    try output.print(outcome) { _ in
      switch outcome.retried {
      case 0: "Nothing failed."
      case 1: "1 message waits again."
      default: "\(outcome.retried) messages wait again."
      }
    }
  }

  private struct Outcome: Encodable { let retried: Int }
}
