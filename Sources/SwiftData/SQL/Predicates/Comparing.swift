import Foundation

// Equality, order and membership with Swift's semantics, for all comparing nodes.

extension LoweringState {
  // MARK: - Equality

  /// Lowers `left == right` of the Swift type `type`. Returns nil if the values cannot be compared.
  mutating func equality(_ left: Lowered, _ right: Lowered, as type: Any.Type) -> Scalar? {
    if case .constant(let value) = left {
      if case .constant = right { return nil }
      return equality(right, .constant(value), as: type)
    }
    if case .collection(let collection) = left, case .constant(let value) = right, ScalarType.unwrapped(value) == nil {
      return absence(of: collection)
    }
    guard let left = comparand(left) else { return nil }
    if case .constant(let value) = right {
      guard let value = ScalarType.unwrapped(value) else { return absence(of: left).failing(with: left) }
      return equality(left, value, as: type)?.failing(with: left)
    }
    guard let right = comparand(right) else { return nil }
    return equality(left, right, as: type)?.failing(with: left, right)
  }

  /// The value of an expression, or the identity of an object.
  private func comparand(_ lowered: Lowered) -> Scalar? {
    switch lowered {
    case .scalar(let scalar): scalar
    case .object(let object): object.identity
    case .constant, .collection, .range: nil
    }
  }

  /// Lowers `scalar == nil`.
  func absence(of scalar: Scalar) -> Scalar {
    guard scalar.isOptional else { return .condition(SQLFragment("FALSE"), isAtomic: true) }
    return .condition(scalar.operand + SQLFragment(" IS NULL"))
  }

  /// Lowers `list == nil`. A store has no nil in place of a to-many, so it is nil only where the optional chain to it ends.
  private func absence(of collection: RowCollection) -> Scalar? {
    guard case .relationship(let owner, _) = collection.source, !collection.isForced else { return nil }
    let absence = collection.presence.map { SQLFragment("NOT (") + $0 + SQLFragment(")") } ?? SQLFragment("FALSE")
    let failures = [owner.identity.failureTest, collection.failure].compactMap { $0 }
    return Scalar.condition(absence).unless(failures.nonEmpty?.disjunction)
  }

  private func equality(_ scalar: Scalar, _ value: Any, as type: Any.Type) -> Scalar? {
    if scalar.type.form == .bool, let flag = value as? Bool { return truth(of: scalar, is: flag) }
    if scalar.type.form == .opaque { return nil }
    if comparesBySwift(scalar.type) {
      return scalar.type.cell(of: value).flatMap {
        swiftEquality(scalar, Scalar(sql: SQLFragment("?", [$0]), type: scalar.type), as: type)
      }
    }
    guard let cell = cell(of: value, as: scalar.type) else { return nil }
    if isNaN(cell, scalar.type) {
      return Scalar.condition(SQLFragment("FALSE"), isAtomic: true).unless(hidden(by: [scalar]))
    }
    let parameter = Scalar(sql: SQLFragment("?", [cell]), type: scalar.type)
    // A filter may treat NULL as false. Then `=` suffices, which indices and join reduction support.
    let isExact = isFiltering || !scalar.isOptional
    return .condition(
      scalar.comparable + SQLFragment(isExact ? " = " : " \(dialect.same) ") + parameter.sql,
      mayThrow: scalar.mayThrow,
      strictIn: isExact ? scalar.strictIn : []
    )
  }

  private func truth(of scalar: Scalar, is flag: Bool) -> Scalar {
    if isFiltering || !scalar.isOptional {
      let sql: SQLFragment
      switch (scalar.isCondition, flag) {
      case (true, true): sql = scalar.operand
      case (true, false): sql = SQLFragment("NOT ") + scalar.operand
      case (false, _): sql = scalar.operand + SQLFragment(flag ? " = 1" : " = 0")
      }
      return .condition(sql, mayThrow: scalar.mayThrow, strictIn: scalar.strictIn)
    }
    return .condition(dialect.isTruth(scalar, flag))
  }

