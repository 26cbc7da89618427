#if DEBUG
  import Foundation
  import Synchronization

  /// Counts how often names of records are hashed and compared, and how often an outbox looks at a transaction. Nearly all work on records in
  /// memory does one of these, so tests of growth count them. Builds for release do not have it.
  @usableFromInline package enum NameUses {
    private static let turn = Mutex(())
    /// The thread whose uses are counted; 0 for none.
    private static let thread = Atomic<UInt>(0)
    private static let uses = Atomic<Int>(0)

    /// Counts the uses of a body, which runs on the calling thread. The bodies of several threads follow one another.
    package static func count(_ body: () throws -> Void) rethrows -> Int {
      try turn.withLock { _ in
        uses.store(0, ordering: .relaxed)
        thread.store(current, ordering: .relaxed)
        defer { thread.store(0, ordering: .relaxed) }
        try body()
        return uses.load(ordering: .relaxed)
      }
    }

    @usableFromInline static func note() {
      let counted = thread.load(ordering: .relaxed)
      if counted != 0, counted == current { uses.add(1, ordering: .relaxed) }
    }

    private static var current: UInt {
      #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
      #else
        UInt(pthread_self())
      #endif
    }
  }
#endif
