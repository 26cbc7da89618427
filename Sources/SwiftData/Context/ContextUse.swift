import Dispatch
import Foundation
import Synchronization

/// The kind of use of a context.
enum ContextActivity: Int {
  case use, read, save, change, rollback, transaction, enumeration

  var words: String {
    switch self {
    case .use: "a call"
    case .read: "a fetch"
    case .save: "a save"
    case .change: "a change"
    case .rollback: "a rollback"
    case .transaction: "a transaction"
    case .enumeration: "an enumeration"
    }
  }
}

extension ContextState {
  /// Marks the context as used by this thread until ``endUse()``. Uses of one thread nest. Another thread waits.
  @inline(__always)
  func beginUse(_ activity: ContextActivity) { contextUse.begin(activity) }

  @inline(__always)
  func endUse() { contextUse.end() }

  /// Runs an operation on the context's state.
  @inline(__always)
  func used<T>(_ activity: ContextActivity, _ body: () throws -> T) rethrows -> T {
    contextUse.begin(activity)
    defer { contextUse.end() }
    return try body()
  }

  /// Runs a block of the program in the middle of a use, for example an observer of a save. The block may wait for
  /// another thread that uses the context, so that thread must not wait for the end of this use.
  func suspendingUse<T>(_ activity: ContextActivity, _ body: () throws -> T) rethrows -> T {
    let depth = contextUse.suspend(activity)
    defer { contextUse.resume(activity, depth) }
    return try body()
  }

  /// Runs an operation on the context's state, unless another thread is inside or runs a block of the program.
  /// - Returns: nil if it did not run.
  func usedIfFree<T>(_ activity: ContextActivity, _ body: () throws -> T) rethrows -> T? {
    guard contextUse.beginIfFree(activity) else { return nil }
    defer { contextUse.end() }
    return try body()
  }

  /// Runs a block of the program. Other threads should not use the context meanwhile, but the block may wait for them:
  /// the use is recorded and blocks no thread.
  func noting<T>(_ activity: ContextActivity, _ body: () throws -> T) rethrows -> T {
    let former = contextUse.note(activity)
    defer { contextUse.forget(former) }
    return try body()
  }

  /// Binds the context to the main actor.
  func bindToMainActor() { contextUse.isMain = true }
}

/// Tracks which thread uses a context.
///
/// Actors run on changing threads, so no thread owns a context. Two things are wrong: a second thread that enters while
/// the first one is inside, and the main context off the main actor. Debug builds report both, once per place
/// (``ConcurrencyMisuse``). In every build the second thread waits, so that two threads never change a context's maps
/// and lists at once. The properties of its objects are not protected.
final class ContextUse: Sendable {
  // nonisolated(unsafe) and unchecked because it is set before the context is shared, and only read afterwards.
  @exclusivity(unchecked) nonisolated(unsafe) var isMain = false
  private let misuse: ConcurrencyMisuse
  /// The thread inside; 0 for none.
  private let owner = Atomic<UInt>(0)
  private let running = Atomic<Int>(0)
  // nonisolated(unsafe) because only the owner accesses it.
  nonisolated(unsafe) private var depth = 0
  /// Whether the public context has ended. Its objects may still wait for their context's end on the main actor.
  let hasEnded = Atomic(false)
  /// The thread that runs a block of the program, and its activity. See ``note(_:)``.
  private let noted = Atomic<UInt>(0)
  private let notedActivity = Atomic<Int>(0)

  init(_ misuse: ConcurrencyMisuse) { self.misuse = misuse }

  @inline(__always)
  func begin(_ activity: ContextActivity) {
    let thread = Self.thread
    if owner.load(ordering: .relaxed) == thread {
      depth += 1
      return
    }
    if misuse.isReported { lookFor(activity, thread) }
    if !owner.compareExchange(expected: 0, desired: thread, ordering: .acquiring).exchanged { wait(activity, thread) }
    running.store(activity.rawValue, ordering: .relaxed)
    depth = 1
  }

