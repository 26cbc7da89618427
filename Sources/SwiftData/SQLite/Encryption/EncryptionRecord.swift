import Foundation

/// The encryption of a store file: which columns are encrypted, and with which keys.
package struct EncryptionRecord: Codable, Equatable {
  var columns: [EncryptedColumn] = []
  /// The identifiers of the keys that encrypted them.
  var keys: [String] = []

  /// The encryption that the program wants.
  init(_ tables: [EntityTable], _ keys: KeyRing?) {
    guard let keys else { return }
    columns = Set(
      tables.flatMap { table in table.encrypted.map { EncryptedColumn(table: table.name, column: $0) } }
    ).sorted()
    if !columns.isEmpty { self.keys = [keys.current.identifier] }
  }

  package init() {}

  /// Derives the record from the cells, for a file without one.
  package init(foundIn database: SQLiteDatabase, _ tables: [EntityTable]) throws {
    var identifiers = Set<String>()
    for table in tables {
      // The store's own set is empty, because recovery has no key.
      for column in EntityTable.encryptedColumns(table.family) {
        let cell = column.quotedIdentifier
        let length = Int64(KeyRing.mark.count)
        let found = try database.rows(
          "SELECT DISTINCT CAST(substr(\(cell), ?, 16) AS TEXT) FROM \(table.name.quotedIdentifier)"
            + " WHERE typeof(\(cell)) = 'blob' AND substr(\(cell), 1, ?) = ?",
          [.integer(length + 1), .integer(length), .blob(Data(KeyRing.mark))]
        ) { $0.string(0) }
        if !found.isEmpty { columns.append(EncryptedColumn(table: table.name, column: column)) }
        identifiers.formUnion(found)
      }
    }
    columns = Set(columns).sorted()
    keys = identifiers.sorted()
  }

  package var isEmpty: Bool { columns.isEmpty }

  package func contains(_ table: String, _ column: String) -> Bool {
    columns.contains(EncryptedColumn(table: table, column: column))
  }

  /// Whether a file with this record needs no change.
  func fits(_ wanted: EncryptionRecord) -> Bool {
    columns == wanted.columns && Set(keys).isSuperset(of: wanted.keys)
  }

  /// - Throws: ``SwiftDataError/encryptionKey`` if a key is missing that the file may need.
  func check(_ ring: KeyRing?, _ configuration: ModelConfiguration) throws {
    try KeyRing.check(
      keys, ring, store: "\"\(configuration.url.path)\"", outcome: "the file was left untouched")
  }

  // MARK: - Changing files

  /// Decrypts the columns.
  func openAll(_ database: SQLiteDatabase) throws {
    for column in columns {
      let cell = column.column.quotedIdentifier
      try database.execute(
        "UPDATE \(column.table.quotedIdentifier) SET \(cell) ="
          + " \(EncryptedColumn.opened(cell, column.table, column.column)) WHERE \(cell) IS NOT NULL")
    }
  }

  /// Adds encrypted columns of models that the program does not list.
  func keeping(_ known: EncryptionRecord, beside layout: StoreLayout) -> EncryptionRecord {
    let kept = known.columns.filter { layout.record.table(named: $0.table) == nil }
    guard !kept.isEmpty else { return self }
    var result = self
    result.columns = Set(columns + kept).sorted()
    result.keys = Set(keys + known.keys).sorted()
    return result
  }

  /// Removes the values of columns that are encrypted from now on from the history. A former version of the models may have
  /// preserved them.
  func forgetHistory(of record: LayoutRecord, since known: EncryptionRecord, _ database: SQLiteDatabase) throws {
    for place in columns where !known.columns.contains(place) {
      guard let table = record.table(named: place.table), let column = table.column(named: place.column) else {
        continue
      }
      for entity in column.entity.map(table.family) ?? table.classes {
        try HistoryTables.forget([column.propertyName], of: entity, database)
      }
    }
  }

  /// Encrypts the columns, whose cells are plain, and forgets removed columns.
  /// - Parameter files: the external files that cells may refer to. Their data move into the cells, so that no file
  ///   needs encryption.
  mutating func sealAll(_ database: SQLiteDatabase, _ files: ExternalStorage) throws {
    columns = try columns.filter { column in
      try database.first(
        "SELECT 1 FROM pragma_table_info(?) WHERE name = ?", [.text(column.table), .text(column.column)]
      ) { _ in true } ?? false
    }
    for column in columns {
      let (table, cell) = (column.table.quotedIdentifier, column.column.quotedIdentifier)
      // Among cells for data, only a reference is text.
      let references = try database.rows("SELECT _pk, \(cell) FROM \(table) WHERE typeof(\(cell)) = 'text'") {
        ($0.value(0), $0.string(1))
      }
      for (key, name) in references {
        guard UUID(uuidString: name) != nil, let data = try? files.read(name) else { continue }
        try database.run("UPDATE \(table) SET \(cell) = ? WHERE _pk = ?", [.blob(data), key])
        try files.pending?.remove([name])
      }
      try database.execute(
        "UPDATE \(table) SET \(cell) = \(EncryptedColumn.encrypted(cell, column.table, column.column))"
          + " WHERE \(cell) IS NOT NULL")
    }
  }
}
