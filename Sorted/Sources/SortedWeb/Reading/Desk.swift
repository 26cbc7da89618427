import Foundation
import SwiftData
import Synchronization

/// What all work on the stores has to know of the server.
struct Setting: Sendable {
  /// Whether this server sends messages to a sync server.
  var hasSync = false
  /// Whether several people use the inbox.
  var hasAccounts = false
  /// Where the files of messages are.
  var files: FileCabinet?
}

/// The contexts of one piece of work. Each is made when it is asked for first: the engine tells a context of every save for as long as
/// it lives, and what is watched for hours asks for one of them.
///
/// No transaction spans the inbox and the web's own store, so ``save()`` writes them in an order in which a failure loses nothing:
/// 1. What ``keep(_:)`` adds to the own store. The change of the inbox relies on it, and it means nothing without that change: the
///    copy of a message that loses its text, the invitation that a participant stands for.
/// 2. The inbox.
/// 3. All other changes of the own store. They may rely on what the inbox has by then: a draft goes when its message is stored,
///    an invitation when its place is taken.
struct Work {
  /// Of the inbox.
  var inbox: ModelContext { contexts.inbox }
  /// Of the web's own store. It is saved after the inbox.
  var own: ModelContext { contexts.own }
  let setting: Setting
  let contexts: Contexts
  private let aside = Aside()
  /// What the server knows of unread messages.
  let fullThreads: FullThreads
  /// Who was read for it.
  var people: People { contexts.people }

  /// Works with contexts that are there.
  init(inbox: ModelContext, own: ModelContext, setting: Setting, fullThreads: FullThreads = FullThreads()) {
    let contexts = Contexts(inbox.container, own.container)
    (contexts.madeInbox, contexts.madeOwn) = (inbox, own)
    (self.contexts, self.setting, self.fullThreads) = (contexts, setting, fullThreads)
  }

  fileprivate init(_ desk: Desk) {
    contexts = Contexts(desk.inbox, desk.own)
    (setting, fullThreads) = (desk.setting, desk.fullThreads)
  }

  /// Adds an object to the web's own store before the inbox is saved. An object with the same unique value is replaced.
  func keep(_ model: some PersistentModel) {
    let context = aside.additions ?? ModelContext(contexts.ownContainer)
    aside.additions = context
    context.insert(model)
  }

  /// Does something at the end if the inbox was not saved. It takes back what the work did outside of the stores.
  func ifRefused(_ body: @escaping () -> Void) { aside.refused.append(body) }

  /// Does something at the end if the inbox was saved.
  func ifStored(_ body: @escaping () -> Void) { aside.stored.append(body) }

  /// Does the work and saves it.
  /// - Throws: what the body throws, or `SwiftDataError`: then nothing has changed; ``UnfinishedWork`` if the inbox was saved
  ///   and the rest of the own store was not.
  func saving<T>(_ body: (Work) throws -> T) throws -> T {
    let result: T
    let changesInbox: Bool
    do {
      result = try body(self)
      changesInbox = contexts.madeInbox?.hasChanges ?? false
      try aside.additions?.save()
      try contexts.madeInbox?.save()
      if !changesInbox { try contexts.madeOwn?.save() }
    } catch {
      aside.refused.forEach { $0() }
      throw error
    }
    defer { aside.stored.forEach { $0() } }
    guard changesInbox else { return result }
    do { try contexts.madeOwn?.save() } catch { throw UnfinishedWork(reason: error) }
    return result
  }

  /// The two contexts, as far as they were asked for.
  final class Contexts {
    fileprivate let ownContainer: ModelContainer
    private let inboxContainer: ModelContainer
    fileprivate(set) var madeInbox: ModelContext?
    fileprivate(set) var madeOwn: ModelContext?
    fileprivate lazy var people = People(inbox)

    fileprivate init(_ inbox: ModelContainer, _ own: ModelContainer) { (inboxContainer, ownContainer) = (inbox, own) }

    fileprivate var inbox: ModelContext {
      let context = madeInbox ?? ModelContext(inboxContainer)
      madeInbox = context
      return context
    }

    fileprivate var own: ModelContext {
      let context = madeOwn ?? ModelContext(ownContainer)
      madeOwn = context
      return context
    }
  }

  /// What belongs to the work beside the two contexts.
  private final class Aside {
    var additions: ModelContext?
    var refused: [() -> Void] = []
    var stored: [() -> Void] = []
  }
}

/// A change of the inbox was stored, and what belongs to it in the web's own store was not.
struct UnfinishedWork: Error {
  let reason: any Error
}

/// Where work on the stores is done: off the threads that answer browsers, with contexts of its own.
struct Desk: Sendable {
  let inbox: ModelContainer
  let own: ModelContainer
  let setting: Setting
  let fullThreads = FullThreads()
  private let readers = WorkQueue("readers", width: 4)
  /// Every request needs to know whose it is, so that waits for no page.
  private let sessions = WorkQueue("sessions", width: 2)
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

  /// Reads whose a session is.
  func readSession<T: Sendable>(_ body: @escaping @Sendable (Work) throws -> T) async throws -> T {
    try await sessions.run { try body(now()) }
  }

  /// Reads what may take long.
  /// - Throws: ``PageError/busy`` where too many wait already.
  func search<T: Sendable>(_ body: @escaping @Sendable (Work) throws -> T) async throws -> T {
    try await searchers.run { try body(now()) }
  }

  /// Computes what is meant to take long.
  /// - Throws: ``PageError/busy`` where too many wait already.
  func hash<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T { try await hashers.run(body) }

  /// Changes something and saves it: the services that the body calls save nothing.
  /// - Throws: as ``Work/saving(_:)``.
  func write<T: Sendable>(_ body: @escaping @Sendable (Work) throws -> T) async throws -> T {
    try await writer.run { try now().saving(body) }
  }

  /// For callers on a thread that may wait.
  func now() -> Work { Work(self) }
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
