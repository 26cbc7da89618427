import FirestoreProtocol
import Foundation
import SwiftData
import Testing

@testable import Sorted

@Suite("Changes that meet") struct MergeTests {
  private let server: LocalServer
  private let ann: SyncClient
  /// The same user on another machine.
  private let tablet: SyncClient
  private let bob: SyncClient

  init() async throws {
    server = try await LocalServer()
    ann = try SyncClient("ann", server.client)
    tablet = try SyncClient("ann", server.client)
    bob = try SyncClient("bob", server.client)
  }

  private func settle(_ clients: SyncClient...) async throws {
    for _ in 0..<3 { for client in clients { try await client.sync() } }
  }

  /// A conversation with one message that all have.
  private func shared() async throws -> String {
    try ann.begin("c", with: "bob", name: "Two")
    let id = try ann.send("hello", to: "c")
    try await settle(ann, tablet, bob)
    return id
  }

  private func edit(_ client: SyncClient, _ id: String, _ text: String, at seconds: TimeInterval) throws {
    let context = ModelContext(client.container)
    let message = try InboxService(context: context).message(id)
    message.edit(text: text, now: message.createdAt.addingTimeInterval(seconds))
    try context.save()
  }

  @Test(
    "Of two texts the later one wins everywhere, whoever syncs first, and the other one is kept as a conflict",
    arguments: [true, false])
  func texts(laterFirst: Bool) async throws {
    let id = try await shared()
    try edit(ann, id, "earlier", at: 10)
    try edit(tablet, id, "later", at: 20)
    if laterFirst { try await settle(tablet, ann, bob) } else { try await settle(ann, tablet, bob) }
    for client in [ann, tablet, bob] { #expect(try client.message(id) == "later delivered/synced", "\(client.user)") }
    #expect(try await server.messages(in: "c").map { $0.fields["text"] } == [.string("later")])
    let conflicts = try ann.status().conflicts
    // Where the earlier one went out first, nobody's change was replaced unsent.
    #expect(conflicts.map(\.local) == (laterFirst ? ["earlier"] : []))
    #expect(conflicts.map(\.remote) == (laterFirst ? ["later"] : []))
    #expect(try tablet.status().conflicts == [])
  }

  @Test("Answers, reactions and deletions arrive at everybody, and nobody's reaction replaces another's")
  func talk() async throws {
    let id = try await shared()
    let answer = try bob.inbox { try $0.send("an answer", to: try $0.conversation("c"), replyTo: id).id }
    try ann.inbox { try $0.react("👍", to: try $0.message(id)) }
    try bob.inbox { try $0.react("🎉", to: try $0.message(id)) }
    try await settle(ann, tablet, bob)
    for client in [ann, tablet, bob] {
      #expect(try client.inbox { try $0.message(id).reactions } == ["ann": "👍", "bob": "🎉"], "\(client.user)")
      #expect(try client.inbox { try $0.message(answer).replyToID } == id)
    }
    try ann.inbox { try $0.react(nil, to: try $0.message(id)) }
    try ann.inbox { try $0.deleteForEverybody(try $0.message(id)) }
    try await settle(ann, tablet, bob)
    for client in [ann, tablet, bob] {
      let message = try client.inbox { inbox in
        let message = try inbox.message(id)
        return (text: message.text, isDeleted: message.deletedAt != nil, reactions: message.reactions)
      }
      // A client that does not know deletions shows the text.
      #expect(message.text == InboxService.deletedText && message.isDeleted)
      #expect(message.reactions == ["ann": "", "bob": "🎉"])
    }
    try ann.inbox { try $0.restore(try $0.message(id), text: "hello", attachments: []) }
    try await settle(ann, tablet, bob)
    for client in [ann, tablet, bob] {
      #expect(try client.inbox { try $0.message(id).text } == "hello")
      #expect(try client.inbox { try $0.message(id).deletedAt } == nil)
    }
  }

  @Test("A document has every property of a message but those of this store alone")
  func completeness() throws {
    let message = RemoteMessage(MessageEntity(conversationID: "c", senderID: "a", text: "t"))
    let names = Set(Mirror(reflecting: message).children.compactMap(\.label))
    let stored = try #require(SortedContainer.schema.entitiesByName["MessageEntity"]).storedPropertiesByName.keys
    let own: Set = [
      "syncStatus", "retryCount", "lastSyncAttempt", "nextSyncAttempt", "syncError", "pendingFields", "changeID",
      "category", "categoryConfidence", "sentiment", "sentimentIntensity", "opportunityScore", "faqMatchID",
      "faqConfidence", "smartReplyDraft", "assistVersion", "supermemoryID", "conversation", "attachments",
      // Of inboxes that sync with a sync server.
      "deliveredTo",
    ]
    #expect(names == Set(stored).subtracting(own))
  }

  @Test("A change made after another one was seen wins, however wrong the clock is")
  func wrongClock() async throws {
    let id = try await shared()
    try edit(ann, id, "from the future", at: 3_600)
    try await settle(ann, tablet)
    try edit(tablet, id, "with a slow clock", at: -3_600)
    try await settle(tablet, ann, bob)
    for client in [ann, tablet, bob] { #expect(try client.message(id).hasPrefix("with a slow clock ")) }
  }

  @Test("A text and receipts that meet are both kept")
  func textAndReceipt() async throws {
    let id = try await shared()
    try edit(ann, id, "corrected", at: 10)
    try bob.read("c")
    try await bob.sync()
    try await settle(ann, bob, tablet)
    for client in [ann, tablet, bob] { #expect(try client.message(id) == "corrected read/synced", "\(client.user)") }
  }

  @Test("A change made while a later text arrives is not lost")
  func changeDuringArrival() async throws {
    let id = try await shared()
    try edit(tablet, id, "from the tablet", at: 10)
    try await tablet.sync()
    let container = ann.container
    await ann.database.duringNextQuery { query in
      let context = ModelContext(container)
      let message = try InboxService(context: context).message(id)
      message.edit(text: "meanwhile", now: message.createdAt.addingTimeInterval(20))
      try context.save()
    }
    try await settle(ann, tablet)
    for client in [ann, tablet] { #expect(try client.message(id).hasPrefix("meanwhile ")) }
  }

  @Test("What was changed after it was read is not written over")
  func changedAfterReading() throws {
    let container = try SortedContainer.inMemory()
    let context = ModelContext(container)
    let message = MessageEntity(
      id: "m", conversationID: "c", senderID: "ann", text: "t", createdAt: Self.base.createdAt, status: .sent,
      syncStatus: .synced)
    context.insert(message)
    try context.save()
    let merge = MessageMerge(
      local: RemoteMessage(message), pending: [], remote: Self.variant(1), userID: "ann", participants: [])
    let change = MessageChange(merge, of: message)
    let other = ModelContext(container)
    let same = try InboxService(context: other).message("m")
    same.edit(text: "meanwhile")
    try other.save()
    #expect(try change.apply(to: ["m"], context) == 0)
    let stored = try InboxService(context: ModelContext(container)).message("m")
    #expect(stored.text == "meanwhile" && stored.pendingFields == ["text"] && stored.syncStatus == .pending)
  }

  @Test("Fields of a conversation are merged each for itself")
  func fields() async throws {
    _ = try await shared()
    func change(
      _ client: SyncClient, _ seconds: TimeInterval, _ field: ConversationField, _ body: (ConversationEntity) -> Void
    )
      throws
    {
      let context = ModelContext(client.container)
      let conversation = try InboxService(context: context).conversation("c")
      body(conversation)
      conversation.noteChange(of: field, now: Date(timeIntervalSince1970: 1_800_000_000 + seconds))
      try context.save()
    }
    try change(ann, 10, .displayName) { $0.displayName = "Ann's name" }
    try change(ann, 10, .isPinned) { $0.isPinned = true }
    try change(bob, 20, .displayName) { $0.displayName = nil }
    try change(bob, 5, .avatarURL) { $0.avatarURL = "https://example.com/b.png" }
    try await settle(bob, ann, tablet)
    for client in [ann, tablet, bob] {
      let conversation = try client.inbox { ConversationValues(try $0.conversation("c")) }
      #expect(conversation.displayName == nil, "\(client.user)")
      #expect(conversation.avatarURL == "https://example.com/b.png", "\(client.user)")
      #expect(conversation.isPinned == (client.user == "ann"), "\(client.user)")
      #expect(conversation.participants == ["ann", "bob"])
      #expect(conversation.pending == [])
    }
    #expect(try ann.status().conflicts.map(\.local) == ["Ann's name"])
  }

  @Test("The inbox's pins, mutes and archives reach the user's other stores, and nobody else's")
  func flags() async throws {
    _ = try await shared()
    try ann.inbox { inbox in
      let conversation = try inbox.conversation("c")
      try inbox.setPinned(true, conversation)
      try inbox.setMuted(true, conversation)
      try inbox.setArchived(true, conversation)
    }
    try await settle(ann, tablet, bob)
    let flags = try [ann, tablet, bob].map { client in
      try client.inbox { inbox in
        let conversation = try inbox.conversation("c")
        return [conversation.isPinned, conversation.isMuted, conversation.isArchived]
      }
    }
    #expect(flags == [[true, true, true], [true, true, true], [false, false, false]])
  }

  @Test("A conversation that two stores make with one identifier becomes one")
  func sameConversation() async throws {
    try ann.begin("c", with: "bob", name: "Ann's")
    try bob.begin("c", with: "ann", name: "Bob's")
    try ann.send("from ann", to: "c")
    try bob.send("from bob", to: "c")
    try await settle(ann, bob)
    #expect(try Set(ann.thread("c")) == ["from ann", "from bob"])
    #expect(try ann.thread("c") == bob.thread("c"))
    let names = try [ann, bob].map { client in try client.inbox { try $0.conversation("c").displayName } }
    #expect(names == ["Ann's", "Ann's"])
  }

  @Test("An answer comes after what it answers, in every store, however wrong the clocks are")
  func causality() async throws {
    ann.clock.advance(600)
    try ann.begin("c", with: "bob")
    try ann.send("question", to: "c")
    try await settle(ann, bob)
    try bob.send("answer", to: "c")
    try await settle(bob, ann)
    #expect(try ann.thread("c") == ["question", "answer"])
    #expect(try bob.thread("c") == ["question", "answer"])
  }

  // MARK: - The pure function

  private static let base = RemoteMessage(
    FirestoreDocument(
      name: "projects/p/databases/d/documents/conversations/c/messages/m",
      fields: [
        "id": .string("m"), "senderID": .string("ann"), "text": .string("t"), "status": .string("sent"),
        "createdAt": .timestamp(FirestoreTimestamp(seconds: 100)),
      ]), conversationID: "c")!

  private static func variant(_ seed: Int) -> RemoteMessage {
    var message = base
    let edit = seed % 4
    message.text = ["t", "a", "b", "c"][edit]
    message.editedAt = edit == 0 ? nil : Date(timeIntervalSince1970: 200 + Double(edit))
    message.status = [.sent, .delivered, .read][seed / 4 % 3]
    message.readBy = [[], ["bob"], ["eve"], ["bob", "eve"]][seed / 12 % 4]
    return message
  }

  @Test("In whatever order the same changes arrive, the same message comes out")
  func commutative() {
    func merged(_ left: RemoteMessage, _ right: RemoteMessage) -> RemoteMessage {
      MessageMerge(
        local: left, pending: [], remote: right, userID: "ann", participants: ["ann", "bob", "eve"]
      ).message
    }
    func essence(_ message: RemoteMessage) -> String {
      "\(message.text) \(message.editedAt as Date?) \(message.status) \(message.readBy.sorted())"
    }
    for left in 0..<48 {
      for right in 0..<48 {
        let one = merged(Self.variant(left), Self.variant(right))
        let other = merged(Self.variant(right), Self.variant(left))
        #expect(essence(one) == essence(other))
        #expect(essence(merged(one, other)) == essence(one))
        #expect(one.status >= max(Self.variant(left).status, Self.variant(right).status))
      }
    }
  }
}
