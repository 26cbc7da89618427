import FirestoreClient

/// Runs a structured query over documents in memory.
struct QueryRun {
  private typealias Criterion = (path: FirestoreFieldPath, isDescending: Bool)

  private let query: FirestoreQuery
  private let order: [Criterion]

  /// - Throws: ``FirestoreError`` with status `invalidArgument` for what Firestore would not run either.
  init(_ query: FirestoreQuery) throws {
    self.query = query
    self.order = try Self.order(of: query)
    if let count = [query.startAt, query.endAt].compactMap({ $0?.values?.count }).max(), count > order.count {
      throw FirestoreError(.invalidArgument, "a cursor has more values than there are fields in the order")
    }
    if (query.limit ?? 0) < 0 || (query.offset ?? 0) < 0 {
      throw FirestoreError(.invalidArgument, "limit and offset are 0 or more")
    }
  }

  /// The documents that match, in order, with the fields that are asked for.
  func results(of documents: [FirestoreDocument]) throws -> [FirestoreDocument] {
    var found = try documents.filter { document in
      try order.allSatisfy { FieldAccess.value($0.path, in: document) != nil }
        && query.where.map { try FilterRun.matches($0, document) } ?? true
    }
    found.sort { compare($0, $1) == .less }
    if let start = query.startAt {
      found = try found.filter { document in
        let place = try compare(document, start)
        return place == .greater || (place == .equal && start.before == true)
      }
    }
    if let end = query.endAt {
      found = try found.filter { document in
        let place = try compare(document, end)
        return place == .less || (place == .equal && end.before != true)
      }
    }
    found.removeFirst(min(found.count, query.offset ?? 0))
    if let limit = query.limit { found = Array(found.prefix(limit)) }
    return try query.select.map { select in try found.map { try project($0, select) } } ?? found
  }

  private func project(_ document: FirestoreDocument, _ select: FirestoreQuery.Projection) throws -> FirestoreDocument {
    var result = document
    result.fields = [:]
    for field in select.fields ?? [] where field.fieldPath != "__name__" {
      let path = try FieldAccess.path(field.fieldPath)
      if let value = FieldAccess.value(path, in: document) {
        FieldAccess.set(value, at: path.segments[...], in: &result.fields)
      }
    }
    return result
  }

  // MARK: - The order

  /// What is asked for, then the fields of inequalities, then the name, in the last one's direction.
  private static func order(of query: FirestoreQuery) throws -> [Criterion] {
    var order = try (query.orderBy ?? []).map {
      (path: try FieldAccess.path($0.field.fieldPath), isDescending: $0.direction == .descending)
    }
    let isDescending = order.last?.isDescending ?? false
    let inequalities = query.where.map(FilterRun.inequalities) ?? []
    for text in Set(inequalities).subtracting(order.map(\.path.description)).sorted() {
      order.append((try FieldAccess.path(text), isDescending))
    }
    if !order.contains(where: { $0.path.segments == ["__name__"] }) {
      order.append((FirestoreFieldPath("__name__"), isDescending))
    }
    return order
  }

  private func compare(_ left: FirestoreDocument, _ right: FirestoreDocument) -> ValueOrder.Result {
    for (path, isDescending) in order {
      guard let left = FieldAccess.value(path, in: left), let right = FieldAccess.value(path, in: right) else {
        continue
      }
      let result = isDescending ? ValueOrder.compare(right, left) : ValueOrder.compare(left, right)
      if result != .equal { return result }
    }
    return .equal
  }

  private func compare(_ document: FirestoreDocument, _ cursor: FirestoreQuery.Cursor) throws -> ValueOrder.Result {
    for ((path, isDescending), bound) in zip(order, cursor.values ?? []) {
      guard let value = FieldAccess.value(path, in: document) else { continue }
      let result = isDescending ? ValueOrder.compare(bound, value) : ValueOrder.compare(value, bound)
      if result != .equal { return result }
    }
    return .equal
  }
}
