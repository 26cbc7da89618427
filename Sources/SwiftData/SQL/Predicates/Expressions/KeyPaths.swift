import Foundation

// `$0.property`, on models, collections and values.

extension PredicateExpressions.KeyPath: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let root = try state.lower(root)
    let isValue = ValueTypes.isColumn(Output.self)
    if !isValue, Output.self is any LoweredAsRoot.Type { return root }
    if !isValue, let mapped = Output.self as? any AnyMapped.Type, !root.isConstant,
      let inner = mapped.inner(of: keyPath)
    {
      var collection = try state.collection(
        root, Root.Output.self, elements: type(of: inner).rootType, of: self.root)
      collection.append(mapping: { member, state in try state.mapped(member, inner) })
      return .collection(collection)
    }
    switch root {
    case .object(let object): return try property(of: object, &state)
    case .scalar(let scalar): return try member(of: scalar, &state)
    case .collection(let collection): return try aggregate(collection, &state)
    case .constant(let value):
      guard let value = value as? Root.Output else { throw state.unsupported(self, "its root is nil") }
      return .constant(value[keyPath: keyPath as Swift.KeyPath<Root.Output, Output>])
    case .range: throw state.unsupported(self, "such a range supports only `contains`")
    }
  }

  // MARK: - Models

  private func property(of object: ObjectReference, _ state: inout LoweringState) throws -> Lowered {
    switch KeyPathResolver.reading(of: keyPath, in: object.entity) {
    case .property(let toOnes, let property, let rest) where toOnes.isEmpty && rest.isEmpty:
      return try state.property(property, of: object)
    case .identity(let toOnes) where toOnes.isEmpty: return .scalar(object.identity)
    case .requirement: throw DataStoreError.preferInMemoryFilter
    default: throw state.notPersisted(keyPath, in: object.entity)
    }
  }

  // MARK: - Collections and values

  private func aggregate(_ collection: RowCollection, _ state: inout LoweringState) throws -> Lowered {
    switch question {
    case .count: return .scalar(try state.count(of: collection))
    case .isEmpty: return .scalar(try state.emptiness(of: collection))
    case .first: return try state.element(of: collection, fromEnd: false)
    case .last: return try state.element(of: collection, fromEnd: true)
    case nil: throw state.unsupported(self, "a relationship supports only count, isEmpty, first and last there")
    }
  }

  private func member(of scalar: Scalar, _ state: inout LoweringState) throws -> Lowered {
    if let result = shortcut(scalar) { return .scalar(result) }
    if scalar.type.form == .text, Output.self == String.self, let form = TextCase(keyPath) {
      return .scalar(state.textCall(form.sqlName, [scalar], type: ScalarType(of: String.self)!))
    }
    guard let output = ScalarType(of: Output.self) else {
      throw state.unsupported(self, "a \(Output.self) has no form in the store")
    }
    let keyPath = keyPath as Swift.KeyPath<Root.Output, Output>
    if scalar.type.form == .opaque { throw state.unsupported(self, "SQL cannot read the value in its stored form") }
    if scalar.type.form == .json, let member = CompositeMembers.path(of: keyPath) {
      let isOptional = ScalarType.isOptional(Output.self)
      return .scalar(state.member(of: scalar, at: member.path, type: output, isOptional: isOptional))
    }
    let key = ValueFunction.Key("keyPath", types: [Root.Output.self], of: [scalar.type], keyPath: keyPath)
    let function = ValueFunction.unary(key, scalar.type, output, state.entity) { (value: Root.Output) in
      value[keyPath: keyPath]
    }
    return .scalar(function.scalar([scalar], type: output, isOptional: ScalarType.isOptional(Output.self)))
  }

  /// Properties of text and arrays that SQL computes directly.
  private func shortcut(_ scalar: Scalar) -> Scalar? {
    var result = scalar
    result.needsNormalization = false
    result.isAtomic = true
    switch (scalar.type.form, kind) {
    case (.text, .collectionCount):
      result.type = .int
      result.sql = SQLFragment("swift_count(") + scalar.sql + SQLFragment(")")
    case (.json, .collectionCount) where Root.Output.self is any JSONArray.Type:
      result.type = .int
      result.sql = SQLFragment("json_array_length(") + scalar.sql + SQLFragment(")")
    case (.text, .collectionIsEmpty):
      result = .condition(scalar.operand + SQLFragment(" = ''"), mayThrow: scalar.mayThrow, strictIn: scalar.strictIn)
    case (.json, .collectionIsEmpty) where Root.Output.self is any JSONArray.Type:
      result = .condition(
        SQLFragment("json_array_length(") + scalar.sql + SQLFragment(") = 0"),
        mayThrow: scalar.mayThrow,
        strictIn: scalar.strictIn
      )
    default: return nil
    }
    return result
  }
}

/// A node that may read a property of a collection, such as its count.
protocol AggregateExpression {
  var question: CollectionAggregate? { get }
}

extension PredicateExpressions.KeyPath: AggregateExpression {
  /// Foundation knows the key paths of its own collections.
  var question: CollectionAggregate? {
    switch kind {
    case .collectionCount: .count
    case .collectionIsEmpty: .isEmpty
    case .collectionFirst: .first
    case .bidirectionalCollectionLast: .last
    case nil: (Root.Output.self as? any AnyMapped.Type)?.aggregate(at: keyPath)
    }
  }
}

