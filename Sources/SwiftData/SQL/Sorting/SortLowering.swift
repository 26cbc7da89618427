import Foundation

extension LoweringState {
  /// Lowers a sort descriptor to terms of ORDER BY.
  mutating func orderTerms<M: PersistentModel>(_ sort: SortDescriptor<M>) throws -> [OrderTerm] {
    guard let keyPath = sort.keyPath else { throw unsortable("a descriptor without a key path") }
    let target = SortTarget(keyPath)
    let scalar = try value(at: target.keyPath, of: row)
    return try orderTerms(scalar, target).map { OrderTerm($0, isDescending: sort.order == .reverse) }
  }

  /// The value of a key path for a model: a property, a property of a related model, a member of a composite value, or an
  /// identifier.
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` if only Swift knows the value.
  mutating func value(at keyPath: AnyKeyPath, of object: ObjectReference) throws -> Scalar {
    switch KeyPathResolver.reading(of: keyPath, in: object.entity) {
    case .unknown: throw notPersisted(keyPath, in: object.entity)
    case .requirement: throw DataStoreError.preferInMemoryFilter
    case .identity(let toOnes): return try self.object(at: toOnes, from: object, keyPath).identity
    case .property(let toOnes, let property, let rest):
      let owner = try self.object(at: toOnes, from: object, keyPath)
      let column = try value(of: property, in: owner, keyPath)
      return rest.isEmpty ? column : try member(of: column, property, rest, keyPath)
    }
  }

  /// The object at the end of to-one relationships.
  private mutating func object(
    at toOnes: [__Property], from object: ObjectReference, _ keyPath: AnyKeyPath
  ) throws -> ObjectReference {
    try toOnes.reduce(object) { owner, step in
      guard case .object(let target) = try property(step, of: owner) else {
        throw unsortable(KeyPathText.describe(keyPath))
      }
      return target
    }
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

  /// The value of a key path within a stored value.
  private func member(
    of column: Scalar, _ property: __Property, _ rest: [KeyPathSteps.Step], _ keyPath: AnyKeyPath
  ) throws -> Scalar {
    guard column.type.form == .json, let output = ScalarType(of: type(of: keyPath).valueType),
      let member = CompositeMembers.path(of: rest, in: property.bareType)
    else { throw DataStoreError.preferInMemoryFilter }
    return self.member(of: column, at: member.path, type: output, isOptional: true)
  }

  /// - Throws: ``DataStoreError/preferInMemoryFilter`` for a type whose order only Swift knows, such as `CGFloat`.
  private mutating func orderTerms(_ scalar: Scalar, _ target: SortTarget) throws -> [SQLFragment] {
    let terms: [SQLFragment]?
    switch target.rule {
    case nil: terms = orderKeys(of: scalar)
    case .truth: terms = scalar.type.form == .bool ? [scalar.operand] : nil
    case .localized, .localizedStandard: terms = localizedKeys(of: scalar, target.rule!)
    case .rawValue: terms = orderKeys(of: scalar.raw)
    }
    guard let terms else { throw DataStoreError.preferInMemoryFilter }
    return terms
  }

  private func localizedKeys(of scalar: Scalar, _ rule: __SortRule) -> [SQLFragment]? {
    guard scalar.type.form == .text else { return nil }
    return [scalar.operand + SQLFragment(" COLLATE \(SwiftCollation.name(of: rule))")]
  }

  /// SQL terms that order like the Swift type, or nil if none are known.
  mutating func orderKeys(of scalar: Scalar) -> [SQLFragment]? {
    switch scalar.type.form {
    case .integer where scalar.type.isPlain, .real where scalar.type.isPlain, .uuid where scalar.type.isPlain:
      return [scalar.operand]
    case .key:
      // Identifiers sort by class, then by key.
      let isFamily = (classes(of: scalar)?.count ?? 1) > 1
      return (isFamily ? [className(of: scalar)] : []) + [scalar.operand]
    case .text where scalar.type.isPlain: return [scalar.comparable]
    case .unsigned where scalar.type.isPlain: return [scalar.operand + SQLFragment(" < 0"), scalar.operand]
    case .decimal where scalar.type.isPlain: return [dialect.decimalKey(scalar.sql, of: scalar.type)]
    case .bool: return [scalar.operand]
    case .integer, .unsigned, .real, .decimal, .text, .url, .uuid, .blob, .json, .opaque:
      return ranks(of: scalar).map { [$0] }
    }
  }

  /// The position of each case of a `Comparable` enum in its order.
  private func ranks(of scalar: Scalar) -> SQLFragment? {
    func ordered<T: Comparable>(_: T.Type) -> [(case: Any, rank: Int64)]? {
      var result = [(case: T, rank: Int64)]()
      // `allCases` may be the program's own and leave out some.
      guard let cases = EnumCases.all(of: T.self) else { return nil }
      for next in cases.sorted() {
        let rank = result.last.map { $0.case < next ? $0.rank + 1 : $0.rank } ?? 0
        result.append((next, rank))
      }
      return result
    }
    guard let type = scalar.type.swiftType as? any Comparable.Type, let ordered = ordered(type) else { return nil }
    var sql = SQLFragment("CASE ") + scalar.operand
    for (value, rank) in ordered {
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

extension Scalar {
  /// An enum's raw value.
  fileprivate var raw: Scalar {
    func rawType<R: RawRepresentable>(_: R.Type) -> Any.Type { R.RawValue.self }
    var result = self
    if let type = type.swiftType as? any RawRepresentable.Type {
      result.type = ScalarType(form: self.type.form, swiftType: _openExistential(type, do: rawType))
    }
    return result
  }
}
