import Foundation

/// An update of the rows of a query in one transaction.
package struct BatchUpdate {
  let query: StoreQuery
  package let columns: [AssignedColumn]
  package let editing: EditingState
  /// The store's ``SQLStore/textChanges`` before the query was made.
  let textChanges: Int
  package var table: EntityTable { query.table }
  /// Whether the values of a row come from other rows too.
  package var readsOtherRows: Bool { !query.valueJoins.isEmpty || !query.reads.values.related.isEmpty }

  /// Text outside normal form C came to a column whose text the query compares byte by byte. Nothing was changed, and the query has to be
  /// made again.
  struct TextMovedOn: Error {}

  init(query: StoreQuery, columns: [AssignedColumn], editing: EditingState, textChanges: Int) {
    (self.query, self.textChanges) = (query, textChanges)
    // The last assignment to a property wins.
    self.columns = columns.enumerated().filter { index, column in
      !columns[(index + 1)...].contains { $0.property === column.property }
    }.map { $0.element.encoded(for: query.table) }
    self.editing = editing
  }

  /// The error for rows without a value.
  package func failure(_ count: Int) -> SwiftDataError {
    let names = columns.filter { $0.failure != nil }.map(\.property.name).joined(separator: ", ")
    return LoweredValue.failure(table.entity, "the new value of \(names)", count: count)
  }

  /// Selects for each row its key as `pk`, the new value of each non-constant column as `c0`, `c1`, … by its index, and
  /// `failed` if the row has no value.
  package var rows: SQLFragment {
    let computed = columns.enumerated().filter { !$0.element.isConstant }
    let failures = columns.compactMap(\.failure)
    let failed = failures.map { "(\($0))" as SQLFragment }
    let values: [SQLFragment] =
      ["t0._pk AS pk"] + computed.map { "\($0.element.value) AS \("c\($0.offset)")" }
      + [failed.isEmpty ? "FALSE AS failed" : "(\(failed.disjunction)) IS TRUE AS failed"]
    return query.statement(values.list, ordered: false, joining: query.valueJoins)
  }
}
