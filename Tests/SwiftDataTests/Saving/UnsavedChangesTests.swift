import Foundation
import Testing

@testable import SwiftData

private enum SavingModels {
  @Model final class Reader {
    var name: String
    @Attribute(.preserveValueOnDeletion) var card: Int
    var loan: Loan?
    init(_ name: String, _ card: Int = 0) {
      self.name = name
      self.card = card
    }
  }

  @Model final class Loan {
    var days: Int
    var copy: Copy?
    init(_ days: Int, _ copy: Copy? = nil) {
      self.days = days
      self.copy = copy
    }
  }

  @Model final class Copy {
    var title: String
    init(_ title: String) { self.title = title }
  }
}
private typealias Reader = SavingModels.Reader
private typealias Loan = SavingModels.Loan
private typealias Copy = SavingModels.Copy

/// A save of another store that refuses it.
private final class RefusedSave: StoreSave {
  struct Refusal: Error {}

  let changes: UnsavedChanges
  let merged: [ObjectIdentifier: Int64] = [:]
  let savedRows = SavedRows()
  var store: any EngineStore { preconditionFailure("a refused save has no store") }

  init(changes: UnsavedChanges) { self.changes = changes }

  func run(_ others: OtherSaves) throws { throw Refusal() }
}

@Suite("What a save writes (issue 21)") struct UnsavedChangesTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Reader.self, Loan.self, Copy.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
  }

  @Test("has the targets of to-ones before the classes that point at them")
  func order() throws {
    let reader = Reader("r")
    reader.loan = Loan(3, Copy("c"))
    context.insert(reader)
    context.insert(Reader("s"))
    let changes = try UnsavedChanges(context.state, store: 0)
    let groups = try changes.insertions()
    #expect(groups.map(\.table.entity.name) == ["Copy", "Loan", "Reader"])
    #expect(groups.map(\.objects.count) == [1, 1, 2])
    #expect(changes.hasRelationships)
    #expect(!changes.hasToManys)
    #expect(try UnsavedChanges(context.state, store: 1).isEmpty)
  }

  @Test("has one group of updates for each class and set of properties, though they alternate")
  func groups() throws {
    let readers = (0..<6).map { Reader("\($0)") }
    for reader in readers { context.insert(reader) }
    try context.save()
    for (place, reader) in readers.enumerated() {
      if place.isMultiple(of: 2) { reader.name = "new" } else { reader.card = 1 }
    }
    let groups = try UnsavedChanges(context.state, store: 0).updates()
    #expect(groups.count == 2)
    #expect(
      groups.map { $0.objects.compactMap { ($0 as? Reader)?.persistentModelID } } == [
        [0, 2, 4].map { readers[$0].persistentModelID }, [1, 3, 5].map { readers[$0].persistentModelID },
      ])
  }

  @Test("deletes the loaded objects of a class by one statement, and keeps of each what the history keeps")
  func deletions() throws {
    for number in 0..<20 { context.insert(Reader("\(number)", number)) }
    try context.save()
    for reader in try context.fetch(FetchDescriptor<Reader>(sortBy: [SortDescriptor(\.card)])) {
      context.delete(reader)
    }
    let (_, statements) = try SQLTrace.record { try context.save() }
    #expect(statements.filter { $0.hasPrefix("DELETE FROM \"Reader\"") }.count == 1)
    let last = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
    let cards = last.changes.compactMap { change -> Int? in
      guard case .delete(let deletion as DefaultHistoryDelete<Reader>) = change else { return nil }
      return deletion.tombstone[\.card] as? Int
    }
    #expect(cards == Array(0..<20))
  }

  @Test("is undone in memory where another store refuses it")
  func refused() throws {
    let reader = Reader("r")
    context.insert(reader)
    let save = RowSave(container.core.stores[0] as! SQLiteStore, try UnsavedChanges(context.state, store: 0))
    #expect(throws: RefusedSave.Refusal.self) { try [save, RefusedSave(changes: save.changes)].runNested() }
    #expect(reader.__state.key == 0)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Reader>()) == 0)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Reader>()) == 1)
  }
}
