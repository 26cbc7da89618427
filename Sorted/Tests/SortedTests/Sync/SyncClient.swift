import FirestoreProtocol
import Foundation
import Sorted
import SwiftData

/// One user's inbox with a store in memory, and the way to a server.
struct SyncClient {
  let user: String
  let container: ModelContainer
  let database: FaultyDatabase
  let clock: TestClock

  init(_ user: String, _ real: any RemoteDatabase, container: ModelContainer? = nil) throws {
    self.user = user
    self.container = try container ?? SortedContainer.inMemory()
    self.database = FaultyDatabase(real)
    self.clock = TestClock()
  }

  var environment: SyncEnvironment { clock.environment }

  /// A new session each time, as another start of the program would have it.
  @discardableResult
  func sync(ignoringDelays: Bool = false) async throws -> SyncSession.Report {
    try await SyncSession(container: container, database: database, userID: user, environment: environment)
      .run(ignoringDelays: ignoringDelays)
  }

  /// The inbox on a context of its own, as another process has it.
  func inbox<T>(_ body: (InboxService) throws -> T) throws -> T {
    let context = ModelContext(container)
    let result = try body(InboxService(context: context))
    try context.save()
    return result
  }

  func begin(_ id: String, with others: String..., name: String? = nil) throws {
    _ = try inbox { try $0.begin(id, with: others, name: name) }
  }

  @discardableResult
  func send(_ text: String, to conversation: String) throws -> String {
    try inbox { try $0.send(text, to: try $0.conversation(conversation), now: clock.now).id }
  }

  func read(_ conversation: String) throws {
    try inbox { try $0.markAsRead(try $0.conversation(conversation)) }
  }

  func unread(_ conversation: String) throws -> Int {
    try inbox { try $0.conversation(conversation).unreadCount }
  }

  /// A message for comparing: text, status and sync status.
  func message(_ id: String) throws -> String {
    try inbox {
      let message = try $0.message(id)
      return "\(message.text) \(message.state)"
    }
  }

  /// All messages of a conversation in its order.
  func thread(_ conversation: String) throws -> [String] {
    let context = ModelContext(container)
    return try context.fetch(
      FetchDescriptor<MessageEntity>(
        predicate: #Predicate { $0.conversationID == conversation },
        sortBy: [SortDescriptor(\.createdAt), SortDescriptor(\.id)])
    ).map(\.text)
  }

  func status() throws -> SyncStatusReport { try SyncStatusReport(ModelContext(container)) }
}

/// A clock that goes only where it is told, no chance, and waiting that ends at once.
final class TestClock: Sendable {
  private let lock = NSLock()
  // nonisolated(unsafe) because it is only touched under the lock.
  private nonisolated(unsafe) var time = Date(timeIntervalSince1970: 1_700_000_000)
  private nonisolated(unsafe) var waits = [TimeInterval]()

  var now: Date { lock.withLock { time } }
  var waited: [TimeInterval] { lock.withLock { waits } }
  func advance(_ seconds: TimeInterval) { lock.withLock { time += seconds } }

  var environment: SyncEnvironment {
    SyncEnvironment(
      now: { self.now },
      sleep: { seconds in
        self.lock.withLock { self.waits.append(seconds) }
        try Task.checkCancellation()
        await Task.yield()
      }, random: { 0 })
  }
}
