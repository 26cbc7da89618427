import Foundation
import Testing

@testable import SwiftData

private enum Diary {
  @Model final class Entry {
    @Attribute(.preserveValueOnDeletion) var day: Int
    var text: String = ""
    init(day: Int) { self.day = day }
  }
}

private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

@Suite struct HistoryTablesTests {
  private let store: TemporaryStore
  private let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    context = ModelContext(try store.container(Diary.Entry.self))
  }

  private func keys(_ changes: [HistoryChange]) -> [Int64] { changes.compactMap { $0.changedPersistentIdentifier.key } }

  @Test("Changes that fill many blocks read back in order, are followed, and go with their transaction")
  func blocks() throws {
    for day in 0..<12_000 { context.insert(Diary.Entry(day: day)) }
    try context.save()
    // Every second one, so that no two keys are neighbours; a tombstone each.
    try context.delete(model: Diary.Entry.self, where: #Predicate { $0.day % 2 == 0 })
    try context.save()
    #expect(try Int(store.shell("SELECT count(*) FROM _swiftdata_changes"))! > 3)
    #expect(try Int(store.shell("SELECT max(length(changes)) FROM _swiftdata_changes"))! < 70_000)
    let deletion = try #require(try context.fetchHistory(Descriptor()).last)
    let everySecond = stride(from: 1, to: 12_000, by: 2).map { Int64($0) }
    #expect(keys(deletion.changes) == everySecond)
    let deletes = deletion.changes.compactMap { change in
      if case .delete(let delete as DefaultHistoryDelete<Diary.Entry>) = change { delete } else { nil }
    }
    #expect(deletes.map(\.changeIdentifier) == (0..<6000).map { 2 << 32 + Int64($0) })
    #expect(deletes.last?.tombstone[\.day] as? Int == 11_998)
    let token = deletion.token
    try context.deleteHistory(Descriptor(predicate: #Predicate { $0.token <= token }))
    #expect(try store.shell("SELECT count(*) FROM _swiftdata_changes") == "0")
    // The numbers go on.
    context.insert(Diary.Entry(day: -1))
    try context.save()
    #expect(try context.fetchHistory(Descriptor()).map(\.transactionIdentifier) == [3])
  }

  @Test("A store of format 1 keeps its history when it is opened, and refuses to be opened for reading only")
  func conversion() throws {
    let entry = Diary.Entry(day: 7)
    context.insert(entry)
    context.author = "me"
    try context.save()
    entry.text = "new"
    try context.save()
    context.delete(entry)
    try context.save()
    let before = try context.fetchHistory(Descriptor())
    #expect(try store.shell(Self.formerTables) == "")
    let error = #expect(throws: SwiftDataError.self) { try store.container(Diary.Entry.self, allowsSave: false) }
    #expect(error?.description.contains("open it once with allowsSave: true") == true)
    let now = ModelContext(try store.container(Diary.Entry.self))
    let after = try now.fetchHistory(Descriptor())
    #expect(after.map(\.transactionIdentifier) == [1, 2, 3])
    #expect(after.map(\.timestamp) == before.map(\.timestamp))
    #expect(after.map(\.author) == ["me", "me", "me"])
    #expect(after.map { keys($0.changes) } == [[1], [1], [1]])
    guard case .update(let update as DefaultHistoryUpdate<Diary.Entry>)? = after[1].changes.first,
      case .delete(let delete as DefaultHistoryDelete<Diary.Entry>)? = after[2].changes.first
    else {
      Issue.record("an update and a deletion")
      return
    }
    #expect(update.updatedPropertyNames == ["text"])
    #expect(delete.tombstone[\.day] as? Int == 7)
    now.insert(Diary.Entry(day: 8))
    try now.save()
    #expect(try now.fetchHistory(Descriptor()).last?.transactionIdentifier == 4)
    #expect(try store.shell("SELECT count(*) FROM sqlite_master WHERE name LIKE '%\\_1' ESCAPE '\\'") == "0")
  }

  /// Gives the store the tables of format 1, with what is in it.
  private static let formerTables = """
    BEGIN;
    ALTER TABLE _swiftdata_history RENAME TO today;
    DROP TABLE _swiftdata_changes;
    CREATE TABLE _swiftdata_history (
      id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp REAL NOT NULL, author TEXT, program TEXT NOT NULL,
      process TEXT NOT NULL);
    CREATE TABLE _swiftdata_changes (
      id INTEGER PRIMARY KEY NOT NULL, history INTEGER NOT NULL, kind INTEGER NOT NULL, entity TEXT NOT NULL,
      key INTEGER NOT NULL, count INTEGER NOT NULL, properties TEXT, tombstone TEXT);
    INSERT INTO _swiftdata_history SELECT id, timestamp, author, program, process FROM today;
    INSERT INTO _swiftdata_changes SELECT today.id << 32, today.id, json_extract(value, '$.kind'), json_extract(value, '$.class'),
      json_extract(value, '$.keys[0]'), json_extract(value, '$.keys[1]'), json_extract(value, '$.properties'),
      json_extract(value, '$.tombstone') FROM today, json_each(changes);
    DROP TABLE today;
    UPDATE _swiftdata SET value = '1' WHERE key = 'format';
    COMMIT;
    """

  @Test("A block that is damaged is an error that names the transaction, and the objects are not concerned")
  func damage() throws {
    context.insert(Diary.Entry(day: 1))
    try context.save()
    _ = try store.shell("UPDATE _swiftdata_history SET changes = '[{\"kind\":9}]'")
    let error = #expect(throws: SwiftDataError.storeDamaged) { try context.fetchHistory(Descriptor()) }
    #expect(error?.description.contains("transaction 1") == true)
    #expect(try context.fetchCount(FetchDescriptor<Diary.Entry>()) == 1)
    try context.deleteHistory(Descriptor())
    #expect(try context.fetchHistory(Descriptor()).isEmpty)
  }
}
