import Foundation
import Logging
import NIOCore
import Sorted
import SwiftData

/// Follows the stores' live results and tells the browsers that are open: each result is watched once and each change
/// rendered once, however many look at it.
actor LiveHub {
  /// What can be followed.
  enum Topic: Hashable, Sendable {
    case list(Viewer)
    case thread(Viewer, String)
    /// Messages further up that somebody has on a page.
    case stretch(Viewer, String, ClosedRange<Date>)
    case status
  }

  private struct Channel {
    var subscribers: [Int: AsyncStream<ByteBuffer>.Continuation] = [:]
    var tasks: [Task<Void, Never>] = []
    /// Grows each time that somebody comes: whoever waits to close the channel sees that.
    var visits = 0
    /// Which of the tasks have begun to watch.
    var watching: Set<Int> = []
    var isReady: Bool { !tasks.isEmpty && watching.count == tasks.count }
  }

  /// Somebody who is not told to look yet.
  private struct Newcomer {
    let continuation: AsyncStream<ByteBuffer>.Continuation
    let topics: [Topic]
  }

  let desk: Desk
  let pages: Pages
  let sync: BackgroundSyncCoordinator?
  let logger: Logger

  private let executor = HubExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private var channels: [Topic: Channel] = [:]
  private var newcomers: [Int: Newcomer] = [:]
  private var nextSubscriber = 0
  private var isOver = false

  /// Several changes within this time are one event: twenty messages a second are ten writes to each browser.
  static let pace = Duration.milliseconds(100)
  private static let heartbeat = Duration.seconds(15)
  /// How long a result is watched after the last browser left, because the next page is likely to want it again.
  private static let lingering = Duration.seconds(30)
  /// A browser that takes less than this many events behind is let go; it comes back by itself and starts afresh.
  private static let maximumBacklog = 256

  init(desk: Desk, pages: Pages, sync: BackgroundSyncCoordinator?, logger: Logger) {
    self.desk = desk
    self.pages = pages
    self.sync = sync
    self.logger = logger
  }

  // MARK: - Browsers

  /// The events of some topics, until the stream is let go or ``finish()``.
  ///
  /// The first one, `hello`, comes when all of them are watched: who looks then and listens from then on misses nothing.
  func subscribe(_ topics: [Topic]) -> AsyncStream<ByteBuffer> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ByteBuffer.self, bufferingPolicy: .bufferingOldest(Self.maximumBacklog))
    guard !isOver else {
      continuation.finish()
      return stream
    }
    nextSubscriber += 1
    let id = nextSubscriber
    for topic in topics {
      channels[topic, default: Channel()].subscribers[id] = continuation
      channels[topic]?.visits += 1
      start(topic)
    }
    continuation.onTermination = { [weak self] _ in
      Task { await self?.leave(id, topics) }
    }
    newcomers[id] = Newcomer(continuation: continuation, topics: topics)
    greet()
    return stream
  }

  /// Notes that a part of a topic is watched.
  func isWatching(_ topic: Topic, _ part: Int) {
    guard channels[topic]?.watching.insert(part).inserted == true else { return }
    greet()
  }

  private func greet() {
    for (id, newcomer) in newcomers where newcomer.topics.allSatisfy({ channels[$0]?.isReady == true }) {
      newcomer.continuation.yield(ServerEvent.buffer([ServerEvent("hello", "")]))
      newcomers[id] = nil
    }
  }

  /// Ends all streams, as when the server stops.
  func finish() {
    isOver = true
    for channel in channels.values {
      channel.tasks.forEach { $0.cancel() }
      channel.subscribers.values.forEach { $0.finish() }
    }
    channels = [:]
    newcomers = [:]
  }

  /// How many browsers listen to something.
  func listeners(_ topic: Topic) -> Int { channels[topic]?.subscribers.count ?? 0 }

  private func leave(_ id: Int, _ topics: [Topic]) {
    newcomers[id] = nil
    for topic in topics {
      channels[topic]?.subscribers[id] = nil
      guard let channel = channels[topic], channel.subscribers.isEmpty else { continue }
      Task {
        try? await Task.sleep(for: Self.lingering)
        close(topic, unlessAfter: channel.visits)
      }
    }
  }

  private func close(_ topic: Topic, unlessAfter visits: Int) {
    guard let channel = channels[topic], channel.subscribers.isEmpty, channel.visits == visits else { return }
    channel.tasks.forEach { $0.cancel() }
    channels[topic] = nil
  }

  func publish(_ events: [ServerEvent], to topic: Topic) {
    guard !events.isEmpty else { return }
    send(ServerEvent.buffer(events), to: topic)
  }

  private func send(_ buffer: ByteBuffer, to topic: Topic) {
    for (id, continuation) in channels[topic]?.subscribers ?? [:] {
      if case .dropped = continuation.yield(buffer) {
        logger.debug("browser \(id) is too slow")
        continuation.finish()
      }
    }
  }

  // MARK: - What is followed

  private func start(_ topic: Topic) {
    guard channels[topic]?.tasks.isEmpty == true else { return }
    let work: [@Sendable (LiveHub) async throws -> Void]
    switch topic {
    case .list(let viewer): work = [{ try await $0.followList(viewer) }, { try await $0.followPlaces(viewer) }]
    case .thread(let viewer, let id): work = [{ try await $0.followThread(viewer, id) }]
    case .stretch(let viewer, let id, let dates): work = [{ try await $0.followStretch(viewer, id, dates) }]
    case .status: work = [{ try await $0.followStatus() }, { try await $0.beat() }]
    }
    channels[topic]?.tasks = work.enumerated().map { part, follow in
      Task { [weak self] in
        while !Task.isCancelled, let hub = self {
          do {
            try await follow(hub)
          } catch is CancellationError {
          } catch {
            // What is gone may come back, and a store that cannot be read now may be readable soon.
            if !(error is PageError) { hub.logger.error("live updates of \(topic): \(error)") }
            await hub.isWatching(topic, part)
            try? await Task.sleep(for: .seconds(1))
          }
        }
      }
    }
  }

  /// Every connection listens to the status, so its heart is everybody's.
  private func beat() async throws {
    isWatching(.status, 1)
    while true {
      try await Task.sleep(for: Self.heartbeat)
      send(ServerEvent.heartbeat, to: .status)
    }
  }

  private func followStatus() async throws {
    var last: StatusLine?
    while true {
      let sync = await syncState()
      let line = try await desk.read { try StatusLine($0, sync: sync) }
      if last != line {
        publish([ServerEvent("status", pages.render("status", line))], to: .status)
      }
      last = line
      isWatching(.status, 0)
      try await Task.sleep(for: .milliseconds(500))
    }
  }

  func syncState() async -> SyncState? {
    guard let sync else { return nil }
    return await MainActor.run { SyncState(sync) }
  }
}
