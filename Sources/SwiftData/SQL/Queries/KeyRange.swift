/// A contiguous part of a query's order, which an index can seek to.
struct KeyRange {
  let condition: SQLFragment
  /// The terms of the query's order that vary within the range.
  let order: [OrderTerm]
}

extension StoreQuery {
  /// The key ranges, or one nil for all rows.
  var rangesOrWhole: [KeyRange?] { ranges ?? [nil] }

  /// The statement for a key range, or nil if enough rows were read.
  func select(_ range: KeyRange?, after count: Int) -> SQLFragment? {
    guard let range else { return select }
    var query = self
    query.limit = limit.map { $0 - count }
    if query.limit == 0 { return nil }
    query.restrictions.append(range.condition)
    query.order = range.order
    return query.select
  }

  /// With several statements, the offset is applied to their combined rows.
  /// - Returns: the number of rows to skip.
  mutating func moveOffsetToLimit() -> Int {
    defer { offset = nil }
    guard let offset else { return 0 }
    let (sum, overflow) = (limit ?? .max).addingReportingOverflow(offset)
    limit = limit == nil || overflow ? nil : sum
    return offset
  }

  /// The rows after a position in the order: first rows that differ by key only, then rows that differ in the last term
  /// and share the others, and so on to rows that differ in the first term.
  static func ranges(order: [OrderTerm], after values: [SQLValue], key: Int64) -> [KeyRange] {
    let all = order
    func range(sharing count: Int, where own: SQLFragment, order: ArraySlice<OrderTerm>) -> KeyRange {
      let shared = zip(all, values).prefix(count).map { $0.isEqual(to: $1) }
      return KeyRange(condition: (shared + [own]).conjunction, order: Array(order))
    }
    var result = [range(sharing: order.count, where: "t0._pk > \(bind: .integer(key))", order: order.suffix(0))]
    for index in order.indices.reversed() {
      let operand = order[index].operand
      switch (values[index], order[index].isDescending) {
      // NULL is first, so in reverse nothing follows it.
      case (.null, true): break
      case (.null, false):
        result.append(range(sharing: index, where: "\(operand) IS NOT NULL", order: order[index...]))
      case (let value, let isDescending):
        let follows: SQLFragment = isDescending ? "\(operand) < \(bind: value)" : "\(operand) > \(bind: value)"
        result.append(range(sharing: index, where: follows, order: order[index...]))
        guard isDescending else { continue }
        result.append(range(sharing: index, where: "\(operand) IS NULL", order: order[(index + 1)...]))
      }
    }
    return result
  }
}
