import Synchronization

/// The texts of the statements that a kept query became. Making one takes longer than reading a row.
///
/// A text depends on the query, on the selected columns and on the bounds.
final class StatementTexts: Sendable {
  private struct Known: Sendable {
    let columns: String
    let limit: Int?
    let offset: Int?
    let sql: String
  }

  /// A query has few bounds: a page's, or one object. Bounds that differ each time must not pile up.
  private static let capacity = 4
  private let known = Mutex<[Known]>([])

  func text(columns: String, limit: Int?, offset: Int?) -> String? {
    known.withLock { known in
      known.first { $0.limit == limit && $0.offset == offset && $0.columns == columns }?.sql
    }
  }

  func keep(_ sql: String, columns: String, limit: Int?, offset: Int?) {
    known.withLock { known in
      if known.count == Self.capacity { known.removeFirst() }
      known.append(Known(columns: columns, limit: limit, offset: offset, sql: sql))
    }
  }
}
