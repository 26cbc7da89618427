/// A poster of notifications that must not end on the thread that awaits them.
protocol StandInForThreads {
  /// An equal object that does not keep this one alive.
  var standIn: Self { get }
}

#if !canImport(ObjectiveC)
  public import Foundation

  // Remove `notifications(named:object:)` once Foundation has it without Objective-C.

  extension NotificationCenter {
    /// The notifications with a name, and from an object if given, starting at the first wait.
    public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
      Notifications(center: self, name: name, object: object)
    }

    /// The notifications that a center posts, one after another.
    ///
    /// The object of a context's notification is a stand-in that equals the context (`==`, `===`) and does not keep it
    /// alive.
    public final class Notifications: AsyncSequence {
      /// An element of the sequence.
      public typealias Element = Notification
      /// The sequence does not fail.
      public typealias Failure = Never

      private let center: NotificationCenter
      private let name: Notification.Name
      private weak var object: AnyObject?
      private let isOfObject: Bool

      fileprivate init(center: NotificationCenter, name: Notification.Name, object: AnyObject?) {
        (self.center, self.name, self.object, self.isOfObject) = (center, name, object, object != nil)
      }

      /// Starts listening. Notifications between two calls of `next()` are buffered.
      public func makeAsyncIterator() -> AsyncIterator {
        let (stream, continuation) = AsyncStream.makeStream(of: Posted.self)
        guard !isOfObject || object != nil else {
          continuation.finish()
          return AsyncIterator(base: stream.makeAsyncIterator())
        }
        let token = Token(
          center: center,
          observer: center.addObserver(forName: name, object: object, queue: nil) { continuation.yield(Posted($0)) })
        continuation.onTermination = { _ in token.end() }
        return AsyncIterator(base: stream.makeAsyncIterator())
      }

      /// Iterates over the notifications.
      public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<Posted>.AsyncIterator

        /// Returns the next notification, or nil once the task is cancelled.
        public mutating func next() async -> Notification? { await base.next()?.notification }

        /// Returns the next notification, or nil once the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
          await base.next(isolation: actor)?.notification
        }
      }

      // @unchecked Sendable because a center passes a notification to every observer on the posting thread. The poster
      // may not change its contents. A context would end on the thread that waits for its notifications, while
      // another thread uses its objects, so the waiting thread gets a stand-in.
      fileprivate struct Posted: @unchecked Sendable {
        private(set) var notification: Notification
        init(_ notification: Notification) {
          self.notification = notification
          if let object = notification.object as? any StandInForThreads { self.notification.object = object.standIn }
        }
      }

      // @unchecked Sendable because a center is thread-safe, and the observer is a token.
      private struct Token: @unchecked Sendable {
        let center: NotificationCenter
        let observer: any NSObjectProtocol
        func end() { center.removeObserver(observer) }
      }
    }
  }
#endif
