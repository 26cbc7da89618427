import FirestoreProtocol
import Foundation
import SwiftData
import Testing

@testable import Sorted

@Suite("Two stores and a server") struct SyncSessionTests {
  private let server: LocalServer
  private let ann: SyncClient
  private let bob: SyncClient

  init() async throws {
    server = try await LocalServer()
    ann = try SyncClient("ann", server.client)
    bob = try SyncClient("bob", server.client)
  }

  /// A conversation that both have.
  private func shared(_ id: String = "c") async throws {
    try ann.begin(id, with: "bob", name: "Two")
    try ann.send("hello", to: id)
    try await ann.sync()
    try await bob.sync()
    try await ann.sync()
  }

  @Test("Messages written on both sides while nobody is online are on both afterwards, in order, exactly once")
  func exchange() async throws {
    try await shared("a/b")
    for number in 0..<5 {
      ann.clock.advance(60)
      bob.clock.advance(61)
      try ann.send("ann \(number)", to: "a/b")
      try bob.send("bob \(number)", to: "a/b")
    }
    for client in [ann, bob, ann, bob, ann] { try await client.sync() }
    let expected = ["hello"] + (0..<5).flatMap { ["ann \($0)", "bob \($0)"] }
    #expect(try ann.thread("a/b") == expected)
    #expect(try bob.thread("a/b") == expected)
    let documents = try await server.messages(in: "a%2Fb")
    #expect(documents.compactMap { $0.fields["text"] } == expected.map { .string($0) })
    #expect(Set(documents[1].fields.keys) == Self.fields)
  }

  private static let fields: Set<String> = [
    "id", "conversationID", "senderID", "text", "status", "readBy", "createdAt", "updatedAt",
  ]

  @Test("A message is sent, delivered and read on both sides, and unread counts follow")
  func receipts() async throws {
    try await shared()
    let first = try ann.send("one", to: "c")
    let second = try ann.send("two", to: "c")
    #expect(try ann.message(first) == "one sending/pending")
    try await ann.sync()
    #expect(try ann.message(first) == "one sent/synced")
    try await bob.sync()
    #expect(try bob.message(first) == "one delivered/synced")
    #expect(try bob.unread("c") == 3)
    try await ann.sync()
    #expect(try ann.message(second) == "two delivered/synced")
    #expect(try ann.unread("c") == 0)
    try bob.read("c")
    #expect(try bob.unread("c") == 0)
    #expect(try bob.message(second) == "two read/pending")
    try await bob.sync()
    try await ann.sync()
    #expect(try ann.message(first) == "one read/synced")
    #expect(try bob.message(second) == "two read/synced")
    #expect(try bob.unread("c") == 0)
    let readers = try await server.messages(in: "c").map { $0.fields["readBy"] }
    #expect(readers == Array(repeating: .array([.string("bob")]), count: 3))
    // Nothing is left to say, so nothing more is written.
    let commits = await (ann.database.commits, bob.database.commits)
    for client in [ann, bob, ann, bob] { try await client.sync() }
    #expect(await (ann.database.commits, bob.database.commits) == commits)
  }

