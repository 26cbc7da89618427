/// The texts of the statements that a kept query became, and what they taught. Making one takes longer than reading a row.
///
/// A text depends on the query, on the selected columns and on the bounds.
final class StatementTexts: Sendable {
  private struct Known: Sendable {
    let columns: String
    let limit: Int?
    let offset: Int?
    let isBackwards: Bool
    let sql: String
  }

  private struct State: Sendable {
    var known: [Known] = []
    /// How often rows were read backwards, and how often that saved nothing.
    var (reads, vain) = (0, 0)
    /// Whether the database sorted rows that an index was to return backwards.
    var isSorted = false
  }

  /// A query has few bounds: a page's, or one object. Bounds that differ each time must not pile up.
  private static let capacity = 4
  /// The columns of a row that order it, if the rows can be read backwards (``TiedRuns``).
  private let order: [Int32]
  private let state = Lock(State())

  init(order: [Int32]) { self.order = order }

  func text(columns: String, limit: Int?, offset: Int?, isBackwards: Bool) -> String? {
    state.withLock { state in
      state.known.first {
        $0.limit == limit && $0.offset == offset && $0.isBackwards == isBackwards && $0.columns == columns
      }?.sql
    }
  }

  func keep(_ sql: String, columns: String, limit: Int?, offset: Int?, isBackwards: Bool) {
    state.withLock { state in
      if state.known.count == Self.capacity { state.known.removeFirst() }
      state.known.append(Known(columns: columns, limit: limit, offset: offset, isBackwards: isBackwards, sql: sql))
    }
  }

  // MARK: - Reading backwards

  /// The columns of a row that order it if reading backwards is possible, and pays as far as is known.
  var backwardsOrder: [Int32]? {
    if order.isEmpty { return nil }
    return state.withLock { $0.isSorted || $0.vain * 8 > $0.reads + 8 } ? nil : order
  }

  /// - Parameters:
  ///   - isVain: whether the rows had to be read again.
  ///   - isSorted: whether the database sorted them.
  func noteBackwards(isVain: Bool, isSorted: Bool) {
    state.withLock { state in
      state.reads += 1
      if isVain { state.vain += 1 }
      state.isSorted = isSorted
    }
  }
}