  private func equality(_ left: Scalar, _ right: Scalar, as type: Any.Type) -> Scalar? {
    guard left.type.form != .opaque, right.type.form != .opaque else { return nil }
    if case .key(let hierarchy) = left.type.form, case .key(hierarchy) = right.type.form {
      return plainEquality(left, right)
    }
    switch (left.type.form, right.type.form) {
    case (.key, .key): return bothAbsent(left, right)
    // An identifier that a row selects among captured ones belongs to no single table.
    case (.key, _), (_, .key): return nil
    default: break
    }
    if comparesBySwift(left.type) || left.type.form != right.type.form {
      return swiftEquality(left, right, as: type)
    }
    guard left.type.form == .real else { return plainEquality(left, right) }
    // NaN is not equal to itself. Where it is false, the condition is false even if the other side is NULL.
    let tested = left.strictIn.isEmpty && !isFiltering ? right : left
    var equal = plainEquality(left, right)
    let number = SQLFragment(" AND ") + tested.operand + SQLFragment(" \(dialect.different) \(dialect.notANumber)")
    equal.sql = equal.sql + number
    if !isFiltering { equal.strictIn.formIntersection(tested.strictIn) }
    return equal.unless(hidden(by: [left, right]))
  }

  /// The condition for a failure that the tests for NaN would turn into false. Nil if there is none, or if false is
  /// acceptable.
  private func hidden(by values: [Scalar]) -> SQLFragment? {
    isFiltering ? nil : values.filter { !$0.isOptional }.compactMap(\.failureTest).nonEmpty?.disjunction
  }

  private func plainEquality(_ left: Scalar, _ right: Scalar) -> Scalar {
    let isNullSafe = left.isOptional || right.isOptional
    return .condition(
      left.comparable + SQLFragment(isNullSafe ? " \(dialect.same) " : " = ") + right.comparable,
      mayThrow: !isNullSafe && (left.mayThrow || right.mayThrow),
      strictIn: isNullSafe ? [] : left.strictIn.union(right.strictIn)
    )
  }

  /// Objects of different hierarchies are equal if both are nil.
  private func bothAbsent(_ left: Scalar, _ right: Scalar) -> Scalar {
    let (one, other) = (absence(of: left), absence(of: right))
    return .condition(one.operand + SQLFragment(" AND ") + other.operand)
  }

  /// Whether equality must be computed by Swift. Structs and collections may be equal while their JSON differs, and the reverse. A
  /// type with a raw value may have its own `==`.
  private func comparesBySwift(_ type: ScalarType) -> Bool { !type.hasEqualCells }

  private func swiftEquality(_ left: Scalar, _ right: Scalar, as type: Any.Type) -> Scalar? {
    let bare = ScalarType.bare(type)
    guard let equatable = bare as? any Equatable.Type,
      let call = ValueFunction.equality(of: equatable, left.type, right.type, entity)
    else { return nil }
    let arguments = [left, right]
    var result = call.scalar(arguments, type: .bool)
    result.mayThrow = left.mayThrow || right.mayThrow
    guard left.isOptional || right.isOptional else { return result }
    if isFiltering, !left.isOptional || !right.isOptional { return result }
    let sql =
      SQLFragment("CASE WHEN ") + left.operand + SQLFragment(" IS NULL OR ") + right.operand
      + SQLFragment(" IS NULL THEN ") + left.operand + SQLFragment(" \(dialect.same) ") + right.operand
      + SQLFragment(" ELSE ")
      + result.sql + SQLFragment(" END")
    return Scalar(sql: sql, type: .bool, mayThrow: result.mayThrow, isAtomic: true)
  }

  /// NaN is stored as text.
  private func isNaN(_ cell: SQLValue, _ type: ScalarType) -> Bool { type.form == .real && cell == .text("nan") }

  // MARK: - Order

  /// Lowers `left op right` for `<`, `<=`, `>`, `>=`. Returns nil if the values have no order.
  mutating func order(
    _ left: Lowered,
    _ op: PredicateExpressions.ComparisonOperator,
    _ right: Lowered,
    as type: Any.Type
  ) -> Scalar? {
    if ScalarType.bare(type) == PersistentIdentifier.self { return identifierOrder(left, op, right) }
    guard let (left, right) = orderable(left, right) else { return nil }
    if left.type.form == .opaque { return nil }
    let mayThrow = left.mayThrow || right.mayThrow
    guard left.type.isPlain, left.type.form == right.type.form, let keys = orderKeys(left, right) else {
      guard let comparable = ScalarType.bare(type) as? any Comparable.Type,
        let call = ValueFunction.order(of: comparable, op, left.type, right.type, entity)
      else { return nil }
      var result = call.scalar([left, right], type: .bool)
      result.mayThrow = mayThrow
      return result
    }
    let sql =
      left.type.form == .real
      ? numericOrder(left, op, right) : keys.left + SQLFragment(" \(op.sql) ") + keys.right
    let result = Scalar.condition(sql, mayThrow: mayThrow, strictIn: strictness(left, op, right))
    return left.type.form == .real ? result.unless(hidden(by: [left, right])) : result
  }

