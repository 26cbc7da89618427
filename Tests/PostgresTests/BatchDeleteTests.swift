import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

private enum DeleteModels {
  @Model final class Folder {
    @Attribute(.preserveValueOnDeletion) var name: String
    @Relationship(deleteRule: .cascade, inverse: \Page.folder) var pages: [Page] = []
    @Relationship(deleteRule: .nullify, inverse: \Pin.folder) var pins: [Pin] = []
    @Relationship(deleteRule: .deny, inverse: \Hold.folder) var holds: [Hold] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Page {
    var number: Int
    var folder: Folder?
    var tags: [Tag] = []
    init(_ number: Int, _ folder: Folder?) {
      self.number = number
      self.folder = folder
    }
  }
  @Model final class Pin {
    var text: String
    var folder: Folder?
    init(_ text: String, _ folder: Folder?) {
      self.text = text
      self.folder = folder
    }
  }
  @Model final class Hold {
    var folder: Folder?
    init(_ folder: Folder?) { self.folder = folder }
  }
  @Model final class Tag {
    var name: String
    @Relationship(inverse: \Page.tags) var pages: [Page] = []
    init(_ name: String) { self.name = name }
  }
}
private typealias Folder = DeleteModels.Folder
private typealias Page = DeleteModels.Page
private typealias Pin = DeleteModels.Pin
private typealias Tag = DeleteModels.Tag

@Suite("Deleting many models from PostgreSQL", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct PostgresBatchDeleteTests {
  private let store = TestStore()

  private func filled() throws -> ModelContainer {
    let container = try store.open(Folder.self)
    let context = ModelContext(container)
    let tags = [Tag("x"), Tag("y")]
    for number in 0..<10 {
      let folder = Folder("f\(number)")
      context.insert(folder)
      for page in 0..<4 {
        let page = Page(number * 10 + page, folder)
        context.insert(page)
        page.tags = tags
      }
      context.insert(Pin("p\(number)", folder))
    }
    try context.save()
    return container
  }

  private func count<M: PersistentModel>(_ type: M.Type, _ container: ModelContainer) throws -> Int {
    try ModelContext(container).fetchCount(FetchDescriptor<M>())
  }

  @Test("loads none of them, takes along what cascades and clears what names them")
  func statements() throws {
    let container = try filled()
    let (context, other) = (ModelContext(container), ModelContext(container))
    let pins = try other.fetch(FetchDescriptor<Pin>(sortBy: [SortDescriptor(\.text)]))
    #expect(pins[3].folder?.name == "f3")
    let (_, marking) = try SQLTrace.record {
      try context.delete(model: Folder.self, where: #Predicate { $0.name >= "f2" && $0.name < "f9" })
    }
    // The rows, what denies, what cascades; pages have no rules of their own.
    #expect(marking.count <= 4)
    #expect(try count(Folder.self, container) == 10)
    let (_, saving) = try SQLTrace.record { try context.save() }
    #expect(saving.count { $0.hasPrefix("DELETE FROM \"Folder\"") } == 1)
    #expect(saving.count { $0.hasPrefix("DELETE FROM \"Page\"") } == 1)
    #expect(!(marking + saving).contains { $0.contains("\"number\"") })
    #expect(try count(Folder.self, container) == 3)
    #expect(try count(Page.self, container) == 12)
    #expect(try count(Pin.self, container) == 10)
    other.state.takeInSaves()
    #expect(pins[3].folder == nil)
    #expect(pins[1].folder?.name == "f1")
    let tag = try #require(try ModelContext(container).fetch(FetchDescriptor<Tag>()).first)
    #expect(tag.pages.count == 12)
    let history = try #require(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.changes)
    #expect(history.count == 7 + 28 + 7)
    var names = [String]()
    for case .delete(let change as DefaultHistoryDelete<Folder>) in history {
      if let name = change.tombstone[\.name] as? String { names.append(name) }
    }
    #expect(names.sorted() == (2..<9).map { "f\($0)" })
  }

  @Test("is seen by fetches before the save, forgotten by a rollback, and saved with other changes")
  func pending() throws {
    let container = try filled()
    let context = ModelContext(container)
    try context.delete(model: Folder.self, where: #Predicate { $0.name > "f4" })
    #expect(context.hasChanges)
    #expect(try context.fetchCount(FetchDescriptor<Folder>()) == 5)
    #expect(try context.fetch(FetchDescriptor<Page>()).count == 20)
    context.rollback()
    #expect(try context.fetchCount(FetchDescriptor<Folder>()) == 10)
    try context.delete(model: Page.self, where: #Predicate { $0.number < 20 })
    context.insert(Folder("new"))
    try context.save()
    #expect(try count(Page.self, container) == 32)
    #expect(try count(Folder.self, container) == 11)
  }

  @Test("is refused where a rule denies it, also for what another program saved meanwhile")
  func denied() throws {
    let container = try filled()
    let context = ModelContext(container)
    try context.delete(model: Folder.self)
    let other = ModelContext(try store.open(Folder.self))
    let folder = try #require(
      try other.fetch(FetchDescriptor<Folder>(predicate: #Predicate { $0.name == "f5" })).first)
    other.insert(DeleteModels.Hold(folder))
    try other.save()
    #expect(throws: SwiftDataError.deleteDenied) { try context.save() }
    #expect(try count(Folder.self, container) == 10)
    context.rollback()
    try context.delete(model: Folder.self, where: #Predicate { $0.name != "f5" })
    try context.save()
    #expect(try count(Folder.self, container) == 1)
    #expect(try count(Page.self, container) == 4)
  }

  @Test("is done one by one where only Swift can tell what matches")
  func inMemory() throws {
    let container = try filled()
    let context = ModelContext(container)
    try context.delete(model: Folder.self, where: #Predicate { $0.name.localizedStandardContains("F7") })
    try context.save()
    #expect(try count(Folder.self, container) == 9)
    #expect(try count(Page.self, container) == 36)
  }
}
