extension Schema {
  // @unchecked Sendable because all its state is behind a mutex.
  /// The description of a model class: its properties and its place in the class hierarchy.
  ///
  /// (Apple's documentation, `Schema.Entity`.)
  public final class Entity: Codable, Hashable, CustomDebugStringConvertible, @unchecked Sendable {
    private struct State: Sendable {
      var name: String
      var subentities: [Entity] = []
      var superentityName: String?
      weak var superentity: Entity?
      var storedProperties: [any SchemaProperty] = []
      var inheritedProperties: [any SchemaProperty] = []
      var uniquenessConstraints: [[String]] = []
      var indices: [[String]] = []
    }

    private let state: Lock<State>

    /// Describes an entity without properties.
    public init(_ name: String) { state = Lock(State(name: name)) }

    /// Describes an entity.
    public convenience init(_ name: String, properties: any SchemaProperty...) {
      self.init(name, subentities: [], properties: properties)
    }

    /// Describes an entity with its subentities.
    public convenience init(_ name: String, subentities: Entity..., properties: any SchemaProperty...) {
      self.init(name, subentities: subentities, properties: properties)
    }

    private convenience init(_ name: String, subentities: [Entity], properties: [any SchemaProperty]) {
      self.init(name)
      state.withLock {
        $0.storedProperties = properties
        $0.uniquenessConstraints = properties.filter(\.isUnique).map { [$0.name] }
      }
      self.subentities = Set(subentities)
    }

    /// Makes the entity from the engine's description.
    package convenience init(_ entity: __Entity) {
      self.init(entity.name)
      let described = entity.properties.map { Self.describe($0, in: entity) }
      let own = described[entity.inheritedCount...]
      let indexed = entity.properties[entity.inheritedCount...].filter {
        $0.attribute?.options.contains(.indexed) == true
      }
      state.withLock {
        $0.superentityName = entity.superentity?.name
        $0.inheritedProperties = Array(described[..<entity.inheritedCount])
        $0.storedProperties = Array(own)
        $0.uniquenessConstraints = own.filter(\.isUnique).map { [$0.name] } + entity.uniquenessConstraints
        $0.indices = indexed.map { ["binary", $0.name] } + entity.indices
      }
    }

    private static func describe(_ property: __Property, in entity: __Entity) -> any SchemaProperty {
      if let attribute = property.attribute {
        if let composite = composite(property, attribute) { return composite }
        return Attribute(
          name: property.name,
          originalName: attribute.formerName,
          options: attribute.options,
          valueType: property.valueType,
          defaultValue: property.defaultValue,
          hashModifier: attribute.hashModifier
        )
      }
      return Relationship(property, inverse: RelationshipInfo.of(property, in: entity).inverse)
    }

    /// The description of a `Codable` struct, which is stored by its members, or nil for any other property.
    private static func composite(_ property: __Property, _ attribute: Attribute) -> CompositeAttribute? {
      guard case .attribute(_, .json) = property.kind, !attribute.options.contains(.codable),
        let members = CompositeMembers.attributes(of: property.bareType)
      else { return nil }
      let composite = CompositeAttribute(
        name: property.name, originalName: attribute.formerName, options: attribute.options,
        valueType: property.valueType, defaultValue: property.defaultValue, hashModifier: attribute.hashModifier)
      composite.properties = members
      return composite
    }

    // MARK: - Identity

    /// The name of the class.
    public var name: String {
      get { state.withLock { $0.name } }
      set { state.withLock { $0.name = newValue } }
    }

    /// The direct subentities. Assigning passes the properties on to them.
    public var subentities: Set<Entity> {
      get { Set(state.withLock { $0.subentities }) }
      set {
        let ordered = newValue.sorted { $0.name < $1.name }
        let properties = self.properties
        state.withLock { $0.subentities = ordered }
        for entity in ordered { entity.inherit(from: self, properties) }
      }
    }

    private func inherit(from parent: Entity, _ properties: [any SchemaProperty]) {
      let parentName = parent.name
      state.withLock {
        $0.superentity = parent
        $0.superentityName = parentName
        $0.inheritedProperties = properties
      }
      let all = self.properties
      for entity in state.withLock({ $0.subentities }) { entity.inherit(from: self, all) }
    }

    /// Adds a subentity that already has its inherited properties.
    func adopt(_ entity: Entity) {
      state.withLock { $0.subentities.append(entity) }
      entity.state.withLock { $0.superentity = self }
    }

    /// The name of the superentity.
    public var superentityName: String? {
      get { state.withLock { $0.superentityName } }
      set { state.withLock { $0.superentityName = newValue } }
    }

    /// The superentity. The schema owns it, not this entity.
    public var superentity: Entity? {
      get { state.withLock { $0.superentity } }
      set {
        let name = newValue?.name
        state.withLock {
          $0.superentity = newValue
          $0.superentityName = name
        }
      }
    }

    // MARK: - Properties

    /// The properties that the class itself declares, in order.
    public var storedProperties: [any SchemaProperty] {
      get { state.withLock { $0.storedProperties } }
      set { state.withLock { $0.storedProperties = newValue } }
    }

    /// The properties that the class inherits, in order.
    public var inheritedProperties: [any SchemaProperty] {
      get { state.withLock { $0.inheritedProperties } }
      set { state.withLock { $0.inheritedProperties = newValue } }
    }

    /// All properties, inherited ones first.
    public var properties: [any SchemaProperty] {
      state.withLock { $0.inheritedProperties + $0.storedProperties }
    }

    /// The attributes, inherited ones included. Assigning replaces the class's own.
    public var attributes: Set<Attribute> {
      get { Set(properties.compactMap { $0 as? Attribute }) }
      set { replace(newValue.sorted { $0.name < $1.name }) { $0 is Attribute } }
    }

