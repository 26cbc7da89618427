import Foundation

// @unchecked Sendable because every stored property is a `let`, the key paths and default values are only read, and a
// mutex guards the lazily resolved relationships.
/// The engine's description of a model class. The class makes it once, and it is immutable.
///
/// Property indices count from the root class of the hierarchy, inherited properties first.
public final class __Entity: @unchecked Sendable {
  package let type: any PersistentModel.Type
  /// Whether this describes the class of an object. Asking the object for its entity would call a function and count references.
  @inline(__always)
  package func describes(_ object: any PersistentModel) -> Bool {
    ObjectIdentifier(type) == ObjectIdentifier(Swift.type(of: object))
  }

  /// The name of the class, which is the entity's name.
  package let name: String
  package let superentity: __Entity?
  /// The table with the rows of the class's hierarchy.
  package let tableName: String
  /// All persisted properties, inherited ones first. `properties[i].index == i`.
  package let properties: [__Property]
  /// The number of inherited properties.
  package let inheritedCount: Int
  /// Whether a property is a relationship.
  let hasRelationships: Bool
  package let indexByName: [String: Int]
  /// The relationships resolved so far, by property index. For a dictionary, the runtime would search for a conformance of its keys.
  let relationships: Lock<[RelationshipInfo?]>
  /// The `#Unique` and `#Index` declarations of the class itself.
  private let declaredConstraints: [any PropertyListing]
  private let declaredIndices: [any PropertyListing]

