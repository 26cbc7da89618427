import Foundation

/// What an expression becomes.
package indirect enum Lowered {
  /// A value that no row decides.
  case constant(Any)
  /// A value that SQL computes.
  case scalar(Scalar)
  /// A model.
  case object(ObjectReference)
  /// The targets of a to-many relationship, or the elements of an array that a closure looks into.
  case collection(RowCollection)
  /// A range with a bound that a row decides.
  case range(RangeReference)

  var isConstant: Bool { if case .constant = self { true } else { false } }
}

/// A value that SQL computes.
///
/// NULL is nil where `isOptional`; where the Swift type is not optional, NULL says that Swift would have thrown. An
/// optional whose evaluation can throw has `failure` to tell the two apart.
package struct Scalar {
  var sql: SQLFragment
  var type: ScalarType
  var isOptional = false
  /// Whether evaluation can throw.
  var mayThrow = false
  /// The condition under which evaluating an optional throws; nil where it does not.
  var failure: SQLFragment?
  /// Whether `sql` is a condition rather than a stored 0 or 1.
  package var isCondition = false
  /// Whether `sql` can stand anywhere without parentheses.
  var isAtomic = true
  /// Whether it is text that need not be in normal form C.
  var needsNormalization = false
  /// The expressions whose being NULL makes this one NULL.
  var strictIn: Set<String> = []
  /// Where `sql` is what stands at a path in the JSON of a cell: both of these. Only good while `sql` stays as it is.
  var member: (sql: SQLFragment, base: SQLFragment, path: String)?

  /// The condition under which evaluation throws; nil where it never does.
  var failureTest: SQLFragment? {
    if isOptional { return failure }
    return mayThrow ? operand + SQLFragment(" IS NULL") : nil
  }

  /// The value, not optional, computed from others: NULL where one of them fails.
  func failing(with others: Scalar...) -> Scalar {
    // What a value that is not optional does when it fails is NULL already, and goes through.
    unless(others.filter(\.isOptional).compactMap(\.failure).nonEmpty?.disjunction)
  }

  /// The value, NULL under a condition.
  func unless(_ failure: SQLFragment?) -> Scalar {
    guard let failure else { return self }
    var result = self
    result.sql = SQLFragment("CASE WHEN NOT (") + failure + SQLFragment(") THEN ") + sql + SQLFragment(" END")
    result.mayThrow = true
    result.isCondition = false
    result.isAtomic = true
    return result
  }

  /// The text in parentheses where it needs them.
  package var operand: SQLFragment { isAtomic ? sql : SQLFragment("(") + sql + SQLFragment(")") }

  /// The operand in the form in which equal texts are equal bytes.
  var comparable: SQLFragment {
    needsNormalization ? SQLFragment("swift_nfc(") + sql + SQLFragment(")") : operand
  }

  /// Truth as a condition.
  var condition: SQLFragment {
    isCondition ? sql : operand + SQLFragment(" = 1")
  }

  /// What always throws.
  static func thrown(_ type: ScalarType) -> Scalar {
    Scalar(sql: SQLFragment("NULL"), type: type, mayThrow: true)
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

/// A model that SQL finds.
package struct ObjectReference {
  var entity: __Entity
  /// Its primary key.
  var key: SQLFragment
  /// The table alias under which its columns can be read; nil until a join is needed.
  var alias: String?
  /// The statement (0) or subselect whose FROM clause can join it.
  var scope: Int
  var isOptional = false
  var mayThrow = false
  /// As of a value.
  var failure: SQLFragment?
  /// The condition without which `alias` is a row but not this object: it was cast to a subclass.
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

/// Rows that a closure or an aggregate looks at. A recipe: every use makes its own aliases.
package struct RowCollection {
  package enum Source {
    case relationship(ObjectReference, RelationshipInfo)
    /// The elements of a JSON array, or the characters of a text.
    case values(Scalar, element: ElementType)
  }
  var source: Source
  /// The condition that a member has to satisfy.
  typealias Filter = (Lowered, inout LoweringState) throws -> Scalar
  /// What becomes of a member.
  typealias Mapping = (Lowered, inout LoweringState) throws -> Lowered

  var filters: [Filter] = []
  private(set) var mapping: Mapping = { member, _ in member }
  /// The condition for the collection being there at all; nil when it always is.
  var presence: SQLFragment?
  /// Whether absence is an error rather than nil.
  var isForced = false

  init(source: Source) { self.source = source }

  /// Adds a condition on what the members have become so far.
  mutating func append(filter: @escaping Filter) {
    filters.append { [mapping] member, state in try filter(mapping(member, &state), &state) }
  }

  /// Adds a step to what becomes of members.
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
  /// One of the conditions.
  var disjunction: SQLFragment {
    dropFirst().reduce(self[0]) { $0 + SQLFragment(" OR ") + $1 }
  }
}