  /// The expressions that make an order NULL. A test for NaN is false next to a NULL on the other side.
  private func strictness(
    _ left: Scalar, _ op: PredicateExpressions.ComparisonOperator, _ right: Scalar
  ) -> Set<String> {
    let all = left.strictIn.union(right.strictIn)
    guard left.type.form == .real, !isFiltering else { return all }
    if isConstantNaN(left) || isConstantNaN(right) { return [] }
    if isConstant(left) || isConstant(right) { return all }
    let isDateOrder = left.type.swiftType == Date.self && (op == .lessThanOrEqual || op == .greaterThanOrEqual)
    return op.isLess != isDateOrder ? right.strictIn : left.strictIn
  }

  /// Lowers the order of floating-point numbers and dates, including NaN.
  private func numericOrder(_ left: Scalar, _ op: PredicateExpressions.ComparisonOperator, _ right: Scalar)
    -> SQLFragment
  {
    if left.type.swiftType == Date.self, op == .lessThanOrEqual || op == .greaterThanOrEqual {
      return op == .lessThanOrEqual ? dateOrder(left, right) : dateOrder(right, left)
    }
    if isConstantNaN(left) || isConstantNaN(right) { return SQLFragment("FALSE") }
    let plain = left.operand + SQLFragment(" \(op.sql) ") + right.operand
    // A stored NaN sorts after every number, so only the greater side can be wrong.
    let greater = op.isLess ? right : left
    return isConstant(greater)
      ? plain : plain + SQLFragment(" AND ") + greater.operand + SQLFragment(" < \(dialect.notANumber)")
  }

  /// Lowers `lesser <= greater` of dates. `Date` derives `<=` from `>`, so it is true for NaN.
  private func dateOrder(_ lesser: Scalar, _ greater: Scalar) -> SQLFragment {
    let plain = lesser.operand + SQLFragment(" <= ") + greater.operand
    switch (isConstant(lesser), isConstant(greater)) {
    case (true, false) where !isConstantNaN(lesser): return plain
    case (false, true) where !isConstantNaN(greater):
      return SQLFragment("(") + plain + SQLFragment(" OR ") + lesser.operand + SQLFragment(" = \(dialect.notANumber))")
    default: return SQLFragment("NOT (") + numericOrder(greater, .lessThan, lesser) + SQLFragment(")")
    }
  }

  private func orderable(_ left: Lowered, _ right: Lowered) -> (Scalar, Scalar)? {
    switch (left, right) {
    case (.scalar(let left), .scalar(let right)): (left, right)
    case (.scalar(let left), .constant(let value)): bound(value, as: left.type).map { (left, $0) }
    case (.constant(let value), .scalar(let right)): bound(value, as: right.type).map { ($0, right) }
    default: nil
    }
  }

  /// A captured value for a comparison. Text is in normal form C, as in the index.
  private func bound(_ value: Any, as type: ScalarType) -> Scalar? {
    guard var scalar = constant(value, as: type) else { return nil }
    if scalar.needsNormalization, let cell = cell(of: value, as: type) {
      scalar.sql = SQLFragment("?", [cell])
      scalar.needsNormalization = false
    }
    return scalar
  }

  /// SQL expressions that order like the Swift values, or nil if there are none.
  private func orderKeys(_ left: Scalar, _ right: Scalar) -> (left: SQLFragment, right: SQLFragment)? {
    func call(_ name: String) -> (SQLFragment, SQLFragment) {
      (
        SQLFragment("\(name)(") + left.sql + SQLFragment(")"),
        SQLFragment("\(name)(") + right.sql + SQLFragment(")")
      )
    }
    switch left.type.form {
    case .integer, .real, .text, .uuid: return (left.comparable, right.comparable)
    case .unsigned: return call("swift_unsigned_key")
    case .decimal:
      return (dialect.decimalKey(left.sql, of: left.type), dialect.decimalKey(right.sql, of: right.type))
    case .bool, .url, .blob, .key, .json, .opaque: return nil
    }
  }

  private func isConstant(_ scalar: Scalar) -> Bool { scalar.sql.sql == "?" }
  private func isConstantNaN(_ scalar: Scalar) -> Bool { isConstant(scalar) && scalar.sql.arguments == [.text("nan")] }

  // MARK: - Membership

