import AssistModel
import Foundation
import SwiftData
import SwiftDataTesting
import Testing

@testable import Sorted

@Suite("The assistant in a store") struct AssistServiceTests {
  private let folder: TemporaryFolder
  private let container: ModelContainer
  private let context: ModelContext
  private let service: AssistService
  private let assist: AssistInbox

  init() throws {
    folder = try TemporaryFolder()
    container = try SortedContainer.open(folder.store)
    context = ModelContext(container)
    service = AssistService(container: container)
    assist = AssistInbox(context: context)
  }

  /// A conversation of the owner and one other person, with messages of the other.
  @discardableResult
  private func add(_ id: String, from sender: String, _ texts: String..., minute: Int = 0) throws -> [MessageEntity] {
    let conversation = ConversationEntity(id: id, participantIDs: ["me", sender])
    context.insert(conversation)
    let messages = texts.enumerated().map { index, text in
      MessageEntity(
        id: "\(id)/\(index)", conversationID: id, senderID: sender, text: text,
        createdAt: Date(timeIntervalSinceNow: Double(60 * minute + index) - 3_600), status: .read, syncStatus: .synced)
    }
    for message in messages {
      context.insert(message)
      message.conversation = conversation
      conversation.updateWithMessage(message)
    }
    try context.save()
    return messages
  }

  /// The message as the store has it, read by a context of its own.
  private func stored(_ id: String) throws -> MessageEntity {
    try InboxService(context: ModelContext(container)).message(id)
  }

  private func addOwner(_ change: (UserEntity) -> Void = { _ in }) throws -> UserEntity {
    let user = UserEntity(id: "me", email: "me@example.com", displayName: "Me")
    user.faqs = [
      FAQEntity(
        id: "camera", category: .equipment, questionPattern: "Which camera do you use?",
        answer: "A small one that I like.")
    ]
    change(user)
    context.insert(user)
    try context.save()
    return user
  }

  private static let business = "We'd like to sponsor two videos, budget 4,500 EUR each. What are your rates?"
  private static let spam =
    "CONGRATULATIONS you won a FREE prize! Claim now at http://prize.example or text WIN to 80877"
  private static let urgent = "Please call me right now, she is in the hospital!!"

  @Test("Pending messages are classified once, with all enabled features, and a second run finds none")
  func classification() throws {
    _ = try addOwner()
    try add("a", from: "dana", Self.business)
    try add("b", from: "bot", Self.spam)
    try add("c", from: "eve", Self.urgent)
    try add("d", from: "maya", "Love your show! Which camera do you use?")
    #expect(try service.pendingCount() == 4)
    #expect(try service.classifyPending() == 4)
    let offer = try stored("a/0")
    #expect(offer.category == .business && (offer.categoryConfidence ?? 0) > 0.5)
    #expect((30...100).contains(offer.opportunityScore ?? 0))
    #expect(offer.sentiment != nil && offer.sentimentIntensity != nil && offer.faqMatchID == nil)
    #expect(try stored("b/0").category == .spam)
    #expect(try stored("b/0").opportunityScore == nil)
    #expect(try stored("c/0").category == .urgent)
    let question = try stored("d/0")
    #expect(question.faqMatchID == "camera" && (question.faqConfidence ?? 0) >= 0.5)
    #expect(question.smartReplyDraft == "Hi Maya! A small one that I like.")
    #expect(try service.classifyPending() == 0)
    #expect(try AssistService(container: try SortedContainer.open(folder.store)).pendingCount() == 0)
  }

  @Test("An edited message is classified again, also if it was classified between the edit's fetch and its save")
  func editing() throws {
    let message = try add("a", from: "eve", "See you at six then")[0]
    // This context still has the message as it was before its classification.
    try service.classifyPending()
    message.edit(text: Self.urgent)
    try context.save()
    #expect(try service.pendingCount() == 1)
    try service.classifyPending()
    #expect(try stored("a/0").category == .urgent)
    let another = ModelContext(container)
    try InboxService(context: another).message("a/0").edit(text: "See you at six then")
    try another.save()
    #expect(try service.classifyPending() == 1)
    #expect(try stored("a/0").category != .urgent)
  }

  @Test("What is left of a message that was deleted for everybody is of no kind")
  func deleting() throws {
    try add("a", from: "me", Self.urgent)
    try service.classifyPending()
    #expect(try stored("a/0").category == .urgent)
    let another = ModelContext(container)
    let inbox = InboxService(context: another)
    try inbox.deleteForEverybody(try inbox.message("a/0"))
    try another.save()
    #expect(try service.classifyPending() == 1)
    #expect(try stored("a/0").category == nil)
    #expect(try stored("a/0").sentiment == nil)
  }

  @Test("An import with another text makes a message pending, and an import with the same text does not")
  func importing() throws {
    func log(_ text: String) throws -> IRCReader {
      try folder.write("2008-04-27.raw.txt", "[09:30] <ann> \(text)\n")
      return try IRCReader(path: folder.url, channel: "#x", withThreads: false)
    }
    let session = ImportSession(container: container)
    _ = try session.run(try log("hello"))
    #expect(try service.classifyPending() == 1)
    _ = try session.run(try log("hello"))
    #expect(try service.pendingCount() == 0)
    _ = try session.run(try log("the server is down, call now!"))
    #expect(try service.pendingCount() == 1)
  }

