import CSwiftDataSQLite
import Foundation
import SwiftData

/// One connection to an Apple store. Its errors name the file and a remedy.
///
/// A URI decides whether SQLite may change the file and its log.
// @unchecked Sendable because a pool gives it to one thread at a time.
package final class FileConnection: @unchecked Sendable {
  private let database: SQLiteDatabase
  private let place: String
  /// The store that an import attached. Errors of writing are about it, because the file itself is only read.
  package var target: String?

  package var handle: OpaquePointer { database.handle }

  /// A connection keeps this number of statements between transactions at most.
  private static let maximumStatements = 400

  /// - Parameters:
  ///   - uri: the file as a URI for `sqlite3_open_v2`.
  ///   - takesLocks: false for a connection that leaves the file and its log as they are.
  package init(uri: String, place: String, lockTimeout: Double, takesLocks: Bool = true) throws {
    self.place = place
    do {
      // The URI decides whether this file may be written. The flags also apply to the database that an import attaches.
      database = try SQLiteDatabase(uri, flags: SQLITE_OPEN_READWRITE)
      if !takesLocks { try DatabaseFile.removeLocks(of: database) }
      sqlite3_busy_timeout(database.handle, Int32(lockTimeout * 1000))
      // A damaged file may have a harmful schema.
      try database.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY")
    } catch {
      throw FileErrors.error(error, place: place, target: nil)
    }
    sqlite3_limit(database.handle, SQLITE_LIMIT_LENGTH, 1 << 30)
  }

  // MARK: - Statements

  private func translating<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch { throw FileErrors.error(error, place: place, target: target) }
  }

  /// Registers a function that takes any number of values and depends on nothing else.
  func register(_ name: String, _ body: @escaping SQLiteDatabase.Function) throws {
    try translating {
      try database.register(name, argumentCount: -1, flags: SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, body)
    }
  }

  /// The error of the function of SQLite that failed last.
  func failure() -> any Error { FileErrors.error(database.error(nil), place: place, target: target) }

  package func execute(_ sql: String) throws { try translating { try database.execute(sql) } }

  /// Calls `body` with a statement whose parameters are bound.
  func with<T>(_ fragment: SQLFragment, _ body: (OpaquePointer) throws -> T) throws -> T {
    try translating { try database.withStatement(fragment.sql, fragment.arguments, isKept: true, body) }
  }

  /// - Returns: whether there is a row.
  func step(_ statement: OpaquePointer, sql: String) throws -> Bool {
    try translating { try database.step(statement, sql) }
  }

  /// All rows of a statement.
  package func rows(_ fragment: SQLFragment) throws -> [[SQLValue]] {
    try rows(fragment) { $0 }
  }

  /// The results of `body` for all rows of a statement.
  package func rows<T>(_ fragment: SQLFragment, _ body: ([SQLValue]) throws -> T) throws -> [T] {
    try with(fragment) { statement in
      var result = [T]()
      while try step(statement, sql: fragment.sql) { result.append(try body(SQLiteCells(statement).values)) }
      return result
    }
  }

  /// Runs a statement that writes.
  /// - Returns: how many rows it changed.
  @discardableResult
  package func run(_ fragment: SQLFragment) throws -> Int {
    try with(fragment) { statement in
      while try step(statement, sql: fragment.sql) {}
      return Int(sqlite3_changes(handle))
    }
  }

  /// Runs `body` in a transaction. If it throws, nothing of it stays.
  func transaction<T>(beginning begin: String, _ body: () throws -> T) throws -> T {
    // No statement is in use now.
    if database.keptCount > Self.maximumStatements { database.forgetStatements() }
    return try translating { try database.transaction(beginning: begin, body) }
  }
}

/// Converts SQLite's result codes to errors that name the remedy.
enum FileErrors {
  /// - Returns: an error of SQLite with its remedy, or another error as it is.
  static func error(_ error: any Error, place: String, target: String?) -> any Error {
    guard let error = error as? SQLiteError else { return error }
    return self.error(code: error.code, message: error.message, sql: error.sql, place: place, target: target)
  }

  /// - Parameter target: the store that an import writes to.
  static func error(
    code: Int32, message: String?, sql: String?, place: String, target: String? = nil
  ) -> SwiftDataError {
    let written = target ?? place
    func make(_ code: SwiftDataError.Code, _ text: String) -> SwiftDataError {
      SwiftDataError(code, message: text, sql: sql)
    }
    let detail = message ?? "no details"
    switch code & 0xFF {
    case SQLITE_NOTADB:
      return make(
        .notADatabase, "\"\(written)\" is not an SQLite database; name a store that SwiftData or Core Data made")
    case SQLITE_CORRUPT:
      let hasLog = FileManager.default.fileExists(atPath: place + "-wal")
      return make(
        .storeDamaged,
        "\"\(place)\"\(target.map { " or \"\($0)\"" } ?? "") is damaged (\(detail))"
          + (hasLog ? ", or the -wal next to it belongs to another file" : "") + "; take a copy from a backup")
    case SQLITE_BUSY, SQLITE_LOCKED:
      return make(.storeLocked, "\"\(written)\" is locked by another process; try again when that process has finished")
    case SQLITE_READONLY:
      return make(.storeReadOnly, "\"\(written)\" cannot be written; check the permissions of the file and its folder")
    case SQLITE_FULL where target != nil: return fullTarget(written)
    case SQLITE_FULL:
      return make(.storeFull, "the disk is full; nothing of this save was stored. Free some space and save again")
    case SQLITE_CANTOPEN:
      return make(.io, "\"\(written)\" cannot be opened; check that it exists and may be read")
    case SQLITE_CONSTRAINT where detail.hasPrefix("UNIQUE"):
      return make(.uniquenessViolation, "another stored object has the same value (\(detail)); change one of them")
    case SQLITE_CONSTRAINT:
      return make(.modelValidationFailure, "the file refuses the row: \(detail)")
    case SQLITE_ERROR where detail.contains("no such table") || detail.contains("no such column"):
      return make(.storeDamaged, "the tables of \"\(place)\" do not match its model (\(detail))")
    default: return make(.io, "\"\(place)\": SQLite reports \(detail) (\(code))")
    }
  }

  static func fullTarget(_ path: String) -> SwiftDataError {
    SwiftDataError(
      .storeFull, message: "the disk of \"\(path)\" is full; nothing was imported. Free some space and import again")
  }
}
