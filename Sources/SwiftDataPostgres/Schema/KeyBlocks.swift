import SwiftData

/// Reserves keys of new rows in blocks, so that a save rarely has to ask the server.
///
/// A key is never reused. The rest of a block is lost when the program ends.
final class KeyBlocks: Sendable {
  static let size: Int64 = 64

  /// The rest of a block.
  struct Rest: Sendable {
    let table: String
    let keys: Range<Int64>
    /// The timeline of the primary that assigned it.
    let timeline: Int64
  }

  /// The rest of each table's last block.
  private let rests = Lock<[String: Rest]>([:])

  /// Reserves keys, ascending.
  /// - Parameters:
  ///   - timeline: the timeline of the primary that assigns new blocks.
  ///   - rest: receives the rests of new blocks. They are kept only if the transaction commits: until then a crash of the
  ///     server may assign the block again.
  ///   - run: runs a statement in the transaction.
  /// - Complexity: at most one statement.
  func take(
    _ count: Int, for table: String, timeline: Int64, rest newRests: inout [Rest],
    _ run: (String, [PostgresParameter]) throws -> PostgresResult
  ) throws -> [Int64] {
    var keys = [Int64]()
    keys.reserveCapacity(count)
    rests.withLock { rests in
      // A server that took over may not know the blocks of the lost one.
      guard let rest = rests[table], rest.timeline == timeline else { return rests[table] = nil }
      let taken = rest.keys.prefix(count)
      keys += taken
      rests[table] = Rest(table: table, keys: taken.endIndex..<rest.keys.upperBound, timeline: rest.timeline)
    }
    guard keys.count < count else { return keys }
    let blocks = (Int64(count - keys.count) + Self.size - 1) / Self.size
    let result = try run(
      "SELECT nextval($1::text::regclass) FROM generate_series(1, $2::bigint)",
      [.text(ServerNames.keys(of: table).quotedIdentifier), .integer(blocks)])
    for row in 0..<result.count {
      let first = result.integer(row, 0)
      guard first > 0, first <= .max - Self.size else {
        throw SwiftDataError(
          .storeDamaged, entity: table,
          message: "the sequence of its keys gave \(first), after which no keys are left; another program set it")
      }
      let taken = (first..<first + Self.size).prefix(count - keys.count)
      keys += taken
      if taken.endIndex < first + Self.size {
        newRests.append(
          Rest(table: table, keys: taken.endIndex..<first + Self.size, timeline: timeline))
      }
    }
    return keys.sorted()
  }

  /// Keeps the rests of a committed transaction's blocks.
  func keep(_ new: [Rest]) {
    guard !new.isEmpty else { return }
    rests.withLock { rests in
      // Another thread may have left some too; one rest is enough. The greatest keys, because lists are in the order of the keys, and
      // a later object must not get a smaller one. A block of another timeline is useless.
      for rest in new {
        if let known = rests[rest.table], known.timeline == rest.timeline,
          known.keys.upperBound > rest.keys.upperBound, !known.keys.isEmpty
        {
          continue
        }
        rests[rest.table] = rest
      }
    }
  }
}
