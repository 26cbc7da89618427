import Foundation
import SwiftData

/// The contexts of one piece of work.
struct Work {
  /// Of the inbox.
  let inbox: ModelContext
  /// Of the web's own store.
  let own: ModelContext

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
  private let readers = Self.queue("readers", width: 4)
  /// One at a time: two changes of the same conversation see each other.
  private let writer = Self.queue("writer", width: 1)

  init(inbox: ModelContainer, own: ModelContainer) {
    self.inbox = inbox
    self.own = own
  }

  func read<T: Sendable>(_ body: @escaping @Sendable (Work) throws -> T) async throws -> T {
    try await run(on: readers, body)
  }

  func write<T: Sendable>(_ body: @escaping @Sendable (Work) throws -> T) async throws -> T {
    try await run(on: writer) { work in
      let result = try body(work)
      try work.save()
      return result
    }
  }

  /// For somebody who already is where waiting does no harm.
  func now() -> Work { Work(inbox: ModelContext(inbox), own: ModelContext(own)) }

  private func run<T: Sendable>(
    on queue: OperationQueue, _ body: @escaping @Sendable (Work) throws -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      queue.addOperation {
        continuation.resume(with: Result { try body(now()) })
      }
    }
  }

  private static func queue(_ name: String, width: Int) -> OperationQueue {
    let queue = OperationQueue()
    queue.name = "SortedWeb.\(name)"
    queue.maxConcurrentOperationCount = width
    return queue
  }
}
