import Foundation
import SwiftData
import Testing

private enum Meanwhile {
  @Model final class Folder {
    var name: String
    @Relationship(inverse: \Item.folder) var items: [Item] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Item {
    var name: String
    var folder: Folder?
    init(_ name: String, folder: Folder? = nil) { (self.name, self.folder) = (name, folder) }
  }

  @Model final class Label {
    var folders: [Folder]
    var last: Folder?
    init(_ folders: [Folder], last: Folder) { (self.folders, self.last) = (folders, last) }
  }
}

/// What a context does with objects that another context changed or deleted meanwhile.
@Suite struct MeanwhileTests {
  private typealias Folder = Meanwhile.Folder
  private typealias Item = Meanwhile.Item

  private let store: TemporaryStore
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    container = try store.container(Folder.self, Meanwhile.Label.self)
    context = ModelContext(container)
  }

  @Test("Undoing an addition to a list keeps what another context added meanwhile", arguments: [false, true])
  func undoKeepsOthers(isLoaded: Bool) throws {
    let folder = Folder("f")
    let (a, b, c) = (Item("a", folder: folder), Item("b"), Item("c"))
    for item in [a, b, c] { context.insert(item) }
    try context.save()
    let undo = UndoManager()
    undo.groupsByEvent = false
    context.undoManager = undo
    undo.beginUndoGrouping()
    folder.items.append(b)
    undo.endUndoGrouping()
    try context.save()
    let other = ModelContext(container)
    let theirs = try #require(try other.fetch(FetchDescriptor<Folder>()).first)
    try #require(try other.fetch(FetchDescriptor<Item>(predicate: #Predicate { $0.name == "c" })).first).folder = theirs
    try other.save()
    _ = try context.fetch(FetchDescriptor<Folder>())
    if isLoaded { #expect(folder.items.map(\.name) == ["a", "b", "c"]) }
    undo.undo()
    #expect(folder.items.map(\.name) == ["a", "c"])
    try context.save()
    let fresh = ModelContext(container)
    #expect(try fresh.fetch(FetchDescriptor<Folder>()).first?.items.map(\.name) == ["a", "c"])
    undo.redo()
    #expect(Set(folder.items.map(\.name)) == ["a", "b", "c"])
  }

  @Test("Undoing an assignment keeps the target that another context assigned meanwhile")
  func undoKeepsTarget() throws {
    func folder(_ name: String, _ context: ModelContext) throws -> Folder {
      try #require(try context.fetch(FetchDescriptor<Folder>(predicate: #Predicate { $0.name == name })).first)
    }
    let writer = ModelContext(container)
    let one = Folder("1")
    for model in [one, Folder("2"), Folder("3"), Item("a", folder: one)] as [any PersistentModel] {
      writer.insert(model)
    }
    try writer.save()
    let undo = UndoManager()
    undo.groupsByEvent = false
    context.undoManager = undo
    let item = try #require(try context.fetch(FetchDescriptor<Item>()).first)
    undo.beginUndoGrouping()
    item.folder = try folder("2", context)
    undo.endUndoGrouping()
    try context.save()
    let other = ModelContext(container)
    try #require(try other.fetch(FetchDescriptor<Item>()).first).folder = try folder("3", other)
    try other.save()
    _ = try context.fetch(FetchDescriptor<Item>())
    undo.undo()
    #expect(item.folder?.name == "3")
  }

  @Test(
    "Undoing an assignment keeps the target of another context also where the lists are loaded",
    arguments: [false, true],
    [false, true])
  func undoKeepsTargetOfLoadedList(isMoved: Bool, isNewListLoaded: Bool) throws {
    func folder(_ name: String, _ context: ModelContext) throws -> Folder {
      try #require(try context.fetch(FetchDescriptor<Folder>(predicate: #Predicate { $0.name == name })).first)
    }
    let writer = ModelContext(container)
    let first = Folder("1")
    for model in [first, Folder("2"), Folder("3"), Item("a", folder: first)] as [any PersistentModel] {
      writer.insert(model)
    }
    try writer.save()
    let undo = UndoManager()
    undo.groupsByEvent = false
    context.undoManager = undo
    let item = try #require(try context.fetch(FetchDescriptor<Item>()).first)
    let (one, two) = (try folder("1", context), try folder("2", context))
    #expect(one.items.count == 1)
    if isNewListLoaded { #expect(two.items.isEmpty) }
    undo.beginUndoGrouping()
    item.folder = two
    undo.endUndoGrouping()
    try context.save()
    if isMoved {
      let other = ModelContext(container)
      try #require(try other.fetch(FetchDescriptor<Item>()).first).folder = try folder("3", other)
      try other.save()
    }
    _ = try context.fetch(FetchDescriptor<Item>())
    undo.undo()
    try context.save()
    #expect(item.folder?.name == (isMoved ? "3" : "1"))
    #expect(one.items.count == (isMoved ? 0 : 1) && two.items.isEmpty)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Item>()).first?.folder?.name == (isMoved ? "3" : "1"))
  }

  @Test("Relating the object of an identifier whose row is gone is an error, and saves no invented object")
  func invented() throws {
    let folder = Folder("f")
    context.insert(folder)
    try context.save()
    let identifier = folder.persistentModelID
    let other = ModelContext(container)
    try other.delete(model: Folder.self)
    try other.save()
    let fresh = ModelContext(container)
    let gone = try #require(fresh.model(for: identifier) as? Folder)
    let item = Item("a", folder: gone)
    fresh.insert(item)
    let error = #expect(throws: SwiftDataError.staleObject) { try fresh.save() }
    #expect(error?.entity == "Folder")
    try fresh.save()
    #expect(try store.shell("SELECT count(*), count(folder) FROM Item") == "1|0")
    #expect(try store.shell("SELECT count(*) FROM Folder") == "0")
    let second = Item("b")
    fresh.insert(second)
    second.folder = gone
    #expect(throws: SwiftDataError.staleObject) { try fresh.save() }
    #expect(try store.shell("SELECT count(*) FROM Folder") == "0")
  }

  @Test("A new object loses the targets that another context deletes", arguments: [false, true])
  func newReferrers(isSavedFirst: Bool) throws {
    let (folder, kept) = (Folder("f"), Folder("k"))
    context.insert(folder)
    context.insert(kept)
    try context.save()
    let item = Item("i", folder: folder)
    let label = Meanwhile.Label([folder, kept], last: folder)
    context.insert(item)
    context.insert(label)
    let other = ModelContext(container)
    try other.delete(model: Folder.self, where: #Predicate { $0.name == "f" })
    try other.save()
    if isSavedFirst { try context.save() } else { context.state.takeInSaves() }
    #expect(item.folder == nil)
    #expect(label.folders == [kept])
    #expect(label.last == nil)
    let loose = FetchDescriptor<Item>(predicate: #Predicate { $0.folder == nil })
    #expect(try context.fetch(loose) == [item])
    #expect(ContextInvariants(of: context.state).violations() == [])
    try context.save()
    #expect(try ModelContext(container).fetchCount(loose) == 1)
  }
}
