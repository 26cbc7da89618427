import Foundation

extension HistoryRecorder {
  /// - Returns: the number of the transaction, or nil if nothing changed.
  @discardableResult
  mutating func write(to connection: SQLiteConnection, author: String?) throws -> Int64? {
    guard !isEmpty else { return nil }
    let blocks = try makeBlocks()
    try connection.write(HistoryTables.insertion) { writer in
      try writer.real(Date().timeIntervalSinceReferenceDate)
      if let author { try writer.text(author) } else { try writer.null() }
      try writer.text(Self.program)
      try writer.text(Self.process)
      try writer.text(blocks[0].json)
    }
    let transaction = connection.lastInsertedKey
    for block in blocks.dropFirst() {
      try connection.write(HistoryTables.insertionOfBlock) { writer in
        try writer.integer(transaction << 32 + block.place)
        try writer.text(block.json)
      }
    }
    return transaction
  }

  /// Writes the history, and occasionally deletes transactions beyond the store's retention.
  mutating func write(to connection: SQLiteConnection, author: String?, trimming store: SQLiteStore) throws {
    let number = try write(to: connection, author: author)
    connection.historyTransaction = number
    if let number, number.isMultiple(of: 1000) { try HistoryReader(store: store).trim(connection) }
  }
}

extension SQLiteConnection {
  /// Reserves numbers from a counter of the store, which never reuses one.
  /// - Returns: the first number.
  func takeNumbers(_ counter: String, _ count: Int64) throws -> Int64 {
    let last = try rows(
      SQLFragment(
        "INSERT INTO _swiftdata_keys (entity, last) VALUES (?, ?)"
          + " ON CONFLICT (entity) DO UPDATE SET last = last + excluded.last RETURNING last",
        [.text(counter), .integer(count)])
    ) { $0.integer(0) }[0]
    return last &- count &+ 1
  }
}
