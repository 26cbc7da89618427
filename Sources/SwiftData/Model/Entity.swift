import Foundation
import Synchronization

/// The engine's description of one model class, made once by the class itself and immutable afterwards.
///
/// Property indices count from the root class of the hierarchy: inherited properties first.
// @unchecked Sendable because every stored property is a `let` and the key paths and default values in it are
// only read; the lazily found relationships are locked.
public final class __Entity: @unchecked Sendable {
  package let type: any PersistentModel.Type
  /// The name of the class, which is the entity's name.
  package let name: String
  package let superentity: __Entity?
  /// All persisted properties, inherited ones first; `properties[i].index == i`.
  package let properties: [__Property]
  /// How many of them are inherited.
  package let inheritedCount: Int
  package let indexByName: [String: Int]
  /// The relationships that were asked for, by property index.
  let relationships = Mutex<[Int: RelationshipInfo]>([:])
  package let indexByKeyPath: [AnyKeyPath: Int]
  /// The `#Unique` and `#Index` declarations of the class itself.
  private let declaredConstraints: [any PropertyListing]
  private let declaredIndices: [any PropertyListing]

  /// Describes a model class. Called by the code that `@Model` writes.
  public init<M: PersistentModel>(_ type: M.Type, superentity: __Entity? = nil) {
    self.type = type
    // What `String(describing:)` says too, after it has asked for conformances that no type has.
    self.name = _typeName(type, qualified: false)
    self.superentity = superentity
    let inherited = superentity?.properties ?? []
    self.inheritedCount = inherited.count
    var properties = inherited
    var keyPaths: [AnyKeyPath: Int] = superentity?.indexByKeyPath ?? [:]
    var constraints: [any PropertyListing] = []
    var indices: [any PropertyListing] = []
    for metadata in type.schemaMetadata {
      let declared = metadata.metadata
      // Most say nothing, or are one of the two classes, which is found out at once.
      let isProperty = declared == nil || declared is Schema.Attribute || declared is Schema.Relationship
      if !isProperty, let constraint = declared as? Schema.Unique<M> {
        constraints.append(constraint)
      } else if !isProperty, let index = declared as? Schema.Index<M> {
        indices.append(index)
      } else {
        let property = __Property(
          metadata, index: properties.count, entityName: name, rootName: superentity?.root.name ?? name)
        keyPaths[metadata.keypath] = property.index
        properties.append(property)
      }
    }
    self.properties = properties
    self.indexByKeyPath = keyPaths
    self.indexByName = Dictionary(properties.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
    self.declaredConstraints = constraints
    self.declaredIndices = indices
  }

  // Names are found when asked for: a key path of an inherited property is only understood by reading it on an
  // instance, which needs the finished description.

  /// The sets of properties that the class's own `#Unique` names.
  package var uniquenessConstraints: [[String]] { uniqueTerms.map { $0.map(\.name) } }
  /// The properties of each index that the class's own `#Index` asks for.
  package var indices: [[String]] { declaredIndices.flatMap { $0.terms(in: self).compactMap { $0?.map(\.name) } } }

  /// The same as terms.
  var uniqueTerms: [[IndexTerm]] { declaredConstraints.flatMap { $0.terms(in: self).compactMap(\.self) } }
  /// The binary indices among them.
  var binaryTerms: [[IndexTerm]] { terms(isRTree: false) }
  /// The R*Trees among them.
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
        guard let broken = terms.firstIndex(where: { $0 == nil }) else { continue }
        throw SwiftDataError(
          .unsupportedKeyPath, entity: name,
          message: "list \(broken + 1) of \(macro) has a key path that is no persisted property of \(name); "
            + "name stored properties, to-one relationships and stored members of Codable structs, without going"
            + " through a relationship")
      }
    }
    for terms in rtreeTerms { try RTreeIndex.validate(terms, in: self) }
  }

  /// How many properties the class has with the inherited ones: the index of a subclass's own first.
  public var __propertyCount: Int { properties.count }

  /// The root of the class hierarchy, whose table holds the rows.
  package var root: __Entity { superentity?.root ?? self }

  package func property(named name: String) -> __Property? { indexByName[name].map { properties[$0] } }

  package func isKind(of other: __Entity) -> Bool {
    self === other || (superentity?.isKind(of: other) ?? false)
  }
}

