import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

private enum Updates {
  @Model final class Paper {
    @Attribute(.unique) var number: Int
    var title: String
    var note: String?
    var pages: Int8
    var grade: Grade
    var size: Size
    var tags: [String] = []
    @Attribute(.externalStorage) var scan: Data?
    @Transient var isOpen = false
    var journal: Journal?

    init(_ number: Int, title: String = "", journal: Journal? = nil) {
      self.number = number
      self.title = title
      self.journal = journal
      pages = 1
      grade = .draft
      size = Size(width: 1, height: 2)
    }
  }

  @Model final class Journal {
    var name: String
    var issues: Int
    @Relationship(inverse: \Paper.journal) var papers: [Paper] = []

    init(_ name: String, issues: Int) {
      self.name = name
      self.issues = issues
    }
  }

  enum Grade: String, Codable { case draft, final }
  struct Size: Codable, Equatable { var width: Int, height: Int }
}

@Suite struct UpdateTests {
  private let context: ModelContext

  init() throws {
    let writer = try memoryContext(Updates.Paper.self)
    let journals = [Updates.Journal("a", issues: 10), Updates.Journal("b", issues: 20)]
    writer.insert(contentsOf: journals)
    try writer.save()
    writer.insert(
      contentsOf: (0..<10).map { Updates.Paper($0, title: "t\($0)", journal: $0 == 9 ? nil : journals[$0 % 2]) })
    try writer.save()
    context = ModelContext(writer.container)
  }

  private let all = FetchDescriptor<Updates.Paper>(sortBy: [SortDescriptor(\.number)])

  /// What the store has.
  private func stored<V>(_ keyPath: KeyPath<Updates.Paper, V>) throws -> [V] {
    try ModelContext(context.container).fetch(all).map { $0[keyPath: keyPath] }
  }

  @Test("Values and expressions are assigned to what matches, in one statement that makes no model")
  func assign() throws {
    let (count, statements) = try SQLTrace.record {
      try context.update(
        model: Updates.Paper.self, where: #Predicate { $0.number < 3 },
        set: .assign(\.note, "n"), .assign(\.grade, .final), .assign(\.size, Updates.Size(width: 3, height: 4)),
        .assign(\.tags, ["x", "y"]))
    }
    #expect(count == 3 && statements[0].hasPrefix("UPDATE"))
    #expect(statements.dropFirst().allSatisfy { $0.contains("_swiftdata_") }, "the rest is the history's")
    #expect(try stored(\.note) == ["n", "n", "n"] + Array(repeating: nil, count: 7))
    #expect(try stored(\.grade).prefix(4) == [.final, .final, .final, .draft])
    #expect(try stored(\.size)[2] == Updates.Size(width: 3, height: 4) && stored(\.tags)[0] == ["x", "y"])
    #expect(!context.hasChanges)
    #expect(try context.update(model: Updates.Paper.self, set: .assign(\.note, nil)) == 10)
    #expect(try stored(\.note) == Array(repeating: nil, count: 10))
    #expect(
      try context.update(model: Updates.Paper.self, where: #Predicate { $0.number > 99 }, set: .assign(\.note, "")) == 0
    )
  }

