import AssistModel
import Foundation
import AssistFixtures
import SwiftData
import SwiftDataTesting
import Testing

@testable import Sorted

@Suite("Search by meaning") struct SemanticSearchTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let model: MeaningModel
  private var search: SemanticSearch { SemanticSearch(context: ModelContext(container), model: model) }

  init() throws {
    container = try SortedContainer.inMemory()
    context = ModelContext(container)
    model = MeaningModel(try SentenceModels.smallEncoder())
  }

  /// Messages of random words in three conversations, with their vectors.
  private func fill(_ count: Int) throws {
    var random = SentenceModels.Numbers(seed: 7)
    for index in 0..<count {
      let words = (0..<3).map { _ in SentenceModels.smallVocabulary[4 + Int(abs(random.next()) * 11)] }
      context.insert(
        MessageEntity(
          id: "m\(index)", conversationID: "c\(index % 3)", senderID: "s\(index % 2)",
          text: words.joined(separator: " "), createdAt: Date(timeIntervalSince1970: Double(index))))
    }
    try context.save()
    try EmbeddingService(container: container, model: model).updateAll()
  }

  /// What a search must find, by comparing everything in memory.
  private func expected(_ text: String, _ isIn: (MessageVectorEntity) -> Bool = { _ in true }) throws -> [String] {
    let wanted = Embedding(model.vectors(of: [text])[0])
    let all = try ModelContext(container).fetch(FetchDescriptor<MessageVectorEntity>())
    return all.filter(isIn).map { ($0.id, wanted.similarity(to: Embedding($0.vector)!)) }
      .filter { $0.1 >= SemanticSearch.minimumSimilarity }
      .sorted { ($1.1, $0.0) < ($0.1, $1.0) }.map(\.0)
  }

  @Test("The nearest messages come first, in pages that follow each other without a gap")
  func pages() throws {
    try fill(300)
    for text in ["hello refund", "which camera", "zzz"] {
      let all = try expected(text)
      var found: [String] = []
      var last: String?
      while true {
        let page = try search.nearest(to: text, limit: 17, after: last)
        found += page.map(\.messageID)
        #expect(page.map(\.similarity) == page.map(\.similarity).sorted(by: >))
        guard page.count == 17 else { break }
        last = page.last?.messageID
      }
      #expect(found == all, "\(text)")
    }
    #expect(try expected("hello refund").count > 50)
  }

  @Test("A scope bounds the search to conversations and to messages")
  func scopes() throws {
    try fill(120)
    let some = try search.nearest(to: "hello", in: .init(conversations: ["c1", "c2"]), limit: 500)
    #expect(try some.map(\.messageID) == expected("hello") { $0.conversationID != "c0" })
    let few = try search.nearest(to: "hello", in: .init(messages: ["m3", "m5", "m8"]), limit: 500)
    #expect(try few.map(\.messageID) == expected("hello") { ["m3", "m5", "m8"].contains($0.id) })
    #expect(try search.nearest(to: "hello", in: .init(conversations: []), limit: 500).isEmpty)
  }

  @Test("The memory and the number of rows read at a time do not grow with the store: a statement for each batch")
  func statements() throws {
    func cost(_ count: Int) throws -> Int {
      let search = search
      return try StatementTrace.record { try search.nearest(to: "hello", limit: 10) }.1.count
    }
    try fill(200)
    #expect(try cost(200) == 1)
    let extra = try #require(try context.fetch(FetchDescriptor<MessageVectorEntity>()).first)
    for index in 0..<SemanticSearch.batchSize {
      let message = MessageEntity(id: "x\(index)", conversationID: "x", senderID: "s", text: "x")
      context.insert(MessageVectorEntity(message, Embedding(extra.vector)!))
    }
    try context.save()
    #expect(try cost(200 + SemanticSearch.batchSize) == 2)
  }

  @Test("A message that was edited, deleted or is gone since its vector was made is left out of a result")
  func stale() throws {
    try fill(9)
    let search = search
    let hits = try search.nearest(to: "hello", limit: 500)
    let ids = hits.map(\.messageID)
    try #require(ids.count >= 4)
    let other = ModelContext(container)
    let inbox = InboxService(context: other)
    try inbox.message(ids[0]).text = "something else"
    try inbox.message(ids[1]).deletedAt = Date()
    other.delete(try inbox.message(ids[2]))
    try other.save()
    let found = try self.search.messages(of: hits)
    #expect(found.map { $0.message.id } == Array(ids.dropFirst(3)))
    #expect(try self.search.nearest(to: "hello", limit: 5, after: "nothing").isEmpty)
  }

  @Test(
    "What is known about a person: messages, conversations, times, categories and themes; about a matter: the nearest")
  func about() throws {
    try fill(60)
    let user = UserEntity(id: "s1", email: "", displayName: "Samira Nadir")
    context.insert(user)
    try InboxService(context: context).message("m1").category = .business
    try context.save()
    let inbox = AssistInbox(context: ModelContext(container))
    let about = try inbox.about("samira", meaning: model, limit: 5)
    let person = try #require(about.people.first)
    #expect(about.people.count == 1 && person.id == "s1" && person.name == "Samira Nadir")
    #expect(person.messages == 30 && person.conversations == 3 && person.categories == ["business": 1])
    #expect(person.firstAt == Date(timeIntervalSince1970: 1) && person.lastAt == Date(timeIntervalSince1970: 59))
    #expect(person.themes.map(\.count).reduce(0, +) == 30)
    #expect(person.themes.allSatisfy { $0.message.sender == "s1" })

    let matter = try inbox.about("hello refund", meaning: model, limit: 5)
    #expect(matter.isByMeaning && matter.people.isEmpty)
    #expect(try matter.messages.map(\.id) == Array(expected("hello refund").prefix(5)))

    let byWords = try inbox.about("refund", meaning: nil, limit: 5)
    #expect(!byWords.isByMeaning && byWords.messages.count == 5)
    #expect(byWords.messages.allSatisfy { $0.text.contains("refund") })
    #expect(throws: DataLayerError.self) { try inbox.about(" ", meaning: model) }
  }
}
