import Foundation
import SwiftData

/// Checks everything that a store promises after whatever happened to it.
struct StoreCheck {
  let url: URL
  let seed: Int

  /// - Parameter worlds: what the store may hold.
  /// - Returns: which of them it holds.
  /// - Throws: ``Difference``, or what opening and reading throw.
  func run(oneOf worlds: [World]) throws -> World {
    let container = try LibraryStore.open(url)
    let stored = try World(ModelContext(container))
    guard let world = worlds.last(where: { $0.step == stored.step }) else {
      throw Difference("the store is at step \(stored.step), not at one of \(worlds.map(\.step))")
    }
    try world.requireEqual(to: stored)
    try requireWholeFile(container)
    try requireHistory(container, world)
    try requireFiles(container)
    try requireSearch(container, world)
    return world
  }

  private func requireWholeFile(_ container: ModelContainer) throws {
    guard let store = container.core.sqliteStores.first else { throw Difference("there is no store") }
    try store.write { try requireWholeFile($0.database) }
  }

  private func requireWholeFile(_ database: SQLiteDatabase) throws {
    let answer = try database.rows("PRAGMA integrity_check") { $0.string(0) }
    try Difference.require(answer == ["ok"], "integrity_check: \(answer)")
    let keys = try database.rows("PRAGMA foreign_key_check") { $0.values }
    try Difference.require(keys.isEmpty, "foreign_key_check: \(keys)")
    let indices = try database.rows(
      "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts5%'"
    ) { $0.string(0) }
    try Difference.require(indices.count == 2, "full-text indices: \(indices)")
    for index in indices {
      let name = "\"\(index)\""
      // With a rank of 1 the index is compared with the rows, too.
      try database.execute("INSERT INTO \(name) (\(name), rank) VALUES ('integrity-check', 1)")
    }
  }

  /// One transaction for each save, in order.
  private func requireHistory(_ container: ModelContainer, _ world: World) throws {
    let transactions = try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    var expected = [String]()
    var replayed = World()
    var number = 0
    while replayed.step < world.step {
      number += 1
      let step = Step(number, seed: seed, replayed)
      if !step.isRefused { expected.append("step \(number)") }
      replayed = replayed.after(step)
    }
    try Difference.require(
      transactions.map { $0.author ?? "" } == expected,
      "the history has \(transactions.count) transactions, not \(expected.count)")
    try Difference.require(
      transactions.allSatisfy { !$0.changes.isEmpty }, "a transaction of the history has no changes")
  }

  /// A file for each name in a row, and no other.
  private func requireFiles(_ container: ModelContainer) throws {
    let folder = url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent)_external")
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let named = try container.core.sqliteStores[0].read { connection in
      try [("Author", "photo"), ("Book", "cover")].flatMap { table, column in
        try connection.database.rows(
          "SELECT \"\(column)\" FROM \"\(table)\" WHERE typeof(\"\(column)\") = 'text'"
        ) { $0.string(0) }
      }
    }
    let (there, wanted) = (Set(files), Set(named))
    try Difference.require(
      wanted.subtracting(there).isEmpty, "\(wanted.subtracting(there).count) external files are missing")
    try Difference.require(
      there.subtracting(wanted).isEmpty, "\(there.subtracting(wanted)) are files that no row names")
  }

  private func requireSearch(_ container: ModelContainer, _ world: World) throws {
    let context = ModelContext(container)
    for word in ["river", "caf\u{e9}"] {
      let found = Set(try context.search(Book.self, matching: word).map(\.model.code))
      let expected = Set(
        world.books.filter { $0.value.title.precomposedStringWithCanonicalMapping.contains(word) }.keys)
      try Difference.require(found == expected, "a search for \(word) finds \(found.count), not \(expected.count)")
    }
  }
}