  /// Describes a model class. The code that `@Model` generates calls it.
  public init<M: PersistentModel>(_ type: M.Type, superentity: __Entity? = nil) {
    self.type = type
    // The same as `String(describing:)`, which is slower because it looks for conformances.
    self.name = _typeName(type, qualified: false)
    self.superentity = superentity
    self.tableName = superentity?.tableName ?? TableNames.table(ofClass: name)
    let inherited = superentity?.properties ?? []
    self.inheritedCount = inherited.count
    var properties = inherited
    var constraints: [any PropertyListing] = []
    var indices: [any PropertyListing] = []
    let all = type.schemaMetadata
    let names = all.map(\.name)
    for metadata in all {
      let declared = metadata.metadata
      // The types are compared first, because a cast that fails is slow.
      let kind = declared.map { Swift.type(of: $0) as any Any.Type }
      if kind == Schema.Unique<M>.self, let constraint = declared as? Schema.Unique<M> {
        constraints.append(constraint)
      } else if kind == Schema.Index<M>.self, let index = declared as? Schema.Index<M> {
        indices.append(index)
      } else {
        properties.append(
          __Property(
            metadata, index: properties.count, entityName: name, tableName: tableName, isRoot: superentity == nil,
            among: names))
      }
    }
    self.properties = properties
    self.hasRelationships = !properties.allSatisfy(\.isAttribute)
    self.relationships = Lock(Array(repeating: nil, count: properties.count))
    self.indexByName = Dictionary(properties.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
    self.declaredConstraints = constraints
    self.declaredIndices = indices
  }

  // Names are resolved lazily, because the key path of an inherited property is compared with the key paths of the
  // finished description.

  /// The sets of properties that the class's own `#Unique` names.
  package var uniquenessConstraints: [[String]] { uniqueTerms.map { $0.map(\.name) } }
  /// The kind and the properties of each index that the class's own `#Index` asks for.
  package var indices: [[String]] {
    declaredIndices.flatMap { listing in
      zip(listing.terms(in: self), listing.isRTree).compactMap { terms, isRTree in
        terms.map { [isRTree ? "rtree" : "binary"] + $0.map(\.name) }
      }
    }
  }

  /// The sets of properties of the class's own `#Unique`, as index terms.
  var uniqueTerms: [[IndexTerm]] { declaredConstraints.flatMap { $0.terms(in: self).compactMap(\.self) } }
  /// The binary indices of the class's own `#Index`.
  var binaryTerms: [[IndexTerm]] { terms(isRTree: false) }
  /// The R*Trees of the class's own `#Index`.
  var rtreeTerms: [[IndexTerm]] { terms(isRTree: true) }

  private func terms(isRTree: Bool) -> [[IndexTerm]] {
    declaredIndices.flatMap { listing in
      zip(listing.terms(in: self), listing.isRTree).compactMap { $1 == isRTree ? $0 : nil }
    }
  }

  /// Checks that `#Unique` and `#Index` name persisted properties of the class.
  /// - Throws: ``SwiftDataError/unsupportedKeyPath``.
  package func validateDeclarations() throws {
    for (macro, listings) in [("#Unique", declaredConstraints), ("#Index", declaredIndices)] {
      for listing in listings {
        let terms = listing.terms(in: self)
        guard let broken = terms.firstIndex(where: { $0 == nil }) else {
          if macro == "#Unique" { for case let list? in terms { try list.forEach(validateUnique) } }
          continue
        }
        throw SwiftDataError(
          .unsupportedKeyPath, entity: name,
          message: "list \(broken + 1) of \(macro) has a key path that is not a persisted property of \(name); "
            + "name stored properties, to-one relationships and members of structs with @Composite, without going"
            + " through a relationship. A struct with Codable alone may decode a member to another value than the store"
            + " has, so its members have no index")
      }
    }
    for terms in rtreeTerms { try IndexTerm.validateRTree(terms, in: self) }
    for property in properties.dropFirst(inheritedCount) where property.attribute?.isUnique == true {
      try validateUnique(IndexTerm(property))
    }
    for property in properties.dropFirst(inheritedCount) { try validateInverse(of: property) }
  }

  /// Checks that the property that `inverse:` names is of the related class. Objects of any class that has it can be related.
  private func validateInverse(of property: __Property) throws {
    guard let keyPath = property.relationship?.inverseKeyPath, let destination = property.destination?.__entity,
      let inverse = KeyPathResolver.property(at: keyPath, in: destination)
    else { return }
    let declaring = InverseInference.declaringClass(of: inverse, in: destination)
    guard declaring !== destination else { return }
    throw SwiftDataError(
      .unknownSchema, entity: name, property: property.name,
      message: "its inverse \(inverse.name) is a property of \(declaring.name), so objects of other classes than"
        + " \(destination.name) would be in it; relate it to \(declaring.name), or declare a property in \(destination.name)"
    )
  }

  /// Checks that equal values of a unique property have equal cells.
  private func validateUnique(_ term: IndexTerm) throws {
    if term.property.isExternal {
      throw SwiftDataError(
        .unknownSchema, entity: name, property: term.name,
        message: "data in external storage cannot be unique, because the row has only a file's name; make a hash of"
          + " the data unique")
    }
    let type = term.type
    guard type.form != .json, type.form != .opaque, !type.hasEqualCells else { return }
    throw SwiftDataError(
      .unknownSchema, entity: name, property: term.name,
      message: "it cannot be unique, because a \(type.swiftType) is stored by its raw value and may have an == of its"
        + " own, which no index has; conform \(type.swiftType) to Schema.ComparedByRawValue if it compares raw values, or"
        + " make a property with the values in one form unique")
  }

  /// The number of properties including inherited ones, which is the index of a subclass's first own property.
  public var __propertyCount: Int { properties.count }

  /// The root of the class hierarchy, whose table holds the rows.
  package var root: __Entity { superentity?.root ?? self }

  /// The class and its superclasses, from the class to the root.
  package var lineage: [__Entity] { [self] + (superentity?.lineage ?? []) }

  /// The index of the property that a key path of the generated description names, or nil for any other key path.
  /// - Complexity: O(the number of properties). Key paths of properties of other types are neither made nor compared.
  package func index(of keyPath: AnyKeyPath) -> Int? {
    let type = Swift.type(of: keyPath).valueType
    return properties.firstIndex { $0.valueType == type && $0.keyPath == keyPath }
  }

  package func property(named name: String) -> __Property? { indexByName[name].map { properties[$0] } }

  package func isKind(of other: __Entity) -> Bool {
    self === other || (superentity?.isKind(of: other) ?? false)
  }
}

// @unchecked Sendable because it is immutable and its key path and default value are only read.
/// One persisted property of a model class.
public final class __Property: @unchecked Sendable {
  package enum Kind {
    /// Stored in a column of the entity's table.
    case attribute(ColumnType, Encoding)
    case toOne(any PersistentModel.Type)
    case toMany(any PersistentModel.Type)
  }

  /// How an attribute's value is encoded in a cell.
  package enum Encoding: Sendable {
    /// A `__ColumnValue`.
    case direct
    /// The raw value.
    case rawValue
    /// JSON text.
    case json
    /// Bytes from a `ValueTransformer`.
    case transformed
  }

  package let index: Int
  package let name: String
  /// The class that declares the property.
  package let entityName: String
  /// The table of that class's hierarchy.
  package let tableName: String
  /// The column of the property. For a to-many, the table with its pairs, unless the other end names it or keeps the list.
  package let column: String
  private let makeKeyPath: () -> AnyKeyPath
  /// The declared type, including optionals.
  package let valueType: Any.Type
  /// The declared type without the optional.
  package let bareType: Any.Type
  package let isOptional: Bool
  package let kind: Kind
  /// The type of the raw value if the declared type is stored by it, or could be.
  package let rawType: Any.Type?
  package let defaultValue: Any?
  /// The argument of `@Attribute` or `@Relationship`, or a plain `Schema.Attribute` or `Schema.Relationship`.
  package let schemaProperty: any SchemaProperty
  package let attribute: Schema.Attribute?
  package let relationship: Schema.Relationship?
  /// Whether its data may be in a file next to the store. Only data can be; the option means nothing for other types.
  package let isExternal: Bool
  /// Whether its values are secret: encrypted if the configuration has a key, and never shown in an error or log.
  package let isSensitive: Bool

