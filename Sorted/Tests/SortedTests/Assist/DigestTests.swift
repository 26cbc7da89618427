import Foundation
import Sorted
import SwiftData
import SwiftDataTesting
import Testing

@Suite("The digest and the sorted lists") struct DigestTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let now = Date(timeIntervalSince1970: 1_700_000_000)

  init() throws {
    container = try SortedContainer.inMemory()
    context = ModelContext(container)
  }

  private func add(
    _ id: String, _ text: String, _ category: MessageCategory? = nil, score: Int? = nil, from sender: String = "x",
    daysAgo: Double = 1, change: (ConversationEntity) -> Void = { _ in }
  ) throws {
    let conversation = ConversationEntity(
      id: id, participantIDs: ["me", sender == "me" ? "x" : sender], displayName: "Name \(id)")
    context.insert(conversation)
    let message = MessageEntity(
      id: "\(id)/0", conversationID: id, senderID: sender, text: text,
      createdAt: now.addingTimeInterval(-daysAgo * 86_400), status: .read, syncStatus: .synced)
    message.category = category
    message.opportunityScore = score
    message.assistVersion = 1
    context.insert(message)
    message.conversation = conversation
    conversation.updateWithMessage(message)
    change(conversation)
    try context.save()
  }

  @Test("Urgent messages lead, then business by its score, then questions; spam, own, old and archived ones stay out")
  func order() throws {
    try add("question", "When is the next one?", .fan)
    try add("small", "offer", .business, score: 20)
    try add("big", "offer", .business, score: 90)
    try add("fire", "come now", .urgent)
    try add("thanks", "thank you", .fan)
    try add("spam", "win? now?", .spam)
    try add("mine", "are you there?", .urgent, from: "me")
    try add("old", "are you there?", .urgent, daysAgo: 40)
    try add("archived", "are you there?", .urgent) { $0.isArchived = true }
    let digest = try AssistInbox(context: context).digest(now: now)
    #expect(digest.needAnswer.map(\.conversationID) == ["fire", "big", "small", "question"])
    #expect(digest.headline == "4 need an answer: 1 urgent, 2 business.")
    let counts: [Int] = [digest.urgent, digest.business, digest.fans, digest.spam]
    #expect(counts == [1, 2, 2, 1])
    #expect(try AssistInbox(context: context).digest(for: "x", now: now).needAnswer.isEmpty)
    #expect(Digest().headline == "Nothing needs an answer.")
  }

  @Test("The digest costs a bounded number of statements, however many conversations there are")
  func statements() throws {
    for number in 0..<40 { try add("a\(number)", "help?", .urgent) }
    func count() throws -> Int {
      try StatementTrace.record { _ = try AssistInbox(context: ModelContext(container)).digest(now: now) }.statements
        .count
    }
    let few = try count()
    for number in 0..<300 { try add("b\(number)", "help?", .urgent, daysAgo: 2) }
    // 200 conversations are looked at, 50 in a statement.
    #expect(few == 3)
    #expect(try count() == 6)
    #expect(try AssistInbox(context: context).digest(now: now).needAnswer.count == AssistInbox.digestCount)
  }

  @Test("A list is narrowed by category and ordered by opportunity; what one wrote oneself does not count")
  func lists() throws {
    try add("low", "offer", .business, score: 20, daysAgo: 1)
    try add("high", "offer", .business, score: 80, daysAgo: 2)
    try add("fan", "hi", .fan)
    try add("own", "my offer", .business, score: 99, from: "me")
    let inbox = InboxService(context: context)
    #expect(try inbox.conversations(category: .business).map(\.id) == ["low", "high"])
    #expect(try inbox.conversations(category: .fan).map(\.id) == ["fan"])
    #expect(try inbox.conversations(category: nil, order: .opportunity).map(\.id) == ["high", "low"])
    #expect(try inbox.conversations(.archived, category: .fan).isEmpty)
  }

  @Test(
    "A conversation is set aside as long as its last message is surely spam, and never one in which the reader wrote")
  func spam() throws {
    try add("spam", "win a prize", .spam, from: "p")
    try add("fan", "hi", .fan)
    try add("own", "buy my prints now", .spam, from: "me")
    for (id, confidence) in [("spam", 0.98), ("own", 0.99), ("perhaps", 0.95), ("again", 0.98)] {
      if ["perhaps", "again"].contains(id) { try add(id, "call me", .spam, from: id == "again" ? "p" : "q") }
      try InboxService(context: context).message("\(id)/0").categoryConfidence = confidence
    }
    try context.save()
    let assist = AssistInbox(context: context)
    #expect(try Set(assist.conversationsSetAside()) == ["spam", "again"])
    #expect(try assist.conversationsSetAside(without: ["again"]) == ["spam"])
    #expect(try assist.conversationsSetAside(only: "again") == ["again"])
    let conversation = try InboxService(context: context).conversation("spam")
    try InboxService(context: context).send("who are you?", to: conversation, now: now)
    try context.save()
    // What the store's user wrote to the sender elsewhere counts as well.
    #expect(try assist.conversationsSetAside() == [])
    try assist.correct(try InboxService(context: context).message("again/0"), as: .spam)
    try context.save()
    #expect(try assist.conversationsSetAside() == ["again"])
  }

  @Test(
    "A guess sets no group aside if the reader has written to one of its members, even if another member wrote last")
  func spamInGroup() throws {
    try add("friend", "hi", from: "f")
    for (id, people) in [("club", ["me", "f", "p"]), ("strangers", ["me", "q", "p"])] {
      try add(id, "win a prize", .spam, from: "p") {
        $0.participantIDs = people
        $0.isGroup = true
      }
      try InboxService(context: context).message("\(id)/0").categoryConfidence = 0.99
    }
    let assist = AssistInbox(context: context)
    #expect(try Set(assist.conversationsSetAside()) == ["club", "strangers"])
    let service = InboxService(context: context)
    try service.send("hello", to: try service.conversation("friend"), now: now)
    try context.save()
    #expect(try assist.conversationsSetAside() == ["strangers"])
    // The reader marks the message as spam. That sets any group aside, also one with a friend.
    try assist.correct(try service.message("club/0"), as: .spam)
    try context.save()
    #expect(try Set(assist.conversationsSetAside()) == ["club", "strangers"])
  }
}
