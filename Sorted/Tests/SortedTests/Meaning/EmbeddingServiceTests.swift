import AssistModel
import Foundation
import AssistFixtures
import SwiftData
import SwiftDataTesting
import Testing

@testable import Sorted

@Suite("Vectors of messages in a store") struct EmbeddingServiceTests {
  private let folder: TemporaryFolder
  private let container: ModelContainer
  private let context: ModelContext
  private let model: MeaningModel
  private let service: EmbeddingService

  init() throws {
    folder = try TemporaryFolder()
    container = try SortedContainer.open(folder.store)
    context = ModelContext(container)
    model = MeaningModel(try SentenceModels.smallEncoder())
    service = EmbeddingService(container: container, model: model)
  }

  private func add(_ id: String, _ texts: String..., from sender: String = "maya", day: Int = 0) throws {
    let conversation = ConversationEntity(id: id, participantIDs: ["me", sender])
    context.insert(conversation)
    for (index, text) in texts.enumerated() {
      let message = MessageEntity(
        id: "\(id)/\(index)", conversationID: id, senderID: sender, text: text,
        createdAt: Date(timeIntervalSinceNow: -86_400 * Double(day) - 60 + Double(index)), status: .read,
        syncStatus: .synced)
      context.insert(message)
      message.conversation = conversation
      conversation.updateWithMessage(message)
    }
    try context.save()
  }

  /// The vectors of the store, by message.
  private func stored() throws -> [String: Embedding] {
    let all = try ModelContext(container).fetch(FetchDescriptor<MessageVectorEntity>())
    return Dictionary(all.map { ($0.id, Embedding($0.vector)!) }, uniquingKeysWith: { first, _ in first })
  }

  private func vector(_ text: String) -> Embedding { Embedding(model.vectors(of: [text])[0]) }

  private func inbox() -> InboxService { InboxService(context: ModelContext(container)) }

