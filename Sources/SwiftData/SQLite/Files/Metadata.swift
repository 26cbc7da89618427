import Foundation

/// The metadata in a store file.
package struct Metadata {
  /// The version of the file format.
  let format: String
  let identifier: String
  /// The models as the JSON of a ``Schema``.
  let schema: String
  let version: Schema.Version
  /// The layout of the models that the program listed at the last opening.
  package let layout: LayoutRecord
  /// The layout of models that the program did not list.
  package let retained: LayoutRecord
  package let encryption: EncryptionRecord
  /// The checksum of the models, if the rest of the metadata follows from them alone.
  var models: Fingerprint?
  /// Whether they replace other metadata. Programs that have the file open must learn that.
  var isReplacement = false

  package static func encode(_ schema: Schema) throws -> String {
    String(decoding: try JSONCoding.encode(schema), as: UTF8.self)
  }

  /// - Parameter format: the format of the tables, or nil for the present one.
  package init(
    identifier: String, schema: String, version: Schema.Version, layout: LayoutRecord, retained: LayoutRecord = .empty,
    encryption: EncryptionRecord = EncryptionRecord(), format: String? = nil
  ) {
    self.format = format ?? (encryption.isEmpty ? StoreFile.format : StoreFile.encryptedFormat)
    (self.identifier, self.schema, self.version) = (identifier, schema, version)
    (self.layout, self.retained, self.encryption) = (layout, retained, encryption)
  }

  package func with(_ encryption: EncryptionRecord) -> Metadata {
    Metadata(
      identifier: identifier, schema: schema, version: version, layout: layout, retained: retained,
      encryption: encryption, format: isFormer ? encryption.isEmpty ? "2" : "3" : nil)
  }

  /// Whether the tables have the names of an earlier format.
  var isFormer: Bool { StoreFile.convertible.contains(format) }

  /// The metadata as the file has them, by key, or nil for an empty file.
  /// - Parameter path: the file, for errors.
  /// - Throws: ``SwiftDataError/notADatabase`` for a database of another program.
  static func texts(_ database: SQLiteDatabase, path: String) throws -> [String: String]? {
    var isThere = false
    try database.step("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '_swiftdata'") { _ in
      isThere = true
    }
    guard isThere else {
      var kind = FileKind.new
      try database.step("SELECT name FROM sqlite_master") { row in
        kind = row.text(0) == "Z_METADATA" || kind == .apple ? .apple : .database
      }
      if let refusal = kind.refusal(of: path) { throw refusal }
      return nil
    }
    var texts = [String: String]()
    // A damaged file may have cells of other types.
    try database.step("SELECT key, value FROM _swiftdata") { row in
      if row.isText(0), row.isText(1), let key = row.text(0), texts[key] == nil { texts[key] = row.text(1) }
    }
    return texts
  }

  /// Returns nil for an empty file.
  /// - Throws: ``SwiftDataError/notADatabase`` for a database of another program, ``SwiftDataError/newerSchema`` for a
  ///   newer format.
  init?(_ database: SQLiteDatabase, _ configuration: ModelConfiguration) throws {
    guard let texts = try Self.texts(database, path: configuration.url.path) else { return nil }
    try self.init(texts, configuration)
  }

  /// Decodes metadata.
  /// - Throws: ``SwiftDataError/newerSchema`` for a newer format.
  init(_ values: [String: String], _ configuration: ModelConfiguration) throws {
    let place = "\"\(configuration.url.path)\""
    format = values["format"] ?? StoreFile.format
    guard StoreFile.readable.contains(format) else {
      throw SwiftDataError(
        .newerSchema,
        message: "\(place) has store format \(format) and this version of SwiftData reads format"
          + " \(StoreFile.format); update the program. The file was left untouched")
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

  /// The texts of a file with this metadata, by key.
  private func texts() throws -> [String: String] {
    var values = [
      "identifier": identifier, "format": format, "schema": schema,
      "version": String(decoding: try JSONCoding.encode(version), as: UTF8.self),
      "layout": String(decoding: try JSONCoding.encode(layout), as: UTF8.self),
      "retained": String(decoding: try JSONCoding.encode(retained), as: UTF8.self),
      "encryption": String(decoding: try JSONCoding.encode(encryption), as: UTF8.self),
    ]
    // Without the checksum of models it fits none, and it still tells that the texts changed.
    if models != nil || isReplacement {
      values[Self.fingerprintKey] = Self.fingerprint(of: models ?? Fingerprint(), values)
    }
    return values
  }

  /// - Returns: the written texts, by key.
  @discardableResult
  package func write(to database: SQLiteDatabase) throws -> [String: String] {
    let values = try texts()
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      try database.run(
        "INSERT INTO _swiftdata (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [.text(key), .text(value)])
    }
    return values
  }

  // MARK: - Unchanged models

  static let fingerprintKey = "fingerprint"

  /// The checksum of models, or nil where one cannot be made.
  static func fingerprint(of models: VersionLayout) -> Fingerprint? {
    var sum = Fingerprint()
    guard models.schema.add(to: &sum) else { return nil }
    models.layout.record.add(to: &sum)
    return sum
  }

  /// The checksum of models and of the texts that were written for them. A program that does not know this entry
  /// changes the texts and leaves it, so that it does not fit any more.
  private static func fingerprint(of models: Fingerprint, _ values: [String: String]) -> String {
    var sum = models
    for (key, value) in values.sorted(by: { $0.key < $1.key }) where key != fingerprintKey {
      sum.combine(key)
      sum.combine(value)
    }
    return sum.text
  }

  /// Whether the texts are those that were written for these models, and their writer needed nothing else to know that
  /// the store fits.
  static func fit(_ models: VersionLayout, _ values: [String: String]) -> Bool {
    guard values["format"] == StoreFile.format, let stored = values[fingerprintKey],
      let sum = fingerprint(of: models)
    else { return false }
    return stored == fingerprint(of: sum, values)
  }

  package static func createTables(_ database: SQLiteDatabase) throws {
    try database.execute(
      """
      CREATE TABLE IF NOT EXISTS _swiftdata (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS _swiftdata_keys (entity TEXT PRIMARY KEY NOT NULL, last INTEGER NOT NULL)
        WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS _swiftdata_denormalized (column_name TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
      """)
    for statement in HistoryTables.creationStatements { try database.execute(statement) }
  }
}
