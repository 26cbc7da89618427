public import Foundation

// @unchecked Sendable because it is immutable, its entities guard their own state, and a metatype has no state.
/// The models of an app and how they are stored.
///
/// The schema includes every model that relationships of the named models reach, and their superclasses. Name a
/// subclass explicitly if no relationship refers to it. (Apple's documentation, `Schema`.)
public final class Schema: Codable, Hashable, CustomDebugStringConvertible, @unchecked Sendable {
  /// The format version that ``save(to:)`` writes.
  public static let schemaEncodingVersion = Version(1, 0, 0)

  /// The format version that the schema was read from.
  public let encodingVersion: Version
  /// The version of the schema itself.
  public let version: Version
  /// The entities, in the order of naming and discovery.
  public let entities: [Entity]
  /// The entities by name.
  public let entitiesByName: [String: Entity]
  /// The model classes. Empty if the schema was loaded from a file or made from entities.
  package let models: [any PersistentModel.Type]
  /// Whether the caller gave a version. Equality and hashes ignore it.
  package let hasVersion: Bool

  private init(
    models: [any PersistentModel.Type],
    entities: [Entity],
    version: Version?,
    encodingVersion: Version = Schema.schemaEncodingVersion
  ) {
    self.models = models
    self.entities = entities
    self.entitiesByName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.version = version ?? Version(1, 0, 0)
    self.hasVersion = version != nil
    self.encodingVersion = encodingVersion
  }

  /// Makes an empty schema.
  public convenience init() { self.init(models: [], entities: [], version: nil) }

  /// Makes a schema from entities.
  public convenience init(_ entities: Entity..., version: Version = Version(1, 0, 0)) {
    self.init(models: [], entities: entities, version: version)
  }

  /// Makes a schema from models and everything they reach. It has the version 1.0.0.
  ///
  /// Without a migration plan, it also fits a store that has a later version of the same models.
  public convenience init(_ types: any PersistentModel.Type...) { self.init(types) }

  /// Makes a schema from models and everything they reach. It has the version 1.0.0.
  ///
  /// Without a migration plan, it also fits a store that has a later version of the same models.
  public convenience init(_ types: [any PersistentModel.Type]) { self.init(models: types, version: nil) }

  /// Makes a schema from models and everything they reach.
  public convenience init(_ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)) {
    self.init(types, version: version)
  }

  /// Makes a schema from models and everything they reach.
  public convenience init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
    self.init(models: types, version: version)
  }

  private convenience init(models types: [any PersistentModel.Type], version: Version?) {
    let models = Self.reachable(from: types)
    let entities = models.map { Entity($0.__entity) }
    Self.connect(entities)
    self.init(models: models, entities: entities, version: version)
  }

  /// Makes the schema of a version.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
  }

  /// The schema of some of the models, with the same version or none.
  package func part(_ types: [any PersistentModel.Type]) -> Schema {
    Schema(models: types, version: hasVersion ? version : nil)
  }

  /// The types, and all types that their relationships and superclasses reach, in the order of discovery.
  private static func reachable(from types: [any PersistentModel.Type]) -> [any PersistentModel.Type] {
    var found: [any PersistentModel.Type] = []
    var seen: Set<ObjectIdentifier> = []
    func add(_ type: any PersistentModel.Type) {
      if seen.insert(ObjectIdentifier(type)).inserted { found.append(type) }
    }
    types.forEach(add)
    var next = 0
    while next < found.count {
      let entity = found[next].__entity
      next += 1
      if let superentity = entity.superentity { add(superentity.type) }
      entity.properties.compactMap(\.destination).forEach(add)
    }
    return found
  }

  /// Connects entities with their subentities.
  private static func connect(_ entities: [Entity]) {
    let byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for entity in entities {
      if let parent = entity.superentityName.flatMap({ byName[$0] }) { parent.adopt(entity) }
    }
  }

  /// The engine's descriptions of the model classes.
  package var runtimeEntities: [__Entity] { models.map { $0.__entity } }

  /// Performs the checks that the initializer cannot, because it does not throw.
  /// - Throws: ``SwiftDataError/unsupportedKeyPath`` if a `#Unique` or `#Index` names something other than a persisted
  ///   property, ``SwiftDataError/unknownSchema`` if two entities have one name, or a relationship's inverse is a property of a
  ///   superclass of the related class.
  package func validate() throws {
    for (name, same) in Dictionary(grouping: entities, by: \.name).sorted(by: { $0.key < $1.key }) where same.count > 1
    {
      let types = models.filter { $0.__entity.name == name }.map { String(reflecting: $0) }
      throw SwiftDataError(
        .unknownSchema,
        entity: name,
        message: "\(same.count) models have this name (\(types.joined(separator: ", "))); a schema needs one of each "
          + "name. Models of different versions belong into different schemas"
      )
    }
    for entity in runtimeEntities { try entity.validateDeclarations() }
  }

  // MARK: - Entities

  /// The entity of a model class, or nil if the schema does not contain it.
  public func entity<T: PersistentModel>(for type: T.Type) -> Entity? { entitiesByName[Self.entityName(for: type)] }

  /// The name of the entity of a model class.
  public static func entityName<T: PersistentModel>(for type: T.Type) -> String { type.__entity.name }

  // MARK: - Files

  /// Writes the schema to a file as JSON.
  /// - Throws: an error of the file system or of the encoding.
  public func save(to toURL: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    try encoder.encode(self).write(to: toURL, options: .atomic)
  }

  /// Reads a schema that ``save(to:)`` wrote. It describes models but cannot instantiate them.
  /// - Throws: an error of the file system, or `DecodingError`.
  public static func load(from fromURL: URL) throws -> Schema {
    try JSONDecoder().decode(Schema.self, from: Data(contentsOf: fromURL))
  }

  // MARK: - Hashing

  /// Compares the versions and the entities, in any order.
  public static func == (left: Schema, right: Schema) -> Bool {
    left === right || (left.version == right.version && Set(left.entities) == Set(right.entities))
  }

  /// Hashes the version and the names of the entities.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(Set(entitiesByName.keys))
  }

  /// The version and the entities, one line per property.
  public var debugDescription: String {
    (["schema \(version)"] + entities.map(\.debugDescription)).joined(separator: "\n")
  }

  // MARK: - Coding

  private enum CodingKeys: CodingKey { case encodingVersion, version, entities }

  /// Decodes a schema. It describes models without being able to make any.
  /// - Throws: `DecodingError`, also for a newer format than ``schemaEncodingVersion``.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let encodingVersion = try container.decode(Version.self, forKey: .encodingVersion)
    guard encodingVersion.major <= Self.schemaEncodingVersion.major else {
      throw DecodingError.dataCorruptedError(
        forKey: .encodingVersion,
        in: container,
        debugDescription: "the schema has the format \(encodingVersion); this version of the package reads formats "
          + "up to \(Self.schemaEncodingVersion); update the program"
      )
    }
    let entities = try container.decode([Entity].self, forKey: .entities)
    Self.connect(entities)
    self.init(
      models: [],
      entities: entities,
      version: try container.decode(Version.self, forKey: .version),
      encodingVersion: encodingVersion
    )
  }

  /// Encodes the format, the version and the entities.
  /// - Throws: `EncodingError`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.schemaEncodingVersion, forKey: .encodingVersion)
    try container.encode(version, forKey: .version)
    try container.encode(entities, forKey: .entities)
  }
}
