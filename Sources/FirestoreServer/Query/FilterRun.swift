import FirestoreClient

/// Decides whether a document matches a filter.
enum FilterRun {
  /// - Throws: ``FirestoreError`` with status `invalidArgument` for a filter that makes no sense.
  static func matches(_ filter: FirestoreFilter, _ document: FirestoreDocument) throws -> Bool {
    switch filter {
    case .and(let filters): return try filters.allSatisfy { try matches($0, document) }
    case .or(let filters): return try filters.contains { try matches($0, document) }
    case .unary(let path, let op):
      guard let value = FieldAccess.value(try FieldAccess.path(path), in: document) else { return false }
      switch op {
      case .isNull: return value == .null
      case .isNotNull: return value != .null
      case .isNaN: return ValueOrder.isNaN(value)
      case .isNotNaN: return !ValueOrder.isNaN(value) && value != .null
      }
    case .field(let path, let op, let operand):
      guard let value = FieldAccess.value(try FieldAccess.path(path), in: document) else { return false }
      return try matches(value, op, operand)
    }
  }

  private static func matches(
    _ value: FirestoreValue, _ op: FirestoreFilter.Operator, _ operand: FirestoreValue
  ) throws -> Bool {
    let result = ValueOrder.compare(value, operand)
    // NaN is in no range; null is only in that of itself.
    let isInRange =
      ValueOrder.haveOneType(value, operand) && ValueOrder.isNaN(value) == ValueOrder.isNaN(operand)
    switch op {
    case .equal: return result == .equal
    case .notEqual: return value != .null && result != .equal
    case .lessThan: return isInRange && result == .less
    case .lessThanOrEqual: return isInRange && result != .greater
    case .greaterThan: return isInRange && result == .greater
    case .greaterThanOrEqual: return isInRange && result != .less
    case .arrayContains: return elements(value).contains { ValueOrder.compare($0, operand) == .equal }
    case .in: return try list(operand, op).contains { ValueOrder.compare($0, value) == .equal }
    case .notIn:
      let list = try list(operand, op)
      // With null in the list nothing is surely not in it.
      return value != .null && !list.contains(.null) && !list.contains { ValueOrder.compare($0, value) == .equal }
    case .arrayContainsAny:
      let list = try list(operand, op)
      return elements(value).contains { element in list.contains { ValueOrder.compare($0, element) == .equal } }
    }
  }

  private static func elements(_ value: FirestoreValue) -> [FirestoreValue] {
    if case .array(let values) = value { return values }
    return []
  }

  private static func list(
    _ value: FirestoreValue, _ op: FirestoreFilter.Operator
  ) throws -> [FirestoreValue] {
    guard case .array(let values) = value, !values.isEmpty else {
      throw FirestoreError(.invalidArgument, "'\(op.rawValue)' requires a non-empty ArrayValue.")
    }
    return values
  }

  /// The fields that are compared by more than equality: they take part in the order.
  static func inequalities(_ filter: FirestoreFilter) -> [String] {
    switch filter {
    case .and(let filters), .or(let filters): filters.flatMap(inequalities)
    case .unary(let path, let op): op == .isNotNull || op == .isNotNaN ? [path] : []
    case .field(let path, let op, _):
      switch op {
      case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .notIn: [path]
      case .equal, .in, .arrayContains, .arrayContainsAny: []
      }
    }
  }
}
