import FirestoreProtocol

/// Runs a structured query over documents in memory.
struct QueryRun {
  private struct Criterion {
    let path: FirestoreFieldPath
    let isDescending: Bool
  }
  /// A document with its values of the sort criteria.
  private struct Candidate {
    let document: FirestoreDocument
    let values: [FirestoreValue]
  }

  private let query: FirestoreQuery
  private let filter: DocumentFilter?
  private let order: [Criterion]
  private let projection: [FirestoreFieldPath]?

  /// - Throws: ``FirestoreError`` with status `invalidArgument` for a query that Firestore rejects too.
  init(_ query: FirestoreQuery) throws {
    self.query = query
    filter = try query.where.map { try DocumentFilter($0) }
    order = try Self.order(of: query)
    projection = try query.select.map { try ($0.fields ?? []).map { try FieldAccess.path($0.fieldPath) } }
    if let count = [query.startAt, query.endAt].compactMap({ $0?.values?.count }).max(), count > order.count {
      throw FirestoreError(.invalidArgument, "a cursor has more values than there are fields in the order")
    }
    if (query.limit ?? 0) < 0 || (query.offset ?? 0) < 0 {
      throw FirestoreError(.invalidArgument, "limit and offset are 0 or more")
    }
  }

  /// The matching documents in order, with the requested fields.
  /// - Complexity: O(n + m log m) for n documents and m matches.
  func results(of documents: [FirestoreDocument]) -> [FirestoreDocument] {
    var found = documents.compactMap { document -> Candidate? in
      guard filter?.matches(document) ?? true else { return nil }
      let values = order.compactMap { FieldAccess.value($0.path, in: document) }
      // A document without a field of the order is not found.
      return values.count == order.count ? Candidate(document: document, values: values) : nil
    }
    found.removeAll { isOutside($0) }
    found.sort { compare($0.values, $1.values) == .less }
    var results = found.dropFirst(query.offset ?? 0)
    if let limit = query.limit { results = results.prefix(limit) }
    return results.map { projected($0.document) }
  }

  private func isOutside(_ candidate: Candidate) -> Bool {
    if let start = query.startAt {
      let place = compare(candidate.values, start.values ?? [])
      if place == .less || (place == .equal && start.before != true) { return true }
    }
    if let end = query.endAt {
      let place = compare(candidate.values, end.values ?? [])
      if place == .greater || (place == .equal && end.before == true) { return true }
    }
    return false
  }

  private func projected(_ document: FirestoreDocument) -> FirestoreDocument {
    guard let projection else { return document }
    return FieldAccess.masked(document, projection.filter { $0.segments != ["__name__"] })
  }

  // MARK: - The order

  /// The explicit criteria, then the fields of inequalities, then the name, in the direction of the last one.
  private static func order(of query: FirestoreQuery) throws -> [Criterion] {
    var order = try (query.orderBy ?? []).map {
      Criterion(path: try FieldAccess.path($0.field.fieldPath), isDescending: $0.direction == .descending)
    }
    let isDescending = order.last?.isDescending ?? false
    let inequalities = query.where.map(DocumentFilter.inequalities) ?? []
    for text in Set(inequalities).subtracting(order.map(\.path.description)).sorted() {
      order.append(Criterion(path: try FieldAccess.path(text), isDescending: isDescending))
    }
    if !order.contains(where: { $0.path.segments == ["__name__"] }) {
      order.append(Criterion(path: FirestoreFieldPath("__name__"), isDescending: isDescending))
    }
    return order
  }

  /// Compares as many values as both have. A cursor may have fewer values than there are criteria.
  private func compare(_ left: [FirestoreValue], _ right: [FirestoreValue]) -> ValueOrder.Result {
    for (criterion, (left, right)) in zip(order, zip(left, right)) {
      let result = criterion.isDescending ? ValueOrder.compare(right, left) : ValueOrder.compare(left, right)
      if result != .equal { return result }
    }
    return .equal
  }
}