  @Test("Each message gets the vector of its text, once, and the next run makes none")
  func making() throws {
    try add("a", "hello worlds", "which camera do you use")
    try add("b", "")
    var seen: [Int] = []
    let made = try service.updateAll(progress: { done, total in
      seen.append(done)
      #expect(total == 3)
    })
    #expect(made == 3 && seen.last == 3)
    #expect(
      try stored() == ["a/0": vector("hello worlds"), "a/1": vector("which camera do you use"), "b/0": vector("")])
    #expect(try service.updateAll() == 0)
    #expect(try service.update(["a/0", "nothing"]) == 0)
    #expect(try MeaningModel.hasVectors(in: context))
  }

  @Test(
    "More messages than a scan compares, and more than a batch saves, are all read, in any order of their identifiers")
  func many() throws {
    let conversation = ConversationEntity(id: "c", participantIDs: ["me", "b"])
    context.insert(conversation)
    for index in 0..<2_300 {
      let message = MessageEntity(
        id: "\(index * 7_919 % 2_300)", conversationID: "c", senderID: "b", text: "number \(index)")
      context.insert(message)
    }
    try context.save()
    let stop = ImportSession.StopSign()
    let first = try service.updateAll(stop: stop, progress: { done, _ in if done >= 500 { stop.raise() } })
    #expect((500..<2_300).contains(first))
    #expect(try service.count() == first)
    #expect(try service.updateAll() == 2_300 - first)
    #expect(try service.count() == 2_300)
  }

  @Test("What is more urgent is done between two batches, and messages that it names are read too")
  func between() throws {
    try add("b", "hello")
    var calls = 0
    try service.updateAll(between: {
      calls += 1
      // Before what has been compared already.
      if calls == 1 { try add("a", "refund") }
      return calls == 1 ? ["a/0"] : []
    })
    #expect(try stored() == ["b/0": vector("hello"), "a/0": vector("refund")])
  }

  @Test("An edited message gets the vector of its new text, by its name or by a comparison of all")
  func editing() throws {
    try add("a", "hello", "refund")
    try service.updateAll()
    let inbox = inbox()
    try inbox.message("a/0").edit(text: "camera")
    try inbox.message("a/1").edit(text: "worlds")
    try inbox.context.save()
    #expect(try service.update(["a/0"]) == 1)
    #expect(try stored()["a/0"] == vector("camera"))
    #expect(try service.updateAll() == 1)
    #expect(try stored()["a/1"] == vector("worlds"))
  }

  @Test("A vector of another version of the model is made anew")
  func version() throws {
    try add("a", "hello")
    try service.updateAll()
    try context.update(model: MessageVectorEntity.self, set: .assign(\.version, SentenceEncoder.version - 1))
    #expect(try !MeaningModel.hasVectors(in: ModelContext(container)))
    #expect(try service.updateAll() == 1)
    #expect(try MeaningModel.hasVectors(in: ModelContext(container)))
  }

  @Test("A vector is deleted with its message: for everybody, with its conversation, and by the retention")
  func deleting() throws {
    try add("a", "hello", "refund", from: "me")
    try add("b", "hello")
    try add("c", "hello", day: 50)
    try add("d", "hello")
    try service.updateAll()
    let inbox = inbox()
    try inbox.deleteForEverybody(try inbox.message("a/0"))
    try inbox.delete(try inbox.conversation("b"))
    try inbox.context.save()
    #expect(try Set(stored().keys) == ["a/1", "c/0", "d/0"])
    try RetentionService(context: ModelContext(container)).deleteMessages(olderThan: 30)
    #expect(try Set(stored().keys) == ["a/1", "d/0"])
    // What is left of a deleted message has no meaning.
    #expect(try service.updateAll() == 0)
    #expect(try service.update(["a/0"]) == 0)
  }

  @Test(
    "A comparison deletes what an older program left: vectors of messages that are gone, before, between and after others"
  )
  func sweeping() throws {
    try add("b", "hello", "hello", "hello")
    try service.updateAll()
    for id in ["a", "b/01", "z"] {
      context.insert(
        MessageVectorEntity(MessageEntity(id: id, conversationID: "b", senderID: "x", text: "x"), vector("x")))
    }
    try context.save()
    #expect(try service.count() == 6)
    #expect(try service.updateAll() == 0)
    #expect(try Set(stored().keys) == ["b/0", "b/1", "b/2"])
  }

  @Test("A message that moved to another conversation takes its vector along")
  func moving() throws {
    try add("a", "hello")
    try add("b", "refund")
    try service.updateAll()
    let inbox = inbox()
    try inbox.message("a/0").conversationID = "b"
    try inbox.context.save()
    #expect(try service.updateAll() == 1)
    let kept = try ModelContext(container).fetch(FetchDescriptor<MessageVectorEntity>())
    #expect(kept.map(\.conversationID) == ["b", "b"])
  }

  @Test("Where the owner does not allow it, nothing is remembered, and what was is deleted")
  func forbidden() throws {
    let user = UserEntity(id: "me", email: "", displayName: "Me")
    context.insert(user)
    try add("a", "hello")
    try service.updateAll()
    #expect(try service.count() == 1)
    user.allowSupermemoryStorage = false
    try context.save()
    #expect(try service.update(["a/0"]) == 0)
    #expect(try service.updateAll() == 0)
    #expect(try service.count() == 0)
  }

  @Test("A question is matched by words first, and by meaning once its embedding is stored and at each classification")
  func questions() throws {
    let user = UserEntity(id: "me", email: "", displayName: "Me")
    user.faqs = [
      FAQEntity(id: "camera", category: .equipment, questionPattern: "camera camera use", answer: "A small one."),
      FAQEntity(id: "refund", category: .equipment, questionPattern: "zzz qqq", answer: "No."),
    ]
    context.insert(user)
    // No word of it is a whole word of the question, but all its pieces are.
    try add("a", "camera use camera")
    let assist = AssistService(container: container, meaning: model)
    try assist.classifyPending()
    #expect(try MessageVectorEntity.count(in: container) == 0)
    let byWords = try inbox().message("a/0").faqConfidence
    try service.updateAll()
    let byMeaning = try inbox().message("a/0")
    #expect(byMeaning.faqMatchID == "camera" && byMeaning.smartReplyDraft == "Hi Maya! A small one.")
    #expect(byMeaning.faqConfidence != byWords)
    let confidence = byMeaning.faqConfidence
    try assist.resetAll()
    try assist.classifyPending()
    #expect(try inbox().message("a/0").faqConfidence == confidence)
  }

  @Test("The worker classifies old and new messages and makes their embeddings")
  func worker() async throws {
    try add("a", "hello")
    let worker = Task { [container, model] in await AssistWorker(container: container, meaning: model).run() }
    defer { worker.cancel() }
    try await wait { try stored().keys.sorted() == ["a/0"] }
    try add("b", "refund")
    try await wait { try stored().keys.sorted() == ["a/0", "b/0"] }
    // A scan of all messages may make the embedding before the message is classified.
    try await wait { try inbox().message("b/0").assistVersion == MessageModel.version }
    try context.delete(model: MessageVectorEntity.self)
    try context.save()
    // The owner has just allowed embeddings again: the next classification makes all embeddings.
    try add("c", "worlds")
    try await wait { try stored().keys.sorted() == ["a/0", "b/0", "c/0"] }
  }

  private func wait(_ condition: () throws -> Bool) async throws {
    while try !condition() { try await Task.sleep(for: .milliseconds(20)) }
  }
}

extension MessageVectorEntity {
  fileprivate static func count(in container: ModelContainer) throws -> Int {
    try ModelContext(container).fetchCount(FetchDescriptor<MessageVectorEntity>())
  }
}
