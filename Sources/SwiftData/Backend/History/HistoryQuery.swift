import Foundation

/// Reads the transactions that a descriptor selects from a database.
///
/// A fetch reads heads, which are transactions without their changes. It reads them in the descriptor's order and only
/// as many as the limit asks for, if the database has that order. It reads changes only of selected transactions, unless
/// the descriptor examines changes.
package struct HistoryQuery {
  package typealias Transaction = DefaultHistoryTransaction

  /// A database's expressions for the properties of a transaction.
  package struct Columns: Sendable {
    let number: String
    let timestamp: String?
    let author: String?
    let authorBytes: String?

    /// - Parameters:
    ///   - timestamp: a floating-point number, or nil if the database may have other values.
    ///   - author: nil if the database cannot compare it.
    ///   - authorBytes: the number of bytes of the author in UTF-8.
    package init(number: String, timestamp: String? = nil, author: String? = nil, authorBytes: String? = nil) {
      (self.number, self.timestamp, self.author, self.authorBytes) = (number, timestamp, author, authorBytes)
    }
  }

  /// The maximum number of transactions that one statement reads.
  private static let page = 500

  private let descriptor: HistoryDescriptor<Transaction>
  private let columns: Columns
  private let bounds: HistoryBounds
  private let readHeads: (SQLFragment) throws -> [Transaction]
  private let readChanges: ([Int64]) throws -> [Int64: [HistoryChange]]
  /// Whether the predicate and the order need no changes.
  private let isDecidedByHeads: Bool

  /// - Parameters:
  ///   - heads: reads heads. Its argument is the statement from `WHERE` on.
  ///   - changes: reads the changes of transactions by number.
  package init(
    _ descriptor: HistoryDescriptor<Transaction>, _ bounds: HistoryBounds, _ columns: Columns,
    heads: @escaping (SQLFragment) throws -> [Transaction],
    changes: @escaping ([Int64]) throws -> [Int64: [HistoryChange]]
  ) {
    (self.descriptor, self.bounds, self.columns) = (descriptor, bounds, columns)
    (readHeads, readChanges) = (heads, changes)
    isDecidedByHeads =
      HeadExpression.isDecided(descriptor.predicate)
      && descriptor.sortBy.allSatisfy { $0.keyPath.map(HeadExpression.isOfHead) ?? false }
  }

  /// The selected transactions in order.
  package func transactions() throws -> [Transaction] {
    let found = try selected()
    return isDecidedByHeads ? try completed(found) : found
  }

  /// The numbers of the selected transactions.
  package func numbers() throws -> [Int64] { try selected().map(\.transactionIdentifier) }

  // MARK: - Selecting

  private func selected() throws -> [Transaction] {
    let limit = descriptor.fetchLimit > 0 ? Int(clamping: descriptor.fetchLimit) : Int.max
    guard let first = descriptor.sortBy.first else { return try pages(limit) }
    // A number occurs once, so later terms of the order have no effect.
    if isNumber(first) { return try pages(limit, isDescending: first.order == .reverse) }
    if let order = timeOrder, bounds.isExact, limit < Int.max {
      return try readHeads(
        numbers(bounds.after, bounds.through) + order + SQLFragment(" LIMIT ?", [.integer(Int64(limit))]))
    }
    return Array(try pages(.max).sorted(using: descriptor.sortBy).prefix(limit))
  }

  /// The first selected transactions in the order of their numbers.
  private func pages(_ limit: Int, isDescending: Bool = false) throws -> [Transaction] {
    var result = [Transaction]()
    var (after, through) = (bounds.after, bounds.through)
    var size = min(limit, Self.page)
    while result.count < limit, after < through {
      let found = try readHeads(
        numbers(after, through)
          + SQLFragment(
            " ORDER BY \(columns.number)\(isDescending ? " DESC" : "") LIMIT ?", [.integer(Int64(size))]))
      for transaction in isDecidedByHeads ? found : try completed(found)
      where try descriptor.predicate?.evaluate(transaction) ?? true {
        result.append(transaction)
      }
      guard found.count == size, let last = found.last?.transactionIdentifier else { break }
      guard !isDescending || last > .min else { break }
      if isDescending { through = last - 1 } else { after = last }
      // A predicate that takes few transactions reads many of them.
      size = min(size * 2, Self.page)
    }
    return Array(result.prefix(limit))
  }

  private func isNumber(_ term: SortDescriptor<Transaction>) -> Bool {
    // The tokens of one store are in the order of their numbers.
    [\Transaction.transactionIdentifier, \.token, \.id].contains(term.keyPath)
  }

  /// `ORDER BY` for an order by time, or nil if the descriptor has another.
  private var timeOrder: SQLFragment? {
    guard let column = columns.timestamp, let first = descriptor.sortBy.first, first.keyPath == \Transaction.timestamp
    else { return nil }
    let next = descriptor.sortBy.dropFirst().first
    if let next, !isNumber(next) { return nil }
    func direction(_ term: SortDescriptor<Transaction>?) -> String { term?.order == .reverse ? " DESC" : "" }
    // Without a further term, a sort in Swift leaves transactions of one time in the order of their numbers.
    return SQLFragment(" ORDER BY \(column)\(direction(first)), \(columns.number)\(direction(next))")
  }

  /// `WHERE` for the transactions with greater numbers than `after`, up to `through`, that may match.
  private func numbers(_ after: Int64, _ through: Int64) -> SQLFragment {
    var result: SQLFragment =
      "WHERE \(columns.number) > \(bind: .integer(after)) AND \(columns.number) <= \(bind: .integer(through))"
    if let column = columns.timestamp {
      for time in bounds.times { result.append(" AND \(column) \(time.operator) \(bind: .real(time.seconds))") }
    }
    if let author = bounds.author, let column = columns.author, let bytes = columns.authorBytes {
      // Swift compares by canonical equivalence. The predicate decides about an author that is not ASCII.
      let text = SQLValue.text(SwiftText.nfc(author))
      result.append(" AND (\(column) = \(bind: text) OR length(\(column)) <> \(bytes))")
    }
    return result
  }

  // MARK: - Changes

  private func completed(_ heads: [Transaction]) throws -> [Transaction] {
    var result = [Transaction]()
    for start in stride(from: 0, to: heads.count, by: Self.page) {
      let page = heads[start..<min(start + Self.page, heads.count)]
      let changes = try readChanges(page.map(\.transactionIdentifier))
      result += page.map { $0.with(changes[$0.transactionIdentifier] ?? []) }
    }
    return result
  }
}
