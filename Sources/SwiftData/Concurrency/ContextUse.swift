import Dispatch
import Foundation
import Synchronization

/// What somebody does with a context.
enum ContextActivity: Int {
  case use, read, save, change, rollback, transaction, enumeration

  fileprivate var words: String {
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
  // Debug builds stop at a context in the wrong hands; in release builds nothing of this is there.

  /// Marks the context as in use by this thread, until ``endUse()``. Uses of one thread nest.
  @inline(__always)
  func beginUse(_ activity: ContextActivity) {
    #if DEBUG
      contextUse.begin(activity)
    #endif
  }

  @inline(__always)
  func endUse() {
    #if DEBUG
      contextUse.end()
    #endif
  }

  /// Says that the context belongs to the main actor.
  @inline(__always)
  func bindToMainActor() {
    #if DEBUG
      contextUse.isMain = true
    #endif
  }

  /// Stops where another thread uses the context right now.
  @inline(__always)
  func checkUse() {
    #if DEBUG
      contextUse.check()
    #endif
  }
}

#if DEBUG
  /// Who uses a context right now.
  ///
  /// Actors run on changing threads, so no thread owns a context: what is wrong is a second one while the first is
  /// still in it, and the main context off the main actor. The orderings are relaxed, so that the marker hides no race
  /// from Thread Sanitizer.
  final class ContextUse {
    var isMain = false
    /// The thread inside, 0 for none.
    private let owner = Atomic<UInt>(0)
    private let running = Atomic<Int>(0)
    /// Only touched by the owner.
    private var depth = 0

    func begin(_ activity: ContextActivity) {
      requireMainActor(activity)
      let thread = Self.thread
      if owner.load(ordering: .relaxed) == thread {
        depth += 1
        return
      }
      guard owner.compareExchange(expected: 0, desired: thread, ordering: .relaxed).exchanged else {
        stop(activity)
      }
      running.store(activity.rawValue, ordering: .relaxed)
      depth = 1
    }

    func end() {
      depth -= 1
      if depth == 0 { owner.store(0, ordering: .relaxed) }
    }

    func check() {
      requireMainActor(.use)
      let owner = owner.load(ordering: .relaxed)
      if owner != 0, owner != Self.thread { stop(.use) }
    }

    private func stop(_ activity: ContextActivity) -> Never {
      let other = ContextActivity(rawValue: running.load(ordering: .relaxed)) ?? .use
      fatalError(
        "SwiftData: \(activity.words) on a ModelContext, or on one of its objects, while \(other.words) runs on another"
          + " thread. A context and its objects belong to one thread or actor at a time: make a context for each with"
          + " ModelContext(container), or work in a @ModelActor, and pass persistentModelID on instead of objects.")
    }

    private func requireMainActor(_ activity: ContextActivity) {
      guard isMain, !Thread.isMainThread, DispatchQueue.getSpecific(key: Self.mainQueue) == nil else { return }
      fatalError(
        "SwiftData: \(activity.words) on the mainContext of a container, or on one of its objects, away from the main"
          + " actor. Use it in @MainActor code only (await MainActor.run { … }); elsewhere make a ModelContext(container),"
          + " or work in a @ModelActor, and pass persistentModelID on instead of objects.")
    }

    /// On Linux the main queue may leave the main thread, so the queue is marked too.
    private static let mainQueue: DispatchSpecificKey<Bool> = {
      let key = DispatchSpecificKey<Bool>()
      DispatchQueue.main.setSpecific(key: key, value: true)
      return key
    }()

    private static var thread: UInt { UInt(bitPattern: Unmanaged.passUnretained(Thread.current).toOpaque()) }
  }
#endif
