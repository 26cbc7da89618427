import BenchKit
import Foundation
import SwiftData

/// Our library with its default settings: history, the identity map and change tracking are on.
class SwiftDataPeer: Peer {
  class var name: String { "OpenSwiftData" }
  class var layout: String { "swiftdata" }
  class var models: [any PersistentModel.Type] { [Message.self, Conversation.self, LinkedMessage.self] }
  static let epoch = Date(timeIntervalSinceReferenceDate: 0).timeIntervalSince1970

  let context: ModelContext
  private var loaded = [Message]()
  private let counter: StatementCounter?

  required init(path: String, trace: Bool) throws {
    counter = trace ? StatementCounter.install() : nil
    let configuration = ModelConfiguration(url: URL(fileURLWithPath: path))
    context = ModelContext(try ModelContainer(for: Schema(Self.models), configurations: configuration))
  }

  func close() { loaded = [] }
  var statements: Int? { counter?.count }

  func createConversations() throws {
    for number in 0..<1000 { context.insert(Conversation(number)) }
    try context.save()
  }

  func insert(_ source: RowSource) throws {
    for index in 0..<source.count { context.insert(Message(source[index])) }
    try context.save()
  }

  private func sum(_ descriptor: FetchDescriptor<Message>) throws -> Int64 {
    try context.fetch(descriptor).reduce(0) { $0 + $1.touched }
  }

  func fetchAll() throws -> Int64 { try sum(FetchDescriptor<Message>()) }
  func fetchTwo() throws -> Int64 {
    try context.fetch(FetchDescriptor<Message>()).reduce(0) { $0 + Int64($1.text.utf8.count + $1.retryCount) }
  }

  func pointFetch(_ ids: [String]) throws -> Int64 {
    throw Skip.notApplicable("each fetch is a read of its own: W4x")
  }

  func pointFetchSeparately(_ ids: [String]) throws -> Int64 {
    try ids.reduce(0) { total, id in
      try total + sum(FetchDescriptor(predicate: #Predicate { $0.id == id }))
    }
  }

  func page(_ conversations: [String], limit: Int) throws -> Int64 {
    try conversations.reduce(0) { total, conversation in
      var descriptor = FetchDescriptor<Message>(
        predicate: #Predicate { $0.conversationID == conversation },
        sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
      descriptor.fetchLimit = limit
      return try total + sum(descriptor)
    }
  }

  func load(_ n: Int) throws {
    var descriptor = FetchDescriptor<Message>()
    descriptor.fetchLimit = n
    loaded = try context.fetch(descriptor)
  }

  func updateLoaded() throws {
    for message in loaded { message.retryCount += 1 }
    try context.save()
  }

  func tinyTransactions() throws {
    for message in loaded {
      message.retryCount += 1
      try context.save()
    }
  }

  // Each save writes its history.
  func tinyTransactionsWithHistory() throws { try tinyTransactions() }

  func relationLazy(_ n: Int) throws -> Int64 { throw Skip.notApplicable("as eager, without a hint") }

  func relationEager(_ n: Int) throws -> Int64 {
    var descriptor = FetchDescriptor<LinkedMessage>()
    descriptor.fetchLimit = n
    return try context.fetch(descriptor).reduce(0) {
      $0 + Int64($1.id.utf8.count) + Int64($1.conversation?.displayName.utf8.count ?? 0)
    }
  }

  func deleteHalf() throws {
    try context.delete(model: Message.self, where: #Predicate { $0.unreadFlag })
    try context.save()
  }

  func count() throws -> Int64 {
    let read = Status.read
    return Int64(
      try context.fetchCount(FetchDescriptor<Message>(predicate: #Predicate { $0.status == read && $0.unreadFlag })))
  }

  func search(_ needle: String) throws -> Int64 {
    try sum(FetchDescriptor(predicate: #Predicate { $0.text.contains(needle) }))
  }

  func searchByIndex(_ needle: String) throws -> Int64 { throw Skip.notApplicable("has no such index") }
}

/// The same with a relationship, for W7: 10,000 linked messages.
final class LinkedSwiftDataPeer: SwiftDataPeer {
  override class var layout: String { "linked" }

  override func insert(_ source: RowSource) throws {
    let all = try context.fetch(FetchDescriptor<Conversation>())
    let conversations = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
    for index in 0..<source.count {
      let row = source[index]
      context.insert(LinkedMessage(row, in: conversations[row.conversationID]))
    }
    try context.save()
  }
}

/// The same with a full-text index, for W10s.
final class IndexedSwiftDataPeer: SwiftDataPeer {
  override class var layout: String { "indexed" }
  override class var models: [any PersistentModel.Type] {
    [IndexedMessage.self, Conversation.self, LinkedMessage.self]
  }

  override func insert(_ source: RowSource) throws {
    for index in 0..<source.count { context.insert(IndexedMessage(source[index])) }
    try context.save()
  }

  override func searchByIndex(_ needle: String) throws -> Int64 {
    try context.search(IndexedMessage.self, matching: needle).reduce(0) { $0 + $1.model.touched }
  }
}
