import Foundation
import GRDBSQLite

/// The same rows through SQLite's C interface: what sync is compared with.
struct RawLoop {
  private struct Failure: Error { let message: String }

  private let database: OpaquePointer

  init(_ file: String) throws {
    var handle: OpaquePointer?
    guard sqlite3_open(file, &handle) == SQLITE_OK, let handle else { throw Failure(message: "cannot open \(file)") }
    database = handle
    try run("PRAGMA journal_mode = WAL")
    try run("PRAGMA synchronous = NORMAL")
  }

  private func run(_ sql: String) throws {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
      throw Failure(message: String(cString: sqlite3_errmsg(database)))
    }
  }

  private func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
      let statement
    else { throw Failure(message: String(cString: sqlite3_errmsg(database))) }
    return statement
  }

  private func step(_ statement: OpaquePointer) throws {
    guard sqlite3_step(statement) == SQLITE_DONE else {
      throw Failure(message: String(cString: sqlite3_errmsg(database)))
    }
    sqlite3_reset(statement)
  }

  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  /// Writes the objects, with one row of history for each batch.
  func writeObjects(_ count: Int, batch: Int) throws {
    try run("CREATE TABLE item (id INTEGER PRIMARY KEY, title TEXT, number INTEGER, date REAL)")
    try run("CREATE TABLE history (id INTEGER PRIMARY KEY, author TEXT, changes BLOB)")
    let insert = try prepare("INSERT INTO item (title, number, date) VALUES (?, ?, ?)")
    let history = try prepare("INSERT INTO history (author, changes) VALUES ('a', ?)")
    defer { for statement in [insert, history] { sqlite3_finalize(statement) } }
    for start in stride(from: 0, to: count, by: batch) {
      try run("BEGIN IMMEDIATE")
      for number in start..<min(start + batch, count) {
        sqlite3_bind_text(insert, 1, "Item \(number)", -1, Self.transient)
        sqlite3_bind_int64(insert, 2, Int64(number))
        sqlite3_bind_double(insert, 3, 0)
        try step(insert)
      }
      sqlite3_bind_text(history, 1, "\(start)", -1, Self.transient)
      try step(history)
      try run("COMMIT")
    }
  }

  /// Writes the rows that a push writes: what the replica keeps of each object, with its two indices, and the log of the
  /// server with one row for each batch.
  func writeBookkeeping(_ count: Int, batch: Int) throws {
    try run(
      """
      CREATE TABLE record (id INTEGER PRIMARY KEY, name TEXT NOT NULL, entity TEXT, zone TEXT, object TEXT, state BLOB);
      CREATE UNIQUE INDEX record_name ON record (name); CREATE INDEX record_object ON record (object);
      CREATE TABLE log (id INTEGER PRIMARY KEY, zone TEXT, sequence INTEGER, entry BLOB);
      """)
    let record = try prepare(
      "INSERT INTO record (name, entity, zone, object, state) VALUES (?, 'BenchItem', 'private', ?, ?)")
    let log = try prepare("INSERT INTO log (zone, sequence, entry) VALUES ('ann/private', ?, zeroblob(?))")
    defer { for statement in [record, log] { sqlite3_finalize(statement) } }
    let state = [UInt8](repeating: 7, count: 90)
    for start in stride(from: 0, to: count, by: batch) {
      try run("BEGIN IMMEDIATE")
      for number in start..<min(start + batch, count) {
        let name = "018f0000-0000-7000-8000-" + String(number + 100_000_000_000)
        sqlite3_bind_text(record, 1, name, -1, Self.transient)
        sqlite3_bind_text(record, 2, "BenchItem/\(number)", -1, Self.transient)
        sqlite3_bind_blob(record, 3, state, Int32(state.count), Self.transient)
        try step(record)
      }
      sqlite3_bind_int64(log, 1, Int64(start))
      sqlite3_bind_int64(log, 2, Int64(60 * batch))
      try step(log)
      try run("COMMIT")
    }
  }

  func close() { sqlite3_close(database) }
}
