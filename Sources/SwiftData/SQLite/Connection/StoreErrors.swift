import CSwiftDataSQLite
import Foundation

/// Converts SQLite's result codes to errors with a remedy.
package enum StoreErrors {
  // Swift does not import SQLite's macros for extended codes.
  private static let uniqueConstraint = SQLITE_CONSTRAINT | 8 << 8
  private static let primaryKeyConstraint = SQLITE_CONSTRAINT | 6 << 8
  package static let notNullConstraint = SQLITE_CONSTRAINT | 5 << 8
  /// The WAL index cannot grow.
  private static let noRoomForIndex = SQLITE_IOERR | 19 << 8
  private static let foreignKeyConstraint = SQLITE_CONSTRAINT | 3 << 8

  /// Converts SQLite's errors of `body`.
  package static func translating<T>(
    _ configuration: ModelConfiguration, _ layout: StoreLayout, _ body: () throws -> T
  ) throws -> T {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw self.error(error, configuration: configuration, layout: layout)
    }
  }

  static func error(
    _ error: SQLiteError, configuration: ModelConfiguration, layout: StoreLayout?
  ) -> SwiftDataError {
    self.error(
      code: error.code, message: error.message, sql: error.sql, configuration: configuration, layout: layout)
  }

  static func error(
    code: Int32, message: String?, sql: String?, configuration: ModelConfiguration, layout: StoreLayout?
  ) -> SwiftDataError {
    let place = configuration.isStoredInMemoryOnly ? "the in-memory store" : "\"\(configuration.url.path)\""
    func make(_ code: SwiftDataError.Code, _ text: String) -> SwiftDataError {
      SwiftDataError(code, message: text, sql: sql)
    }
    if let error = FunctionErrors.error(of: message ?? "", layout, place: place, sql: sql) { return error }
    switch code & 0xFF {
    case SQLITE_NOTADB:
      return make(
        .notADatabase,
        "\(place) is not an SQLite database; the file was left untouched. If it was a store:"
          + " \(salvage)")
    case SQLITE_CORRUPT:
      return make(
        .storeDamaged,
        "\(place) is damaged, or its disk cannot be read (\(message ?? "malformed")); the file was left"
          + " untouched. \(salvage)"
      )
    case SQLITE_ERROR where isOfAnotherSchema(message) && wasMigrated(configuration, layout):
      return migrated(configuration, message, sql)
    case SQLITE_ERROR where isTooDeep(message):
      return make(
        .unsupportedPredicate,
        "SQLite cannot nest the predicate's expressions so deep, or bind so many values (\(message ?? "")); nest fewer"
          + " expressions, or capture a list instead of single values")
    case SQLITE_ERROR where isOfAnotherSchema(message):
      return make(
        .storeDamaged,
        "the tables of \(place) are not as SwiftData made them (\(message ?? "")); another program changed them. Undo"
          + " that. \(salvage)")
    case SQLITE_BUSY, SQLITE_LOCKED:
      return make(
        .storeLocked,
        "\(place) is locked by another process; try again when that process has finished its transaction")
    case SQLITE_READONLY:
      return make(.storeReadOnly, "\(place) cannot be written; check the permissions of the file and its folder")
    case SQLITE_FULL:
      return make(
        .storeFull,
        "the disk of \(place) is full; nothing was saved and the context keeps its changes. Free space and save again")
    case SQLITE_CANTOPEN where hasNoDescriptors:
      return make(
        .io,
        "\(place) cannot be opened, because the process has too many open files; close some, or raise the limit"
          + " (ulimit -n)")
    case SQLITE_CANTOPEN:
      return make(.io, "\(place) cannot be opened; check that its folder exists and may be read and written")
    case SQLITE_IOERR where code == noRoomForIndex:
      return make(.storeFull, "the disk is full, or fails: \(place) needs a little room to be read. Free some space")
    case SQLITE_IOERR:
      return make(.io, "\(place) cannot be read or written (\(message ?? "I/O error"))")
    case SQLITE_CONSTRAINT:
      return constraint(code: code, message: message ?? "", sql: sql, layout: layout)
    default:
      return make(.io, "\(place): SQLite reports \(message ?? "error") (\(code))")
    }
  }

  /// The error of a store that another program migrated while it was open here.
  /// - Parameter message: SQLite's message.
  static func migrated(
    _ configuration: ModelConfiguration, _ message: String? = nil, _ sql: String? = nil
  ) -> SwiftDataError {
    SwiftDataError(
      .newerSchema,
      message: "a program with other models migrated \"\(configuration.url.path)\" while it was open here"
        + (message.map { " (\($0))" } ?? "")
        + "; nothing of this was stored. Make a new ModelContainer with the models that"
        + " the file has now, or update the program", sql: sql)
  }

  static let salvage =
    "ModelContainer.recover(from:to:for:) of SwiftDataRecovery copies what can be read to a new store"

  private static func isTooDeep(_ message: String?) -> Bool {
    ["parser stack overflow", "Expression tree is too large", "too many SQL variables", "parser stack"]
      .contains { message?.contains($0) == true }
  }

  /// Whether SQLite's message means that another program changed the tables.
  private static func isOfAnotherSchema(_ message: String?) -> Bool {
    ["no such table", "no such column", "has no column named"].contains { message?.contains($0) == true }
  }

  /// Whether the file records other tables than those that it was opened with.
  private static func wasMigrated(_ configuration: ModelConfiguration, _ layout: StoreLayout?) -> Bool {
    guard let layout, !configuration.isStoredInMemoryOnly else { return false }
    var options = SQLiteOptions()
    options.isReadOnly = true
    // The file may be gone or damaged, which is another error.
    let metadata = try? Metadata(SQLiteDatabase(configuration.url.path, options), configuration)
    return metadata.map { !$0.layout.isIdentical(to: layout.record.keepingFormerNames(of: $0.layout)) } ?? false
  }

  /// Whether the process is out of file descriptors, which SQLite's code does not reveal. A store needs four: database,
  /// log, WAL index, and the folder while it is synced. The failed attempt has closed its own by now.
  private static var hasNoDescriptors: Bool {
    var opened = [Int32]()
    defer { for descriptor in opened { close(descriptor) } }
    for _ in 0..<4 {
      let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return errno == EMFILE || errno == ENFILE }
      opened.append(descriptor)
    }
    return false
  }

  /// SQLite names the columns as `Table.column, Table.column`, and an index on expressions as `index 'name'`.
  private static func constraint(
    code: Int32, message: String, sql: String?, layout: StoreLayout?
  ) -> SwiftDataError {
    let names = message.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
    let columns = names.components(separatedBy: ", ").map { $0.split(separator: ".", maxSplits: 1).map(String.init) }
    let index = names.hasPrefix("index '") ? String(names.dropFirst(7).dropLast()) : nil
    let known = index.flatMap { layout?.constraint(named: $0) }
    // No name of a table contains a dot.
    let found = columns.compactMap { $0.count == 2 ? layout?.property(ofColumn: $0[1], in: $0[0]) : nil }
    let entity = known?.entity ?? found.first?.entity ?? columns.first?.first
    let properties =
      (known?.names ?? (found.isEmpty ? columns.compactMap { $0.count == 2 ? $0[1] : nil } : found.map(\.name)))
      .joined(separator: ", ")
    switch code {
    case uniqueConstraint, primaryKeyConstraint:
      return SwiftDataError(
        .uniquenessViolation, entity: entity, property: properties,
        message: TakenValues.message([]), sql: sql)
    case notNullConstraint:
      return SwiftDataError(
        .modelValidationFailure, entity: entity, property: properties,
        message: "the property is required but nil; set it before the save, or make it optional", sql: sql)
    case foreignKeyConstraint:
      return SwiftDataError(
        .modelValidationFailure,
        message: "a relationship refers to an object that another process deleted;"
          + " fetch again, set the relationship and save", sql: sql)
    default:
      return SwiftDataError(.modelValidationFailure, message: message, sql: sql)
    }
  }
}
