import FirestoreProtocol

/// Computes counts, sums and averages over the results of a query. (REST API v1, `StructuredAggregationQuery`.)
struct AggregationRun: Decodable {
  private struct Aggregation: Decodable {
    struct Count: Decodable {
      /// A 64-bit integer, which JSON encodes as a string.
      let upTo: String?
    }
    struct Field: Decodable { let field: FirestoreQuery.FieldReference }

    let alias: String?
    let count: Count?
    let sum: Field?
    let avg: Field?
  }

  let structuredQuery: FirestoreQuery
  private let aggregations: [Aggregation]

  /// The results by alias. Aggregations without an alias are named `field_1`, `field_2`, … in order.
  /// - Throws: ``FirestoreError`` with status `invalidArgument`.
  func results(of found: [FirestoreDocument]) throws -> [String: FirestoreValue] {
    guard (1...5).contains(aggregations.count) else {
      throw FirestoreError(.invalidArgument, "an aggregation query has one to five aggregations")
    }
    var results = [String: FirestoreValue]()
    var nameless = 0
    for aggregation in aggregations {
      var alias = aggregation.alias ?? ""
      if alias.isEmpty {
        nameless += 1
        alias = "field_\(nameless)"
      }
      guard results.updateValue(try value(aggregation, found), forKey: alias) == nil else {
        throw FirestoreError(.invalidArgument, "two aggregations have the alias \(alias)")
      }
    }
    return results
  }

  private func value(_ aggregation: Aggregation, _ found: [FirestoreDocument]) throws -> FirestoreValue {
    if let count = aggregation.count {
      let limit = try count.upTo.map { try RequestHandler.number($0, in: 1...Int.max, field: "upTo") } ?? .max
      return .integer(Int64(min(found.count, limit)))
    }
    if let sum = aggregation.sum { return try numbers(sum, found).sum }
    if let average = aggregation.avg {
      let numbers = try numbers(average, found)
      return numbers.count == 0 ? .null : .double(numbers.total / Double(numbers.count))
    }
    throw FirestoreError(.invalidArgument, "an aggregation is count, sum or avg")
  }

  /// The numbers among the values. A sum of integers is an integer unless it overflows 64 bits.
  private func numbers(
    _ field: Aggregation.Field, _ found: [FirestoreDocument]
  ) throws -> (sum: FirestoreValue, total: Double, count: Int) {
    let path = try FieldAccess.path(field.field.fieldPath)
    var (whole, total, count) = (Int64(0) as Int64?, 0.0, 0)
    for document in found {
      switch FieldAccess.value(path, in: document) {
      case .integer(let number)?:
        whole = whole.flatMap { sum in
          let (next, overflows) = sum.addingReportingOverflow(number)
          return overflows ? nil : next
        }
        total += Double(number)
      case .double(let number)?:
        whole = nil
        total += number
      default: continue
      }
      count += 1
    }
    return (whole.map { .integer($0) } ?? .double(total), total, count)
  }
}