  @Test("In a group a message is read when all others have read it, whoever comes last")
  func group() async throws {
    let eve = try SyncClient("eve", server.client)
    try ann.begin("g", with: "bob", "eve")
    let id = try ann.send("all?", to: "g")
    for client in [ann, bob, eve] { try await client.sync() }
    // Both read before either knows of the other.
    try bob.read("g")
    try eve.read("g")
    try await bob.sync()
    try await eve.sync()
    for client in [ann, bob, eve, ann] { try await client.sync() }
    for client in [ann, bob, eve] { #expect(try client.message(id) == "all? read/synced", "\(client.user)") }
    #expect(try await server.messages(in: "g").first?.fields["status"] == .string("read"))
  }

  @Test("The conversation, its last message and the users' lists are written in the commit of the messages")
  func documents() async throws {
    try ann.begin("c", with: "bob", name: "Two")
    try ann.send("hello", to: "c")
    try await ann.sync()
    #expect(await ann.database.commits == 1)
    let root = server.client.root
    let conversation = try await server.client.document("\(root)/conversations/c")
    #expect(conversation.fields["participants"] == .array([.string("ann"), .string("bob")]))
    #expect(conversation.fields["displayName"] == .string("Two"))
    #expect(conversation.fields["lastMessageText"] == .string("hello"))
    #expect(conversation.fields["lastMessageSenderID"] == .string("ann"))
    for user in ["ann", "bob"] {
      let notice = try await server.client.document("\(root)/users/\(user)/conversations/c")
      #expect(notice.fields["conversationID"] == .string("c"))
      #expect(notice.fields["updatedAt"] == conversation.fields["updatedAt"])
    }
  }

  @Test("A store keeps to the user of its first sync")
  func users() async throws {
    try ann.begin("c", with: "bob")
    let id = try ann.send("hello", to: "c")
    #expect(try ann.inbox { try $0.message(id).senderID } == "me")
    try await ann.sync()
    #expect(try ann.inbox { try $0.message(id).senderID } == "ann")
    let other = try SyncClient("bob", server.client, container: ann.container)
    await #expect(throws: SyncError.otherUser("ann")) { try await other.sync() }
    let placeholder = try SyncClient("me", server.client)
    await #expect(throws: SyncError.self) { try await placeholder.sync() }
  }

  @Test("More messages than a page has arrive, and only the new ones are asked for afterwards")
  func pages() async throws {
    try ann.begin("c", with: "bob")
    for number in 0..<650 { try ann.send("\(number)", to: "c") }
    let report = try await ann.sync()
    #expect(report.outgoing.sent == 650)
    #expect(report.outgoing.commits == 2)
    let received = try await bob.sync()
    #expect(received.incoming.received == 650)
    #expect(try bob.thread("c") == (0..<650).map(String.init))
    try await bob.sync()
    let requests = await bob.database.requests
    try await bob.sync()
    #expect(await bob.database.requests == requests + 1)
  }

  @Test("What the server shows late, with a time before the last one, is not missed")
  func late() async throws {
    try await shared()
    let root = server.client.root
    let known = try await server.client.document("\(root)/conversations/c")
    guard case .timestamp(var time)? = known.fields["updatedAt"] else {
      Issue.record("no time")
      return
    }
    time.seconds -= 5
    let message: [String: FirestoreValue] = [
      "id": .string("late"), "conversationID": .string("c"), "senderID": .string("ann"), "text": .string("late"),
      "status": .string("sent"), "readBy": .array([]), "createdAt": .timestamp(time), "updatedAt": .timestamp(time),
    ]
    try await server.client.commit([
      .update(FirestoreDocument(name: "\(root)/conversations/c/messages/late", fields: message)),
      .update(
        FirestoreDocument(
          name: "\(root)/users/bob/conversations/c",
          fields: ["conversationID": .string("c"), "updatedAt": .timestamp(time)])),
    ])
    #expect(try await bob.sync().incoming.received == 1)
    #expect(try bob.thread("c").contains("late"))
  }

  @Test("A document that is no message is named and passed over")
  func unreadable() async throws {
    try await shared()
    let name = "\(server.client.root)/conversations/c/messages/odd"
    let updated = FirestoreTransform(FirestoreFieldPath("updatedAt"), .requestTime)
    try await server.client.commit([
      .update(FirestoreDocument(name: name, fields: ["text": .integer(1)]), transforms: [updated])
    ])
    try ann.send("next", to: "c")
    try await ann.sync()
    let report = try await bob.sync()
    #expect(report.incoming.unreadable == [name])
    #expect(try bob.thread("c") == ["hello", "next"])
  }

  @Test("A conversation deleted here stays deleted until there is something new in it, and then comes back whole")
  func deletion() async throws {
    try await shared()
    try await bob.sync()
    try bob.inbox { try $0.delete(try $0.conversation("c")) }
    try await bob.sync()
    #expect(try bob.thread("c") == [])
    try ann.send("again", to: "c")
    try await ann.sync()
    try await bob.sync()
    #expect(try bob.thread("c") == ["hello", "again"])
  }

  @Test("Each of the guide's methods works by itself")
  func guide() async throws {
    try ann.begin("c", with: "bob", name: "Two")
    let id = try ann.send("hello", to: "c")
    let sender = MessageSyncService(
      modelContainer: ann.container, database: ann.database, userID: "ann", environment: ann.environment)
    try await sender.syncMessageToFirestore(id)
    #expect(try ann.message(id) == "hello sent/synced")
    await #expect(throws: SyncError.self) { try await sender.syncMessageToFirestore("nothing") }
    let receiver = ConversationSyncService(
      modelContainer: bob.container, database: bob.database, userID: "bob", environment: bob.environment)
    try await receiver.syncConversationFromFirestore(conversationID: "c")
    #expect(try bob.thread("c") == ["hello"])
    await #expect(throws: SyncError.documentNotFound("conversation d")) {
      try await receiver.syncConversationFromFirestore(conversationID: "d")
    }
    let eve = try SyncClient("eve", server.client)
    let other = ConversationSyncService(
      modelContainer: eve.container, database: eve.database, userID: "eve", environment: eve.environment)
    try await other.syncAllConversations(userID: "eve")
    #expect(try eve.thread("c") == [])
    try await receiver.syncAllConversations(userID: "bob")
    #expect(try bob.inbox { try $0.conversation("c").displayName } == "Two")
  }
}