extension LoweringState {
  /// A persisted property of a model.
  mutating func property(_ property: __Property, of object: ObjectReference) throws -> Lowered {
    noteRead(of: property, in: object)
    switch property.kind {
    case .attribute:
      guard property.isStored else {
        throw SwiftDataError(
          .transientProperty,
          entity: object.entity.name,
          property: property.name,
          message: "an ephemeral property is not in the store; filter the fetched objects instead"
        )
      }
      return .scalar(try column(of: property, in: object))
    case .toOne(let destination):
      var target = ObjectReference(
        entity: destination.__entity,
        key: try targetKey(of: property, in: object),
        scope: object.scope,
        isOptional: property.isOptional,
        mayThrow: object.mayThrow,
        failure: property.isOptional ? object.identity.failureTest : nil
      )
      target.strictIn = object.isCast ? [] : object.strictIn.union([object.key.sql])
      return .object(target)
    case .toMany:
      return .collection(
        RowCollection(source: .relationship(object, RelationshipInfo.of(property, in: object.entity)))
      )
    }
  }

  private mutating func column(of property: __Property, in object: ObjectReference) throws -> Scalar {
    let type = ScalarType(of: property)
    var scalar = Scalar(sql: try columnSQL(of: property, in: object), type: type)
    scalar.isOptional = property.isOptional
    scalar.mayThrow = object.mayThrow
    scalar.failure = property.isOptional ? object.identity.failureTest : nil
    scalar.needsNormalization =
      type.form == .text
      && environment.isNonNFC(TableNames.table(for: object.entity), TableNames.column(for: property))
    scalar.strictIn = (object.isCast ? [] : object.strictIn.union([object.key.sql])).union([scalar.sql.sql])
    return decoded(scalar)
  }

  /// A value of `@Attribute(.codable)` whose type has a form of its own, such as text, in that form.
  private func decoded(_ scalar: Scalar) -> Scalar {
    guard scalar.type.form == .json, let own = ScalarType(of: scalar.type.swiftType), own.form != .json else {
      return scalar
    }
    func function<T>(_ type: T.Type) -> ValueFunction {
      let key = ValueFunction.Key("decoded", types: [type], of: [scalar.type])
      return .unary(key, scalar.type, own, entity) { (value: T) in value }
    }
    return _openExistential(own.swiftType, do: function).scalar([scalar], type: own)
  }

  /// - Throws: ``DataStoreError/preferInMemoryFilter`` for a column whose values statements cannot read.
  private mutating func columnSQL(of property: __Property, in object: ObjectReference) throws -> SQLFragment {
    let column = TableNames.column(for: property)
    let cell = "\(alias(of: object)).\(column.quotedIdentifier)"
    noteRead(of: column, in: object)
    let codec = property.isSensitive ? environment.codec(object.entity, column) : nil
    if codec?.isReadable == false { throw DataStoreError.preferInMemoryFilter }
    let sql = SQLFragment(codec?.read(cell) ?? cell)
    // After `as!` the alias may be a row of another class, which has the inherited columns too.
    guard object.isCast, object.mayThrow, !object.isOptional else { return sql }
    return SQLFragment("CASE WHEN ") + object.key + SQLFragment(" IS NOT NULL THEN ") + sql + SQLFragment(" END")
  }

  /// The key of a to-one's target. The rule `.noAction` on the other side leaves keys of deleted rows, which read as
  /// nil.
  private mutating func targetKey(of property: __Property, in object: ObjectReference) throws -> SQLFragment {
    let column = try columnSQL(of: property, in: object)
    let info = RelationshipInfo.of(property, in: object.entity)
    guard info.inverse?.relationship?.deleteRule == .noAction else { return column }
    let table = TableNames.table(for: info.destination)
    noteRead(ofTable: table)
    return SQLFragment("(SELECT target._pk FROM \(table.quotedIdentifier) AS target WHERE target._pk = ") + column
      + SQLFragment(")")
  }

  /// The value at a path in a value's JSON.
  func member(of value: Scalar, at path: String, type: ScalarType, isOptional: Bool) -> Scalar {
    var result = value
    result.type = type
    result.type.property = value.type.property
    // An index covers one path from the cell, so nested paths are joined.
    let outer = value.member.flatMap { $0.sql == value.sql ? $0 : nil }
    let (base, full) = outer.map { ($0.base, $0.path + path.dropFirst()) } ?? (value.sql, path)
    result.sql = dialect.member(of: base, path: full, type: type)
    result.member = (result.sql, base, full)
    result.isOptional = value.isOptional || isOptional
    result.failure = result.isOptional ? value.failureTest : nil
    result.isAtomic = true
    result.needsNormalization = type.form == .text
    return result
  }

  func notPersisted(_ keyPath: AnyKeyPath, in entity: __Entity) -> SwiftDataError {
    let name = KeyPathText.describe(keyPath)
    guard !ScalarType.isModelMember(keyPath) else {
      return SwiftDataError(
        .unsupportedKeyPath,
        entity: entity.name,
        message: "\(name) is not persisted; filter the fetched objects instead"
      )
    }
    return SwiftDataError(
      .transientProperty,
      entity: entity.name,
      message: "\(name) is transient or computed, so the store does not know it; name persisted properties"
        + " instead, or filter the fetched objects"
    )
  }
}
