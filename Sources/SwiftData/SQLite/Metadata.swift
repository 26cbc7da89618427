import Foundation
import GRDB

/// The metadata in a store file.
struct Metadata {
  /// The version of the file format.
  let format: String
  let identifier: String
  /// The models as the JSON of a ``Schema``.
  let schema: String
  let version: Schema.Version
  /// The layout of the models that the program listed at the last opening.
  let layout: LayoutRecord
  /// The layout of models that the program did not list.
  let retained: LayoutRecord
  let encryption: EncryptionRecord

  static func encode(_ schema: Schema) throws -> String {
    String(decoding: try JSONCoding.encode(schema), as: UTF8.self)
  }

  init(
    identifier: String, schema: String, version: Schema.Version, layout: LayoutRecord, retained: LayoutRecord = .empty,
    encryption: EncryptionRecord
  ) {
    format = encryption.isEmpty ? StoreOpening.format : StoreOpening.encryptedFormat
    (self.identifier, self.schema, self.version) = (identifier, schema, version)
    (self.layout, self.retained, self.encryption) = (layout, retained, encryption)
  }

  func with(_ encryption: EncryptionRecord) -> Metadata {
    Metadata(
      identifier: identifier, schema: schema, version: version, layout: layout, retained: retained,
      encryption: encryption)
  }

  /// Returns nil for an empty file.
  /// - Throws: ``SwiftDataError/notADatabase`` for a database of another program, ``SwiftDataError/newerSchema`` for a
  ///   newer format.
  init?(_ database: Database, _ configuration: ModelConfiguration) throws {
    guard try database.tableExists("_swiftdata") else {
      if try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master")! > 0 {
        throw SwiftDataError(
          .notADatabase,
          message: "the file is an SQLite database that SwiftData did not make; it was left untouched. Give the"
            + " ModelConfiguration another url")
      }
      return nil
    }
    let rows = try Row.fetchAll(database, sql: "SELECT key, value FROM _swiftdata")
    // Converting a cell of an unexpected type traps. A damaged file may have such cells.
    let pairs = rows.compactMap { row in
      String.fromDatabaseValue(row["key"]).flatMap { key in String.fromDatabaseValue(row["value"]).map { (key, $0) } }
    }
    let values = Dictionary(pairs) { first, _ in first }
    let place = "\"\(configuration.url.path)\""
    format = values["format"] ?? StoreOpening.format
    guard StoreOpening.readable.contains(format) else {
      throw SwiftDataError(
        .newerSchema,
        message: "\(place) has store format \(format) and this version of SwiftData reads format"
          + " \(StoreOpening.format); update the program. The file was left untouched")
    }
    func decode<V: Decodable>(_ type: V.Type, _ key: String) throws -> V {
      do {
        return try JSONCoding.decode(type, from: Data((values[key] ?? "").utf8))
      } catch {
        throw SwiftDataError(
          .storeDamaged,
          message: "\(place) does not say what it holds (\(key)); the file was left untouched. \(StoreErrors.salvage)",
          underlying: error)
      }
    }
    identifier = values["identifier"] ?? ""
    schema = values["schema"] ?? ""
    version = try decode(Schema.Version.self, "version")
    layout = try decode(LayoutRecord.self, "layout")
    retained = try decode(LayoutRecord.self, "retained")
    encryption = values["encryption"] == nil ? EncryptionRecord() : try decode(EncryptionRecord.self, "encryption")
  }

  func write(to database: Database) throws {
    let values = [
      "identifier": identifier, "format": format, "schema": schema,
      "version": String(decoding: try JSONCoding.encode(version), as: UTF8.self),
      "layout": String(decoding: try JSONCoding.encode(layout), as: UTF8.self),
      "retained": String(decoding: try JSONCoding.encode(retained), as: UTF8.self),
      "encryption": String(decoding: try JSONCoding.encode(encryption), as: UTF8.self),
    ]
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      try database.execute(
        sql: "INSERT INTO _swiftdata (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        arguments: [key, value])
    }
  }

  static func createTables(_ database: Database) throws {
    try database.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS _swiftdata (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS _swiftdata_keys (entity TEXT PRIMARY KEY NOT NULL, last INTEGER NOT NULL)
          WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS _swiftdata_denormalized (column_name TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
        """)
    for statement in HistoryTables.creationStatements { try database.execute(sql: statement) }
  }
}
