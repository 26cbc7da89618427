import Foundation

extension ModelContainer {
  /// Encrypts every encrypted value again with the `encryptionKey` of its configuration. Former keys are unnecessary
  /// afterwards. Each store does this in one transaction. (Not Apple's.)
  /// - Throws: ``SwiftDataError/encryptionKey`` if a key is missing, or an error of the store. Then that store is
  ///   unchanged.
  /// - Complexity: reads and writes every object with an encrypted attribute.
  public func reencrypt() throws {
    for store in core.stores { try store.reencrypt() }
  }
}

extension SQLiteStore {
  package func reencrypt() throws {
    guard let keys = KeyRing(configuration) else { return }
    try write { connection in
      let stored = try connection.rows(SQLFragment("SELECT value FROM _swiftdata WHERE key = 'encryption'")) {
        $0.text(0)
      }
      guard let known = stored.first ?? nil, !EncryptionRecord(layout.tables, keys).isEmpty else { return }
      var record = try JSONCoding.decode(EncryptionRecord.self, from: Data(known.utf8))
      for column in record.columns {
        let cell = column.column.quotedIdentifier
        let opened = EncryptedColumn.opened(cell, column.table, column.column)
        try connection.execute(
          "UPDATE \(column.table.quotedIdentifier) SET \(cell) ="
            + " \(EncryptedColumn.encrypted(opened, column.table, column.column)) WHERE \(cell) IS NOT NULL")
      }
      record.keys = [keys.current.identifier]
      let text = String(decoding: try JSONCoding.encode(record), as: UTF8.self)
      try connection.execute(SQLFragment("UPDATE _swiftdata SET value = ? WHERE key = 'encryption'", [.text(text)]))
    }
  }
}
