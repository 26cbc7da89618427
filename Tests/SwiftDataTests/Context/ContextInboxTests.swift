import Foundation
import Synchronization
import Testing

@testable import SwiftData

/// An object whose end needs a lock.
private final class Listed: Sendable {
  let list: LockedList
  init(_ list: LockedList) { self.list = list }
  deinit { list.noteEnd() }
}

private final class LockedList: Sendable {
  private let state = Lock((list: WeakList<Listed>(), ends: 0))

  func append(_ member: Listed) {
    let others = state.withLock { $0.list.append(member) }
    withExtendedLifetime(others) {}
  }

  func noteEnd() { state.withLock { $0.ends += 1 } }

  var ends: Int { state.withLock { $0.ends } }
}

@Suite struct ContextInboxTests {
  @Test("The end of a subscription may end another one")
  func subscriptions() async {
    await #expect(processExitsWith: .success) {
      // Ends the process if it hangs.
      alarm(120)
      let inbox = ContextInbox()
      let count = Atomic(0)
      do {
        let inner = inbox.onDelivery { count.add(1, ordering: .relaxed) }
        let outer = inbox.onDelivery { withExtendedLifetime(inner) {} }
        inbox.deliver(SavedChanges())
        withExtendedLifetime(outer) {}
      }
      inbox.deliver(SavedChanges())
      exit(count.load(ordering: .relaxed) == 1 ? 0 : 1)
    }
  }

  @Test("Objects that end while a list is looked at may need its lock")
  func ends() async {
    await #expect(processExitsWith: .success) {
      alarm(120)
      let list = LockedList()
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        for _ in 0..<50_000 { list.append(Listed(list)) }
      }
      exit(list.ends == 200_000 ? 0 : 1)
    }
  }
}
