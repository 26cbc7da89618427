import Foundation

/// The ties of a descending order, in rows that a statement reads backwards from an index.
///
/// A fetch orders rows with equal sort keys by their primary keys. An index that is read backwards has them in the reverse
/// order, so SQLite would sort the rows of each sort key. A fetch takes them in the order of the index, and reverses the
/// objects of each sort key.
///
/// A limit may cut the rows of the last sort key. Then the statement returned the wrong ones of them. The statement therefore
/// returns one row more, which shows it.
struct TiedRuns {
  private let columns: [Int32]
  /// The sort keys of the last row.
  private var last: [SortKey?]

  init(_ columns: [Int32]) {
    self.columns = columns
    last = Array(repeating: nil, count: columns.count)
  }

  /// The columns that order the rows of a query, if its order can be read backwards: each term is a selected column, and
  /// descends. Empty if it cannot.
  static func order(of query: LoweredQuery, _ table: EntityTable) -> [Int32] {
    guard !query.order.isEmpty, query.orderJoins.isEmpty, query.order.allSatisfy(\.isDescending) else { return [] }
    let first: Int32 = table.hasDiscriminator ? 2 : 1
    let positions = query.order.map { term in
      table.columns.firstIndex { "t0." + $0.quotedIdentifier == term.expression.sql }.map { Int32($0) + first }
    }
    return positions.contains(nil) ? [] : positions.compactMap(\.self)
  }

  /// Whether the current row has the sort keys of the row before.
  mutating func takes(_ row: SQLRows) -> Bool {
    var isEqual = true
    for index in columns.indices {
      let key = SortKey(row, columns[index])
      if last[index] != key { isEqual = false }
      last[index] = key
    }
    return isEqual
  }
}

/// A cell as SQLite's order compares it: texts byte by byte, numbers by value.
private struct SortKey: Equatable {
  private let kind: __CellKind
  private var number: Int64 = 0
  private var bytes: Data?

  init(_ row: SQLRows, _ column: Int32) {
    switch row.kind(column) {
    case .null: kind = .null
    case .integer: (kind, number) = (.integer, row.int64(column))
    case .real:
      let real = row.double(column)
      // A whole number is the same whether it is stored as an integer or not.
      if let whole = Int64(exactly: real) {
        (kind, number) = (.integer, whole)
      } else {
        (kind, number) = (.real, Int64(bitPattern: real.bitPattern))
      }
    case .text: (kind, bytes) = (.text, Data(row.string(column).utf8))
    case .blob: (kind, bytes) = (.blob, row.data(column))
    }
  }
}

extension QueryExecutor {
  /// Reads the objects of a descending fetch with a limit backwards. Returns false if the query's own statement must run.
  func loadBackwards(
    _ query: StoreQuery, _ connection: any SQLConnection, into result: inout FetchedObjects
  ) throws -> Bool {
    guard let limit = query.limit, let order = query.backwardsOrder, query.dialect.readsBackwards else { return false }
    var backwards = query
    backwards.isBackwards = true
    backwards.limit = limit + 1
    let table = query.table
    var isCut = false
    try connection.run(backwards.select, of: table, entity: table.entity) { rows in
      let decoder = RowDecoder(rows, table: table, context: context)
      var runs = TiedRuns(order)
      var start = 0
      while try rows.next() {
        let isTied = runs.takes(rows)
        if result.count == limit {
          isCut = isTied
          break
        }
        if !isTied {
          result.reverse(from: start)
          start = result.count
        }
        result.append(try decoder.decodeAny())
      }
      result.reverse(from: start)
      query.noteBackwards(isVain: isCut, isSorted: rows.isSorted)
    }
    if isCut { result.removeAll() }
    return !isCut
  }
}
