import Foundation

/// The values of a model of any class.
///
/// It encodes attributes as their own types do, except for a few whose own form would lose something in one or another
/// format: decimal numbers are text, a URL that is relative to another has both, characters are text, and what a value
/// transformer stores is data. What is nil or empty is left out. A property that the encoded form lacks gets the default
/// value of its declaration; one that has an original name is looked for under that too.
/// (Apple's documentation, `DefaultSnapshot`; the form is ours.)
// @unchecked Sendable because the contents are.
public struct DefaultSnapshot: DataStoreSnapshot, @unchecked Sendable {
  package var contents: SnapshotContents

  /// The model that the values are of.
  public var persistentIdentifier: PersistentIdentifier { contents.identifier }

  package init(_ contents: SnapshotContents) { self.contents = contents }

  /// Takes the values of a model.
  /// - Parameter relatedBackingDatas: takes up those of the models that it is related to, where they are loaded.
  public init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
    guard let object = (backingData as? any InstanceBacking)?.instance else {
      contents = SnapshotContents(detached: backingData)
      return
    }
    contents = SnapshotContents(of: object)
    for property in contents.entity.properties where !property.isAttribute {
      guard case .targets(let targets, _) = object.__relationship(property.index, .read) else { continue }
      for target in targets { relatedBackingDatas[target.persistentModelID] = target.__backingData }
    }
  }

  /// The same values for another identifier.
  /// - Parameter remappedIdentifiers: what to put in the place of identifiers that relationships name; nil changes none.
  /// - Complexity: O(*n*) in the properties and the targets of to-many relationships.
  public func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = nil
  ) -> DefaultSnapshot {
    var result = remappedIdentifiers.map { map in contents.mapIdentifiers { map[$0] ?? $0 } } ?? contents
    result.identifier = persistentIdentifier
    return DefaultSnapshot(result)
  }

  // MARK: - Coding

  /// Reads what ``encode(to:)`` wrote.
  /// - Throws: `DecodingError`, also for a class that no open container knows.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    let identifier = try container.decode(PersistentIdentifier.self, forKey: .persistentIdentifier)
    guard let entity = SnapshotEntities.named(identifier.entityName) else {
      throw DecodingError.dataCorruptedError(
        forKey: .persistentIdentifier, in: container,
        debugDescription: "no open ModelContainer has the model \(identifier.entityName); open it before decoding")
    }
    contents = SnapshotContents(identifier: identifier, entity: entity)
    for property in entity.properties where property.isStored || property.isToMany {
      let names = [property.name] + [property.schemaProperty.originalName].filter { !$0.isEmpty }
      guard
        let key = names.map(DataStoreSnapshotCodingKey.modeledProperty).first(where: { container.contains($0) })
      else {
        if property.isToMany { contents[property] = .toMany([]) }
        if property.isToOne { contents[property] = .toOne(nil) }
        if property.isAttribute, property.isOptional, property.defaultValue == nil { contents[property] = .value(nil) }
        continue
      }
      switch property.kind {
      case .toOne: contents[property] = .toOne(try container.decodeIfPresent(PersistentIdentifier.self, forKey: key))
      case .toMany: contents[property] = .toMany(try container.decode([PersistentIdentifier].self, forKey: key))
      case .attribute: contents[property] = .value(try SnapshotValueCoding.decode(property, of: entity, container, key))
      }
    }
  }

  /// Writes the identifier and each property under its name.
  /// - Throws: `EncodingError`, also while an identifier is temporary: give inserted models their own first.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try container.encode(contents.identifier, forKey: .persistentIdentifier)
    for property in contents.entity.properties {
      guard let field = contents[property] else { continue }
      let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
      switch field {
      case .toOne(let target): try container.encodeIfPresent(target, forKey: key)
      case .toMany(let targets): if !targets.isEmpty { try container.encode(targets, forKey: key) }
      case .value(let value?): try SnapshotValueCoding.encode(value, property, &container, key)
      // Without it, the default value would come back.
      case .value(nil): if property.defaultValue != nil { try container.encodeNil(forKey: key) }
      }
    }
  }
}

/// How attributes are encoded whose own form loses something.
enum SnapshotValueCoding {
  typealias Key = DataStoreSnapshotCodingKey

  static func encode(
    _ value: Any, _ property: __Property, _ container: inout KeyedEncodingContainer<Key>, _ key: Key
  ) throws {
    if case .attribute(_, .transformed) = property.kind {
      if let data = try property.transform(value) { try container.encode(data, forKey: key) }
      return
    }
    switch value {
    case let decimal as Decimal: try container.encode(decimal.description, forKey: key)
    case let character as Character: try container.encode(String(character), forKey: key)
    case let url as URL where url.baseURL != nil:
      let parts = ["base": url.baseURL!.absoluteString, "relative": url.relativeString]
      try container.encode(parts, forKey: key)
    case let encodable as any Encodable: try container.encode(encodable, forKey: key)
    default:
      throw SwiftDataError(
        .unwritableValue, entity: property.entityName, property: property.name,
        message: "its type \(property.valueType) is not Codable")
    }
  }

  static func decode(
    _ property: __Property, of entity: __Entity, _ container: KeyedDecodingContainer<Key>, _ key: Key
  ) throws -> Any? {
    if try container.decodeNil(forKey: key) { return nil }
    if case .attribute(_, .transformed) = property.kind {
      let data = try container.decode(Data.self, forKey: key)
      return try property.reverseTransform(data, in: entity)
    }
    switch ScalarType.bare(property.valueType) {
    case is Decimal.Type:
      let text = try container.decode(String.self, forKey: key)
      if text == "NaN" { return Decimal.nan }
      guard let value = Decimal(string: text) else {
        throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "\(text) is no number")
      }
      return value
    case is Character.Type:
      let text = try container.decode(String.self, forKey: key)
      guard text.count == 1 else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container, debugDescription: "\(text.debugDescription) is not one character")
      }
      return Character(text)
    case is URL.Type:
      if let parts = try? container.decode([String: String].self, forKey: key) {
        return URL(string: parts["relative"] ?? "", relativeTo: parts["base"].flatMap(URL.init(string:)))
      }
      return try container.decode(URL.self, forKey: key)
    case let type as any Decodable.Type: return try container.decode(type, forKey: key)
    default:
      throw SwiftDataError(
        .unreadableValue, entity: property.entityName, property: property.name,
        message: "its type \(property.valueType) is not Codable")
    }
  }
}

/// Backing data that is a view of a model.
protocol InstanceBacking {
  var instance: (any PersistentModel)? { get }
}

extension PersistentModel {
  /// A view of the model as what it is, also where the caller knows a superclass only.
  nonisolated var __backingData: any BackingData { __InlineBackingData(self) }
}
