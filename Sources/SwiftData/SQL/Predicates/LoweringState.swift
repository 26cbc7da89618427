import Foundation

/// The tables and values that the variables of a predicate stand for.
///
/// It is a list because a predicate has few variables. A dictionary would make the runtime search all conformances of the
/// program for the key's `Hashable`.
struct BoundVariables {
  private var bindings: [(variable: PredicateExpressions.VariableID, meaning: Lowered)] = []

  /// - Complexity: O(*n*) with the number of variables. The last ones are found first.
  subscript(variable: PredicateExpressions.VariableID) -> Lowered? {
    get { bindings.last { $0.variable == variable }?.meaning }
    set {
      bindings.removeAll { $0.variable == variable }
      if let newValue { bind(variable, newValue) }
    }
  }

  var count: Int { bindings.count }

  /// Gives a variable a meaning until ``unbind(to:)``.
  mutating func bind(_ variable: PredicateExpressions.VariableID, _ meaning: Lowered) {
    bindings.append((variable, meaning))
  }

  /// Forgets all but the first variables.
  mutating func unbind(to count: Int) {
    if bindings.count > count { bindings.removeLast(bindings.count - count) }
  }
}

/// The state that lowering passes from node to node.
package struct LoweringState {
  let entity: __Entity
  let environment: LoweringEnvironment
  var variables = BoundVariables()
  /// Whether the condition is a filter. NULL may then stand for false, which allows the use of an index.
  private(set) var isFiltering = false
  private var aliasCount = 1
  /// The number of nodes around the one being lowered.
  private var depth = 0
  /// Each takes some kilobytes of the stack, and a thread of the concurrency runtime has 512.
  private static let depthLimit = 100

  /// Evaluating such a predicate in memory would need as much of the stack.
  struct TooDeep: Error {}
  /// The statement (0) or subselect being written. Its objects may refer to aliases of enclosing scopes, so only its
  /// own FROM clause can join them.
  var currentScope = 0
  /// The tables and columns that the SQL so far reads.
  private(set) var reads = StatementReads()
  /// Types of nodes that need no cast. The runtime would search all conformances of the program for each new type.
  var knownTypes: [any LowerableExpression.Type] = []
  /// The joins of the statement (0) and of each subselect.
  private var scopes: [[Join]] = [[]]

  private struct Join {
    let key: SQLFragment
    let alias: String
    let table: String
  }

  init(entity: __Entity, environment: LoweringEnvironment) {
    self.entity = entity
    self.environment = environment
  }

  var dialect: any SQLDialect { environment.dialect }

  /// The row that the statement selects.
  var row: ObjectReference {
    ObjectReference(entity: entity, key: SQLFragment("\(Self.rowAlias)._pk"), alias: Self.rowAlias, scope: 0)
  }

  /// The alias of the selected rows.
  static let rowAlias = "t0"

  // MARK: - Expressions

  /// Lowers a node. `filtering`: the node is a condition, and NULL may stand for false.
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` for an optional of an optional.
  mutating func lower<E: PredicateExpression>(_ expression: E, filtering: Bool = false) throws -> Lowered {
    guard let node = lowerable(expression) else {
      throw unsupported(expression, "it has no SQL form")
    }
    depth += 1
    defer { depth -= 1 }
    // Conditions joined with `&&`, `||` and `!` do not count.
    guard depth <= Self.depthLimit else {
      throw SwiftDataError(
        .unsupportedPredicate, entity: entity.name,
        message: "the predicate nests more than \(Self.depthLimit) expressions; join conditions with && and ||, and"
          + " captured predicates outside of ?: and other expressions", underlying: TooDeep())
    }
    let wasFiltering = isFiltering
    defer { isFiltering = wasFiltering }
    isFiltering = filtering
    let lowered = try node.lower(&self)
    // SQL has one NULL, and an optional of an optional has two values that are nil.
    if !lowered.isConstant, ScalarType.isOptionalOfOptional(E.Output.self) {
      throw DataStoreError.preferInMemoryFilter
    }
    return lowered
  }

  func lowerable<E: PredicateExpression>(_ expression: E) -> (any LowerableExpression)? {
    // The cast cannot fail, because `L` is `E`.
    func open<L: LowerableExpression>(_: L.Type) -> any LowerableExpression { expression as! L }
    if let known = knownTypes.first(where: { $0 == E.self }) { return open(known) }
    return expression as? any LowerableExpression
  }

  mutating func truth<E: PredicateExpression<Bool>>(_ expression: E, filtering: Bool = false) throws -> Scalar {
    try scalar(lower(expression, filtering: filtering), of: expression)
  }

  mutating func condition<E: PredicateExpression<Bool>>(_ expression: E, filtering: Bool) throws -> SQLFragment {
    try truth(expression, filtering: filtering).condition
  }

  /// Runs `body` with NULL distinct from false.
  mutating func exactly<T>(_ body: (inout LoweringState) throws -> T) rethrows -> T {
    let wasFiltering = isFiltering
    defer { isFiltering = wasFiltering }
    isFiltering = false
    return try body(&self)
  }

  /// The result of lowering an expression, as a single value.
  func scalar<E: PredicateExpression>(_ lowered: Lowered, of expression: E) throws -> Scalar {
    switch lowered {
    case .scalar(let scalar): return scalar
    case .object(let object): return object.identity
    case .constant(let value):
      guard let type = ScalarType(of: E.Output.self), let scalar = constant(value, as: type) else {
        throw unsupported(expression, "a \(E.Output.self) has no form in the store")
      }
      return scalar
    case .collection, .range:
      throw unsupported(expression, "only its elements can be looked at")
    }
  }

  /// A captured value in the form of a column or another value, or nil if it has none.
  func constant(_ value: Any, as type: ScalarType) -> Scalar? {
    guard let value = ScalarType.unwrapped(value) else {
      return Scalar(sql: SQLFragment("NULL"), type: type, isOptional: true)
    }
    if case .bool = type.form, let flag = value as? Bool {
      return .condition(SQLFragment(flag ? "TRUE" : "FALSE"), isAtomic: true)
    }
    if type.form == .text, case .text(let text)? = type.cell(of: value) {
      // Unchanged, because localized comparisons distinguish canonically equivalent text.
      return Scalar(sql: SQLFragment("?", [.text(text)]), type: type, needsNormalization: !SwiftText.isNFC(text))
    }
    guard let cell = cell(of: value, as: type) else { return nil }
    return Scalar(sql: SQLFragment("?", [cell]), type: type)
  }

  /// The cell of a captured value that is not nil. Text is in normal form C.
  func cell(of value: Any, as type: ScalarType) -> SQLValue? {
    if case .key(let hierarchy) = type.form { return key(of: value, in: hierarchy.root) }
    guard let cell = type.cell(of: value) else { return nil }
    if case .text(let text) = cell, type.form == .text { return .text(SwiftText.nfc(text)) }
    return cell
  }

  /// The primary key of an identifier or a model in a hierarchy's table. Identifiers of other stores or hierarchies and
  /// of unsaved objects become 0, which no row has.
  private func key(of value: Any, in root: __Entity) -> SQLValue? {
    let identifier: PersistentIdentifier
    switch value {
    case let known as PersistentIdentifier: identifier = known
    case let model as any PersistentModel: identifier = model.persistentModelID
    default: return nil
    }
    guard let key = environment.key(identifier),
      environment.familyNames(root).contains(identifier.entityName)
    else { return .integer(0) }
    return .integer(key)
  }

  // MARK: - Rows

  /// The alias for an object's columns. Adds a join if needed.
  mutating func alias(of object: ObjectReference) -> String {
    if let alias = object.alias { return alias }
    let table = TableNames.table(for: object.entity)
    if let known = scopes[object.scope].first(where: { $0.key == object.key && $0.table == table }) {
      return known.alias
    }
    let alias = makeAlias()
    scopes[object.scope].append(Join(key: object.key, alias: alias, table: table))
    reads.note(table: table)
    return alias
  }

  /// Records that the SQL reads a column of an object.
  mutating func noteRead(of column: String, in object: ObjectReference) {
    if object.alias == Self.rowAlias {
      reads.note(own: column)
    } else {
      reads.note(table: TableNames.table(for: object.entity), column: column)
    }
  }

  mutating func noteRead(ofTable table: String, column: String? = nil) { reads.note(table: table, column: column) }

  mutating func noteRead(of property: __Property, in object: ObjectReference) {
    let isOfRow = object.key.sql == "\(Self.rowAlias)._pk"
    reads.note(ReadProperty(property: property, entity: object.entity, isOfRow: isOfRow))
  }

  mutating func noteRead(ofPairs table: String) { reads.note(pairs: table) }

  /// Returns the reads since the last call.
  mutating func takeReads() -> StatementReads {
    defer { reads = StatementReads() }
    return reads
  }

  mutating func makeAlias() -> String {
    defer { aliasCount += 1 }
    return "t\(aliasCount)"
  }

  mutating func makeScope() -> Int {
    scopes.append([])
    return scopes.count - 1
  }

  func joins(of scope: Int) -> [SQLFragment] {
    scopes[scope].map { join in
      SQLFragment("LEFT JOIN \(join.table.quotedIdentifier) AS \(join.alias) ON \(join.alias)._pk = ") + join.key
    }
  }

  /// `_entity IN (…)` for the classes of a family, or nil if the table contains no other class.
  mutating func membership(of object: ObjectReference, in entity: __Entity) -> SQLFragment? {
    let family = environment.familyNames(entity)
    guard family.count < environment.familyNames(entity.root).count else { return nil }
    noteRead(of: "_entity", in: object)
    return SQLFragment("\(alias(of: object))._entity IN (\(family.map(\.quotedLiteral).joined(separator: ", ")))")
  }

  // MARK: - Errors

  func unsupported(_ expression: some PredicateExpression, _ reason: String, instead: String? = nil) -> SwiftDataError {
    let text = ExpressionText.describe(expression)
    return SwiftDataError(
      .unsupportedPredicate,
      entity: entity.name,
      message: "the store cannot compute \(text): \(reason)" + (instead.map { "; \($0)" } ?? "")
    )
  }
}