/// One persisted property of a model class.
// @unchecked Sendable because it is immutable and its key path and default value are only read.
public final class __Property: @unchecked Sendable {
  package enum Kind {
    /// Stored in a column of the entity's table.
    case attribute(ColumnType, Encoding)
    case toOne(any PersistentModel.Type)
    case toMany(any PersistentModel.Type)
  }

  /// How an attribute's value becomes a cell.
  package enum Encoding: Sendable {
    /// A `__ColumnValue`.
    case direct
    /// By its raw value.
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
  /// The root of that class's hierarchy, which names the table.
  package let rootName: String
  package let keyPath: AnyKeyPath
  /// As declared, optionals included.
  package let valueType: Any.Type
  /// The same without the optional.
  package let bareType: Any.Type
  package let isOptional: Bool
  package let kind: Kind
  package let defaultValue: Any?
  /// What `@Attribute` or `@Relationship` said; a plain `Schema.Attribute` or `Schema.Relationship` where nothing was.
  package let schemaProperty: any SchemaProperty
  package let attribute: Schema.Attribute?
  package let relationship: Schema.Relationship?
  /// Whether its data may be kept in a file beside the store.
  package let isExternal: Bool
  /// Whether its values are nobody else's business: encrypted where there is a key, and in no error or log.
  package let isSensitive: Bool

  init(_ metadata: Schema.PropertyMetadata, index: Int, entityName: String, rootName: String) {
    self.rootName = rootName
    self.index = index
    self.name = metadata.name
    self.entityName = entityName
    self.keyPath = metadata.keypath
    let valueType = Swift.type(of: metadata.keypath).valueType
    self.valueType = valueType
    let unwrapped = ValueTypes.wrapped(by: valueType)
    self.isOptional = unwrapped != nil
    self.defaultValue = metadata.defaultValue
    let bare = unwrapped ?? valueType
    self.bareType = bare
    let attribute = metadata.metadata as? Schema.Attribute
    // Asked for first because most properties have one.
    let column = ValueTypes.column(bare)
    if column == nil, attribute == nil, let model = bare as? any PersistentModel.Type {
      self.kind = .toOne(model)
    } else if column == nil, attribute == nil, let collection = bare as? any RelationshipCollection.Type {
      self.kind = .toMany(collection.__elementType)
    } else if attribute?.isTransformable == true {
      self.kind = .attribute(.blob, .transformed)
    } else if let column, attribute?.options.contains(.codable) != true {
      self.kind = .attribute(column.__columnType.type, .direct)
    } else if attribute?.options.contains(.codable) != true, let raw = Self.rawColumn(of: bare) {
      self.kind = .attribute(raw, .rawValue)
    } else {
      self.kind = .attribute(.text, .json)
    }
    switch kind {
    case .attribute: self.schemaProperty = metadata.metadata as? Schema.Attribute ?? Schema.Attribute()
    case .toOne, .toMany: self.schemaProperty = metadata.metadata as? Schema.Relationship ?? Schema.Relationship()
    }
    self.attribute = schemaProperty as? Schema.Attribute
    self.relationship = schemaProperty as? Schema.Relationship
    self.isExternal = self.attribute?.options.contains(.externalStorage) == true
    self.isSensitive =
      self.attribute?.options.contains(.allowsCloudEncryption) == true
      && self.attribute?.options.contains(.ephemeral) != true
  }

  /// The column type of an enum that is stored by raw value; nil for any other type. Codable is asked for because
  /// the overloads of `__RowReader.column` and `__ColumnWriter.write` ask for it.
  private static func rawColumn(of type: Any.Type) -> ColumnType? {
    func open<R: RawRepresentable>(_: R.Type) -> ColumnType? {
      ValueTypes.column(R.RawValue.self)?.__columnType.type
    }
    guard type is any Codable.Type, let raw = type as? any RawRepresentable.Type else { return nil }
    return open(raw)
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

  /// Whether it is a `let`, which only the decoding initialiser can set.
  package var isConstant: Bool { !(keyPath is any WritableReference) }

  /// Whether a fetch may leave it out: it can be loaded later, and something can stand in for it until then.
  package var isDeferrable: Bool {
    func placeholder<V>(_: V.Type) -> Bool { (__placeholder(V.self) as V?) != nil }
    return isAttribute && isStored && !isConstant && _openExistential(valueType, do: placeholder)
  }

  /// Whether rows have a column for it.
  package var isStored: Bool { !isToMany && attribute?.options.contains(.ephemeral) != true }
}

/// Key paths that can be written through.
private protocol WritableReference {}
extension ReferenceWritableKeyPath: WritableReference {}
