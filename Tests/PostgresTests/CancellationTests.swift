import Foundation
import SwiftData
import Synchronization
import Testing

@testable import SwiftDataPostgres

private enum CancelModels {
  @Model final class Job {
    @Attribute(.unique) var number: Int
    var state = "new"
    init(_ number: Int) { self.number = number }
  }
}
private typealias Job = CancelModels.Job

/// A value of several tasks.
private final class Shared<Value: Sendable>: Sendable {
  let value: Mutex<Value>
  init(_ value: Value) { self.value = Mutex(value) }
}

@ModelActor
private actor JobActor {
  func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Job>()) }

  func states() throws -> [String] {
    try modelContext.fetch(FetchDescriptor<Job>(sortBy: [SortDescriptor(\.number)])).map(\.state)
  }

  /// - Parameter ready: called when all but the save is done.
  func setStates(_ state: String, ready: @Sendable () -> Void = {}) throws {
    for job in try modelContext.fetch(FetchDescriptor<Job>()) { job.state = state }
    ready()
    try modelContext.save()
  }

  func insert(_ number: Int) throws {
    modelContext.insert(Job(number))
    try modelContext.save()
  }
}

/// Waits run on the server's locks, which the tests hold: nothing here is a matter of time but the suite's limit.
@Suite(
  "Waiting for PostgreSQL", .enabled(if: PostgresServer.isThere, PostgresServer.reason), .timeLimit(.minutes(20)))
struct PostgresCancellationTests {
  private let store = TestStore()

  private func open(pool: Int = 4) throws -> ModelContainer {
    var configuration = store.configuration
    configuration.pool.size = pool
    return try ModelContainer(for: Schema([Job.self]), configurations: configuration)
  }

  private func filled(pool: Int = 4) throws -> ModelContainer {
    let container = try open(pool: pool)
    let context = ModelContext(container)
    for number in 0..<3 { context.insert(Job(number)) }
    try context.save()
    return container
  }

  /// A connection that keeps everybody else from the jobs.
  private func lock() throws -> PostgresConnection {
    let connection = try PostgresConnection(url: store.url, namespace: store.namespace)
    try connection.run("BEGIN")
    try connection.run("LOCK TABLE \"Job\" IN ACCESS EXCLUSIVE MODE")
    return connection
  }

