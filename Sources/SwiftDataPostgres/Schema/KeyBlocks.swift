import SwiftData
import Synchronization

/// The keys of new rows, of which the server hands out blocks, so that a save seldom has to ask.
///
/// A key is never given twice; what is left of a block when the program ends is not used.
final class KeyBlocks: Sendable {
  static let size: Int64 = 64

  /// What is left of the last block of each table.
  private let rest = Mutex<[String: Range<Int64>]>([:])

  /// Takes keys, ascending.
  /// - Complexity: at most one statement.
  func take(_ count: Int, for table: String, _ connection: PostgresConnection) throws -> [Int64] {
    var keys = [Int64]()
    keys.reserveCapacity(count)
    rest.withLock { rest in
      guard let range = rest[table] else { return }
      let taken = range.prefix(count)
      keys += taken
      rest[table] = taken.endIndex..<range.upperBound
    }
    guard keys.count < count else { return keys }
    let blocks = (Int64(count - keys.count) + Self.size - 1) / Self.size
    let result = try connection.run(
      "SELECT nextval($1::text::regclass) FROM generate_series(1, $2::bigint)",
      [.text(ServerNames.keys(of: table).quotedIdentifier), .integer(blocks)])
    for row in 0..<result.count {
      let first = result.integer(row, 0)
      let taken = (first..<first + Self.size).prefix(count - keys.count)
      keys += taken
      if taken.endIndex < first + Self.size {
        rest.withLock { rest in
          // Another thread may have left some too; one rest is enough.
          rest[table] = taken.endIndex..<first + Self.size
        }
      }
    }
    return keys.sorted()
  }
}
