import Foundation
import Logging
import Synchronization
import Testing

@testable import SwiftData

private enum Deleted {
  @Model final class Folder {
    var name: String
    @Relationship(inverse: \Item.folder) var items: [Item] = []
    @Relationship(deleteRule: .cascade, inverse: \Part.folder) var parts: [Part] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Item {
    var name: String
    var folder: Folder?
    init(_ name: String, folder: Folder? = nil) { (self.name, self.folder) = (name, folder) }
  }

  @Model final class Part {
    var folder: Folder
    init(_ folder: Folder) { self.folder = folder }
  }

  static let lines = Mutex<[String]>([])

  struct Handler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) { Deleted.lines.withLock { $0.append("\(event.message)") } }
  }
}

/// What becomes of unsaved changes of an object that another context or process deletes.
@Suite("An object with unsaved changes that another save deletes") struct DeletedRowTests {
  private typealias Folder = Deleted.Folder
  private typealias Item = Deleted.Item

  /// How the other save deletes it.
  enum Deletion: CaseIterable {
    case object, batch, everything
    /// More rows than a context notes the keys of.
    case many
  }

  private let store: TemporaryStore
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    container = try store.container(Folder.self)
    context = ModelContext(container)
  }

  /// A context of the same container, or one that is to the store as another process is.
  private func other(_ isSameContainer: Bool) throws -> ModelContext {
    ModelContext(isSameContainer ? container : try store.container(Folder.self))
  }

  private func only<M: PersistentModel>(_ context: ModelContext) throws -> M {
    try #require(try context.fetch(FetchDescriptor<M>()).first)
  }

  private func saved(_ models: any PersistentModel...) throws {
    for model in models { context.insert(model) }
    try context.save()
  }

  private func delete(_ deletion: Deletion, in other: ModelContext) throws {
    switch deletion {
    case .object: other.delete(try only(other) as Item)
    case .batch: try other.delete(model: Item.self)
    case .everything: other.container.deleteAllData()
    case .many:
      for number in 0..<PendingChanges.keyLimit { other.insert(Item("\(number)")) }
      try other.save()
      try other.delete(model: Item.self)
    }
    try other.save()
  }

  @Test(
    "makes the save throw and keeps the changes, until a rollback forgets the object", arguments: Deletion.allCases,
    [true, false])
  func rolledBack(deletion: Deletion, isSameContainer: Bool) throws {
    let item = Item("a")
    try saved(item)
    item.name = "b"
    context.insert(Folder("new"))
    try delete(deletion, in: other(isSameContainer))
    for _ in 0..<2 {
      let error = #expect(throws: SwiftDataError.staleObject) { try context.save() }
      #expect(error?.entity == "Item")
      #expect(error?.description.contains("rollback()") == true)
      #expect(item.name == "b" && item.modelContext != nil)
      #expect(try store.shell("SELECT (SELECT count(*) FROM Item), (SELECT count(*) FROM Folder)") == "0|0")
      #expect(ContextInvariants(of: context.state).violations() == [])
    }
    context.rollback()
    #expect(item.modelContext == nil && !context.hasChanges)
    #expect(try context.fetchCount(FetchDescriptor<Item>()) == 0)
    context.insert(Folder("new"))
    try context.save()
    #expect(try store.shell("SELECT count(*) FROM Folder") == "1")
  }

  @Test("lets the rest be saved once it is deleted here too", arguments: Deletion.allCases, [true, false])
  func deleted(deletion: Deletion, isSameContainer: Bool) throws {
    let item = Item("a")
    try saved(item)
    item.name = "b"
    try delete(deletion, in: other(isSameContainer))
    context.insert(Folder("new"))
    #expect(throws: SwiftDataError.staleObject) { try context.save() }
    // What the program keeps of it is a new object.
    context.insert(Item(item.name))
    context.delete(item)
    try context.save()
    #expect(item.modelContext == nil && !context.hasChanges)
    #expect(try store.shell("SELECT (SELECT name FROM Item), (SELECT count(*) FROM Folder)") == "b|1")
  }

  @Test("is shown by fetches and live results of its context as before, until it is rolled back")
  func shown() throws {
    let item = Item("a")
    try saved(item, Item("c"))
    let live = try ResultsObserver<Item, Never>(sortBy: [SortDescriptor(\.name)], modelContext: context)
    item.name = "b"
    #expect(live.results.map(\.name) == ["b", "c"])
    let other = ModelContext(container)
    try other.delete(model: Item.self)
    try other.save()
    let sorted = FetchDescriptor<Item>(sortBy: [SortDescriptor(\.name)])
    #expect(try context.fetch(sorted) == [item])
    #expect(try context.fetchCount(sorted) == 1)
    #expect(Array(live.results) == [item])
    context.rollback()
    #expect(try context.fetch(sorted).isEmpty)
    #expect(live.results.isEmpty)
  }

  @Test(
    "concerns what the program changed, not what followed as the other side of a relationship",
    arguments: [true, false])
  func inverse(isSameContainer: Bool) throws {
    let (folder, item) = (Folder("f"), Item("i"))
    try saved(folder, item)
    #expect(folder.items.isEmpty)
    folder.items.append(item)
    let other = try other(isSameContainer)
    other.delete(try only(other) as Item)
    try other.save()
    folder.name = "changed"
    try context.save()
    #expect(folder.items.isEmpty && item.modelContext == nil)
    #expect(try store.shell("SELECT name, (SELECT count(*) FROM Item) FROM Folder") == "changed|0")
  }

  @Test("is not one that a deletion here released", arguments: [true, false])
  func released(isSameContainer: Bool) throws {
    let folder = Folder("f")
    try saved(folder, Item("i", folder: folder))
    context.delete(folder)
    let other = try other(isSameContainer)
    other.delete(try only(other) as Item)
    try other.save()
    try context.save()
    #expect(try store.shell("SELECT (SELECT count(*) FROM Item), (SELECT count(*) FROM Folder)") == "0|0")
  }

  @Test("is not the target of an assignment, which becomes nil")
  func target() throws {
    let (folder, item) = (Folder("f"), Item("i"))
    try saved(folder, item)
    item.folder = folder
    let other = ModelContext(container)
    other.delete(try only(other) as Folder)
    try other.save()
    try context.save()
    #expect(item.folder == nil && folder.modelContext == nil)
  }

  @Test("is not one whose list only followed an assignment that is undone")
  func undone() throws {
    let (folder, item) = (Folder("f"), Item("i"))
    try saved(folder, item)
    #expect(folder.items.isEmpty)
    let undo = UndoManager()
    undo.groupsByEvent = false
    context.undoManager = undo
    undo.beginUndoGrouping()
    item.folder = folder
    undo.endUndoGrouping()
    undo.undo()
    let other = ModelContext(container)
    other.delete(try only(other) as Folder)
    try other.save()
    try context.save()
    #expect(folder.modelContext == nil && item.folder == nil)
  }

  @Test("takes along what only this context knows to belong to it, once it is deleted here")
  func cascade() throws {
    let folder = Folder("f")
    try saved(folder, Item("i", folder: folder))
    folder.name = "g"
    context.insert(Deleted.Part(folder))
    #expect(folder.items.count == 1)
    let other = ModelContext(container)
    other.delete(try only(other) as Folder)
    try other.save()
    #expect(throws: SwiftDataError.staleObject) { try context.save() }
    context.delete(folder)
    try context.save()
    #expect(
      try store.shell(
        "SELECT (SELECT count(*) FROM Folder), (SELECT count(*) FROM Part), (SELECT count(*) FROM Item)") == "0|0|1")
  }

  @Test("comes back as a new one if the deletion here is undone")
  func revived() throws {
    let item = Item("a")
    try saved(item)
    let undo = UndoManager()
    undo.groupsByEvent = false
    context.undoManager = undo
    undo.beginUndoGrouping()
    item.name = "b"
    undo.endUndoGrouping()
    try delete(.object, in: other(true))
    #expect(throws: SwiftDataError.staleObject) { try context.save() }
    undo.beginUndoGrouping()
    context.delete(item)
    undo.endUndoGrouping()
    undo.undo()
    try context.save()
    #expect(try store.shell("SELECT name FROM Item") == "b")
  }

  @Test("makes a conditional save return false, because the store has moved on")
  func conditional() throws {
    let item = Item("a")
    try saved(item)
    let token = try context.currentHistoryToken()
    item.name = "b"
    try delete(.object, in: other(true))
    #expect(try context.save(ifUnchangedSince: token) == false)
    let newer = try context.currentHistoryToken()
    #expect(throws: SwiftDataError.staleObject) { try context.save(ifUnchangedSince: newer) }
  }

  @Test("makes an autosave say so once, and none follows before the next change")
  func autosaved() async {
    await #expect(processExitsWith: .success) {
      LoggingSystem.bootstrap { _ in Deleted.Handler() }
      try await Self.autosave()
    }
  }

  @MainActor private static func autosave() async throws {
    func failures() -> [String] { Deleted.lines.withLock { $0.filter { $0.contains("autosave failed") } } }
    let store = try TemporaryStore()
    let container = try store.container(Folder.self)
    let context = container.mainContext
    let (item, folder) = (Item("a"), Folder("f"))
    for model in [item, folder] as [any PersistentModel] { context.insert(model) }
    try context.save()
    item.name = "b"
    let other = ModelContext(container)
    try other.delete(model: Item.self)
    try other.save()
    while failures().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    for _ in 0..<100 { await Task.yield() }
    #expect(failures().count == 1)
    #expect(failures().first?.contains("Item: another context or process deleted") == true)
    folder.name = "g"
    while failures().count < 2 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(item.name == "b" && context.hasChanges)
    context.rollback()
    folder.name = "h"
    while context.hasChanges { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try store.shell("SELECT name FROM Folder") == "h")
  }
}
