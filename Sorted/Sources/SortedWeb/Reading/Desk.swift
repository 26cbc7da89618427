import Foundation
import SwiftData
import Synchronization

/// What all work on the stores has to know of the server.
struct Setting: Sendable {
  /// Whether this server sends messages to a sync server.
  var hasSync = false
  /// Whether several people use the inbox.
  var hasAccounts = false
}

/// The contexts of one piece of work.
struct Work {
  /// Of the inbox.
  let inbox: ModelContext
  /// Of the web's own store.
  let own: ModelContext
  let setting: Setting
  /// What the server knows of unread messages.
  let fullThreads: FullThreads
  /// Who was read for it.
  let people: People

  init(inbox: ModelContext, own: ModelContext, setting: Setting, fullThreads: FullThreads = FullThreads()) {
    (self.inbox, self.own, self.setting, self.fullThreads) = (inbox, own, setting, fullThreads)
    people = People(inbox)
  }

  func save() throws {
    // What a person sees of the change is in the inbox, so what belongs to it goes first.
    try own.save()
    try inbox.save()
  }
}

/// Where work on the stores is done: off the threads that answer browsers, with contexts of its own.
struct Desk: Sendable {
  let inbox: ModelContainer
  let own: ModelContainer
  let setting: Setting
  let fullThreads = FullThreads()
  private let readers = WorkQueue("readers", width: 4)
  /// One at a time: two changes of the same conversation see each other.
  private let writer = WorkQueue("writer", width: 1)
  /// What takes long has queues of its own, so that no page waits behind it.
  private let searchers = WorkQueue("searchers", width: 2, maximumWaiting: 32)
  private let hashers = WorkQueue("hashers", width: 1, maximumWaiting: 16)

  init(inbox: ModelContainer, own: ModelContainer, setting: Setting = Setting()) {
    self.inbox = inbox
    self.own = own
    self.setting = setting
  }

  func read<T: Sendable>(_ body: @escaping @Sendable (Work) throws -> T) async throws -> T {
    try await readers.run { try body(now()) }
  }

  /// Reads what may take long.
  /// - Throws: ``PageError/busy`` where too many wait already.
  func search<T: Sendable>(_ body: @escaping @Sendable (Work) throws -> T) async throws -> T {
    try await searchers.run { try body(now()) }
  }

  /// Computes what is meant to take long.
  /// - Throws: ``PageError/busy`` where too many wait already.
  func hash<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T { try await hashers.run(body) }

  /// Changes something and saves it: who calls the services is who saves.
  func write<T: Sendable>(_ body: @escaping @Sendable (Work) throws -> T) async throws -> T {
    try await writer.run {
      let work = now()
      let result = try body(work)
      try work.save()
      return result
    }
  }

  /// For callers on a thread that may wait.
  func now() -> Work {
    Work(inbox: ModelContext(inbox), own: ModelContext(own), setting: setting, fullThreads: fullThreads)
  }
}

/// Threads for one kind of work, with a bound for what waits.
final class WorkQueue: Sendable {
  private let queue: OperationQueue
  private let maximum: Int
  private let count = Mutex(0)

  /// - Parameters:
  ///   - width: how many pieces of work are done at a time.
  ///   - maximumWaiting: how many more may wait.
  init(_ name: String, width: Int, maximumWaiting: Int = .max) {
    queue = OperationQueue()
    queue.name = "SortedWeb.\(name)"
    queue.maxConcurrentOperationCount = width
    maximum = maximumWaiting == .max ? .max : width + maximumWaiting
  }

  /// - Throws: ``PageError/busy`` where too many wait already; what the body throws.
  func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    let isTaken = count.withLock { count in
      guard count < maximum else { return false }
      count += 1
      return true
    }
    guard isTaken else { throw PageError.busy }
    let language = Language.current
    return try await withCheckedThrowingContinuation { continuation in
      queue.addOperation {
        let result = Result { try Language.$current.withValue(language) { try body() } }
        self.count.withLock { $0 -= 1 }
        continuation.resume(with: result)
      }
    }
  }
}
