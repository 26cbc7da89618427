import Foundation

extension LoweringState {
  /// The terms of ORDER BY that a sort descriptor becomes.
  mutating func orderTerms<M: PersistentModel>(_ sort: SortDescriptor<M>) throws -> [SQLFragment] {
    guard let keyPath = sort.keyPath else { throw unsortable("a descriptor without a key path") }
    let scalar = try sortKey(keyPath)
    let direction = sort.order == .forward ? "" : " DESC"
    return try orderTerms(scalar, keyPath).map { $0 + SQLFragment(direction) }
  }

  mutating func sortKey(_ keyPath: AnyKeyPath) throws -> Scalar {
    if let property = KeyPathResolver.property(at: keyPath, in: entity) {
      return try value(of: property, in: row, keyPath)
    }
    if type(of: keyPath).valueType == PersistentIdentifier.self { return row.identity }
    guard let path = Probe.path(of: keyPath, from: entity) else { throw notPersisted(keyPath, in: entity) }
    var object = row
    for step in path.toOnes {
      guard case .object(let target) = try property(step, of: object) else {
        throw unsortable(KeyPathText.describe(keyPath))
      }
      object = target
    }
    let column = try value(of: path.property, in: object, keyPath)
    return path.goesOn ? try member(of: column, path.property, in: object.entity, keyPath) : column
  }

  private mutating func value(
    of property: __Property,
    in object: ObjectReference,
    _ keyPath: AnyKeyPath
  ) throws -> Scalar {
    let lowered = try self.property(property, of: object)
    guard case .scalar(let scalar) = lowered else {
      throw unsortable("\(KeyPathText.describe(keyPath)) is a relationship")
    }
    return scalar
  }

  /// What a key path finds inside a stored value.
  private func member(
    of column: Scalar,
    _ property: __Property,
    in owner: __Entity,
    _ keyPath: AnyKeyPath
  ) throws -> Scalar {
    guard owner === entity, column.type.form != .opaque, let output = ScalarType(of: type(of: keyPath).valueType) else {
      throw unsortable("\(KeyPathText.describe(keyPath)) is inside a value of another object")
    }
    if column.type.form == .json, let path = Probe.jsonPath(of: keyPath, property, in: owner) {
      return member(of: column, at: path, type: output, isOptional: true)
    }
    let key = ValueFunction.Key("sort", types: [owner.type], keyPath: keyPath)
    let template = Probe.cells(of: owner)
    let function = ValueFunction.function(key) { cells in
      // The key path starts at a model, so one is made around the value.
      var row = template
      row[property.index] = cells[0]
      let object = try owner.type.init(__row: CellsReader(row, entity: owner))
      return Probe.apply(keyPath, to: object).flatMap { output.cell(of: $0) }
    }
    return function.scalar([column], type: output, isOptional: true)
  }

  private func orderTerms(_ scalar: Scalar, _ keyPath: AnyKeyPath) throws -> [SQLFragment] {
    let name = KeyPathText.describe(keyPath)
    switch scalar.type.form {
    case .integer where scalar.type.isPlain, .real, .uuid: return [scalar.operand]
    case .key:
      // Identifiers sort by class, then by key.
      let isFamily = environment.familyNames(entity.root).count > 1
      return (isFamily ? [SQLFragment("t0._entity")] : []) + [scalar.operand]
    case .text where scalar.type.isPlain: return [scalar.comparable]
    case .unsigned: return [scalar.operand + SQLFragment(" < 0"), scalar.operand]
    case .decimal: return [SQLFragment("swift_decimal_key(") + scalar.sql + SQLFragment(")")]
    case .bool: return [scalar.operand]
    case .integer, .text, .url, .blob, .json, .opaque:
      if let ranks = ranks(of: scalar) { return [ranks] }
      throw unsortable("\(name) is a \(scalar.type.swiftType), whose order the store does not know")
    }
  }

  /// The place of each case of a Comparable enum in the order of its cases.
  private func ranks(of scalar: Scalar) -> SQLFragment? {
    func ordered<T: Comparable & CaseIterable>(_: T.Type) -> [(case: Any, rank: Int64)] {
      var result = [(case: T, rank: Int64)]()
      for next in T.allCases.sorted() {
        let rank = result.last.map { $0.case < next ? $0.rank + 1 : $0.rank } ?? 0
        result.append((next, rank))
      }
      return result
    }
    guard let type = scalar.type.swiftType as? any (Comparable & CaseIterable).Type else { return nil }
    var sql = SQLFragment("CASE ") + scalar.operand
    for (value, rank) in ordered(type) {
      guard let cell = scalar.type.cell(of: value) else { return nil }
      sql = sql + SQLFragment(" WHEN ? THEN \(rank)", [cell])
    }
    return sql + SQLFragment(" END")
  }

  private func unsortable(_ what: String) -> SwiftDataError {
    SwiftDataError(
      .unsupportedSortDescriptor,
      entity: entity.name,
      message: "the store cannot sort by this: \(what); sort by persisted properties, or sort the fetched array"
    )
  }
}
