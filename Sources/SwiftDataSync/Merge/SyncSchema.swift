import SwiftData

/// What merging has to know about the models: names, and the rules of relationships.
struct SyncSchema: Sendable, Equatable {
  struct Property: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
      case attribute(isSealed: Bool)
      /// A register with the name of the target.
      case reference
      /// A to-one that the inverse to-one of the target holds.
      case derivedReference
      /// A set of members.
      case members
      /// The members are the records whose reference `inverse` leads here.
      case derivedFromReference
      /// The members are the records whose set `inverse` contains this one.
      case derivedFromMembers
    }

    let name: String
    let kind: Kind
    /// The entity at the other end.
    let destination: String
    /// The property at the other end.
    let inverse: String?
    /// Whether the deletion of a record deletes what the relationship leads to.
    let cascades: Bool
    /// Whether the inverse is a to-one, so that a target has at most one source.
    let isExclusive: Bool
  }

  struct Entity: Sendable, Equatable {
    let name: String
    let superentity: String?
    let properties: [String: Property]
    /// Sets of properties whose values are unique, each with the entity that declares it.
    let unique: [(entity: String, properties: [String])]

    static func == (left: Entity, right: Entity) -> Bool {
      left.name == right.name && left.superentity == right.superentity && left.properties == right.properties
        && left.unique.elementsEqual(right.unique) { $0.entity == $1.entity && $0.properties == $1.properties }
    }
  }

  let entities: [String: Entity]

  subscript(name: String) -> Entity? { entities[name] }

  /// The property at the other end of a relationship.
  func inverse(of property: Property) -> Property? {
    property.inverse.flatMap { entities[property.destination]?.properties[$0] }
  }

  /// The name of the field that holds the zone of a record that moved to another zone.
  static let home = ".zone"

  /// The name of the field that holds the place of a record in the list that its reference leads to.
  static func place(of reference: String) -> String { reference + ".place" }

  static func isPlace(_ field: String) -> Bool { field.hasSuffix(".place") }
}

extension SyncSchema {
  /// - Parameter schema: the models that sync.
  init(_ schema: Schema) {
    var entities: [String: Entity] = [:]
    for entity in schema.runtimeEntities {
      var properties: [String: Property] = [:]
      for property in entity.properties where property.isStored || property.isToMany {
        properties[property.name] = Self.property(property, entity)
      }
      var unique: [(String, [String])] = []
      var declaring: __Entity? = entity
      while let current = declaring {
        for property in current.properties[current.inheritedCount...] where property.schemaProperty.isUnique {
          unique.append((current.name, [property.name]))
        }
        for names in current.uniquenessConstraints { unique.append((current.name, names)) }
        declaring = current.superentity
      }
      entities[entity.name] = Entity(
        name: entity.name, superentity: entity.superentity?.name, properties: properties, unique: unique)
    }
    self.entities = entities
  }

  private static func property(_ property: __Property, _ entity: __Entity) -> Property {
    guard !property.isAttribute else {
      return Property(
        name: property.name, kind: .attribute(isSealed: property.isSensitive), destination: "", inverse: nil,
        cascades: false, isExclusive: false)
    }
    let info = RelationshipInfo.of(property, in: entity)
    let inverse = info.inverse
    // Of two ends the one whose name sorts first holds what both mean; a relationship that is its own inverse holds it at
    // both objects.
    func holds(_ other: __Property) -> Bool {
      "\(property.entityName).\(property.name)" <= "\(other.entityName).\(other.name)"
    }
    let kind: Property.Kind
    switch (property.isToMany, inverse) {
    case (false, let inverse?) where !inverse.isToMany && !holds(inverse): kind = .derivedReference
    case (false, _): kind = .reference
    case (true, let inverse?) where !inverse.isToMany: kind = .derivedFromReference
    case (true, let inverse?) where !holds(inverse): kind = .derivedFromMembers
    case (true, _): kind = .members
    }
    return Property(
      name: property.name, kind: kind, destination: info.destination.name, inverse: inverse?.name,
      cascades: info.deleteRule == .cascade, isExclusive: inverse.map { !$0.isToMany } ?? false)
  }
}

/// Checks that models can sync.
enum SyncRules {
  /// - Parameter canSeal: whether the credentials have a secret to encrypt with.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` that names each property that cannot be synced and the remedy.
  static func check(_ schema: Schema, canSeal: Bool) throws {
    var problems: [String] = []
    for entity in schema.runtimeEntities {
      for property in entity.properties[entity.inheritedCount...] {
        if let problem = check(property, entity, canSeal) {
          problems.append("\(entity.name).\(property.name): \(problem)")
        }
      }
      let names = Set(entity.properties.map(\.name))
      for list in entity.uniquenessConstraints where !names.isSuperset(of: list) {
        problems.append(
          "\(entity.name): #Unique names \(list.joined(separator: ", ")), which goes into a value; a synced model needs"
            + " uniqueness of whole properties")
      }
    }
    guard problems.isEmpty else {
      throw SwiftDataError(
        .loadIssueModelContainer, message: "the models cannot sync: " + problems.joined(separator: "; "))
    }
  }

  private static func check(_ property: __Property, _ entity: __Entity, _ canSeal: Bool) -> String? {
    if property.isAttribute {
      return property.isSensitive && !canSeal
        ? "the option .allowsCloudEncryption needs SyncCredentials with an encryptionSecret" : nil
    }
    if property.isToOne, !property.isOptional {
      return "make the relationship optional, since another replica may delete its target"
    }
    if (property.relationship?.minimumModelCount ?? 0) > 0 {
      return "drop minimumModelCount, since two replicas may each remove a target"
    }
    if (property.relationship?.maximumModelCount ?? 0) > 0, property.isToMany {
      return "drop maximumModelCount, since two replicas may each add a target"
    }
    let info = RelationshipInfo.of(property, in: entity)
    if property.isToMany, let inverse = info.inverse, inverse === property {
      return "give the relationship another property as its inverse"
    }
    return nil
  }
}
