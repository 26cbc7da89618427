#if Sync
import Foundation
import SwiftData

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The database of a replica's bookkeeping: the store's own database, or a file next to a store that cannot hold other tables.
///
/// In the store's database an import writes objects and bookkeeping in one transaction. With a file, an import saves the objects first. A
/// crash in between repeats the import.
final class SyncDatabase {
  private enum Place {
    case store(any TransactionStore)
    case file(SQLiteDatabase)
  }
  private let place: Place
  let types: TableTypes
  /// Called before each statement that writes. It may throw, as a crash would end the program.
  var willWrite: () throws -> Void = {}

  // MARK: - Mutable State
  // A database belongs to one replica and is used by one thread at a time.

  private(set) var isInTransaction = false
  /// Whether a statement of the transaction wrote.
  private(set) var hasWritten = false

  private init(_ place: Place, _ types: TableTypes) { (self.place, self.types) = (place, types) }

  /// - Parameter store: has transactions.
  convenience init(of store: any TransactionStore) { self.init(.store(store), store.tableTypes) }

  /// - Parameter url: the file, which only the user can read; nil is memory.
  /// - Throws: ``SQLiteError`` if the file cannot be opened.
  convenience init(at url: URL?) throws {
    self.init(.file(try url.map(Self.open) ?? .inMemory()), .sqlite)
  }

  private static func open(_ url: URL) throws -> SQLiteDatabase {
    makePrivate(url)
    let database = try SQLiteDatabase(url.path)
    // An entry about the store must be on the disk before the store changes.
    try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    return database
  }

  private static func makePrivate(_ url: URL) {
    try? FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    let file = openFile(url.path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    if file >= 0 { close(file) }
  }

  /// Runs `body` in one transaction. A transaction inside another one is a part of it.
  /// - Throws: an error of the database or of `body`. Then nothing that was written stays.
  func transaction<T>(_ body: () throws -> T) throws -> T {
    guard !isInTransaction else { return try body() }
    (isInTransaction, hasWritten) = (true, false)
    defer { isInTransaction = false }
    switch place {
    case .store(let store): return try store.transaction(body)
    case .file(let database): return try database.transaction(body)
    }
  }

  func rows(_ sql: String, _ arguments: [SQLValue] = []) throws -> [[SQLValue]] {
    switch place {
    case .store(let store): try store.rows(sql, arguments)
    case .file(let database):
      try database.withStatement(sql, arguments, isKept: true) { statement in
        var rows: [[SQLValue]] = []
        while try database.step(statement, sql) {
          let cells = SQLiteCells(statement)
          rows.append((0..<cells.count).map(cells.value))
        }
        return rows
      }
    }
  }

  /// - Throws: ``ReplicaError`` outside a transaction: half of a change could stay.
  func execute(_ sql: String, _ arguments: [SQLValue] = []) throws {
    guard isInTransaction else {
      throw ReplicaError(description: "a change of the bookkeeping has no transaction: \(sql)")
    }
    try willWrite()
    hasWritten = true
    switch place {
    case .store(let store): try store.execute(sql, arguments)
    case .file(let database):
      try database.withStatement(sql, arguments, isKept: true) { while try database.step($0, sql) {} }
    }
  }

  /// Whether the database has a table.
  /// - Throws: an error of the database.
  func hasTable(_ name: String) throws -> Bool {
    let sql =
      isSQLite ? "SELECT count(*) FROM sqlite_master WHERE name = ?" : "SELECT count(*) FROM pg_class WHERE relname = ?"
    return try rows(sql, [.text(name)]).first?[0] != .integer(0)
  }

  // MARK: - Texts

  /// A text as a cell. PostgreSQL's texts cannot have every character, and what other replicas write has any.
  func cell(_ text: String) -> SQLValue { isSQLite ? .text(text) : .blob(Data(text.utf8)) }

  var isSQLite: Bool { types.bytes == TableTypes.sqlite.bytes }
}

// `open` is the name of a method here.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }

extension SQLValue {
  /// The text of a cell that ``SyncDatabase/cell(_:)`` made.
  var syncText: String {
    switch self {
    case .text(let text): text
    case .blob(let data): String(decoding: data, as: UTF8.self)
    default: ""
    }
  }

  var syncInteger: Int64? { if case .integer(let number) = self { number } else { nil } }
  var syncReal: Double { if case .real(let number) = self { number } else { Double(syncInteger ?? 0) } }
  var syncData: Data? { if case .blob(let data) = self { data } else { nil } }

  init(_ data: Data?) { self = data.map { .blob($0) } ?? .null }
  init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
}
#endif
