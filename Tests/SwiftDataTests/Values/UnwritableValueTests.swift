import Foundation
import SwiftData
import Testing

private enum Moody {
  struct Refusal: Error {}

  /// A value that can be told not to be encoded.
  struct Answer: Codable, Equatable {
    var text: String
    var refuses = false
    enum CodingKeys: CodingKey { case text }
    init(text: String, refuses: Bool = false) { (self.text, self.refuses) = (text, refuses) }
    init(from decoder: any Decoder) throws {
      text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .text)
    }
    func encode(to encoder: any Encoder) throws {
      if refuses { throw Refusal() }
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(text, forKey: .text)
    }
  }

  @Model final class Question {
    @Attribute(.unique) var title: String
    var answer: Answer
    var more: [Answer]?
    var topic: Topic?
    init(_ title: String, _ answer: Answer) { (self.title, self.answer) = (title, answer) }
  }

  /// A value whose JSON is `null`.
  struct Nothing: Codable, Equatable {
    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    }
  }

  @Model final class Nested {
    var number: Int??
    var answer: Answer??
    var nothing: Nothing?
    init(number: Int?? = nil, answer: Answer?? = nil, nothing: Nothing? = nil) {
      (self.number, self.answer, self.nothing) = (number, answer, nothing)
    }
  }

  @Model final class Topic {
    var name: String
    @Relationship(inverse: \Question.topic) var questions: [Question] = []
    init(name: String) { self.name = name }
  }
}

@Suite struct UnwritableValueTests {
  private let store: TemporaryStore
  private let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    context = ModelContext(try store.container(Moody.Question.self))
  }

  @Test("A new object that cannot be encoded makes the save throw, and nothing is written")
  func insertion() throws {
    let good = Moody.Question("good", .init(text: "yes"))
    let bad = Moody.Question("bad", .init(text: "no", refuses: true))
    context.insert(good)
    context.insert(bad)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.code.description == "unwritableValue")
    #expect(error?.entity == "Question" && error?.property == "answer")
    #expect(error?.underlyingError is Moody.Refusal)
    #expect(try store.shell("SELECT count(*) FROM Question") == "0")
    #expect(context.insertedModelsArray.count == 2)
    #expect(good.persistentModelID.isTemporary && bad.persistentModelID.isTemporary)
    bad.answer = .init(text: "maybe")
    try context.save()
    #expect(try store.shell("SELECT title FROM Question ORDER BY title") == "bad\ngood")
    #expect(!good.persistentModelID.isTemporary)
  }

  @Test("A failed save of changes, deletes and relationships changes nothing, and the next one does it all")
  func everything() throws {
    let (one, two, three) = (
      Moody.Question("1", .init(text: "a")), Moody.Question("2", .init(text: "b")),
      Moody.Question("3", .init(text: "c"))
    )
    let topic = Moody.Topic(name: "t")
    for model in [one, two, three] { context.insert(model) }
    context.insert(topic)
    topic.questions = [three, one]
    try context.save()
    let dump = try store.shell(".dump")
    one.title = "one"
    topic.questions = [two, three, one]
    topic.name = "T"
    context.delete(three)
    let four = Moody.Question("4", .init(text: "d"))
    four.topic = topic
    two.more = [.init(text: "x"), .init(text: "y", refuses: true)]
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.property == "more")
    #expect(try store.shell(".dump") == dump)
    #expect(one.title == "one" && three.isDeleted && four.persistentModelID.isTemporary)
    #expect(topic.questions.map(\.title) == ["2", "one", "4"])
    two.more = []
    try context.save()
    let reader = ModelContext(context.container)
    let found = try #require(try reader.fetch(FetchDescriptor<Moody.Topic>()).first)
    #expect(found.name == "T" && found.questions.map(\.title) == ["2", "one", "4"])
    #expect(try store.shell("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
  }

  @Test("After a failed save, rollback gives back what is stored")
  func rollback() throws {
    let question = Moody.Question("1", .init(text: "a"))
    context.insert(question)
    try context.save()
    question.answer.refuses = true
    question.answer.text = "b"
    #expect(throws: SwiftDataError.self) { try context.save() }
    context.rollback()
    #expect(question.answer == .init(text: "a"))
    question.title = "2"
    try context.save()
    #expect(try store.shell("SELECT title, answer FROM Question") == "2|{\"text\":\"a\"}")
  }

  @Test("A failed save merges nothing: the twin of a stored unique value stays new")
  func upsert() throws {
    context.insert(Moody.Question("1", .init(text: "a")))
    try context.save()
    let twin = Moody.Question("1", .init(text: "b"))
    context.insert(twin)
    let bad = Moody.Question("2", .init(text: "c", refuses: true))
    context.insert(bad)
    #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(twin.persistentModelID.isTemporary)
    #expect(try store.shell("SELECT answer FROM Question") == "{\"text\":\"a\"}")
    context.delete(bad)
    try context.save()
    #expect(try store.shell("SELECT answer FROM Question") == "{\"text\":\"b\"}")
  }

  @Test("An optional that would read back as nil is refused")
  func nested() throws {
    let context = try memoryContext(Moody.Nested.self)
    let refused: [(Moody.Nested, String)] = [
      (Moody.Nested(number: .some(nil)), "number"), (Moody.Nested(answer: .some(nil)), "answer"),
      (Moody.Nested(nothing: Moody.Nothing()), "nothing"),
    ]
    for (object, property) in refused {
      context.insert(object)
      let error = #expect(throws: SwiftDataError.unwritableValue) { try context.save() }
      #expect(error?.property == property)
      context.rollback()
    }
    context.insert(Moody.Nested(number: 1, answer: Moody.Answer(text: "a")))
    context.insert(Moody.Nested())
    try context.save()
    let found = try ModelContext(context.container).fetch(FetchDescriptor<Moody.Nested>())
    #expect(found.map(\.number) == [.some(.some(1)), .none])
    #expect(found.map(\.answer) == [.some(.some(Moody.Answer(text: "a"))), .none])
  }
}
