#if !canImport(ObjectiveC)
  public import Foundation

  // Drop `notifications(named:object:)` as soon as Foundation has it where there is no Objective-C.

  extension NotificationCenter {
    /// The notifications of a name, and of an object where one is given, from the first wait on.
    public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
      Notifications(center: self, name: name, object: object)
    }

    /// The notifications that a center posts, one after another.
    public final class Notifications: AsyncSequence {
      public typealias Element = Notification
      public typealias Failure = Never

      private let center: NotificationCenter
      private let name: Notification.Name
      private weak var object: AnyObject?
      private let isOfObject: Bool

      fileprivate init(center: NotificationCenter, name: Notification.Name, object: AnyObject?) {
        (self.center, self.name, self.object, self.isOfObject) = (center, name, object, object != nil)
      }

      /// Begins to listen; what is posted between two calls of `next()` is kept.
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

      /// Waits for one notification after another.
      public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<Posted>.AsyncIterator

        /// The next notification; nil once the task is cancelled.
        public mutating func next() async -> Notification? { await base.next()?.notification }

        /// The next notification; nil once the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
          await base.next(isolation: actor)?.notification
        }
      }

      // @unchecked Sendable because a notification is what its center hands to every observer, on whatever thread it was
      // posted; whoever posts it may not change what it holds.
      fileprivate struct Posted: @unchecked Sendable {
        let notification: Notification
        init(_ notification: Notification) { self.notification = notification }
      }

      // @unchecked Sendable because a center can be called from every thread, and the observer is a token.
      private struct Token: @unchecked Sendable {
        let center: NotificationCenter
        let observer: any NSObjectProtocol
        func end() { center.removeObserver(observer) }
      }
    }
  }

  extension Notification.Name {
    /// Core Data's name for what ``ModelContainer/remoteChange`` says, and the same notification here: there is no Core
    /// Data. Drop it where there is.
    public static var NSPersistentStoreRemoteChange: Notification.Name { ModelContainer.remoteChange }
  }
#endif
