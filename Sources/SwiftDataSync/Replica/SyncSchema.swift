#if Sync
import SwiftData
import SyncProtocol

/// What merging has to know about the models: names, and the rules of relationships.
struct SyncSchema: Sendable, Equatable {
  struct Property: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
      case attribute
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
    /// Whether only the devices of an account share it. It is in the record's ``RecordName/personal`` then.
    var isPersonal = false

    var isList: Bool {
      switch kind {
      case .members, .derivedFromReference, .derivedFromMembers: true
      case .attribute, .reference, .derivedReference: false
      }
    }
  }

  // A class, because it is looked up for each record and has many parts to copy.
  final class Entity: Sendable, Equatable {
    let name: String
    let superentity: String?
    let properties: [String: Property]
    /// Sets of properties whose values are unique, each with the entity that declares it.
    let unique: [(entity: String, properties: [String])]
    /// The to-manys.
    let lists: [Property]
    /// The names of properties by those that they had in older models (`originalName:`).
    let renamed: [String: String]

    init(
      name: String, superentity: String?, properties: [String: Property],
      unique: [(entity: String, properties: [String])], renamed: [String: String]
    ) {
      self.renamed = renamed
      (self.name, self.superentity, self.properties, self.unique) = (name, superentity, properties, unique)
      lists = properties.values.filter(\.isList).sorted { $0.name < $1.name }
    }

    static func == (left: Entity, right: Entity) -> Bool {
      left.name == right.name && left.superentity == right.superentity && left.properties == right.properties
        && left.renamed == right.renamed
        && left.unique.elementsEqual(right.unique) { $0.entity == $1.entity && $0.properties == $1.properties }
    }
  }

  let entities: [String: Entity]
  /// Whether some class has a relationship.
  let hasReferences: Bool

  subscript(name: String) -> Entity? { entities[name] }
}

extension RecordName {
  fileprivate static let personalSuffix = ".own"

  /// The name of the record, in the account's private zone, that has the attributes which only the account's devices share.
  var personal: RecordName { RecordName(text + Self.personalSuffix) }

  /// The record whose ``personal`` one this is; nil for any other.
  var subject: RecordName? {
    // Most names are UUIDs, whose texts have to be made first.
    guard !isUUID, text.hasSuffix(Self.personalSuffix) else { return nil }
    return RecordName(String(text.dropLast(Self.personalSuffix.count)))
  }
}

extension SyncSchema {
  /// The entity of the record that has an entity's personal attributes. No model has this name, so that no object is made.
  static func personal(_ entity: String) -> String { entity + RecordName.personalSuffix }

  /// The entity whose ``personal(_:)`` this is.
  static func subject(_ entity: String) -> String { String(entity.dropLast(RecordName.personalSuffix.count)) }

  /// - Parameters:
  ///   - schema: the models that sync.
  ///   - scopes: the properties and models that do not sync with each account.
  init(_ schema: Schema, scopes: SyncScopes = SyncScopes()) {
    var rules: [String: [String: Property]] = [:]
    for entity in schema.runtimeEntities {
      var properties: [String: Property] = [:]
      for property in entity.properties where property.isStored || property.isToMany {
        let reach = scopes.reach(of: property, in: entity)
        guard reach != .device else { continue }
        properties[property.name] = Self.property(property, entity)
        properties[property.name]?.isPersonal = reach == .account
      }
      rules[entity.name] = properties
    }
    var entities: [String: Entity] = [:]
    for entity in schema.runtimeEntities {
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
        name: entity.name, superentity: entity.superentity?.name, properties: rules[entity.name] ?? [:], unique: unique,
        renamed: Self.renamed(entity, rules[entity.name] ?? [:]))
    }
    self.entities = entities
    hasReferences = rules.values.contains { $0.values.contains { !$0.destination.isEmpty } }
  }

  private static func renamed(_ entity: __Entity, _ properties: [String: Property]) -> [String: String] {
    var renamed: [String: String] = [:]
    for property in entity.properties where properties[property.name] != nil {
      let former = property.attribute?.formerName ?? property.relationship?.formerName
      if let former, former != property.name, properties[former] == nil { renamed[former] = property.name }
    }
    return renamed
  }

  private static func property(_ property: __Property, _ entity: __Entity) -> Property {
    guard !property.isAttribute else {
      return Property(
        name: property.name, kind: .attribute, destination: "", inverse: nil, cascades: false, isExclusive: false)
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
  /// - Parameters:
  ///   - canSeal: whether the credentials have a secret to encrypt with.
  ///   - scopes: the properties and models that do not sync with each account.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` that names each property that cannot be synced and the remedy.
  static func check(_ schema: Schema, canSeal: Bool, scopes: SyncScopes = SyncScopes()) throws {
    var problems = scopes.problems
    for entity in schema.runtimeEntities {
      for property in entity.properties[entity.inheritedCount...] {
        let problem = check(scope: property, entity, scopes) ?? check(property, entity, canSeal, scopes)
        if let problem { problems.append("\(entity.name).\(property.name): \(problem)") }
      }
      if scopes.isLocal(entity) { continue }
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

  /// The problem of the scope of a property, or nil.
  private static func check(scope property: __Property, _ entity: __Entity, _ scopes: SyncScopes) -> String? {
    if let destination = property.destination?.__entity, scopes.isLocal(entity) != scopes.isLocal(destination) {
      return "a relationship cannot lead from a model that syncs to one that does not, or the other way round"
    }
    guard scopes.reach(of: property, in: entity) != nil, !scopes.isLocal(entity) else { return nil }
    guard property.isAttribute else { return "a SyncScope names attributes; drop the relationship from it" }
    guard property.isOptional || property.defaultValue != nil else {
      return "give the attribute a default value, which objects of other replicas have at first"
    }
    let isUnique =
      property.schemaProperty.isUnique || entity.uniquenessConstraints.contains { $0.contains(property.name) }
    return isUnique ? "an attribute with a SyncScope cannot be unique, since other replicas do not see its value" : nil
  }

  /// The problem of the former name of a property, or nil. Older programs write under that name, so no other property may have it.
  private static func check(renaming property: __Property, _ entity: __Entity) -> String? {
    guard let former = property.attribute?.formerName ?? property.relationship?.formerName, former != property.name,
      entity.property(named: former) != nil
    else { return nil }
    return
      "another property has its originalName \"\(former)\", under which other replicas have its values; give that"
      + " property a name that no version of the model had"
  }

  private static func check(
    _ property: __Property, _ entity: __Entity, _ canSeal: Bool, _ scopes: SyncScopes
  ) -> String? {
    if scopes.isLocal(entity) || scopes.reach(of: property, in: entity) == .device { return nil }
    if let problem = check(renaming: property, entity) { return problem }
    if property.isAttribute {
      guard property.isSensitive else { return nil }
      if !canSeal { return "the option .allowsCloudEncryption needs SyncCredentials with an encryptionSecret" }
      // Each encryption of a value gives other bytes. So no device would find out that two objects have one value.
      return property.schemaProperty.isUnique || entity.uniquenessConstraints.contains { $0.contains(property.name) }
        ? "an attribute with .allowsCloudEncryption cannot be unique; drop one of the two" : nil
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
#endif
