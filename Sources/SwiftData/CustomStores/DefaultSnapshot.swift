import Foundation

// @unchecked Sendable because the contents are.
/// A snapshot of a model of any class.
///
/// It encodes attributes by their own types, except for types whose encoding loses information in some format: decimal
/// numbers and characters are text, a relative URL keeps its base, and transformed values are data. Nil and empty
/// values are omitted. A missing property becomes its default value when decoded; a property with an original name is
/// also looked up under that name. (Apple's documentation, `DefaultSnapshot`; the format is ours.)
public struct DefaultSnapshot: DataStoreSnapshot, @unchecked Sendable {
  package var contents: SnapshotContents

  /// The identifier of the model.
  public var persistentIdentifier: PersistentIdentifier { contents.identifier }

  package init(_ contents: SnapshotContents) { self.contents = contents }

  /// Makes a snapshot of a model.
  /// - Parameters:
  ///   - backingData: the values of the model.
  ///   - relatedBackingDatas: collects the backing data of related models that are loaded.
  public init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
    guard let object = (backingData as? any InstanceBacking)?.instance?.__resolved else {
      contents = SnapshotContents(detached: backingData)
      return
    }
    contents = SnapshotContents(of: object)
    for property in contents.entity.properties where !property.isAttribute {
      guard let targets = object.relationship(property).targets else { continue }
      for target in targets { relatedBackingDatas[target.persistentModelID] = target.__backingData }
    }
  }

  /// A copy with another identifier.
  /// - Parameters:
  ///   - persistentIdentifier: the identifier of the copy.
  ///   - remappedIdentifiers: replacements for identifiers in relationships, or nil for none.
  /// - Complexity: O(*n*) in the properties and the targets of to-many relationships.
  public func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = nil
  ) -> DefaultSnapshot {
    var result = remappedIdentifiers.map { map in contents.mapIdentifiers { map[$0] ?? $0 } } ?? contents
    result.identifier = persistentIdentifier
    return DefaultSnapshot(result)
  }

  // MARK: - Coding

  /// Decodes the format of ``encode(to:)``.
  /// - Throws: `DecodingError`, also for a class that no open container has.
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

  /// Encodes the identifier and each property under its name.
  /// - Throws: `EncodingError`, also for a temporary identifier. Replace it first.
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
      // Otherwise decoding would yield the default value.
      case .value(nil): if property.defaultValue != nil { try container.encodeNil(forKey: key) }
      }
    }
  }
}

/// Encodes attributes whose own encoding loses information.
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
        throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "\(text) is not a number")
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