  /// Whether captured values contain a value that SQL computes. Returns nil if they cannot be compared.
  mutating func membership<S: Sequence>(of element: Scalar, in values: S, as type: Any.Type) -> Scalar? {
    var cells = [SQLValue]()
    var hasNil = false
    for value in values {
      guard let value = ScalarType.unwrapped(value) else {
        hasNil = true
        continue
      }
      let isSwift = comparesBySwift(element.type)
      guard let cell = isSwift ? element.type.cell(of: value) : cell(of: value, as: element.type) else { return nil }
      if isSwift || !isNaN(cell, element.type) { cells.append(cell) }
    }
    guard element.type.form != .opaque else { return nil }
    if cells.isEmpty, !hasNil {
      return Scalar.condition(SQLFragment("FALSE"), isAtomic: true).unless(element.failureTest)
    }
    if comparesBySwift(element.type) {
      return swiftMembership(of: element, in: cells, hasNil: hasNil, as: type)
    }
    var result = listMembership(of: element, in: cells)
    guard element.isOptional else { return result }
    if hasNil {
      result.sql = element.operand + SQLFragment(" IS NULL OR ") + result.sql
      result.strictIn = []
    } else if !isFiltering {
      result.sql = element.operand + SQLFragment(" IS NOT NULL AND ") + result.sql
      result.strictIn = []
    }
    return result.failing(with: element)
  }

  private func listMembership(of element: Scalar, in cells: [SQLValue]) -> Scalar {
    func condition(_ sql: SQLFragment) -> Scalar {
      .condition(sql, mayThrow: element.mayThrow, strictIn: element.strictIn)
    }
    // No JSON function supports NUL.
    let direct =
      cells.count <= 4
      ? cells
      : cells.filter {
        if case .text(let text) = $0 { text.utf8.contains { !dialect.isListed($0) } } else { false }
      }
    let marks = Array(repeating: "?", count: direct.count).joined(separator: ", ")
    if cells.isEmpty, !dialect.hasEmptyLists { return condition(SQLFragment("FALSE")) }
    let few = element.comparable + SQLFragment(" IN (\(marks))", direct)
    guard cells.count > 4 else { return condition(few) }
    let (list, decode) = ListCoding.encode(cells.filter { cell in !direct.contains(cell) })
    let many =
      element.comparable + SQLFragment(" IN (") + dialect.rows(ofList: list, decode: decode, form: element.type.form)
      + SQLFragment(")")
    return condition(direct.isEmpty ? many : SQLFragment("(") + few + SQLFragment(" OR ") + many + SQLFragment(")"))
  }

  private mutating func swiftMembership(
    of element: Scalar,
    in cells: [SQLValue],
    hasNil: Bool,
    as type: Any.Type
  ) -> Scalar? {
    guard let equatable = ScalarType.bare(type) as? any Equatable.Type,
      let call = ValueFunction.equality(of: equatable, element.type, element.type, entity)
    else { return nil }
    let (list, decode) = ListCoding.encode(cells)
    let item = Scalar(sql: SQLFragment(decode.map { "\($0)(value)" } ?? "value"), type: element.type)
    let equal = call.scalar([element, item], type: .bool)
    let sql =
      SQLFragment("EXISTS (") + dialect.rows(ofList: list, decode: nil, form: element.type.form)
      + SQLFragment(" WHERE ") + equal.condition
      + SQLFragment(")")
    let result = Scalar.condition(
      element.isOptional && hasNil ? element.operand + SQLFragment(" IS NULL OR ") + sql : sql,
      isAtomic: false
    )
    // EXISTS returns false for a failed element, not NULL.
    return result.unless(element.failureTest)
  }
}

extension PredicateExpressions.ComparisonOperator {
  var sql: String {
    switch self {
    case .lessThan: "<"
    case .lessThanOrEqual: "<="
    case .greaterThan: ">"
    case .greaterThanOrEqual: ">="
    }
  }

  var isLess: Bool {
    switch self {
    case .lessThan, .lessThanOrEqual: true
    case .greaterThan, .greaterThanOrEqual: false
    }
  }
}

/// Encodes many values as one parameter: a JSON array.
enum ListCoding {
  /// The array, and the function that turns its items into cells, or nil if they are cells.
  static func encode(_ cells: [SQLValue]) -> (list: SQLValue, decode: String?) {
    var decode: String?
    let items = cells.map { cell in
      switch cell {
      case .null: return "null"
      case .integer(let value): return String(value)
      case .text(let value): return quoted(value)
      case .real(let value):
        // SQLite's parsing of decimal numbers may be off by one bit.
        decode = "swift_real"
        return quoted(value.description)
      case .blob(let value):
        decode = "swift_bytes"
        return quoted(value.base64EncodedString())
      }
    }
    return (.text("[" + items.joined(separator: ",") + "]"), decode)
  }

  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.value < 0x20:
        result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