  @Test("Expressions see the object as it was, and what it is related to")
  func expressions() throws {
    let (_, statements) = try SQLTrace.record {
      try context.update(
        model: Updates.Paper.self, where: #Predicate { $0.journal?.name == "a" },
        set: .assign(\.title, #Expression<Updates.Paper, String> { $0.note ?? "none" }),
        .assign(\.note, #Expression<Updates.Paper, String> { $0.title }),
        .assign(\.number, #Expression<Updates.Paper, Int> { $0.number + ($0.journal?.issues ?? 0) * 10 }))
    }
    #expect(statements.filter { $0.hasPrefix("UPDATE") }.count == 1)
    let papers = try ModelContext(context.container).fetch(all)
    #expect(papers.map(\.number) == [1, 3, 5, 7, 9, 100, 102, 104, 106, 108])
    #expect(papers[5...].map(\.note) == ["t0", "t2", "t4", "t6", "t8"] && papers[5].title == "none")
  }

  @Test("Of two assignments to one property the later counts")
  func twice() throws {
    try context.update(model: Updates.Paper.self, set: .assign(\.note, "first"), .assign(\.note, "second"))
    #expect(try Set(stored(\.note)) == ["second"])
  }

  @Test("Registered objects show the new values, and observers hear of them")
  func registered() throws {
    let papers = try context.fetch(all)
    let heard = Mutex(0)
    withObservationTracking {
      _ = papers[0].title
    } onChange: {
      heard.withLock { $0 += 1 }
    }
    withObservationTracking {
      _ = papers[5].title
    } onChange: {
      heard.withLock { $0 += 10 }
    }
    try context.update(model: Updates.Paper.self, where: #Predicate { $0.number < 2 }, set: .assign(\.title, "new"))
    #expect(papers.prefix(3).map(\.title) == ["new", "new", "t2"] && heard.withLock { $0 } == 1)
    #expect(!papers[0].hasChanges)
    let other = ModelContext(context.container)
    let mirror = try other.fetch(all)
    try context.update(model: Updates.Paper.self, set: .assign(\.title, "newer"))
    #expect(try other.fetch(all).allSatisfy { $0.title == "newer" } && mirror[7].title == "newer")
  }

  @Test("The notification names the objects that were changed")
  func notifications() throws {
    let received = Mutex<[[String]]>([])
    let tokens = [ModelContext.willSave, ModelContext.didSave].map { name in
      NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { note in
        let key = ModelContext.NotificationKey.updatedIdentifiers.rawValue
        let ids = note.userInfo?[key] as? [PersistentIdentifier] ?? []
        received.withLock { $0.append(ids.map { "\($0.entityName)" }) }
      }
    }
    defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
    try context.update(model: Updates.Paper.self, where: #Predicate { $0.number >= 8 }, set: .assign(\.title, "x"))
    #expect(received.withLock { $0 } == [[], ["Paper", "Paper"]])
  }

  @Test("The history names the objects and the properties, in one transaction of the context's author")
  func history() throws {
    context.author = "me"
    try context.update(
      model: Updates.Paper.self, where: #Predicate { $0.number >= 8 }, set: .assign(\.title, "x"), .assign(\.note, "y"))
    let last = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
    #expect(last.author == "me" && last.changes.count == 2)
    for change in last.changes {
      guard case .update(let update as DefaultHistoryUpdate<Updates.Paper>) = change else {
        Issue.record("not an update: \(change)")
        continue
      }
      #expect(update.updatedAttributes.count == 2 && update.updatedAttributes.contains(\.title))
    }
  }

  @Test("Objects with unsaved changes take part with these, and their new values are unsaved too")
  func pendingChanges() throws {
    let papers = try context.fetch(all)
    papers[0].title = "mine"
    papers[1].title = "t2"
    let new = Updates.Paper(50, title: "t2")
    context.insert(new)
    context.delete(papers[2])
    let count = try context.update(
      model: Updates.Paper.self, where: #Predicate { $0.title == "t2" || $0.title == "t3" },
      set: .assign(\.note, #Expression<Updates.Paper, String> { $0.title }))
    #expect(count == 3)
    #expect(papers.map(\.note).prefix(5) == [nil, "t2", nil, "t3", nil] && new.note == "t2")
    #expect(try stored(\.note).prefix(5) == [nil, nil, nil, "t3", nil])
    try context.save()
    #expect(try stored(\.note).prefix(4) == [nil, "t2", "t3", nil] && stored(\.note).last == "t2")
  }

  @Test("Where an unsaved change of another class decides, the objects are changed in memory")
  func dependingOnOthers() throws {
    let journals = try context.fetch(FetchDescriptor<Updates.Journal>(sortBy: [SortDescriptor(\.name)]))
    journals[0].name = "z"
    journals[1].issues = 7
    let count = try context.update(
      model: Updates.Paper.self, where: #Predicate { $0.journal?.name == "z" }, set: .assign(\.note, "z"))
    #expect(count == 5)
    let issues = #Expression<Updates.Paper, Int> { $0.number + ($0.journal?.issues ?? 0) * 100 }
    #expect(try context.update(model: Updates.Paper.self, set: .assign(\.number, issues)) == 10)
    #expect(try stored(\.note).allSatisfy { $0 == nil })
    try context.save()
    #expect(try stored(\.note).compactMap { $0 }.count == 5)
    #expect(try stored(\.number) == [9, 701, 703, 705, 707, 1_000, 1_002, 1_004, 1_006, 1_008])
  }

  @Test("A unique value may move from object to object; one that two would have is an error, and changes nothing")
  func uniqueness() throws {
    let next = #Expression<Updates.Paper, Int> { $0.number + 1 }
    #expect(try context.update(model: Updates.Paper.self, set: .assign(\.number, next)) == 10)
    #expect(try stored(\.number) == Array(1...10))
    let mirror = #Expression<Updates.Paper, Int> { 11 - $0.number }
    #expect(try context.update(model: Updates.Paper.self, set: .assign(\.number, mirror)) == 10)
    #expect(try stored(\.title) == (0..<10).reversed().map { "t\($0)" })
    let error = #expect(throws: SwiftDataError.self) {
      try context.update(model: Updates.Paper.self, set: .assign(\.number, 5), .assign(\.note, "x"))
    }
    #expect(error?.code == SwiftDataError.uniquenessViolation.code && error?.property == "number")
    #expect(error?.entity == "Paper" && error?.message?.contains("nothing was changed") == true)
    #expect(try stored(\.note).allSatisfy { $0 == nil } && stored(\.number) == Array(1...10))
    #expect(try context.update(model: Updates.Paper.self, set: .assign(\.note, "y")) == 10, "the store goes on")
  }

  @Test("An object for which an expression has no value is an error, and nothing changes")
  func failing() throws {
    let papers = try context.fetch(all)
    papers[3].note = "n"
    papers[4].pages = 100
    try context.save()
    #expect(throws: SwiftDataError.unreadableValue) {
      try context.update(
        model: Updates.Paper.self, set: .assign(\.title, #Expression<Updates.Paper, String> { $0.note! }))
    }
    #expect(throws: SwiftDataError.unreadableValue) {
      try context.update(
        model: Updates.Paper.self, set: .assign(\.pages, #Expression<Updates.Paper, Int8> { $0.pages * 2 }))
    }
    #expect(try stored(\.title) == (0..<10).map { "t\($0)" } && stored(\.pages)[0] == 1)
    let some = #Predicate<Updates.Paper> { $0.note != nil }
    try context.update(
      model: Updates.Paper.self, where: some, set: .assign(\.title, #Expression<Updates.Paper, String> { $0.note! }))
    #expect(try stored(\.title)[3] == "n")
  }

  @Test("Text that is not in normal form C is found afterwards, whether assigned or computed")
  func normalization() throws {
    try context.update(
      model: Updates.Paper.self, where: #Predicate { $0.number == 1 }, set: .assign(\.title, "cafe\u{301}"))
    let composed = FetchDescriptor<Updates.Paper>(predicate: #Predicate { $0.title == "caf\u{E9}" })
    #expect(try context.fetchCount(composed) == 1)
    try context.update(
      model: Updates.Paper.self, where: #Predicate { $0.number == 1 },
      set: .assign(\.note, #Expression<Updates.Paper, String> { $0.title }))
    let note = FetchDescriptor<Updates.Paper>(predicate: #Predicate { $0.note == "caf\u{E9}" })
    #expect(try ModelContext(context.container).fetchCount(note) == 1)
  }

  @Test("What cannot be assigned in a batch is an error that says what to do")
  func unsupported() throws {
    let journal = try context.fetch(FetchDescriptor<Updates.Journal>())[0]
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try context.update(model: Updates.Paper.self, set: .assign(\.journal, journal))
    }
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try context.update(model: Updates.Paper.self, set: .assign(\.size.width, 3))
    }
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try context.update(model: Updates.Paper.self, set: .assign(\.isOpen, true))
    }
    let error = #expect(throws: SwiftDataError.self) {
      try context.update(model: Updates.Paper.self, set: .assign(\.scan, Data([1])))
    }
    #expect(error?.property == "scan" && error?.message?.contains("fetched objects") == true)
  }

  @Test("A batch update of a subclass leaves other classes alone")
  func inheritance() throws {
    let context = try memoryContext(Printed.self, Novel.self, Atlas.self, Shelving.self)
    for index in 0..<3 {
      context.insert(Novel(title: "n\(index)", pages: index, hero: "h\(index)"))
      context.insert(Atlas(title: "a\(index)", pages: index, scale: index))
    }
    try context.save()
    #expect(
      try context.update(
        model: Novel.self, where: #Predicate { $0.pages > 0 || $0.pages < 0 }, set: .assign(\.title, "new")) == 2)
    let titles = try ModelContext(context.container).fetch(FetchDescriptor<Printed>()).map(\.title)
    #expect(titles == ["n0", "a0", "new", "a1", "new", "a2"])
    #expect(try context.update(model: Printed.self, set: .assign(\.pages, 7)) == 6)
    #expect(try context.fetch(FetchDescriptor<Atlas>()).allSatisfy { $0.pages == 7 })
  }

  @Test("A store that may not be saved to is not updated")
  func readOnly() throws {
    let store = try TemporaryStore()
    let writer = ModelContext(try store.container(Updates.Paper.self))
    writer.insert(Updates.Paper(1))
    try writer.save()
    let reader = ModelContext(try store.container(Updates.Paper.self, allowsSave: false))
    #expect(throws: SwiftDataError.storeReadOnly) {
      try reader.update(model: Updates.Paper.self, set: .assign(\.title, "x"))
    }
  }
}
