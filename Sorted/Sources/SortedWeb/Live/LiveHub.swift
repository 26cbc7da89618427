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
    /// Older messages that an open page shows.
    case stretch(Viewer, String, ClosedRange<Date>)
    case status(Viewer)
    /// What everybody hears: nothing but that the connection is alive.
    case heartbeat

    var isStretch: Bool { if case .stretch = self { true } else { false } }
  }

  /// A topic in one language: each change is rendered once for each.
  private struct Key: Hashable {
    var topic: Topic
    var language = Language.current
  }

  /// A browser that listens.
  private struct Listener {
    let continuation: AsyncStream<ByteBuffer>.Continuation
    let session: String
    let viewer: Viewer
    var topics: [Key]
  }

  private struct Channel {
    var subscribers: Set<Int> = []
    var tasks: [Task<Void, Never>] = []
    /// Grows with each subscriber, so that a delayed close sees that another one came.
    var visits = 0
    /// The last event of a topic whose events replace each other. The hub sends it to each new listener, because the page of the
    /// listener may show a state that was over before the hub looked.
    var last: ByteBuffer?
    /// Whether what is told of the sorting of the list may be over.
    var hasStaleSorting = false
    /// Which of the tasks have begun to watch.
    var watching: Set<Int> = []
    /// Which of the tasks ended with an error and did not watch again since.
    var failed: Set<Int> = []
    var isReady: Bool { !tasks.isEmpty && watching.count == tasks.count }
  }

  let desk: Desk
  let pages: Pages
  let sync: (any InboxSync)?
  let logger: Logger

  private let executor = HubExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private var channels: [Key: Channel] = [:]
  private var listeners: [Int: Listener] = [:]
  /// Those who are not told to look yet.
  private var newcomers: Set<Int> = []
  private var nextSubscriber = 0
  private var isOver = false
  var presence = Presence()

  /// Several changes within this time are one event: twenty messages a second are ten writes to each browser.
  static let pace = Duration.milliseconds(100)
  private static let heartbeat = Duration.seconds(15)
  /// How long a result is watched after the last browser left, because the next page is likely to want it again.
  private static let lingering = Duration.seconds(30)
  /// A browser that takes less than this many events behind is let go; it comes back by itself and starts afresh.
  private static let maximumBacklog = 256

  /// All tabs of a browser share one stream; this many are for browsers that cannot.
  static let maximumStreams = 12
  /// How many stretches a person's browsers watch. A browser opens its next stream before it closes the one before.
  static let maximumStretchesEach = 48
  /// How many stretches all browsers watch.
  static let maximumStretches = 256

  init(desk: Desk, pages: Pages, sync: (any InboxSync)?, logger: Logger) {
    self.desk = desk
    self.pages = pages
    self.sync = sync
    self.logger = logger
  }

  // MARK: - Browsers

  /// The events of some topics, until the stream is let go, its session ends, or ``finish()``.
  ///
  /// The first one, `hello`, comes when all of them are watched: who looks then and listens from then on misses nothing.
  /// A session with too many streams loses the oldest one: a page that is gone may still have one.
  /// - Parameter closed: the end of the browser's connection, which ends the stream.
  /// - Throws: ``PageError/tooMany`` where there is no room for its stretches, because the others watch no more than their share.
  func subscribe(
    _ topics: [Topic], _ viewer: Viewer, session: String, until closed: EventLoopFuture<Void>? = nil
  ) throws -> AsyncStream<ByteBuffer> {
    try makeRoom(for: topics, viewer)
    let own = listeners.filter { $0.value.session == session }.keys.sorted()
    for id in own.dropLast(Self.maximumStreams - 1) {
      listeners[id]?.continuation.finish()
      leave(id)
    }
    let (stream, continuation) = AsyncStream.makeStream(
      of: ByteBuffer.self, bufferingPolicy: .bufferingOldest(Self.maximumBacklog))
    guard !isOver else {
      continuation.finish()
      return stream
    }
    nextSubscriber += 1
    let id = nextSubscriber
    let all = (topics + [.heartbeat]).map { Key(topic: $0) }
    listeners[id] = Listener(continuation: continuation, session: session, viewer: viewer, topics: all)
    for key in all {
      channels[key, default: Channel()].subscribers.insert(id)
      channels[key]?.visits += 1
      start(key)
    }
    continuation.onTermination = { [weak self] _ in
      Task { await self?.leave(id) }
    }
    closed?.whenComplete { _ in continuation.finish() }
    newcomers.insert(id)
    greet()
    presenceChanges(in: topics)
    return stream
  }

  /// Makes room for the stretches among some topics. A stretch keeps up to two thousand messages in memory, and a browser chooses which.
  ///
  /// The oldest streams with stretches end: first the viewer's own, above ``maximumStretchesEach``, then those of the person who
  /// watches the most stretches, above the limit for all. A person never loses a stream to one who would then watch as many stretches.
  /// The browser of a stream that ended asks again by itself.
  private func makeRoom(for topics: [Topic], _ viewer: Viewer) throws {
    let person = viewer.userID
    /// How many stretches each person watches, with the new ones of this viewer.
    func watched() -> [String: Int] {
      let new = Set(topics.map { Key(topic: $0) }.filter { $0.topic.isStretch && channels[$0] == nil })
      return (channels.keys + new).reduce(into: [:]) { counts, key in
        if case .stretch(let viewer, _, _) = key.topic { counts[viewer.userID, default: 0] += 1 }
      }
    }
    guard topics.contains(where: \.isStretch) else { return }
    while watched()[person, default: 0] > Self.maximumStretchesEach {
      guard endOldestStretch(of: person) else { throw PageError.tooMany }
    }
    var counts = watched()
    // Nobody loses a stream unless that makes room enough.
    let fair = counts.values.reduce(0) { $0 + min($1, max(counts[person, default: 0], 1)) }
    guard counts.values.reduce(0, +) <= Self.maximumStretches || fair <= Self.maximumStretches else {
      throw PageError.tooMany
    }
    while counts.values.reduce(0, +) > Self.maximumStretches {
      guard let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), most.key != person,
        endOldestStretch(of: most.key)
      else { throw PageError.tooMany }
      counts = watched()
    }
  }

  /// Ends a person's oldest stream that has a stretch.
  /// - Returns: whether there was one.
  private func endOldestStretch(of person: String) -> Bool {
    let own = listeners.filter { $0.value.viewer.userID == person && $0.value.topics.contains { $0.topic.isStretch } }
    guard let oldest = own.keys.min() else { return false }
    listeners[oldest]?.continuation.finish()
    leave(oldest)
    return true
  }

  /// Notes that a part of a topic is watched in the current language. A part that failed before missed changes, so the pages are told
  /// to load all of it again.
  func isWatching(_ topic: Topic, _ part: Int) {
    let key = Key(topic: topic)
    if channels[key]?.failed.remove(part) != nil { publish(Self.lookAgain(topic), to: topic) }
    guard channels[key]?.watching.insert(part).inserted == true else { return }
    greet()
  }

  /// Notes that a part of a topic ended with an error. Browsers that wait for `hello` get it: what they load works or tells why not.
  func failed(_ topic: Topic, _ part: Int) {
    let key = Key(topic: topic)
    // A second failure is no news. While a store cannot be read, all pages would otherwise load everything again each second.
    channels[key]?.failed.remove(part)
    isWatching(topic, part)
    channels[key]?.failed.insert(part)
  }

  /// What has pages load all of a topic again. The status is sent whole each time that it is read.
  private static func lookAgain(_ topic: Topic) -> [ServerEvent] {
    switch topic {
    case .list: [ServerEvent("list-changed", "")]
    case .thread(_, let id), .stretch(_, let id, _): [ServerEvent("thread-changed", Slug.encode(id))]
    case .status, .heartbeat: []
    }
  }

  /// Notes that the sorting of a viewer's list may be another one now.
  func noteStaleSorting(_ viewer: Viewer) { channels[Key(topic: .list(viewer))]?.hasStaleSorting = true }

  /// Whether the sorting is to be read again. The answer is yes once for each note.
  func hasStaleSorting(_ viewer: Viewer) -> Bool {
    let isStale = channels[Key(topic: .list(viewer))]?.hasStaleSorting ?? false
    channels[Key(topic: .list(viewer))]?.hasStaleSorting = false
    return isStale
  }

  private func greet() {
    for id in newcomers {
      guard let listener = listeners[id], listener.topics.allSatisfy({ channels[$0]?.isReady == true }) else {
        continue
      }
      listener.continuation.yield(ServerEvent.buffer([ServerEvent("hello", "")]))
      for last in listener.topics.compactMap({ channels[$0]?.last }) { listener.continuation.yield(last) }
      newcomers.remove(id)
    }
  }

  /// Ends all streams, as when the server stops.
  func finish() {
    isOver = true
    for channel in channels.values { channel.tasks.forEach { $0.cancel() } }
    for listener in listeners.values { listener.continuation.finish() }
    channels = [:]
    listeners = [:]
    newcomers = []
  }

  /// Ends the streams of sessions, and says why: `signed-out` or `ended`.
  func end(sessions: [String], _ why: String) {
    for listener in listeners.values where sessions.contains(listener.session) {
      listener.continuation.yield(ServerEvent.buffer([ServerEvent("bye", why)]))
      listener.continuation.finish()
    }
  }

  /// Ends the events of a conversation for a viewer who may not see it any more.
  func close(thread id: String, of viewer: Viewer) {
    announce([ServerEvent("thread-gone", Slug.encode(id))], to: .thread(viewer, id))
    for key in channels.keys {
      switch key.topic {
      case .thread(viewer, id), .stretch(viewer, id, _):
        for listener in channels[key]?.subscribers ?? [] { listeners[listener]?.topics.removeAll { $0 == key } }
        presenceChanges(in: [key.topic])
        channels[key]?.tasks.forEach { $0.cancel() }
        channels[key] = nil
      default: break
      }
    }
  }

  /// How many browsers listen to something.
  func listenerCount(_ topic: Topic) -> Int {
    channels.reduce(0) { $0 + ($1.key.topic == topic ? $1.value.subscribers.count : 0) }
  }

  /// The people who have a conversation open now.
  func readers(of id: String) -> Set<String> {
    Set(
      listeners.values.filter { listener in
        listener.topics.contains { if case .thread(_, id) = $0.topic { true } else { false } }
      }.map(\.viewer.userID))
  }

  /// What is followed, in any language.
  var followedTopics: Set<Topic> { Set(channels.keys.map(\.topic)) }

  /// Tells everybody who has a conversation open, but for one person.
  func tell(_ event: ServerEvent, thread id: String, except userID: String) {
    for topic in followedTopics {
      if case .thread(let viewer, id) = topic, viewer.userID != userID { announce([event], to: topic) }
    }
  }

  private func leave(_ id: Int) {
    newcomers.remove(id)
    guard let listener = listeners.removeValue(forKey: id) else { return }
    presenceChanges(in: listener.topics.map(\.topic))
    for key in listener.topics {
      channels[key]?.subscribers.remove(id)
      guard let channel = channels[key], channel.subscribers.isEmpty else { continue }
      // The next page is not likely to show the same stretch, which keeps many messages in memory.
      guard !key.topic.isStretch else {
        close(key, unlessAfter: channel.visits)
        continue
      }
      Task {
        try? await Task.sleep(for: Self.lingering)
        close(key, unlessAfter: channel.visits)
      }
    }
  }

  private func close(_ key: Key, unlessAfter visits: Int) {
    guard let channel = channels[key], channel.subscribers.isEmpty, channel.visits == visits else { return }
    channel.tasks.forEach { $0.cancel() }
    channels[key] = nil
  }

  /// Tells the browsers of the current language, in which the events are rendered.
  func publish(_ events: [ServerEvent], to topic: Topic) {
    guard !events.isEmpty else { return }
    send(ServerEvent.buffer(events), to: Key(topic: topic))
  }

  /// Tells the browsers of all languages of events without words.
  func announce(_ events: [ServerEvent], to topic: Topic) {
    for language in Language.allCases { send(ServerEvent.buffer(events), to: Key(topic: topic, language: language)) }
  }

  private func send(_ buffer: ByteBuffer, to key: Key) {
    for id in channels[key]?.subscribers ?? [] {
      guard let listener = listeners[id] else { continue }
      if case .dropped = listener.continuation.yield(buffer) {
        logger.debug("browser \(id) is too slow")
        listener.continuation.finish()
      }
    }
  }

  // MARK: - What is followed

  private func start(_ key: Key) {
    guard channels[key]?.tasks.isEmpty == true else { return }
    let topic = key.topic
    let work: [@Sendable (LiveHub) async throws -> Void]
    switch topic {
    case .list(let viewer):
      work = [
        { try await $0.followList(viewer) }, { try await $0.followPlaces(viewer) }, { try await $0.followSpam(viewer) },
        { try await $0.followJudgements(viewer) }, { try await $0.followSorting(viewer) },
      ]
    case .thread(let viewer, let id): work = [{ try await $0.followThread(viewer, id) }]
    case .stretch(let viewer, let id, let dates): work = [{ try await $0.followStretch(viewer, id, dates) }]
    case .status(let viewer): work = [{ try await $0.followStatus(viewer) }]
    case .heartbeat: work = [{ try await $0.beat() }]
    }
    // The tasks take the language over from here.
    channels[key]?.tasks = work.enumerated().map { part, follow in
      Task { [weak self] in
        while !Task.isCancelled, let hub = self {
          do {
            try await follow(hub)
          } catch is CancellationError {
          } catch let error as PageError where error == .notFound {
            guard await hub.lost(topic, part) else { return }
            try? await Task.sleep(for: .seconds(1))
          } catch {
            // What is gone may come back, and a store that cannot be read now may be readable soon.
            hub.logger.error("live updates of \(topic): \(error)")
            await hub.failed(topic, part)
            try? await Task.sleep(for: .seconds(1))
          }
        }
      }
    }
  }

  /// What is followed is not there for its viewer any more.
  /// - Returns: whether it is to be followed further.
  private func lost(_ topic: Topic, _ part: Int) -> Bool {
    switch topic {
    case .thread(let viewer, let id), .stretch(let viewer, let id, _):
      close(thread: id, of: viewer)
      return false
    case .list, .status, .heartbeat:
      failed(topic, part)
      return true
    }
  }

  /// Keeps connections open, and finds out which of their sessions are over.
  private func beat() async throws {
    isWatching(.heartbeat, 0)
    while true {
      try await Task.sleep(for: Self.heartbeat)
      send(ServerEvent.heartbeat, to: Key(topic: .heartbeat))
      try await endOldSessions()
    }
  }

  /// Ends the streams of sessions that expired or that another program ended.
  func endOldSessions() async throws {
    let sessions = Array(Set(listeners.values.map(\.session)))
    guard !sessions.isEmpty else { return }
    end(sessions: try await Sessions(desk: desk).ended(sessions), "ended")
  }

  /// The counts of what waits are read once for all viewers.
  private var waiting: (time: ContinuousClock.Instant, counts: WaitingMessages)?

  private func waitingMessages() async throws -> WaitingMessages {
    if let waiting, waiting.time.duration(to: .now) < .milliseconds(400) { return waiting.counts }
    let counts = try await desk.read { try WaitingMessages($0) }
    waiting = (.now, counts)
    return counts
  }

  private func followStatus(_ viewer: Viewer) async throws {
    var last: StatusLine?
    while true {
      let line = StatusLine(try await waitingMessages(), viewer, sync: await syncState())
      if last != line {
        let event = ServerEvent("status", pages.render("status", line))
        publish([event], to: .status(viewer))
        channels[Key(topic: .status(viewer))]?.last = ServerEvent.buffer([event])
      }
      last = line
      isWatching(.status(viewer), 0)
      try await Task.sleep(for: .milliseconds(500))
    }
  }

  func syncState() async -> SyncState? {
    guard let sync else { return nil }
    return await MainActor.run { SyncState(sync) }
  }
}
