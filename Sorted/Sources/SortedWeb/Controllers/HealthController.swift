import HTTPTypes
import Hummingbird
import Logging
import Sorted
import SwiftData

/// Tells a supervisor whether the server can answer.
struct HealthController: Sendable {
  private let probe: Probe

  /// - Parameters:
  ///   - kept: how long a check that succeeded answers for later ones.
  ///   - check: throws an error if the stores cannot be read or nothing can be written.
  init(kept: Duration = .seconds(5), check: @escaping @Sendable () async throws -> Void) {
    probe = Probe(kept: kept, check: check)
  }

  /// Checks once for all who ask at the same time or soon after. It needs no sign-in, so it must not cost a write for each request.
  private actor Probe {
    private let kept: Duration
    private let check: @Sendable () async throws -> Void
    private var running: Task<Void, any Error>?
    private var succeeded: ContinuousClock.Instant?

    init(kept: Duration, check: @escaping @Sendable () async throws -> Void) { (self.kept, self.check) = (kept, check) }

    func run() async throws {
      if let succeeded, succeeded.duration(to: .now) < kept { return }
      let task = running ?? Task { [check] in try await check() }
      running = task
      defer { running = nil }
      try await task.value
      succeeded = ContinuousClock.now
    }
  }

  /// Reads from both stores of a site, and writes a little beside them.
  init(site: Site) {
    self.init {
      try site.files.probe()
      try await site.desk.read { work in
        _ = try work.own.fetchCount(FetchDescriptor<SiteEntity>())
        _ = try work.inbox.fetchCount(FetchDescriptor<SyncStateEntity>())
      }
    }
  }

  /// Answers 200 if the stores can be read and the disk has room, and 503 otherwise. It says nothing else, because it needs no sign-in.
  func answer() async -> Response {
    do {
      try await probe.run()
      return Self.response(.ok, "ready\n")
    } catch {
      Logger(label: "sorted.web").error("the stores cannot be read or written: \(error)")
      return Self.response(.serviceUnavailable, "The store cannot be read or written.\n")
    }
  }

  private static func response(_ status: HTTPResponse.Status, _ text: String) -> Response {
    Response(
      status: status, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
      body: .init(byteBuffer: .init(string: text)))
  }
}