  @Test(
    "A switch that is off leaves its columns empty, and only those",
    arguments: [
      (AIFeature.categorization, "business"), (.sentiment, "mood"), (.opportunityScoring, "score"),
      (.faq, "question draft"),
      (.smartReply, "draft"),
    ])
  func switches(_ feature: AIFeature, _ missing: String) throws {
    let user = try addOwner { $0.faqs[0].questionPattern = "What are your rates?" }
    try add("a", from: "dana", Self.business)
    func filled() throws -> Set<String> {
      let message = try stored("a/0")
      var names = Set<String>()
      if message.category == .business, message.categoryConfidence != nil { names.insert("business") }
      if message.sentiment != nil, message.sentimentIntensity != nil { names.insert("mood") }
      if message.opportunityScore != nil { names.insert("score") }
      if message.faqMatchID != nil { names.insert("question") }
      if message.smartReplyDraft != nil { names.insert("draft") }
      return names
    }
    try service.classifyPending()
    let all: Set = ["business", "mood", "score", "question", "draft"]
    #expect(try filled() == all)
    user.setAIFeature(feature, enabled: false)
    try assist.judgeAgain(for: "me")
    try context.save()
    try service.classifyPending()
    #expect(try filled() == all.subtracting(missing.split(separator: " ").map(String.init)))
    user.setAIFeature(feature, enabled: true)
    try assist.judgeAgain(for: "me")
    try context.save()
    try service.classifyPending()
    #expect(try filled() == all)
  }

  @Test("A correction holds at once and after a new classification, affects similar messages, and outlives the program")
  func correcting() throws {
    let messages = try add(
      "a", from: "tom", "The greenhouse thermostat reads 4 degrees", "greenhouse thermostat reads 3 degrees again")
    try service.classifyPending()
    #expect(try stored("a/0").category != .urgent)
    try assist.correct(messages[0], as: .urgent)
    try context.save()
    #expect(try stored("a/0").category == .urgent)
    #expect(try stored("a/0").categoryConfidence == 1)
    try service.classifyPending()
    #expect(try stored("a/1").category == .urgent)
    try service.resetAll()
    try AssistService(container: try SortedContainer.open(folder.store)).classifyPending()
    #expect(try stored("a/0").category == .urgent)
    #expect(try stored("a/1").category == .urgent)
    #expect(try assist.reasons(for: stored("a/0")).sentence == "because you said so")

    // A changed mind is one opinion, not two.
    try assist.correct(messages[0], as: .none)
    try context.save()
    try service.classifyPending()
    #expect(try stored("a/0").category == nil)
    #expect(try stored("a/1").category != .urgent)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<AssistCorrectionEntity>()) == 1)
  }

  @Test("Of two accounts in one store each corrects what the other wrote, and nothing else")
  func accounts() throws {
    let conversation = ConversationEntity(id: "c", participantIDs: ["ann", "bob"])
    context.insert(conversation)
    let texts = [("ann", "weekly numbers attached"), ("bob", "weekly numbers attached")]
    let messages = texts.enumerated().map { index, line in
      MessageEntity(
        id: "c/\(index)", conversationID: "c", senderID: line.0, text: line.1,
        createdAt: Date(timeIntervalSince1970: Double(index)))
    }
    for message in messages {
      context.insert(message)
      message.conversation = conversation
    }
    try context.save()
    try service.classifyPending()
    let before = try stored("c/1").category
    try assist.correct(messages[0], as: .urgent, by: "bob")
    try context.save()
    try service.classifyPending()
    #expect(try stored("c/0").category == .urgent)
    #expect(try stored("c/1").category == before)
    #expect(throws: DataLayerError.self) { try assist.correct(messages[1], as: .urgent, by: "bob") }
    #expect(throws: DataLayerError.self) { try assist.correct(messages[1], as: .urgent, by: "eve") }
  }

  @Test("The worker classifies the messages that another context stores", .timeLimit(.minutes(20)))
  func background() async throws {
    let container = container
    let worker = Task { await AssistWorker(container: container).run() }
    defer { worker.cancel() }
    try add("a", from: "eve", Self.urgent)
    while try stored("a/0").category == nil { try await Task.sleep(for: .milliseconds(20)) }
    try add("b", from: "bot", Self.spam)
    while try stored("b/0").category == nil { try await Task.sleep(for: .milliseconds(20)) }
    #expect(try stored("a/0").category == .urgent)
    #expect(try stored("b/0").category == .spam)
    worker.cancel()
    await worker.value
  }

  @Test("Stopped after a batch it keeps what it did, and another run does the rest")
  func stopping() throws {
    let conversation = ConversationEntity(id: "c", participantIDs: ["me", "x"])
    context.insert(conversation)
    for number in 0..<(2 * AssistService.batchSize + 10) {
      let message = MessageEntity(id: "\(number)", conversationID: "c", senderID: "x", text: "hello \(number)")
      context.insert(message)
      message.conversation = conversation
    }
    try context.save()
    let stop = ImportSession.StopSign()
    var steps: [Int] = []
    try service.classifyPending(stop: stop) { done, total in
      steps.append(done)
      #expect(total == 2 * AssistService.batchSize + 10)
      stop.raise()
    }
    #expect(steps == [AssistService.batchSize])
    #expect(try service.pendingCount() == AssistService.batchSize + 10)
    #expect(try service.classifyPending() == AssistService.batchSize + 10)
  }
}