  /// Returns when as many connections of the store wait for a lock.
  private func waiting(_ count: Int) async throws {
    let sql =
      "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
      + " AND application_name = 'swiftdata \(store.namespace)'"
    let connection = try PostgresConnection(url: store.url, namespace: store.namespace)
    while try connection.run(sql).integer(0, 0) < Int64(count) {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  @Test("Endless timeouts and an endless lag are accepted")
  func endless() async throws {
    let timeout = Duration.seconds(Int64.max)
    var configuration = store.configuration
    (configuration.pool.timeout, configuration.pool.answerTimeout) = (timeout, timeout)
    configuration.readPreference = .replica(maximumLag: timeout)
    let container = try ModelContainer(for: Job.self, configurations: configuration)
    let results = try ResultsObserver<Job, Never>(modelContext: ModelContext(container))
    let context = ModelContext(container)
    context.insert(Job(1))
    try context.save()
    #expect(try await container.perform { try $0.fetchCount(FetchDescriptor<Job>()) } == 1)
    #expect(results.results.count == 1)
  }

  @Test("a fetch ends with its task, and the store can be used afterwards")
  func fetch() async throws {
    let container = try filled(pool: 1)
    let actor = JobActor(modelContainer: container)
    let lock = try lock()
    let task = Task { try await actor.states() }
    try await waiting(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let counting = Task { try await actor.count() }
    try await waiting(1)
    counting.cancel()
    await #expect(throws: CancellationError.self) { try await counting.value }
    try lock.run("COMMIT")
    #expect(try await actor.states() == ["new", "new", "new"])
  }

  @Test("a save that is cancelled wrote nothing, keeps its changes, and can be tried again")
  func save() async throws {
    let container = try filled(pool: 1)
    let actor = JobActor(modelContainer: container)
    let held = Shared<PostgresConnection?>(nil)
    let task = Task {
      try await actor.setStates("done") {
        do {
          let connection = try lock()
          held.value.withLock { $0 = connection }
        } catch {
          Issue.record(error)
        }
      }
    }
    try await waiting(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try held.value.withLock { _ = try $0?.run("COMMIT") }
    let other = ModelContext(try open())
    #expect(try other.fetch(FetchDescriptor<Job>()).map(\.state) == ["new", "new", "new"])
    #expect(try store.sql("SELECT 1 FROM _swiftdata_history").count == 1)
    try await actor.setStates("again")
    #expect(try ModelContext(try open()).fetch(FetchDescriptor<Job>()).map(\.state) == ["again", "again", "again"])
  }

  @Test("who waits for a connection of the pool gives up with its task")
  func pool() async throws {
    let container = try filled(pool: 1)
    let (first, second) = (JobActor(modelContainer: container), JobActor(modelContainer: container))
    let lock = try lock()
    let busy = Task { try await first.count() }
    try await waiting(1)
    // The one connection stays with the first until the lock is gone, which is after the second is done.
    let patient = Task { try await second.count() }
    patient.cancel()
    await #expect(throws: CancellationError.self) { try await patient.value }
    let started = Shared(false)
    let blocked = Task {
      try await container.perform { context in
        started.value.withLock { $0 = true }
        return try context.fetchCount(FetchDescriptor<Job>())
      }
    }
    while !started.value.withLock({ $0 }) { await Task.yield() }
    blocked.cancel()
    await #expect(throws: CancellationError.self) { try await blocked.value }
    try lock.run("COMMIT")
    #expect(try await busy.value == 3)
  }

  @Test("who waits for a connection of the pool longer than its timeout is told so, and can try again")
  func busyPool() throws {
    let container = try store.open([Job.self]) { $0.pool = PostgresPoolOptions(size: 1, timeout: .zero) }
    let pool = try #require((container.core.stores.first as? PostgresStore)?.connections.primary)
    let context = ModelContext(container)
    context.insert(Job(1))
    try pool.with(store.namespace, log: nil, cancellable: false) { _ in
      let errors = [
        #expect(throws: SwiftDataError.storeLocked) { try context.save() },
        #expect(throws: SwiftDataError.storeLocked) { try ModelContext(container).fetch(FetchDescriptor<Job>()) },
      ]
      for error in errors {
        #expect(error?.message?.contains("all 1 connections were in use") == true)
        #expect(error?.message?.contains("raise the size of `pool`") == true)
      }
    }
    #expect(context.insertedModelsArray.count == 1)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Job>()) == 1)
  }

  @Test("a task that is cancelled already neither fetches nor saves, and rolls back what it likes")
  func cancelledBefore() async throws {
    let container = try filled()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let context = ModelContext(container)
      #expect(throws: CancellationError.self) { try context.fetch(FetchDescriptor<Job>()) }
      context.insert(Job(9))
      #expect(throws: CancellationError.self) { try context.save() }
      #expect(context.insertedModelsArray.count == 1)
      context.rollback()
    }
    await task.value
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Job>()) == 3)
  }

  @Test("relationships and identifiers are read in cancelled tasks too, since they cannot say that they were not")
  func unfailing() async throws {
    let container = try filled()
    let context = ModelContext(container)
    let identifier = try #require(try context.fetchIdentifiers(FetchDescriptor<Job>()).first)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return (ModelContext(container).model(for: identifier) as? Job)?.state
    }
    #expect(await task.value == "new")
  }

  @Test("model actors that wait leave all threads of Swift's tasks free, however many they are")
  func threads() async throws {
    let count = ProcessInfo.processInfo.activeProcessorCount * 2 + 4
    let container = try filled(pool: count)
    let lock = try lock()
    let actors = (0..<count).map { _ in JobActor(modelContainer: container) }
    let waiters = actors.map { actor in Task { try await actor.count() } }
    let performing = Task { try await container.perform { try $0.fetchCount(FetchDescriptor<Job>()) } }
    try await waiting(count)
    // More tasks than threads, each of which is only done when all have begun.
    let begun = Shared(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask {
          begun.value.withLock { $0 += 1 }
          while begun.value.withLock({ $0 }) < count { await Task.yield() }
        }
      }
    }
    try lock.run("COMMIT")
    for waiter in waiters { #expect(try await waiter.value == 3) }
    #expect(try await performing.value == 3)
  }

  @Test("saves of many model actors that wait leave the threads free too")
  func savingThreads() async throws {
    let count = ProcessInfo.processInfo.activeProcessorCount * 2 + 4
    let containers = try (0..<count).map { _ in try open(pool: 1) }
    let lock = try lock()
    let actors = containers.map { JobActor(modelContainer: $0) }
    let savers = actors.indices.map { number in
      let actor = actors[number]
      return Task { try await actor.insert(number) }
    }
    try await waiting(count)
    let sum = await withTaskGroup(of: Int.self) { group in
      for number in 0..<count { group.addTask { number } }
      return await group.reduce(0, +)
    }
    #expect(sum == (0..<count).reduce(0, +))
    try lock.run("COMMIT")
    for saver in savers { try await saver.value }
    #expect(try ModelContext(try open()).fetchCount(FetchDescriptor<Job>()) == count)
  }
}
