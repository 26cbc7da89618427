import CSQLite
import Foundation
import RestService

/// The books of the service on SQLite's C interface: one connection with prepared statements, behind an actor.
///
/// It has the settings of a store's file. It writes no history.
actor RawBooks {
  // nonisolated(unsafe), because `deinit` is not isolated and closes them. The pointers never change, only methods of the actor use them, and no
  // method runs when `deinit` does.
  private nonisolated(unsafe) let connection: OpaquePointer
  private nonisolated(unsafe) let page, one, upsert, removal: OpaquePointer

  /// Opens the file, and creates its table if it is missing.
  init(_ path: String) throws {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &opened, flags, nil) == SQLITE_OK, let opened else { throw RawFailure(opened) }
    connection = opened
    for statement in [
      "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL",
      "CREATE TABLE IF NOT EXISTS Book (_pk INTEGER PRIMARY KEY, isbn TEXT NOT NULL UNIQUE, title TEXT NOT NULL,"
        + " year INTEGER NOT NULL)",
      "CREATE INDEX IF NOT EXISTS Book_title ON Book (title, isbn)",
    ] {
      guard sqlite3_exec(opened, statement, nil, nil, nil) == SQLITE_OK else { throw RawFailure(opened) }
    }
    func prepare(_ sql: String) throws -> OpaquePointer {
      var statement: OpaquePointer?
      guard sqlite3_prepare_v3(opened, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
        let statement
      else { throw RawFailure(opened) }
      return statement
    }
    page = try prepare("SELECT isbn, title, year FROM Book WHERE year >= ? ORDER BY title, isbn LIMIT ? OFFSET ?")
    one = try prepare("SELECT isbn, title, year FROM Book WHERE isbn = ?")
    upsert = try prepare(
      "INSERT INTO Book (isbn, title, year) VALUES (?, ?, ?)"
        + " ON CONFLICT (isbn) DO UPDATE SET title = excluded.title, year = excluded.year")
    removal = try prepare("DELETE FROM Book WHERE isbn = ?")
  }

  deinit {
    for statement in [page, one, upsert, removal] { sqlite3_finalize(statement) }
    sqlite3_close(connection)
  }

  /// Stores books in one transaction.
  func fill(_ books: some Sequence<BookValue>) throws {
    sqlite3_exec(connection, "BEGIN", nil, nil, nil)
    for book in books { try store(book) }
    sqlite3_exec(connection, "COMMIT", nil, nil, nil)
  }

  /// The books from a year on, by title; `limit` of them after the first `offset`.
  func list(since year: Int, offset: Int, limit: Int) throws -> [BookValue] {
    defer { sqlite3_reset(page) }
    sqlite3_bind_int64(page, 1, Int64(year))
    sqlite3_bind_int64(page, 2, Int64(limit))
    sqlite3_bind_int64(page, 3, Int64(offset))
    return try rows(page)
  }

  func book(isbn: String) throws -> BookValue? {
    defer { sqlite3_reset(one) }
    bind(isbn, one, 1)
    return try rows(one).first
  }

  /// Stores a book.
  /// - Returns: whether the book is new.
  func put(_ book: BookValue) throws -> Bool {
    let isNew = try self.book(isbn: book.isbn) == nil
    try store(book)
    return isNew
  }

  /// - Returns: whether there was such a book.
  func delete(isbn: String) throws -> Bool {
    defer { sqlite3_reset(removal) }
    bind(isbn, removal, 1)
    guard sqlite3_step(removal) == SQLITE_DONE else { throw RawFailure(connection) }
    return sqlite3_changes(connection) > 0
  }

  private func store(_ book: BookValue) throws {
    defer { sqlite3_reset(upsert) }
    bind(book.isbn, upsert, 1)
    bind(book.title, upsert, 2)
    sqlite3_bind_int64(upsert, 3, Int64(book.year))
    guard sqlite3_step(upsert) == SQLITE_DONE else { throw RawFailure(connection) }
  }

  private func bind(_ text: String, _ statement: OpaquePointer, _ place: Int32) {
    // SQLite copies the text.
    sqlite3_bind_text(statement, place, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
  }

  private func rows(_ statement: OpaquePointer) throws -> [BookValue] {
    var found = [BookValue]()
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        found.append(
          BookValue(
            isbn: String(cString: sqlite3_column_text(statement, 0)),
            title: String(cString: sqlite3_column_text(statement, 1)), year: Int(sqlite3_column_int64(statement, 2))))
      case SQLITE_DONE: return found
      default: throw RawFailure(connection)
      }
    }
  }
}

/// An error of SQLite.
struct RawFailure: Error, CustomStringConvertible {
  let description: String

  init(_ connection: OpaquePointer?) { description = String(cString: sqlite3_errmsg(connection)) }
}