  /// - Parameters:
  ///   - isRoot: whether the declaring class has no superclass.
  ///   - names: all properties that it declares.
  init(
    _ metadata: Schema.PropertyMetadata, index: Int, entityName: String, tableName: String, isRoot: Bool,
    among names: [String]
  ) {
    self.tableName = tableName
    self.index = index
    self.name = metadata.name
    self.entityName = entityName
    self.makeKeyPath = metadata.keyPath
    self.declaredConstant = metadata.isConstant
    let valueType = metadata.valueType
    self.valueType = valueType
    let unwrapped = ValueTypes.wrapped(by: valueType)
    self.isOptional = unwrapped != nil
    self.defaultValue = metadata.defaultValue
    let bare = unwrapped ?? valueType
    self.bareType = bare
    let declared = metadata.metadata
    // Asked first, because a cast that fails is slow.
    let attribute = declared?.isAttribute == true ? declared as? Schema.Attribute : nil
    let isCodable = attribute?.options.contains(.codable) == true
    let known = metadata.kind ?? .init(bare)
    if case .rawValue(let type) = known { self.rawType = type } else { self.rawType = nil }
    self.kind =
      switch known {
      case .toOne(let model) where attribute == nil: .toOne(model)
      case .toMany(let members) where attribute == nil: .toMany(members)
      case _ where attribute?.isTransformable == true: .attribute(.blob, .transformed)
      case .column(let type) where !isCodable: .attribute(type.__columnType.type, .direct)
      case .rawValue(let type) where !isCodable: .attribute(type.__columnType.type, .rawValue)
      default: .attribute(.text, .json)
      }
    switch kind {
    case .attribute:
      let attribute = attribute ?? Schema.Attribute()
      (self.attribute, self.relationship, self.schemaProperty) = (attribute, nil, attribute)
    case .toOne, .toMany:
      let known = declared?.isRelationship == true ? declared as? Schema.Relationship : nil
      // Without `@Relationship` there are no counts. Its own default is 0, which means the same.
      let relationship = known ?? Schema.Relationship(minimumModelCount: nil, maximumModelCount: nil)
      (self.attribute, self.relationship, self.schemaProperty) = (nil, relationship, relationship)
    }
    if case .toMany = kind {
      column = TableNames.pairs(metadata.name, of: entityName, among: names)
    } else {
      column = TableNames.column(metadata.name, of: entityName, isRoot: isRoot, among: names)
    }
    if case .attribute(.blob, _) = kind {
      self.isExternal = self.attribute?.options.contains(.externalStorage) == true
    } else {
      self.isExternal = false
    }
    self.isSensitive =
      self.attribute?.options.contains(.allowsCloudEncryption) == true
      && self.attribute?.options.contains(.ephemeral) != true
  }

  package var isToMany: Bool { if case .toMany = kind { true } else { false } }
  package var isToOne: Bool { if case .toOne = kind { true } else { false } }
  package var isAttribute: Bool { if case .attribute = kind { true } else { false } }

  /// The class at the other end of a relationship.
  package var destination: (any PersistentModel.Type)? {
    switch kind {
    case .attribute: nil
    case .toOne(let type), .toMany(let type): type
    }
  }

  /// Whether the property is a `let`, which only the decoding initializer can set.
  package var isConstant: Bool { declaredConstant ?? !(keyPath is any WritableReference) }
  private let declaredConstant: Bool?

  /// The key path from the model to the property. The runtime makes it once.
  package var keyPath: AnyKeyPath { makeKeyPath() }

  /// Whether a fetch may omit the property: it can be loaded later, and a placeholder value exists until then.
  package var isDeferrable: Bool {
    func placeholder<V>(_: V.Type) -> Bool { (__placeholder(V.self) as V?) != nil }
    return isAttribute && isStored && !isConstant && _openExistential(valueType, do: placeholder)
  }

  /// Whether the property has a column.
  package var isStored: Bool { !isToMany && attribute?.options.contains(.ephemeral) != true }
}

/// Marks key paths that are writable.
private protocol WritableReference {}
extension ReferenceWritableKeyPath: WritableReference {}