    /// The relationships, inherited ones included. Assigning replaces the class's own.
    public var relationships: Set<Relationship> {
      get { Set(properties.compactMap { $0 as? Relationship }) }
      set { replace(newValue.sorted { $0.name < $1.name }) { $0 is Relationship } }
    }

    private func replace(_ new: [any SchemaProperty], where isReplaced: (any SchemaProperty) -> Bool) {
      state.withLock { state in
        let inherited = Set(state.inheritedProperties.map(\.name))
        state.storedProperties =
          state.storedProperties.filter { !isReplaced($0) } + new.filter { !inherited.contains($0.name) }
      }
    }

    /// The attributes by name, inherited ones included.
    public var attributesByName: [String: Attribute] {
      get { Self.byName(properties.compactMap { $0 as? Attribute }) }
      set { attributes = Set(newValue.values) }
    }

    /// The relationships by name, inherited ones included.
    public var relationshipsByName: [String: Relationship] {
      get { Self.byName(properties.compactMap { $0 as? Relationship }) }
      set { relationships = Set(newValue.values) }
    }

    /// The properties that the class itself declares, by name.
    public var storedPropertiesByName: [String: any SchemaProperty] {
      Dictionary(storedProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The properties that the class inherits, by name.
    public var inheritedPropertiesByName: [String: any SchemaProperty] {
      Dictionary(inheritedProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func byName<P: SchemaProperty>(_ properties: [P]) -> [String: P] {
      Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: - Constraints

    /// The sets of properties whose values are unique together, from `@Attribute(.unique)` and `#Unique`.
    public var uniquenessConstraints: [[String]] {
      get { state.withLock { $0.uniquenessConstraints } }
      set { state.withLock { $0.uniquenessConstraints = newValue } }
    }

    /// Each index from `#Index`: its kind, `"binary"` or `"rtree"`, and then its properties. (Projects that read Apple's.)
    public var indices: [[String]] {
      get { state.withLock { $0.indices } }
      set { state.withLock { $0.indices = newValue } }
    }

    // MARK: - Hashing

    /// Compares the name, the parent, the children's names, the stored properties, the constraints and the indices.
    public static func == (left: Entity, right: Entity) -> Bool {
      if left === right { return true }
      let (a, b) = (left.state.withLock { $0 }, right.state.withLock { $0 })
      return a.name == b.name && a.superentityName == b.superentityName
        && a.uniquenessConstraints == b.uniquenessConstraints && a.indices == b.indices
        && a.storedProperties.map(hashable) == b.storedProperties.map(hashable)
        && Set(a.subentities.map(\.name)) == Set(b.subentities.map(\.name))
    }

    private static func hashable(_ property: any SchemaProperty) -> AnyHashable { AnyHashable(property) }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The entity in short form: its name, its superentity's name, and its properties.
    public var debugDescription: String {
      let parent = superentityName.map { ": \($0)" } ?? ""
      let lines = storedProperties.map { "\n  " + String(reflecting: $0) }
      return "entity \(name)\(parent)" + lines.joined()
    }

    // MARK: - Coding

    private enum CodingKeys: CodingKey {
      case name, superentityName, subentities, storedProperties, inheritedProperties, uniquenessConstraints, indices
    }

    /// Decodes the entity. ``Schema`` connects it with its superentity and subentities.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      var decoded = State(name: try container.decode(String.self, forKey: .name))
      decoded.superentityName = try container.decodeIfPresent(String.self, forKey: .superentityName)
      decoded.storedProperties = try container.decode([CodedProperty].self, forKey: .storedProperties).map(\.property)
      decoded.inheritedProperties =
        try container.decode([CodedProperty].self, forKey: .inheritedProperties).map(\.property)
      decoded.uniquenessConstraints = try container.decode([[String]].self, forKey: .uniquenessConstraints)
      decoded.indices = try container.decode([[String]].self, forKey: .indices)
      state = Lock(decoded)
    }

    /// Encodes the entity. Parent and children are encoded by name.
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
      let state = self.state.withLock { $0 }
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(state.name, forKey: .name)
      try container.encodeIfPresent(state.superentityName, forKey: .superentityName)
      try container.encode(state.storedProperties.map(CodedProperty.init), forKey: .storedProperties)
      try container.encode(state.inheritedProperties.map(CodedProperty.init), forKey: .inheritedProperties)
      try container.encode(state.uniquenessConstraints, forKey: .uniquenessConstraints)
      try container.encode(state.indices, forKey: .indices)
    }
  }
}

/// A property with its kind, so that a mixed list can be decoded.
struct CodedProperty: Codable {
  var property: any SchemaProperty

  init(_ property: any SchemaProperty) { self.property = property }

  private enum Kind: String, Codable { case attribute, compositeAttribute, relationship }
  private enum CodingKeys: CodingKey { case kind, property }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    switch try container.decode(Kind.self, forKey: .kind) {
    case .attribute: property = try container.decode(Schema.Attribute.self, forKey: .property)
    case .compositeAttribute: property = try container.decode(Schema.CompositeAttribute.self, forKey: .property)
    case .relationship: property = try container.decode(Schema.Relationship.self, forKey: .property)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    let kind: Kind
    switch property {
    case is Schema.CompositeAttribute: kind = .compositeAttribute
    case is Schema.Attribute: kind = .attribute
    case is Schema.Relationship: kind = .relationship
    default:
      throw EncodingError.invalidValue(
        property,
        .init(
          codingPath: encoder.codingPath,
          debugDescription: "a schema cannot save the property \(property.name) of the type \(type(of: property)); "
            + "describe it with Schema.Attribute or Schema.Relationship"
        )
      )
    }
    try container.encode(kind, forKey: .kind)
    try container.encode(property, forKey: .property)
  }
}
