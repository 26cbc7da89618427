import ArgumentParser
import FirestoreClient
import FirestoreProtocol
import Foundation
import Sorted
import SortedSync
import SwiftData

struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Send local messages and receive new ones.",
    discussion: """
      If the server does not answer, messages stay queued. With
      --watch the sync runs until Ctrl-C and prints a line (JSON with --json)
      for each event. With --server the inbox syncs with `swiftdata
      sync-server`, and shares its conversations; otherwise with Firestore.

      EXAMPLE
        sorted sync --user ann --remote http://127.0.0.1:8080
        sorted sync --server http://127.0.0.1:8787 --token-file ann.token
      """)

  @Flag(help: "Run until Ctrl-C.")
  var watch = false

  @Option(help: ArgumentHelp("With --watch: the polling interval.", valueName: "seconds"))
  var interval = 2.0

  @Option(help: ArgumentHelp("The sync server, as in http://127.0.0.1:8787, instead of Firestore.", valueName: "url"))
  var server: String?

  @OptionGroup var token: TokenOptions
  @OptionGroup var remote: RemoteOptions
  @OptionGroup var clock: ClockOptions
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard interval >= 0.05, interval <= 86_400 else { throw ValidationError("--interval is 0.05 s at least") }
    guard server == nil || remote.isUnused else { throw ValidationError("use --server or --remote, not both") }
  }

  func run() async throws {
    if let server {
      let inbox = try store.sharedInbox(server, token, user: remote.user)
      return try await watch ? keepSyncing(SharedInboxCoordinator(inbox), inbox.container) : exchange(inbox)
    }
    let container = try store.container()
    let user = try Failure.explained { try remote.userID(of: container) }
    let database = try Failure.explained { try remote.database() }
    if watch {
      let coordinator = await BackgroundSyncCoordinator(
        container: container, database: database, userID: user, reachability: remote.reachability(of: database),
        environment: clock.environment)
      return try await keepSyncing(coordinator, container)
    }
    let bar = SendProgress()
    let session = SyncSession(container: container, database: database, userID: user, environment: clock.environment)
    do {
      let report = try await session.run(ignoringDelays: true) { bar.show($0, $1) }
      bar.end()
      try ClassificationProgress.classifyPending(container)
      try output.print(report) { Self.text(report, $0) }
    } catch {
      bar.end()
      throw Failure.of(error)
    }
  }

  /// One exchange with a sync server.
  private func exchange(_ inbox: SharedInbox) async throws {
    do {
      let report = try await SharedInboxSession(inbox).run(ignoringDelays: true)
      await inbox.close()
      try ClassificationProgress.classifyPending(inbox.container)
      try output.print(report) { Self.text(report, $0) }
    } catch {
      await inbox.close()
      throw Failure.of(error)
    }
  }

  @MainActor
  private func keepSyncing(_ coordinator: any InboxSync, _ container: ModelContainer) async throws {
    let interval = interval
    let running = Task { await coordinator.run(interval: interval) }
    let meaning = try Failure.explained { try MeaningModel.installed() }
    let classification = Task { await AssistWorker(container: container, meaning: meaning).run() }
    defer { classification.cancel() }
    let interrupt = StopSignals { running.cancel() }
    defer { interrupt.cancel() }
    let output = output
    let printing = Task { @MainActor in
      var last = WatchLine(coordinator)
      for await line in WatchLine.changes(of: coordinator) where line != last {
        last = line
        try? output.printLine(line) { line.text }
      }
      return last
    }
    await running.value
    printing.cancel()
    // The sync that the signal ended may have changed something since the last line.
    let (last, end) = (await printing.value, WatchLine(coordinator))
    if end != last { try? output.printLine(end) { end.text } }
  }

  static func text(_ report: SyncSession.Report, _ rendering: TextRendering) -> String {
    var rows = [
      ("sent", report.outgoing.sent), ("changes sent", report.outgoing.changed), ("failed", report.outgoing.failed),
      ("received", report.incoming.received), ("changes received", report.incoming.updated),
      ("still waiting", report.pending),
    ]
    if report.incoming.conflicts > 0 { rows.append(("conflicts", report.incoming.conflicts)) }
    return rendering.table(rows.map { ($0, "\($1)") })
  }
}

/// A deliberate clock error, for tests.
struct ClockOptions: ParsableArguments {
  @Option(help: .hidden)
  var clockOffset = 0.0

  var environment: SyncEnvironment {
    let offset = clockOffset
    return SyncEnvironment(now: { Date().addingTimeInterval(offset) })
  }
}

/// The server and the credentials.
struct RemoteOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The server, as in http://127.0.0.1:8080. (default: FIRESTORE_EMULATOR_HOST, or Google's)", valueName: "url"))
  var remote: String?

  @Option(help: "The Firebase project.")
  var project = "demo-sorted"

  @Option(help: "The user of the store. Required for its first sync.")
  var user: String?

  @Option(help: ArgumentHelp("The key file of a service account, from the Google Cloud console.", valueName: "file"))
  var key: String?

  /// Whether no option names Firestore's server.
  var isUnused: Bool { remote == nil && key == nil }

  /// Whether there is a network, or nil for a server on this machine, which needs none.
  func reachability(of database: any RemoteDatabase) -> AsyncStream<Bool>? {
    #if os(Linux)
      let emulator = ProcessInfo.processInfo.environment["FIRESTORE_EMULATOR_HOST"].map { "http://" + $0 }
      let host = (remote ?? emulator).flatMap { URL(string: $0)?.host }
      if ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host) { return nil }
      guard let client = database as? FirestoreClient else { return nil }
      let monitor = NetworkPathMonitor(source: KernelLinks(), probe: { await client.isReachable() })
      return monitor.networkIsThere()
    #else
      return nil
    #endif
  }

  /// - Throws: ``Failure`` for an invalid address; `FirestoreError` for an invalid key.
  func database() throws -> any RemoteDatabase {
    if let remote, URL(string: remote)?.host == nil {
      throw Failure("--remote \(remote) is not an address; write it as in http://127.0.0.1:8080")
    }
    let credentials = try key.map { try ServiceAccount(key: try Data(contentsOf: URL(fileURLWithPath: $0))) }
    return FirestoreClient(
      project: project, baseURL: remote.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 },
      credentials: credentials,
      timeout: .seconds(30))
  }

  /// - Throws: ``Failure`` if no user was given, or the store syncs with a sync server.
  func userID(of container: ModelContainer) throws -> String {
    if let shared = try SharedInboxEntity.of(ModelContext(container)) {
      throw Failure("the store syncs with \(shared.server); use --server (sorted serve: --sync)")
    }
    if let user { return user }
    let known = try LocalUser.id(in: ModelContext(container))
    guard known != LocalUser.placeholder else {
      throw Failure("This store has no owner yet. Pass --user NAME.")
    }
    return known
  }
}

/// Shows the progress of sending on a terminal.
private final class SendProgress: Sendable {
  func show(_ done: Int, _ total: Int) {
    guard Terminal.isTerminal, total >= 500 else { return }
    let full = 30 * done / max(1, total)
    let bar = String(repeating: "#", count: full) + String(repeating: "-", count: 30 - full)
    Terminal.note("\r[\(bar)] \(done) of \(total) messages")
  }

  func end() { if Terminal.isTerminal { Terminal.note("\r\u{1B}[K") } }
}
