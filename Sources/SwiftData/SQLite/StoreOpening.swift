import Foundation
import GRDB
import GRDBSQLite

/// Opens an SQLite file and makes it fit the schema, or says why it does not.
enum StoreOpening {
  /// The version of the file format: tables and columns as `EntityTable` lays them out.
  static let format = "1"

  static func open(_ configuration: ModelConfiguration) throws -> any DatabaseWriter {
    var options = Configuration()
    options.label = "SwiftData \(configuration.name)"
    options.busyMode = .timeout(configuration.lockTimeout)
    let isReadOnly = !configuration.allowsSave && !configuration.isStoredInMemoryOnly
    options.readonly = isReadOnly
    options.prepareDatabase { database in
      try SwiftFunctions.register(on: database.sqliteConnection!)
      if !isReadOnly { try database.execute(sql: "PRAGMA synchronous = NORMAL") }
    }
    do {
      if configuration.isStoredInMemoryOnly { return try DatabaseQueue(configuration: options) }
      let folder = configuration.url.deletingLastPathComponent()
      if !isReadOnly { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
      return try DatabasePool(path: configuration.url.path, configuration: options)
    } catch let error as DatabaseError {
      throw StoreErrors.error(
        code: error.extendedResultCode.rawValue, message: error.message, sql: error.sql, configuration: configuration,
        layout: nil)
    } catch let error as CocoaError {
      throw SwiftDataError(
        .io, message: "the folder of \"\(configuration.url.path)\" cannot be made", underlying: error)
    }
  }

  /// Creates what a new store needs, or checks an existing one.
  /// - Returns: the identifier of the store.
  static func prepare(
    _ database: any DatabaseWriter, configuration: ModelConfiguration, layout: StoreLayout, schema: Schema
  ) throws -> String {
    let encoded = String(decoding: try JSONCoding.encode(schema), as: UTF8.self)
    do {
      let known = try database.read { try metadata($0) }
      if let known {
        try check(known, configuration: configuration, schema: schema)
        if known["schema"] == encoded, let identifier = known["identifier"] { return identifier }
      }
      guard configuration.allowsSave || configuration.isStoredInMemoryOnly else {
        return try readOnlyIdentifier(known, database, layout, configuration)
      }
      return try database.writeWithoutTransaction { database in
        var identifier = ""
        try database.inTransaction(.immediate) {
          identifier = try create(database, layout: layout, schema: encoded, configuration: configuration)
          return .commit
        }
        return identifier
      }
    } catch let error as DatabaseError {
      throw StoreErrors.error(
        code: error.extendedResultCode.rawValue, message: error.message, sql: error.sql, configuration: configuration,
        layout: layout)
    }
  }

  /// The columns whose text is not in normal form C.
  static func denormalizedColumns(_ database: Database) throws -> Set<String> {
    guard try database.tableExists("_swiftdata_denormalized") else { return [] }
    return try String.fetchSet(database, sql: "SELECT column_name FROM _swiftdata_denormalized")
  }

  /// The tables that hold models and pairs of models.
  static func userTables(_ connection: SQLiteConnection) throws -> [String] {
    try connection.rows(
      SQLFragment(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_swiftdata%' ESCAPE '\\'"
          + " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    ) { $0.text(0)! }
  }

  // MARK: - Steps

  /// What the store says about itself; nil for an empty file.
  private static func metadata(_ database: Database) throws -> [String: String]? {
    if try database.tableExists("_swiftdata") {
      let rows = try Row.fetchAll(database, sql: "SELECT key, value FROM _swiftdata")
      return Dictionary(rows.map { ($0["key"], $0["value"]) }, uniquingKeysWith: { first, _ in first })
    }
    if try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master")! > 0 {
      throw SwiftDataError(
        .notADatabase,
        message: "the file is an SQLite database that SwiftData did not make; it was left untouched. Give the"
          + " ModelConfiguration another url")
    }
    return nil
  }

  private static func check(
    _ metadata: [String: String], configuration: ModelConfiguration, schema: Schema
  ) throws {
    let place = "\"\(configuration.url.path)\""
    if let format = metadata["format"], format != Self.format {
      throw SwiftDataError(
        .newerSchema,
        message: "\(place) has store format \(format) and this version of SwiftData reads format \(Self.format);"
          + " update the program. The file was left untouched")
    }
    guard let text = metadata["schema"], let stored = try? JSONCoding.decode(Schema.self, from: Data(text.utf8))
    else { return }
    if stored.version > schema.version {
      throw SwiftDataError(
        .newerSchema,
        message: "\(place) has schema version \(stored.version) and this program knows version \(schema.version);"
          + " update the program. The file was left untouched")
    }
  }

  private static func readOnlyIdentifier(
    _ known: [String: String]?, _ database: any DatabaseWriter, _ layout: StoreLayout,
    _ configuration: ModelConfiguration
  ) throws -> String {
    guard let identifier = known?["identifier"] else {
      throw SwiftDataError(
        .storeReadOnly,
        message: "\"\(configuration.url.path)\" holds no store yet, and allowsSave: false does not let one be made")
    }
    let missing = try database.read { try missingColumns($0, layout: layout) }
    if !missing.isEmpty { throw unknownSchema(missing.map(\.name), configuration) }
    return identifier
  }

  private static func create(
    _ database: Database, layout: StoreLayout, schema: String, configuration: ModelConfiguration
  ) throws -> String {
    try database.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS _swiftdata (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS _swiftdata_keys (entity TEXT PRIMARY KEY NOT NULL, last INTEGER NOT NULL)
          WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS _swiftdata_denormalized (column_name TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
        """)
    // A process that opened the store a moment earlier may have set it up.
    let identifier =
      try String.fetchOne(database, sql: "SELECT value FROM _swiftdata WHERE key = 'identifier'") ?? UUID().uuidString
    try addMissingColumns(database, layout: layout, configuration: configuration)
    for statement in layout.creationStatements() { try database.execute(sql: statement) }
    for (key, value) in [("identifier", identifier), ("format", format), ("schema", schema)] {
      try database.execute(
        sql: "INSERT INTO _swiftdata (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        arguments: [key, value])
    }
    return identifier
  }

  private struct MissingColumn {
    let table: String
    let column: String
    let property: __Property
    let entity: String
    var name: String { "\(entity).\(property.name)" }
  }

  private static func missingColumns(_ database: Database, layout: StoreLayout) throws -> [MissingColumn] {
    var missing = [MissingColumn]()
    for table in layout.tables where try database.tableExists(table.name) {
      let existing = Set(try database.columns(in: table.name).map(\.name))
      for property in table.stored {
        let column = TableNames.column(for: property)
        if !existing.contains(column), !missing.contains(where: { $0.table == table.name && $0.column == column }) {
          missing.append(
            MissingColumn(table: table.name, column: column, property: property, entity: table.entity.name))
        }
      }
    }
    return missing
  }

  /// An optional attribute that the store does not know yet is added to it, null in every row. Everything else that
  /// differs needs a migration.
  private static func addMissingColumns(
    _ database: Database, layout: StoreLayout, configuration: ModelConfiguration
  ) throws {
    let missing = try missingColumns(database, layout: layout)
    let impossible = missing.filter { !$0.property.isOptional || !$0.property.isAttribute }
    if !impossible.isEmpty { throw unknownSchema(impossible.map(\.name), configuration) }
    for column in missing {
      guard case .attribute(let type, _) = column.property.kind else { continue }
      try database.execute(
        sql: "ALTER TABLE \(column.table.quotedIdentifier) ADD COLUMN \(column.column.quotedIdentifier)"
          + " \(type.rawValue)")
    }
  }

  private static func unknownSchema(_ names: [String], _ configuration: ModelConfiguration) -> SwiftDataError {
    SwiftDataError(
      .unknownDataStoreSchema,
      message: "\"\(configuration.url.path)\" was made by another version of the models; it has no values for"
        + " \(names.joined(separator: ", ")). The file was left untouched")
  }
}
