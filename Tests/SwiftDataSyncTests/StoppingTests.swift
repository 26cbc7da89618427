#if Sync
import Foundation
import SwiftData
import SyncProtocol
import Synchronization
import Testing
import UntrustedInput

@testable import SwiftDataSync

/// A server that holds back the answers to requests for changes, also those of cancelled requests.
private final class GatedTransport: SyncTransport {
  private struct State {
    var isClosed = false
    var spoilsNext = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var cancelled = 0
  }

  let server = LoopTransport()
  private let state = Mutex(State())

  var waiting: Int { state.withLock { $0.waiting.count } }
  /// The requests that were cancelled while they were held back.
  var cancelled: Int { state.withLock { $0.cancelled } }
  func close() { state.withLock { $0.isClosed = true } }
  /// Gives the next request an answer that no client takes in, and holds back those after it.
  func spoilNextAndClose() { state.withLock { ($0.spoilsNext, $0.isClosed) = (true, true) } }

  /// - Parameter staysClosed: whether requests that come later are held back.
  func open(staysClosed: Bool = false) {
    let waiting = state.withLock { state in
      state.isClosed = staysClosed
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func send(_ request: SyncRequest) async throws -> SyncReply {
    guard request.path.contains("/pull") else { return try await server.send(request) }
    let isSpoiled = state.withLock { state in
      defer { state.spoilsNext = false }
      return state.spoilsNext
    }
    // A request that is cancelled already is held back too.
    let reply = await Task { try await server.send(request) }.result
    if isSpoiled {
      var response = try SyncWire.decode(SyncLog.PullResponse.self, from: reply.get().body)
      response.time = Untrusted(-1)
      return SyncReply(status: 200, body: try SyncWire.encode(response))
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOpen = state.withLock { state in
          if state.isClosed { state.waiting.append(continuation) }
          return !state.isClosed
        }
        if isOpen { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.cancelled += $0.isClosed ? 1 : 0 }
    }
    return try reply.get()
  }
}

/// B6: `SyncEngine.stop()` ends what the engine started before it closes the bookkeeping.
@Suite("B6: stopping an engine during an exchange", .serialized, .timeLimit(.minutes(20)))
struct StoppingTests {
  private let transport = GatedTransport()
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("stop-\(UUID().uuidString)")

  private func container() throws -> (ModelContainer, SyncEngine) {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let database = "iCloud.com.example.\(UUID().uuidString)"
    SyncRemote.register(
      database, transport: transport, credentials: SyncCredentials(token: "t"), servesAutomatic: false)
    defer { SyncRemote.unregister(database) }
    let container = try ModelContainer(
      for: EngineTrack.self,
      configurations: ModelConfiguration(
        url: folder.appendingPathComponent("user.store"), cloudKitDatabase: .private(database)))
    return (container, try #require(container.syncEngines.first))
  }

  private func insert(_ title: String, _ container: ModelContainer) throws {
    let context = ModelContext(container)
    context.insert(EngineTrack(id: title, title: title))
    try context.save()
  }

  /// Waits as long as it takes, because the machine may be busy. The time limit of the suite ends a wait without a result.
  private func wait(_ condition: () throws -> Bool) async throws {
    while try !condition() { try await Task.sleep(for: .milliseconds(10)) }
  }

  /// An engine whose exchange waits for an answer.
  private func engineInExchange() async throws -> (ModelContainer, SyncEngine, Task<Void, any Error>) {
    let (container, engine) = try container()
    await engine.pause()
    try await engine.syncNow()
    try insert("a", container)
    transport.close()
    let exchange = Task { try await engine.syncNow() }
    try await wait { transport.waiting > 0 }
    return (container, engine, exchange)
  }

  @Test("waits for the exchange, which writes to the bookkeeping until it is over")
  func exchange() async throws {
    let (container, engine, exchange) = try await engineInExchange()
    let steps = Mutex<[String]>([])
    let stop = Task {
      await engine.stop()
      steps.withLock { $0.append("stopped") }
    }
    try await wait { transport.cancelled > 0 }
    // An engine that does not wait has time to stop.
    try await Task.sleep(for: .milliseconds(300))
    steps.withLock { $0.append("answered") }
    transport.open()
    await stop.value
    #expect(steps.withLock { $0 } == ["answered", "stopped"])
    await #expect(throws: SyncError.self) { try await exchange.value }
    // The bookkeeping is free for another engine, and the unsent object is sent once.
    await engine.start()
    try await wait { transport.server.log.count == 1 }
    await engine.stop()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<EngineTrack>()) == 1)
    try FileManager.default.removeItem(at: folder)
  }

  @Test("does not close the bookkeeping of an engine that is started meanwhile")
  func startMeanwhile() async throws {
    let (container, engine, exchange) = try await engineInExchange()
    let stop = Task { await engine.stop() }
    try await wait { transport.cancelled > 0 }
    await engine.start()
    transport.open()
    await stop.value
    _ = await exchange.result
    try await wait { transport.server.log.count == 1 }
    try insert("b", container)
    try await wait { transport.server.log.count == 2 }
    // The engine holds the lock of the bookkeeping.
    let (other, second) = try self.container()
    await second.pause()
    let error = await #expect(throws: SyncError.self) { try await second.syncNow() }
    #expect(error?.code == .busy)
    await second.stop()
    await engine.stop()
    withExtendedLifetime(other) {}
    try FileManager.default.removeItem(at: folder)
  }

  @Test("ends the pause after an error: an engine that is started again tries at once")
  func startAfterError() async throws {
    transport.server.refuse(SyncFailure(.rateLimited, "wait an hour", retryAfter: 3600))
    let (container, engine) = try container()
    try await wait { engine.status.error != nil }
    transport.server.refuse(nil)
    await engine.stop()
    await engine.start()
    try await wait { engine.status.lastSync != nil }
    await engine.stop()
    withExtendedLifetime(container) {}
    try FileManager.default.removeItem(at: folder)
  }

  @Test("is final also where the engine of a container that has just been opened starts late")
  func lateLaunch() async throws {
    let (container, engine) = try container()
    await engine.stop()
    // As the container does, which does not wait for it.
    await engine.launch()
    #expect(await engine.tasks.isEmpty)
    await engine.start()
    #expect(await !engine.tasks.isEmpty)
    await engine.stop()
    withExtendedLifetime(container) {}
    try FileManager.default.removeItem(at: folder)
  }

  @Test("refuses an exchange that is asked for meanwhile")
  func exchangeMeanwhile() async throws {
    let (container, engine, exchange) = try await engineInExchange()
    let stop = Task { await engine.stop() }
    try await wait { transport.cancelled > 0 }
    let error = await #expect(throws: SyncError.self) { try await engine.syncNow() }
    #expect(error?.code == .offline)
    transport.open()
    await stop.value
    _ = await exchange.result
    withExtendedLifetime(container) {}
    try FileManager.default.removeItem(at: folder)
  }

  @Test("waits for the end of a request that it made ahead, also after a failure")
  func requestAhead() async throws {
    let (container, engine) = try container()
    await engine.pause()
    try await engine.syncNow()
    let (other, sender) = try await transport.server.pausedEngine()
    // More than one answer has.
    for number in 0..<11 {
      try insert("\(number)", other)
      try await sender.syncNow()
    }
    transport.spoilNextAndClose()
    let steps = Mutex<[String]>([])
    let exchange = Task {
      _ = try? await engine.syncNow()
      steps.withLock { $0.append("over") }
    }
    try await wait { transport.waiting > 0 }
    // An exchange that does not wait has time to end.
    try await Task.sleep(for: .milliseconds(300))
    steps.withLock { $0.append("answered") }
    transport.open()
    await exchange.value
    #expect(steps.withLock { $0 } == ["answered", "over"])
    try await engine.syncNow()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<EngineTrack>()) == 11)
    for engine in [engine, sender] { await engine.stop() }
    try FileManager.default.removeItem(at: folder)
  }

  @Test("by a pause leaves the news for later that the engine heard of during the exchange")
  func newsBeforePause() async throws {
    let (container, engine) = try container()
    try await engine.syncNow()
    try await wait { transport.server.waits.last == 25 }
    transport.close()
    let exchange = Task { try await engine.syncNow() }
    try await wait { transport.waiting > 0 }
    let (other, sender) = try await transport.server.pausedEngine()
    try insert("a", other)
    try await sender.syncNow()
    // It has heard of them then, and waits for the exchange.
    while await engine.longPoll != nil { try await Task.sleep(for: .milliseconds(10)) }
    let pause = Task { await engine.pause() }
    try await wait { engine.status.isPaused }
    transport.open()
    await pause.value
    _ = await exchange.result
    // An engine that goes on has time to ask.
    try await Task.sleep(for: .milliseconds(300))
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<EngineTrack>()) == 0)
    await engine.resume()
    try await wait { try ModelContext(container).fetchCount(FetchDescriptor<EngineTrack>()) == 1 }
    for engine in [engine, sender] { await engine.stop() }
    try FileManager.default.removeItem(at: folder)
  }

  @Test("is not needed to see that the engine syncs: the status says so until the last of two exchanges is over")
  func twoExchanges() async throws {
    let (container, engine) = try container()
    await engine.pause()
    try await engine.syncNow()
    transport.close()
    let first = Task { try await engine.syncNow() }
    try await wait { transport.waiting > 0 }
    let second = Task { try await engine.syncNow() }
    while await engine.exchanges.count < 2 { try await Task.sleep(for: .milliseconds(10)) }
    transport.open(staysClosed: true)
    try await first.value
    try await wait { transport.waiting > 0 }
    #expect(engine.status.isSyncing)
    transport.open()
    try await second.value
    #expect(!engine.status.isSyncing)
    await engine.stop()
    withExtendedLifetime(container) {}
    try FileManager.default.removeItem(at: folder)
  }

  #if os(Linux)
  @Test("frees the bookkeeping also while a child that has just been forked has its descriptors")
  func forkedChild() async throws {
    let (container, engine) = try container()
    try await engine.syncNow()
    let path = folder.resolvingSymlinksInPath().appendingPathComponent("user.store.sync.lock").path
    let lock = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").first { name in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) == path
    }
    // A child has copies of the descriptors until it runs its own program.
    let copy = dup(try #require(lock.flatMap { Int32($0) }))
    defer { close(copy) }
    await engine.stop()
    let (other, second) = try self.container()
    try await second.syncNow()
    await second.stop()
    withExtendedLifetime((container, other)) {}
    try FileManager.default.removeItem(at: folder)
  }
  #endif
}
#endif
