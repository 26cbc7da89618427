import FirestoreProtocol

/// A filter, validated once and prepared for matching documents.
struct DocumentFilter {
  private indirect enum Node {
    case and([Node])
    case or([Node])
    case unary(FirestoreFieldPath, FirestoreFilter.UnaryOperator)
    case field(FirestoreFieldPath, FirestoreFilter.Operator, FirestoreValue)
    case list(FirestoreFieldPath, ListOperator, [FirestoreValue])
  }
  private enum ListOperator { case `in`, notIn, arrayContainsAny }

  private let root: Node

  /// - Throws: ``FirestoreError`` with status `invalidArgument` for an invalid filter.
  init(_ filter: FirestoreFilter) throws { root = try Self.node(filter) }

  private static func node(_ filter: FirestoreFilter) throws -> Node {
    switch filter {
    case .and(let filters): return .and(try filters.map(node))
    case .or(let filters): return .or(try filters.map(node))
    case .unary(let path, let op): return .unary(try FieldAccess.path(path), op)
    case .field(let text, let op, let operand):
      let path = try FieldAccess.path(text)
      switch op {
      case .in: return .list(path, .in, try list(operand, op))
      case .notIn: return .list(path, .notIn, try list(operand, op))
      case .arrayContainsAny: return .list(path, .arrayContainsAny, try list(operand, op))
      default: return .field(path, op, operand)
      }
    }
  }

  private static func list(_ value: FirestoreValue, _ op: FirestoreFilter.Operator) throws -> [FirestoreValue] {
    guard case .array(let values) = value, !values.isEmpty else {
      throw FirestoreError(.invalidArgument, "'\(op.rawValue)' requires a non-empty ArrayValue.")
    }
    return values
  }

  func matches(_ document: FirestoreDocument) -> Bool { Self.matches(root, document) }

  private static func matches(_ node: Node, _ document: FirestoreDocument) -> Bool {
    switch node {
    case .and(let nodes): return nodes.allSatisfy { matches($0, document) }
    case .or(let nodes): return nodes.contains { matches($0, document) }
    case .unary(let path, let op):
      return FieldAccess.value(path, in: document).map { matches($0, op) } ?? false
    case .field(let path, let op, let operand):
      return FieldAccess.value(path, in: document).map { matches($0, op, operand) } ?? false
    case .list(let path, let op, let operands):
      return FieldAccess.value(path, in: document).map { matches($0, op, operands) } ?? false
    }
  }

  private static func matches(_ value: FirestoreValue, _ op: FirestoreFilter.UnaryOperator) -> Bool {
    switch op {
    case .isNull: value == .null
    case .isNotNull: value != .null
    case .isNaN: ValueOrder.isNaN(value)
    case .isNotNaN: !ValueOrder.isNaN(value) && value != .null
    }
  }

  private static func matches(
    _ value: FirestoreValue, _ op: FirestoreFilter.Operator, _ operand: FirestoreValue
  ) -> Bool {
    let result = ValueOrder.compare(value, operand)
    // NaN and null are each in their own range only.
    let isInRange =
      ValueOrder.haveOneType(value, operand) && ValueOrder.isNaN(value) == ValueOrder.isNaN(operand)
    switch op {
    case .equal: return result == .equal
    case .notEqual: return value != .null && result != .equal
    case .lessThan: return isInRange && result == .less
    case .lessThanOrEqual: return isInRange && result != .greater
    case .greaterThan: return isInRange && result == .greater
    case .greaterThanOrEqual: return isInRange && result != .less
    case .arrayContains: return contains(elements(value), operand)
    case .in, .notIn, .arrayContainsAny: return false
    }
  }

  private static func matches(_ value: FirestoreValue, _ op: ListOperator, _ operands: [FirestoreValue]) -> Bool {
    switch op {
    case .in: contains(operands, value)
    // If the list contains null, no value matches.
    case .notIn: value != .null && !operands.contains(.null) && !contains(operands, value)
    case .arrayContainsAny: elements(value).contains { contains(operands, $0) }
    }
  }

  private static func elements(_ value: FirestoreValue) -> [FirestoreValue] {
    if case .array(let values) = value { return values }
    return []
  }

  private static func contains(_ values: [FirestoreValue], _ value: FirestoreValue) -> Bool {
    values.contains { ValueOrder.compare($0, value) == .equal }
  }

  /// The fields that are compared by more than equality. They are part of the order.
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
