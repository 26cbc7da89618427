import Foundation
import SwiftData
import Testing

@testable import SwiftDataPostgres

@Model private final class Folder {
  var name: String
  @Relationship(deleteRule: .deny, inverse: \Hold.folder) var holds: [Hold] = []
  init(_ name: String) { self.name = name }
}

@Model private final class Hold {
  var folder: Folder?
  init(_ folder: Folder?) { self.folder = folder }
}

@Model private final class Binder {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Sheet.binder) var sheets: [Sheet] = []
  @Relationship(deleteRule: .cascade, inverse: \Label.binders) var labels: [Label] = []
  init(_ name: String) { self.name = name }
}

@Model private final class Sheet {
  var binder: Binder?
  init(_ binder: Binder?) { self.binder = binder }
}

@Model private final class Label {
  var name: String
  var binders: [Binder] = []
  init(_ name: String) { self.name = name }
}

@Suite(
  "Deletions from PostgreSQL at the same time as other saves",
  .enabled(if: PostgresServer.isThere, PostgresServer.reason), .timeLimit(.minutes(20)))
struct DeletionRaceTests {
  @Test("wait for a save that relates an object to the deleted one, and obey the rules for it", arguments: [0, 4])
  func waiting(partitions: Int) throws {
    let store = TestStore()
    var configuration = store.configuration
    if partitions > 0 { configuration.partitions = [.hashed(by: \Folder.name, count: partitions)] }
    let container = try ModelContainer(for: Schema([Folder.self]), configurations: configuration)
    let context = ModelContext(container)
    let folder = Folder("f")
    context.insert(folder)
    try context.save()
    // The other save has checked its references and is about to commit.
    let other = try PostgresConnection(url: store.url, namespace: store.namespace)
    try other.script("BEGIN; INSERT INTO \"Hold\" (_pk, folder) SELECT 1000000, _pk FROM \"Folder\"")
    try other.script("SET CONSTRAINTS ALL IMMEDIATE")
    let failures = Failures()
    let save = Worker {
      failures.collect {
        let deleting = ModelContext(container)
        try deleting.delete(model: Folder.self)
        try deleting.save()
      }
    }
    let blocked = "SELECT 1 FROM pg_stat_activity WHERE \(other.processIdentifier) = ANY(pg_blocking_pids(pid))"
    while try store.sql(blocked).count == 0, !Task.isCancelled { Thread.sleep(forTimeInterval: 0.01) }
    try other.script("COMMIT")
    save.join()
    #expect(failures.all.count == 1 && failures.all.first?.contains("Folder.holds") == true, "\(failures.all)")
    #expect(try store.sql("SELECT 1 FROM \"Hold\" WHERE folder IS NOT NULL").count == 1)
    #expect(try store.sql("SELECT 1 FROM \"Folder\"").count == 1)
  }

  /// Where another program puts an object of the deleted one: into another one's list, or out of the list.
  enum Move: CaseIterable { case toAnother, outOfTheList }

  @Test("leave an object that another program takes from the deleted one meanwhile", arguments: Move.allCases)
  func moving(move: Move) throws {
    let store = TestStore()
    let container = try store.open(Binder.self)
    let context = ModelContext(container)
    let (binder, another) = (Binder("a"), Binder("b"))
    for binder in [binder, another] { context.insert(binder) }
    try context.save()
    // The context has the lists without what another program adds.
    context.delete(binder)
    let adding = ModelContext(container)
    let stored = try #require(
      try adding.fetch(FetchDescriptor<Binder>(predicate: #Predicate { $0.name == "a" })).first)
    stored.sheets = [Sheet(nil)]
    stored.labels = [Label("l")]
    try adding.save()
    // The other save has moved the object and is about to commit.
    let other = try PostgresConnection(url: store.url, namespace: store.namespace)
    try other.script("BEGIN")
    switch move {
    case .toAnother:
      try other.script("UPDATE \"Sheet\" SET binder = (SELECT _pk FROM \"Binder\" WHERE name = 'b')")
    case .outOfTheList:
      let pairs = try store.sql(
        "SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'"
          + " AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'target')")
      try other.script("DELETE FROM \(try #require(pairs.text(0, 0)).quotedIdentifier)")
    }
    let failures = Failures()
    let box = Unchecked(context)
    let save = Worker { failures.collect { try box.value.save() } }
    let blocked = "SELECT 1 FROM pg_stat_activity WHERE \(other.processIdentifier) = ANY(pg_blocking_pids(pid))"
    while try store.sql(blocked).count == 0, !Task.isCancelled { Thread.sleep(forTimeInterval: 0.01) }
    try other.script("COMMIT")
    save.join()
    #expect(failures.all.isEmpty, "\(failures.all)")
    let found = ModelContext(try store.open(Binder.self))
    #expect(try found.fetch(FetchDescriptor<Binder>()).map(\.name) == ["b"])
    #expect(try found.fetchCount(FetchDescriptor<Sheet>()) == (move == .toAnother ? 1 : 0))
    #expect(try found.fetchCount(FetchDescriptor<Label>()) == (move == .outOfTheList ? 1 : 0))
  }

  @Test(
    "take along what `delete` found, also if another program moved it since, unless the save is conditional",
    arguments: [false, true], [false, true])
  func found(isBatch: Bool, isConditional: Bool) throws {
    let store = TestStore()
    let context = ModelContext(try store.open(Binder.self))
    let (binder, another) = (Binder("a"), Binder("b"))
    for binder in [binder, another] { context.insert(binder) }
    binder.sheets = [Sheet(nil)]
    try context.save()
    let deleting = ModelContext(try store.open(Binder.self))
    let token = try deleting.currentHistoryToken()
    if isBatch {
      try deleting.delete(model: Binder.self, where: #Predicate { $0.name == "a" })
    } else {
      deleting.delete(
        try #require(try deleting.fetch(FetchDescriptor<Binder>(predicate: #Predicate { $0.name == "a" })).first))
    }
    another.sheets = binder.sheets
    try context.save()
    if isConditional {
      #expect(try deleting.save(ifUnchangedSince: token) == false)
      deleting.rollback()
      try deleting.delete(model: Binder.self, where: #Predicate { $0.name == "a" })
    }
    try deleting.save()
    let found = ModelContext(try store.open(Binder.self))
    #expect(try found.fetch(FetchDescriptor<Binder>()).map(\.name) == ["b"])
    #expect(try found.fetch(FetchDescriptor<Sheet>()).map(\.binder?.name) == (isConditional ? ["b"] : []))
  }
}