  @inline(__always)
  func end() {
    depth -= 1
    if depth == 0 { owner.store(0, ordering: .releasing) }
  }

  /// Begins a use unless another thread is inside or runs a block of the program.
  func beginIfFree(_ activity: ContextActivity) -> Bool {
    let thread = Self.thread
    if owner.load(ordering: .relaxed) == thread {
      depth += 1
      return true
    }
    let other = noted.load(ordering: .relaxed)
    guard other == 0 || other == thread,
      owner.compareExchange(expected: 0, desired: thread, ordering: .acquiring).exchanged
    else { return false }
    running.store(activity.rawValue, ordering: .relaxed)
    depth = 1
    return true
  }

  /// Lets other threads in until ``resume(_:_:)``.
  /// - Returns: what `resume` restores.
  func suspend(_ activity: ContextActivity) -> (depth: Int, noted: UInt) {
    let thread = Self.thread
    guard owner.load(ordering: .relaxed) == thread else { return (0, 0) }
    let depth = depth
    notedActivity.store(activity.rawValue, ordering: .relaxed)
    let former = noted.exchange(thread, ordering: .relaxed)
    owner.store(0, ordering: .releasing)
    return (depth, former)
  }

  func resume(_ activity: ContextActivity, _ suspended: (depth: Int, noted: UInt)) {
    guard suspended.depth > 0 else { return }
    let thread = Self.thread
    noted.store(suspended.noted, ordering: .relaxed)
    if !owner.compareExchange(expected: 0, desired: thread, ordering: .acquiring).exchanged { wait(activity, thread) }
    running.store(activity.rawValue, ordering: .relaxed)
    depth = suspended.depth
  }

  /// - Returns: the previous note, for ``forget(_:)``.
  func note(_ activity: ContextActivity) -> (thread: UInt, activity: Int)? {
    guard misuse.isReported else { return nil }
    let thread = Self.thread
    lookFor(activity, thread)
    notedActivity.store(activity.rawValue, ordering: .relaxed)
    let former = noted.exchange(thread, ordering: .relaxed)
    return (former == thread ? thread : 0, activity.rawValue)
  }

  func forget(_ former: (thread: UInt, activity: Int)?) {
    if let former { noted.store(former.thread, ordering: .relaxed) }
  }

  private func wait(_ activity: ContextActivity, _ thread: UInt) {
    if misuse.isReported { report(activity, beside: running) }
    // Only a program with a mistake gets here, so polling suffices, and no context needs a system lock.
    var pause: UInt32 = 1
    while !owner.compareExchange(expected: 0, desired: thread, ordering: .acquiring).exchanged {
      usleep(pause)
      pause = min(pause * 2, 1000)
    }
  }

  private func lookFor(_ activity: ContextActivity, _ thread: UInt) {
    let other = noted.load(ordering: .relaxed)
    if other != 0, other != thread { report(activity, beside: notedActivity) }
    guard isMain, !Self.isOnMainActor else { return }
    misuse.report(
      "\(activity.words) on the mainContext of a container, or on one of its objects, away from the main actor. Use it"
        + " in @MainActor code only (await MainActor.run { … }); elsewhere make a ModelContext(container), or work in a"
        + " @ModelActor, and pass persistentModelID on instead of objects.")
  }

  private func report(_ activity: ContextActivity, beside other: borrowing Atomic<Int>) {
    let other = ContextActivity(rawValue: other.load(ordering: .relaxed)) ?? .use
    misuse.report(
      "\(activity.words) on a ModelContext, or on one of its objects, while \(other.words) runs on another thread. A"
        + " context and its objects belong to one thread or actor at a time: make a context for each with"
        + " ModelContext(container), or work in a @ModelActor, and pass persistentModelID on instead of objects.")
  }

  /// Whether this thread runs jobs of the main actor.
  static var isOnMainActor: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: mainQueue) != nil }

  /// On Linux the main queue may leave the main thread, so the queue is marked too.
  private static let mainQueue: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  @inline(__always)
  private static var thread: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }
}
