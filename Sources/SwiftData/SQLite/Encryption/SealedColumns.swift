import Foundation

/// Triggers that refuse plain cells in encrypted columns, as a program would write that opened the file before.
///
/// SQLite's columns have no types that could refuse them, and a reader takes a plain cell for the value.
enum SealedColumns {
  private static let prefix = "_swiftdata_sealed_"
  /// The start of the triggers' message. The table and the column follow.
  private static let message = "SwiftData sealed: "

  /// Makes the triggers of columns whose cells are encrypted.
  static func guarding(_ columns: [EncryptedColumn], _ database: SQLiteDatabase) throws {
    let mark = KeyRing.mark.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    for column in columns {
      let name = EncryptedColumn.name(column.table, column.column)
      let cell = column.column.quotedIdentifier
      for event in ["INSERT", "UPDATE OF \(cell)"] {
        // No derived table has a name with this end.
        let trigger = "\(prefix)\(event.prefix(6).lowercased())_\(name)_sealed"
        try database.execute(
          "CREATE TRIGGER \(trigger.quotedIdentifier) BEFORE \(event) ON \(column.table.quotedIdentifier)"
            + " WHEN NEW.\(cell) IS NOT NULL AND substr(NEW.\(cell), 1, \(KeyRing.mark.count)) IS NOT x'\(mark)'"
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

  /// The error for the message of a trigger, or nil for another message.
  static func error(of text: String, _ layout: StoreLayout?, place: String, sql: String?) -> SwiftDataError? {
    guard text.hasPrefix(message) else { return nil }
    // No name of a table contains a dot.
    let parts = text.dropFirst(message.count).split(separator: ".", maxSplits: 1).map(String.init)
    let property = parts.count == 2 ? layout?.property(ofColumn: parts[1], in: parts[0]) : nil
    return SwiftDataError(
      .newerSchema, entity: property?.entity ?? parts.first, property: property?.name ?? parts.last,
      message:
        "another program encrypts it since this program opened \(place); end this program, and start it with models"
        + " that agree and with the key. Nothing was saved", sql: sql)
  }
}
