import Foundation

/// The encryption of a store file: which columns are encrypted, and with which keys.
package struct EncryptionRecord: Codable, Equatable {
  struct Column: Codable, Hashable, Comparable {
    let table: String
    let column: String

    var codec: ColumnCodec { ColumnCodec(.statements, table: table, column: column) }

    static func < (left: Self, right: Self) -> Bool { (left.table, left.column) < (right.table, right.column) }
  }

  private(set) var columns: [Column] = []
  /// The identifiers of the keys that encrypted them.
  private(set) var keys: [String] = []

  package init() {}

  /// The encryption that a program wants for its file.
  /// - Parameter known: the file's encryption, or nil for a new file. Columns of models that the program does not list stay encrypted.
  /// - Throws: ``SwiftDataError/encryptionKey`` if a key is missing that the file may need.
  init(_ layout: StoreLayout, _ configuration: ModelConfiguration, after known: EncryptionRecord?) throws {
    let ring = KeyRing(configuration)
    try KeyRing.check(
      known?.keys ?? [], ring, store: "\"\(configuration.url.path)\"", outcome: "the file was left untouched")
    let own = layout.tables.flatMap { table in table.codecs.keys.map { Column(table: table.name, column: $0) } }
    if let ring, !own.isEmpty { keys = [ring.identifier] }
    let kept = known?.columns.filter { layout.record.table(named: $0.table) == nil } ?? []
    if let known, !kept.isEmpty { keys = Set(keys + known.keys).sorted() }
    columns = Set(own + kept).sorted()
  }

  /// Derives the record from the cells, for a file without one.
  package init(foundIn database: SQLiteDatabase, _ tables: [EntityTable]) throws {
    var (columns, identifiers) = (Set<Column>(), Set<String>())
    for table in tables {
      // The tables have no codecs, because recovery has no key.
      for column in EntityTable.secretColumns(table.family) {
        let cell = column.quotedIdentifier
        let length = Int64(KeyRing.mark.count)
        let found = try database.rows(
          "SELECT DISTINCT CAST(substr(\(cell), ?, 16) AS TEXT) FROM \(table.name.quotedIdentifier)"
            + " WHERE typeof(\(cell)) = 'blob' AND substr(\(cell), 1, ?) = ?",
          [.integer(length + 1), .integer(length), .blob(Data(KeyRing.mark))]
        ) { $0.string(0) }
        if !found.isEmpty { columns.insert(Column(table: table.name, column: column)) }
        identifiers.formUnion(found)
      }
    }
    (self.columns, keys) = (columns.sorted(), identifiers.sorted())
  }

  package var isEmpty: Bool { columns.isEmpty }

  package func contains(_ table: String, _ column: String) -> Bool {
    columns.contains(Column(table: table, column: column))
  }

  /// Whether a file with this record needs no change.
  func fits(_ wanted: EncryptionRecord) -> Bool {
    columns == wanted.columns && Set(keys).isSuperset(of: wanted.keys)
  }

  /// The same, for a file with values of other keys too.
  func adding(keysOf known: EncryptionRecord) -> EncryptionRecord {
    var result = self
    result.keys = Set(keys + known.keys).sorted()
    return result
  }

  // MARK: - Changing files

  /// Makes the columns of a new file refuse plain cells.
  func guardColumns(_ database: SQLiteDatabase) throws { try SealedColumns.guarding(columns, database) }

  /// Decrypts the columns.
  func open(_ database: SQLiteDatabase) throws {
    try SealedColumns.release(database)
    try write(database.execute) { $0.read($1) }
  }

  /// Encrypts the columns, whose cells are plain, and forgets removed columns.
  /// - Parameters:
  ///   - record: the tables.
  ///   - known: the encryption of the file so far.
  ///   - files: the external files that cells may refer to. Their data move into the cells, so that no file needs
  ///     encryption.
  mutating func seal(
    _ database: SQLiteDatabase, _ record: LayoutRecord, after known: EncryptionRecord, _ files: ExternalStorage
  ) throws {
    columns = try columns.filter { column in
      try database.first(
        "SELECT 1 FROM pragma_table_info(?) WHERE name = ?", [.text(column.table), .text(column.column)]
      ) { _ in true } ?? false
    }
    for column in columns { try files.takeIn(column.table, column.column, database) }
    try write(database.execute) { $0.written($1) }
    try forgetHistory(of: record, since: known, database)
    try guardColumns(database)
  }

  /// Removes the values of columns that are encrypted from now on from the history. A former version of the models may have
  /// preserved them.
  private func forgetHistory(
    of record: LayoutRecord, since known: EncryptionRecord, _ database: SQLiteDatabase
  ) throws {
    for place in columns where !known.columns.contains(place) {
      guard let table = record.table(named: place.table), let column = table.column(named: place.column) else {
        continue
      }
      for entity in column.entity.map(table.family) ?? table.classes {
        try HistoryTables.forget([column.propertyName], of: entity, database)
      }
    }
  }

  /// Writes the cells of the columns again.
  /// - Parameter cell: the SQL of a new cell, from the column's codec and the SQL of the present one.
  private func write(_ execute: (String) throws -> Void, _ cell: (ColumnCodec, String) -> String) throws {
    for column in columns {
      let name = column.column.quotedIdentifier
      try execute(
        "UPDATE \(column.table.quotedIdentifier) SET \(name) = \(cell(column.codec, name)) WHERE \(name) IS NOT NULL")
    }
  }

  /// Encrypts the columns again with another key.
  mutating func encrypt(with keys: KeyRing, _ execute: (String) throws -> Void) throws {
    try write(execute) { $0.written($0.read($1)) }
    self.keys = [keys.identifier]
  }
}

extension SQLiteStore {
  package func reencrypt() throws {
    guard let keys = KeyRing(configuration), layout.tables.contains(where: { !$0.codecs.isEmpty }) else { return }
    try write { connection in
      let stored = try connection.rows("SELECT value FROM _swiftdata WHERE key = 'encryption'") { $0.text(0) }
      guard let known = stored.first ?? nil else { return }
      var record = try JSONCoding.decode(EncryptionRecord.self, from: Data(known.utf8))
      try record.encrypt(with: keys, connection.execute)
      let text = String(decoding: try JSONCoding.encode(record), as: UTF8.self)
      try connection.execute("UPDATE _swiftdata SET value = \(bind: .text(text)) WHERE key = 'encryption'")
    }
  }
}
