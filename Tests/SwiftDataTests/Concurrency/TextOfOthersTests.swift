import Foundation
import Testing

@testable import SwiftData

private enum Shared {
  @Model final class Cafe {
    var name: String
    var visits = 0
    init(_ name: String) { self.name = name }
  }
  @Model final class Inn {
    @Attribute(.unique) var name: String
    init(_ name: String) { self.name = name }
  }
}

@Suite("The first text outside normal form C that another process stores")
struct TextOfOthersTests {
  private let store: TemporaryStore
  private let context: ModelContext

  /// A context that has fetched, and a row that another container stored afterwards.
  init() throws {
    store = try TemporaryStore()
    context = ModelContext(try store.container(Shared.Cafe.self))
    context.insert(Shared.Cafe("Tea"))
    try context.save()
    #expect(try context.fetch(Self.cafes).isEmpty)
    #expect(try context.fetchCount(Self.cafes) == 0)
    let other = ModelContext(try store.container(Shared.Cafe.self))
    other.insert(Shared.Cafe("Cafe\u{301}"))
    try other.save()
  }

  private static let cafes = FetchDescriptor<Shared.Cafe>(predicate: #Predicate { $0.name == "Caf\u{e9}" })

  @Test("is found by a fetch")
  func fetched() throws { #expect(try context.fetch(Self.cafes).count == 1) }

  @Test("is counted")
  func counted() throws { #expect(try context.fetchCount(Self.cafes) == 1) }

  @Test("is among the identifiers")
  func identified() throws { #expect(try context.fetchIdentifiers(Self.cafes).count == 1) }

  @Test("is in a sum")
  func summed() throws { #expect(try context.fetch(Self.cafes, computing: .count) == 1) }

  @Test("is found beside unsaved objects")
  func besideUnsaved() throws {
    context.insert(Shared.Cafe("Caf\u{e9}"))
    #expect(try context.fetch(Self.cafes).count == 2)
  }

  @Test("is deleted by a predicate, and no other row")
  func deleted() throws {
    try context.delete(model: Shared.Cafe.self, where: #Predicate { $0.name == "Caf\u{e9}" })
    try context.save()
    #expect(try store.shell("SELECT group_concat(name) FROM Cafe") == "Tea")
  }

  @Test("is changed by a batch update, and no other row")
  func updated() throws {
    try context.update(
      model: Shared.Cafe.self, where: #Predicate { $0.name == "Caf\u{e9}" }, set: .assign(\.visits, 7))
    #expect(try store.shell("SELECT visits FROM Cafe ORDER BY visits") == "0\n7")
  }

  @Test("is met by a save with the equal unique text, and later objects have keys of their own")
  func saved() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Shared.Inn.self))
    context.insert(Shared.Inn("Tea"))
    try context.save()
    let other = ModelContext(try store.container(Shared.Inn.self))
    other.insert(Shared.Inn("Cafe\u{301}"))
    try other.save()
    // The save finds out when it has written, rolls back and begins again.
    context.insert(Shared.Inn("Caf\u{e9}"))
    context.insert(Shared.Inn("Bar"))
    try context.save()
    for name in ["Inn", "Pub"] {
      context.insert(Shared.Inn(name))
      try context.save()
    }
    other.insert(Shared.Inn("Hut"))
    try other.save()
    let names = try ModelContext(context.container).fetch(FetchDescriptor<Shared.Inn>()).map(\.name)
    #expect(Set(names) == ["Tea", "Caf\u{e9}", "Bar", "Inn", "Pub", "Hut"])
    #expect(names.count == 6)
  }
}

/// A fetch compares the text of a column in normal form C only if the file says that the column may need it.
@Suite("The record of columns with text outside normal form C") struct RecordedTextTests {
  private static let decomposed = "Cafe\u{301}"
  private static let inns = FetchDescriptor<Shared.Inn>(predicate: #Predicate { $0.name == "Caf\u{e9}" })

  /// What a new process finds.
  private func found(_ store: TemporaryStore) throws -> Int {
    try ModelContext(try store.container(Shared.Inn.self)).fetchCount(Self.inns)
  }

  private func save(_ text: String, _ container: ModelContainer) throws {
    let context = ModelContext(container)
    context.insert(Shared.Inn(text))
    try context.save()
  }

  @Test("has a column whose first such text was rolled back with a transaction of several saves")
  func rolledBack() throws {
    let store = try TemporaryStore()
    let container = try store.container(Shared.Inn.self)
    let shared = container.core.sqliteStores[0]
    #expect(throws: CancellationError.self) {
      try shared.transaction {
        try save(Self.decomposed, container)
        throw CancellationError()
      }
    }
    try save(Self.decomposed, container)
    #expect(try found(store) == 1)
  }

  @Test("has a column that was emptied with the record while the store was open")
  func emptied() throws {
    let store = try TemporaryStore()
    let container = try store.container(Shared.Inn.self)
    try save(Self.decomposed, container)
    // As a repeated import does.
    #expect(try store.shell("DELETE FROM Inn; DELETE FROM _swiftdata_denormalized") == "")
    try save(Self.decomposed, container)
    #expect(try found(store) == 1)
  }

  @Test("has a column that a batch update filled after the record was emptied")
  func batch() throws {
    let store = try TemporaryStore()
    let container = try store.container(Shared.Inn.self)
    try save(Self.decomposed, container)
    #expect(try store.shell("DELETE FROM _swiftdata_denormalized; UPDATE Inn SET name = 'Tea'") == "")
    try ModelContext(container).update(model: Shared.Inn.self, where: nil, set: .assign(\.name, Self.decomposed))
    #expect(try found(store) == 1)
  }

  @Test("has a column that had such text in a pack alone")
  func pack() throws {
    let store = try TemporaryStore()
    let schema = Schema([Shared.Inn.self])
    let packFile = store.folder.appendingPathComponent("pack.store")
    try save(
      Self.decomposed,
      ModelContainer(for: schema, configurations: ModelConfiguration("pack", schema: schema, url: packFile)))
    let both = try ModelContainer(
      for: schema,
      configurations: [
        ModelConfiguration("pack", schema: schema, url: packFile, allowsSave: false),
        ModelConfiguration("user", schema: schema, url: store.url),
      ])
    try save("Inne\u{301}", both)
    let other = FetchDescriptor<Shared.Inn>(predicate: #Predicate { $0.name == "Inn\u{e9}" })
    #expect(try ModelContext(try store.container(Shared.Inn.self)).fetchCount(other) == 1)
  }

  @Test("has a column before another thread can see its first such text")
  func seenAtOnce() throws {
    let store = try TemporaryStore()
    let container = try store.container(Shared.Inn.self)
    try save("Tea", container)
    #expect(try ModelContext(container).fetchCount(Self.inns) == 0)
    let shared = container.core.sqliteStores[0]
    // The steps of a save up to the commit.
    try shared.write { connection in
      try connection.execute("INSERT INTO Inn (_pk, name) VALUES (100, 'Cafe' || char(769))")
      try shared.noteNonNFC(["Inn.name"], on: connection)
    }
    #expect(try ModelContext(container).fetchCount(Self.inns) == 1)
  }

  @Test("is asked for again by a batch update whose predicate did not expect such text")
  func batchAfterOthers() throws {
    let store = try TemporaryStore()
    let container = try store.container(Shared.Cafe.self)
    let context = ModelContext(container)
    context.insert(Shared.Cafe("Tea"))
    try context.save()
    let other = try store.container(Shared.Cafe.self)
    let saved = Lock(false)
    // Between the making of the statement and its transaction, another process saves.
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave, object: context, queue: nil
    ) { _ in
      guard
        !saved.withLock({ was in
          defer { was = true }; return was
        })
      else { return }
      let context = ModelContext(other)
      context.insert(Shared.Cafe(Self.decomposed))
      try? context.save()
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try context.update(
      model: Shared.Cafe.self, where: #Predicate { $0.name == "Caf\u{e9}" }, set: .assign(\.visits, 7))
    #expect(try store.shell("SELECT visits FROM Cafe ORDER BY visits") == "0\n7")
  }
}
