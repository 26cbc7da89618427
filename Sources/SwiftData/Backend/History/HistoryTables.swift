import Foundation

/// The tables of the history.
///
/// A transaction is one row with its first block of changes (``HistoryBlocks``). Further blocks have rows of their own.
/// Numbers of transactions increase and are never reused: `_swiftdata_keys` records the newest deleted one.
package enum HistoryTables {
  package static let creationStatements = [
    """
    CREATE TABLE IF NOT EXISTS _swiftdata_history (
      id INTEGER PRIMARY KEY NOT NULL, timestamp REAL NOT NULL, author TEXT, program TEXT NOT NULL,
      process TEXT NOT NULL, changes TEXT NOT NULL
    )
    """,
    "CREATE TABLE IF NOT EXISTS _swiftdata_changes (id INTEGER PRIMARY KEY NOT NULL, changes TEXT NOT NULL)",
  ]

  /// The counter with the newest deleted transaction.
  package static let deleted = "_swiftdata_history"

  /// The number of the newest transaction, including deleted ones; 0 before the first.
  static let newest = newestNumber(in: "")

  /// - Parameter prefix: the name under which the connection has the store, and a dot.
  static func newestNumber(in prefix: String) -> String {
    "max(ifnull((SELECT max(id) FROM \(prefix)_swiftdata_history), 0),"
      + " ifnull((SELECT last FROM \(prefix)_swiftdata_keys WHERE entity = \(deleted.quotedLiteral)), 0))"
  }

  /// Takes a transaction in and gives it a number, which is its row's. RETURNING would cost as much as the insertion:
  /// SQLite makes a temporary table for it. It makes one for `INSERT … SELECT` from the same table too, but not for a
  /// subquery among the values.
  static let insertion =
    "INSERT INTO _swiftdata_history (id, timestamp, author, program, process, changes)"
    + " VALUES (\(newest) + 1, ?, ?, ?, ?, ?)"

  static let insertionOfBlock = "INSERT INTO _swiftdata_changes (id, changes) VALUES (?, ?)"

  /// The condition for the further blocks of a range of transactions, inclusive. Their numbers contain the numbers of the
  /// transactions, so no save has to write an index.
  static func blocks(from first: String, to last: String) -> String {
    "_swiftdata_changes.id >= \(first) << 32 AND _swiftdata_changes.id < (\(last) + 1) << 32"
  }

  /// All blocks of a range of transactions, inclusive, in order, with their numbers and texts.
  static let allBlocks =
    "SELECT id << 32, changes FROM _swiftdata_history WHERE id BETWEEN ?1 AND ?2 UNION ALL"
    + " SELECT id, changes FROM _swiftdata_changes WHERE \(blocks(from: "?1", to: "?2")) ORDER BY 1"

  /// All blocks of the transactions in two equal JSON lists, in order, with their numbers and texts.
  static let blocksOfList =
    "SELECT h.id << 32, h.changes FROM json_each(?) AS wanted CROSS JOIN _swiftdata_history AS h ON h.id = wanted.value"
    + " UNION ALL SELECT _swiftdata_changes.id, _swiftdata_changes.changes FROM json_each(?) AS wanted"
    + " CROSS JOIN _swiftdata_changes ON \(blocks(from: "wanted.value", to: "wanted.value")) ORDER BY 1"

  // MARK: - Renaming

  /// Renames a class in the history.
  static func rename(class former: String, to name: String, _ database: SQLiteDatabase) throws {
    try replaceEntries(
      database, where: "json_extract(value, '$.class') = ?2", by: "json_set(value, '$.class', ?1)",
      [.text(name), .text(former)])
  }

  /// Renames properties of a class in the history, all at once, so that two can exchange their names.
  /// - Parameter names: the new names by the old ones.
  static func rename(_ names: [String: String], of name: String, _ database: SQLiteDatabase) throws {
    guard !names.isEmpty else { return }
    let list = String(decoding: try JSONCoding.encode(names), as: UTF8.self)
    // ?1 the new names by the old ones, ?2 the class. Two names in one object would need a path with quotes.
    let isOfClass = "json_extract(value, '$.class') = ?2"
    let isRenamed = "IN (SELECT key FROM json_each(?1))"
    try replaceEntries(
      database,
      where: isOfClass + " AND EXISTS (SELECT 1 FROM json_each(entry.value, '$.properties') WHERE value \(isRenamed))",
      by: "json_set(value, '$.properties', (SELECT json_group_array("
        + "ifnull((SELECT n.value FROM json_each(?1) AS n WHERE n.key = p.value), p.value))"
        + " FROM json_each(entry.value, '$.properties') AS p))",
      [.text(list), .text(name)])
    // `->` hands a number on as it is written. json_extract would round it.
    try replaceEntries(
      database,
      where: isOfClass + " AND EXISTS (SELECT 1 FROM json_each(entry.value, '$.tombstone') WHERE key \(isRenamed))",
      by: "json_set(value, '$.tombstone', (SELECT json_group_object("
        + "ifnull((SELECT n.value FROM json_each(?1) AS n WHERE n.key = t.key), t.key),"
        + " json(entry.value -> t.fullkey)) FROM json_each(entry.value, '$.tombstone') AS t))",
      [.text(list), .text(name)])
  }

  /// Removes the preserved values of properties of a class from the history.
  static func forget(_ names: Set<String>, of name: String, _ database: SQLiteDatabase) throws {
    guard !names.isEmpty else { return }
    let list = String(decoding: try JSONCoding.encode(names.sorted()), as: UTF8.self)
    // ?1 the properties, ?2 the class.
    let isForgotten = "IN (SELECT value FROM json_each(?1))"
    try replaceEntries(
      database,
      where: "json_extract(value, '$.class') = ?2"
        + " AND EXISTS (SELECT 1 FROM json_each(entry.value, '$.tombstone') WHERE key \(isForgotten))",
      by: "CASE WHEN EXISTS (SELECT 1 FROM json_each(entry.value, '$.tombstone') WHERE key NOT \(isForgotten))"
        + " THEN json_set(value, '$.tombstone', (SELECT json_group_object(t.key, json(entry.value -> t.fullkey))"
        + " FROM json_each(entry.value, '$.tombstone') AS t WHERE t.key NOT \(isForgotten)))"
        + " ELSE json_remove(value, '$.tombstone') END",
      [.text(list), .text(name)])
  }

  private static func replaceEntries(
    _ database: SQLiteDatabase, where condition: String, by entry: String, _ arguments: [SQLValue]
  ) throws {
    for table in ["_swiftdata_history", "_swiftdata_changes"] {
      try database.run(
        "UPDATE \(table) SET changes = (SELECT json_group_array(json(CASE WHEN \(condition) THEN \(entry)"
          + " ELSE value END)) FROM json_each(changes) AS entry)"
          + " WHERE EXISTS (SELECT 1 FROM json_each(changes) AS entry WHERE \(condition))",
        arguments)
    }
  }

  // MARK: - Format 1

  /// Converts the history of a format 1 store, which had one row per run.
  static func convert(_ database: SQLiteDatabase) throws {
    for name in ["_swiftdata_history", "_swiftdata_changes"] {
      try database.execute("ALTER TABLE \(name) RENAME TO \(name)_1")
    }
    for statement in creationStatements { try database.execute(statement) }
    _ = try database.rows(
      "SELECT id, timestamp, author, program, process FROM _swiftdata_history_1 ORDER BY id"
    ) { row in
      let id = row.integer(0)
      let runs = try database.rows(
        "SELECT kind, entity, key, count, properties, tombstone FROM _swiftdata_changes_1"
          + " WHERE history = ? ORDER BY id", [.integer(id)]
      ) { HistoryRecorder.Run($0.values) }
      let blocks = try HistoryBlocks(runs.compactMap(\.self)).blocks
      try database.run(
        "INSERT INTO _swiftdata_history VALUES (?, ?, ?, ?, ?, ?)", row.values + [.text(blocks.first?.json ?? "[]")])
      for block in blocks.dropFirst() {
        try database.run(insertionOfBlock, [.integer(id << 32 + block.place), .text(block.json)])
      }
    }
    for name in ["_swiftdata_history", "_swiftdata_changes"] { try database.execute("DROP TABLE \(name)_1") }
  }
}

extension HistoryRecorder.Run {
  /// A row of format 1, or nil if it is not one.
  fileprivate init?(_ row: [SQLValue]) {
    guard case .integer(let number) = row[0], let kind = HistoryRecorder.Kind(rawValue: number),
      case .text(let entity) = row[1], case .integer(let first) = row[2], case .integer(let count) = row[3]
    else { return nil }
    var names: [String]?
    if case .text(let text) = row[4] { names = try? JSONCoding.decode([String].self, from: Data(text.utf8)) }
    var tombstone: String?
    if case .text(let text) = row[5] { tombstone = text }
    self.init(kind: kind, entity: entity, first: first, count: count, properties: names, tombstone: tombstone)
  }
}
