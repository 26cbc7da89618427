import Foundation

/// The result of lowering an expression.
package indirect enum Lowered {
  /// A value that does not depend on a row.
  case constant(Any)
  /// A value that SQL computes.
  case scalar(Scalar)
  /// A model.
  case object(ObjectReference)
  /// The targets of a to-many relationship, or the elements of an array that a closure visits.
  case collection(RowCollection)
  /// A range with at least one bound from a row.
  case range(RangeReference)

  var isConstant: Bool { if case .constant = self { true } else { false } }
}

/// A value that SQL computes.
///
/// If `isOptional`, NULL means nil; `failure` then marks rows where evaluation throws. Otherwise NULL means that Swift
/// throws.
package struct Scalar {
  var sql: SQLFragment { didSet { isThrow = false } }
  var type: ScalarType
  var isOptional = false
  /// Whether evaluation can throw.
  var mayThrow = false
  /// The condition under which evaluating an optional throws, or nil if it cannot.
  var failure: SQLFragment?
  /// Whether `sql` is a condition rather than a stored 0 or 1.
  package var isCondition = false
  /// Whether `sql` needs no parentheses anywhere.
  var isAtomic = true
  /// Whether it is text that may not be in normal form C.
  var needsNormalization = false
  /// The expressions that make this one NULL when they are NULL.
  var strictIn: Set<String> = []
  /// If `sql` is the value at a path in a cell's JSON: the cell and the path. Valid only while `sql` is unchanged.
  var member: (sql: SQLFragment, base: SQLFragment, path: String)?

  /// Whether ``thrown(_:)`` made the value. Other SQL makes another value.
  private(set) var isThrow = false

  /// Whether evaluation throws for every row.
  var alwaysThrows: Bool { isThrow && mayThrow }

  /// The condition under which evaluation throws, or nil if it cannot.
  var failureTest: SQLFragment? {
    if isOptional { return failure }
    return mayThrow ? operand + SQLFragment(" IS NULL") : nil
  }

  /// A non-optional value that is NULL if one of the given values fails.
  func failing(with others: Scalar...) -> Scalar {
    // A failed non-optional value is NULL already, and NULL propagates.
    unless(others.filter(\.isOptional).compactMap(\.failure).nonEmpty?.disjunction)
  }

  /// The value, or NULL under a condition.
  func unless(_ failure: SQLFragment?) -> Scalar {
    guard let failure else { return self }
    var result = self
    result.sql = SQLFragment("CASE WHEN NOT (") + failure + SQLFragment(") THEN ") + sql + SQLFragment(" END")
    result.mayThrow = true
    result.isCondition = false
    result.isAtomic = true
    return result
  }

  /// The SQL with parentheses if it needs them.
  package var operand: SQLFragment { isAtomic ? sql : SQLFragment("(") + sql + SQLFragment(")") }

  /// The operand in a form in which equal texts have equal bytes.
  var comparable: SQLFragment {
    needsNormalization ? SQLFragment("swift_nfc(") + sql + SQLFragment(")") : operand
  }

  /// The value as a condition.
  var condition: SQLFragment {
    isCondition ? sql : operand + SQLFragment(" = 1")
  }

  /// A value of a type that always throws, or nil if the store has no values of the type.
  static func thrown(_ type: Any.Type) -> Scalar? {
    guard let scalar = ScalarType(of: type) else { return nil }
    let isOptional = ScalarType.isOptional(type)
    var thrown = Scalar(
      sql: SQLFragment("NULL"), type: scalar, isOptional: isOptional, mayThrow: true,
      failure: isOptional ? SQLFragment("TRUE") : nil)
    thrown.isThrow = true
    return thrown
  }

  static func condition(
    _ sql: SQLFragment,
    mayThrow: Bool = false,
    isOptional: Bool = false,
    isAtomic: Bool = false,
    strictIn: Set<String> = []
  ) -> Scalar {
    Scalar(
      sql: sql,
      type: .bool,
      isOptional: isOptional,
      mayThrow: mayThrow,
      isCondition: true,
      isAtomic: isAtomic,
      strictIn: strictIn
    )
  }
}

/// A model that SQL selects.
package struct ObjectReference {
  var entity: __Entity
  /// The primary key.
  var key: SQLFragment
  /// The table alias for its columns, or nil until a join is needed.
  var alias: String?
  /// The statement (0) or subselect whose FROM clause can join it.
  var scope: Int
  var isOptional = false
  var mayThrow = false
  /// The failure condition, as in ``Scalar``.
  var failure: SQLFragment?
  /// Whether the object was cast to a subclass, so that `alias` may be a row of another class.
  var isCast = false
  var strictIn: Set<String> = []

  /// The identity as a value.
  var identity: Scalar {
    Scalar(
      sql: key,
      type: .key(of: entity),
      isOptional: isOptional,
      mayThrow: mayThrow,
      failure: failure,
      isAtomic: !isCast,
      strictIn: strictIn.union([key.sql])
    )
  }
}

/// The rows that a closure or an aggregate visits. It is a recipe: each use makes its own aliases.
package struct RowCollection {
  package enum Source {
    case relationship(ObjectReference, RelationshipInfo)
    /// The elements of a JSON array, or the characters of a string.
    case values(Scalar, element: ElementType)
  }
  var source: Source
  /// A condition on members.
  typealias Filter = (Lowered, inout LoweringState) throws -> Scalar
  /// A transformation of members.
  typealias Mapping = (Lowered, inout LoweringState) throws -> Lowered

  var filters: [Filter] = []
  private(set) var mapping: Mapping = { member, _ in member }
  /// The condition for the collection not to be nil, or nil if it never is.
  var presence: SQLFragment?
  /// The condition under which the optional chain to it throws, or nil if it cannot.
  var failure: SQLFragment?
  /// Whether a nil collection is an error.
  var isForced = false

  init(source: Source) { self.source = source }

  /// Adds a condition on the transformed members.
  mutating func append(filter: @escaping Filter) {
    filters.append { [mapping] member, state in try filter(mapping(member, &state), &state) }
  }

  /// Adds a transformation of members.
  mutating func append(mapping next: @escaping Mapping) {
    mapping = { [mapping] member, state in try next(mapping(member, &state), &state) }
  }
}

/// The type of the elements of an array of values.
package struct ElementType {
  let type: ScalarType
  let isOptional: Bool
}

/// A range with bounds that SQL computes.
package struct RangeReference {
  let lower: Lowered
  let upper: Lowered
  let isClosed: Bool
  let boundType: Any.Type
}

extension [SQLFragment] {
  /// The disjunction of the conditions.
  var disjunction: SQLFragment {
    dropFirst().reduce(self[0]) { $0 + SQLFragment(" OR ") + $1 }
  }
}
