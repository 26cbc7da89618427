/// Triggers that refuse plain cells in encrypted columns, as a program would write that opened the file before.
///
/// SQLite's columns have no types that could refuse them, and a reader takes a plain cell for the value.
enum SealedColumns {
  private static let prefix = "_swiftdata_sealed_"
  /// The start of the triggers' message. The table and the column follow.
  private static let message = "SwiftData sealed: "

  /// Makes the triggers of columns whose cells are encrypted.
  static func guarding(_ columns: [EncryptionRecord.Column], _ database: SQLiteDatabase) throws {
    for column in columns {
      let name = "\(column.table).\(column.column)"
      let cell = column.column.quotedIdentifier
      for event in ["INSERT", "UPDATE OF \(cell)"] {
        // No derived table has a name with this end.
        let trigger = "\(prefix)\(event.prefix(6).lowercased())_\(name)_sealed"
        try database.execute(
          "CREATE TRIGGER \(trigger.quotedIdentifier) BEFORE \(event) ON \(column.table.quotedIdentifier)"
            + " WHEN NEW.\(cell) IS NOT NULL AND substr(NEW.\(cell), 1, \(KeyRing.mark.count)) IS NOT x'\(KeyRing.markDigits)'"
            + " BEGIN SELECT RAISE(ABORT, \((message + name).quotedLiteral)); END")
      }
    }
  }

  /// Removes the triggers, so that cells can be decrypted.
  static func release(_ database: SQLiteDatabase) throws {
    let names = try database.rows(
      "SELECT name FROM sqlite_master WHERE type = 'trigger' AND substr(name, 1, ?) = ?",
      [.integer(Int64(prefix.count)), .text(prefix)]
    ) { $0.string(0) }
    for name in names { try database.execute("DROP TRIGGER \(name.quotedIdentifier)") }
  }

  /// The column in the message of a trigger, or nil for another message.
  static func column(ofMessage text: String) -> EncryptionRecord.Column? {
    guard text.hasPrefix(message) else { return nil }
    // No name of a table contains a dot.
    let parts = text.dropFirst(message.count).split(separator: ".", maxSplits: 1).map(String.init)
    return parts.count == 2 ? EncryptionRecord.Column(table: parts[0], column: parts[1]) : nil
  }
}
