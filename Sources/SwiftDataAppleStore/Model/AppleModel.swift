import Foundation

/// The model of an Apple store, as the file describes it.
package struct AppleModel: Sendable {
  /// The identifiers of the model's version. SwiftData's is the version of the `VersionedSchema`.
  package var versionIdentifiers: [String]
  /// The entities, sorted by name.
  package var entities: [AppleEntity] { didSet { places = Self.places(of: entities) } }
  private var places: [String: Int]
  /// Whether the model was inferred from the tables, because the file has no model inside.
  package var isInferred = false
  /// Why the file's own model cannot be read, if it has one.
  package var damage: String?
  /// Descriptions of the parts that could not be read.
  package var warnings: [String] = []

  package init(
    versionIdentifiers: [String], entities: [AppleEntity], isInferred: Bool = false, warnings: [String] = []
  ) {
    (self.versionIdentifiers, self.entities) = (versionIdentifiers, entities)
    places = Self.places(of: entities)
    (self.isInferred, self.warnings) = (isInferred, warnings)
  }

  private static func places(of entities: [AppleEntity]) -> [String: Int] {
    Dictionary(entities.enumerated().map { ($1.name, $0) }) { first, _ in first }
  }

  /// - Complexity: O(1).
  package func entity(named name: String) -> AppleEntity? { places[name].map { entities[$0] } }
}

/// An entity, with the properties that it inherits.
package struct AppleEntity: Sendable {
  package var name: String
  /// The name of its class, or nil if the file does not state it.
  package var className: String?
  package var superName: String?
  package var isAbstract = false
  package var uniqueness: [[String]] = []
  package var indices: [AppleIndex] = []
  package var formerName: String?
  package var attributes: [AppleAttribute] = []
  package var relationships: [AppleRelationship] = []

  package init(name: String) { self.name = name }
}

package struct AppleIndex: Sendable {
  package var name: String
  package var properties: [String]

  package init(name: String, properties: [String]) { (self.name, self.properties) = (name, properties) }
}

/// The type of an attribute: Core Data's `NSAttributeType`.
package enum AppleType: Int64, Sendable {
  case undefined = 0
  case int16 = 100
  case int32 = 200
  case int64 = 300
  case decimal = 400
  case double = 500
  case float = 600
  case string = 700
  case bool = 800
  case date = 900
  case binary = 1000
  case uuid = 1100
  case url = 1200
  case transformable = 1800
  case objectID = 2000
  case composite = 2100
}

package struct AppleAttribute: Sendable {
  package var name: String
  package var type: AppleType
  package var isOptional = true
  package var isTransient = false
  package var defaultValue: PlainValue?
  /// The Swift or Objective-C class of the value.
  package var valueClass: String?
  package var transformer: String?
  package var formerName: String?
  package var flags: Int64 = 0
  /// The parts of a composite, in the order of their declaration.
  package var elements: [AppleAttribute] = []
  /// Whether a composite is a Swift enum.
  package var isEnum = false
  /// The cases without associated values of an enum without raw values.
  package var enumCases: [String] = []

  package init(name: String, type: AppleType) { (self.name, self.type) = (name, type) }

  package var isExternal: Bool { flags & 4 != 0 }
  package var isPreserved: Bool { flags & 16 != 0 }
  /// The element of a composite that stands for an enum with raw values. It has one column.
  package var rawValue: AppleAttribute? {
    type == .composite && isEnum && enumCases.isEmpty && elements.count == 1
      && elements[0].type != .composite ? elements[0] : nil
  }
  /// Whether it is an enum without raw values. Each element is a case.
  package var hasCases: Bool { type == .composite && isEnum && rawValue == nil }
  /// Whether an element is a case without associated values, whose column has the name of the case.
  package func isPlainCase(_ element: AppleAttribute) -> Bool {
    element.type == .string && enumCases.contains(element.name)
  }
}

package struct AppleRelationship: Sendable {
  package enum DeleteRule: Int64, Sendable { case noAction = 0, nullify, cascade, deny }

  package var name: String
  package var destination: String
  package var inverse: String?
  package var isToMany = false
  package var isOrdered = false
  package var isOptional = true
  package var isTransient = false
  package var minimum: Int64 = 0
  package var maximum: Int64 = 0
  package var deleteRule: DeleteRule = .nullify
  package var formerName: String?

  package init(name: String, destination: String) { (self.name, self.destination) = (name, destination) }
}

extension AppleModel {
  /// The limit for the levels of inheritance.
  private static let depthLimit = 64

  /// The entity and its superentities, the root last. A cycle ends at the entity that closes it.
  package func lineage(of name: String) -> [AppleEntity] {
    var result = [AppleEntity]()
    var next = entity(named: name)
    while let entity = next, result.count < Self.depthLimit, !result.contains(where: { $0.name == entity.name }) {
      result.append(entity)
      next = entity.superName.flatMap(self.entity)
    }
    return result
  }

  package func root(of name: String) -> String { lineage(of: name).last?.name ?? name }

  /// The entity and all its subentities.
  package func family(of name: String) -> [AppleEntity] {
    entities.filter { entity in lineage(of: entity.name).contains { $0.name == name } }
  }

  /// The name of the entity that declares a property which `name` has.
  package func declarer(of property: String, in name: String) -> String {
    let lineage = lineage(of: name)
    let last = lineage.prefix { entity in
      entity.attributes.contains { $0.name == property } || entity.relationships.contains { $0.name == property }
    }.last
    return last?.name ?? name
  }

  /// The attributes that an entity does not inherit, by name.
  func ownAttributes(of entity: AppleEntity) -> [AppleAttribute] {
    let inherited = Set(parent(of: entity)?.attributes.map(\.name) ?? [])
    return entity.attributes.filter { !inherited.contains($0.name) }
  }

  func ownRelationships(of entity: AppleEntity) -> [AppleRelationship] {
    let inherited = Set(parent(of: entity)?.relationships.map(\.name) ?? [])
    return entity.relationships.filter { !inherited.contains($0.name) }
  }

  /// The superentity, or nil if it closes a cycle.
  private func parent(of entity: AppleEntity) -> AppleEntity? {
    let lineage = lineage(of: entity.name)
    return lineage.count > 1 ? lineage[1] : nil
  }

  /// The inverse relationship.
  package func inverse(of relationship: AppleRelationship) -> AppleRelationship? {
    guard let name = relationship.inverse else { return nil }
    return entity(named: relationship.destination)?.relationships.first { $0.name == name }
  }
}
