import Foundation
import Sorted
import SwiftData
import SyncServer
import Testing

@testable import SortedSync

/// A sync server in this process, over a real socket and a real file, and the inboxes of people who use it.
final class SharedPeople: Sendable {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("SharedPeople-\(UUID().uuidString)")
  private let keys: TokenKeys
  private let url: URL

  static let secret = "0123456789abcdef0123456789abcdef"

  init() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    keys = try await TokenKeys([("test", Self.secret)])
    let service = try SyncService(store: folder.appendingPathComponent("server.store").path, keys: keys)
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    // It serves until the process ends: NIO traps where an inbox connects at the moment that its server is cancelled.
    let running = Task {
      defer { continuation.finish() }
      try await service.run(port: 0, signals: false) { continuation.yield($0) }
    }
    guard let port = await ports.first(where: { _ in true }) else {
      try await running.value
      throw CancellationError()
    }
    url = URL(string: "http://127.0.0.1:\(port)")!
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Where a device keeps its inbox.
  func store(_ device: String) -> URL { folder.appendingPathComponent("\(device).store") }

  /// Opens an inbox of a person.
  /// - Parameter device: one of several devices; each has a store of its own.
  func open(_ account: String, device: String? = nil, server: URL? = nil) async throws -> Person {
    let token = try await keys.token(for: account, seconds: 600)
    return try Person(SharedInbox.open(store(device ?? account), server: server ?? url) { token })
  }
}

/// A person's inbox on one device.
final class Person: Sendable {
  let inbox: SharedInbox
  private let session: SharedInboxSession

  init(_ inbox: SharedInbox) throws {
    self.inbox = inbox
    session = SharedInboxSession(inbox)
  }

  @discardableResult
  func sync() async throws -> SyncSession.Report { try await session.run(ignoringDelays: true) }

  func close() async { await inbox.close() }

  // MARK: - Doing

  @discardableResult
  func change<T>(_ body: (InboxService) throws -> T) throws -> T {
    let context = ModelContext(inbox.container)
    let result = try body(InboxService(context: context))
    try context.save()
    return result
  }

  func begin(_ id: String = "talk", with people: String...) throws {
    try change { _ = try $0.begin(id, with: people) }
  }

  @discardableResult
  func say(_ text: String, in conversation: String = "talk") throws -> String {
    try change { try $0.send(text, to: try $0.conversation(conversation)).id }
  }

  func read(_ conversation: String = "talk") throws {
    try change { try $0.markAsRead(try $0.conversation(conversation)) }
  }

  // MARK: - Looking

  func conversations() throws -> [ConversationEntity] {
    try ModelContext(inbox.container).fetch(FetchDescriptor<ConversationEntity>(sortBy: [SortDescriptor(\.id)]))
  }

  func conversation(_ id: String = "talk") throws -> ConversationEntity {
    try #require(try conversations().first { $0.id == id })
  }

  func messages(_ conversation: String = "talk") throws -> [MessageEntity] {
    try ModelContext(inbox.container).fetch(
      FetchDescriptor<MessageEntity>(
        predicate: #Predicate { $0.conversationID == conversation }, sortBy: [SortDescriptor(\.createdAt)]))
  }

  func texts(_ conversation: String = "talk") throws -> [String] { try messages(conversation).map(\.text) }

  func message(_ text: String) throws -> MessageEntity {
    let found = try ModelContext(inbox.container).fetch(
      FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.text == text }))
    return try #require(found.first, "there is no message \(text)")
  }

  func states(_ conversation: String = "talk") throws -> [String] {
    try messages(conversation).map { "\($0.text) \($0.state)" }
  }
}

/// Several rounds, because an invitation, a message and its receipts each take one.
func syncAll(_ people: Person..., rounds: Int = 3) async throws {
  for _ in 0..<rounds { for person in people { try await person.sync() } }
}
