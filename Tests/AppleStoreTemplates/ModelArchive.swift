import Foundation
import SwiftDataAppleStore

/// Archives a model as Apple's frameworks archive an `NSManagedObjectModel`.
struct ModelArchive {
  typealias Value = PropertyListWriter.Value

  private var objects: [Value] = [.string("$null")]
  private var classes: [String: Int] = [:]
  private var strings: [String: Int] = [:]
  /// Whether a subentity has a proxy instead of each property that it inherits.
  private let hasProxies: Bool

  private init(hasProxies: Bool) { self.hasProxies = hasProxies }

  static func data(of model: AppleModel, hasProxies: Bool) -> Data {
    var archive = ModelArchive(hasProxies: hasProxies)
    let root = archive.add(model)
    return PropertyListWriter.data(
      .dictionary([
        ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")),
        ("$top", .dictionary([("root", .uid(root))])), ("$objects", .array(archive.objects)),
      ]))
  }

  /// `Z_PLIST`.
  static func metadata(of model: AppleModel) -> Data {
    let hashes = model.entities.map { entity in
      (entity.name, Value.data(Data((0..<32).map { UInt8(truncatingIfNeeded: $0 &+ entity.name.utf8.count) })))
    }
    return PropertyListWriter.data(
      .dictionary([
        ("NSStoreType", .string("SQLite")), ("NSStoreModelVersionHashesVersion", .integer(3)),
        ("NSStoreModelVersionHashes", .dictionary(hashes)),
        ("NSStoreModelVersionIdentifiers", .array(model.versionIdentifiers.map(Value.string))),
        ("NSPersistenceFrameworkVersion", .integer(1414)), ("_NSAutoVacuumLevel", .string("2")),
      ]))
  }

  // MARK: - Objects

  private mutating func add(_ value: Value) -> Int {
    objects.append(value)
    return objects.count - 1
  }

  private mutating func text(_ text: String?) -> Value {
    guard let text else { return .uid(0) }
    if let known = strings[text] { return .uid(known) }
    let index = add(.string(text))
    strings[text] = index
    return .uid(index)
  }

  private mutating func class_(_ name: String) -> (String, Value) {
    if let known = classes[name] { return ("$class", .uid(known)) }
    let index = add(
      .dictionary([("$classname", .string(name)), ("$classes", .array([.string(name), .string("NSObject")]))]))
    classes[name] = index
    return ("$class", .uid(index))
  }

  private mutating func array(_ members: [Value]) -> Value {
    .uid(add(.dictionary([class_("NSArray"), ("NS.objects", .array(members))])))
  }

  private mutating func dictionary(_ members: [(String, Value)]) -> Value {
    let keys = members.map { text($0.0) }
    let values = members.map { member -> Value in
      if case .uid = member.1 { member.1 } else { .uid(add(member.1)) }
    }
    return .uid(
      add(.dictionary([class_("NSDictionary"), ("NS.keys", .array(keys)), ("NS.objects", .array(values))])))
  }

  private mutating func plain(_ value: PlainValue?) -> Value {
    switch value {
    case .bool(let value): return .bool(value)
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .date(let value): return .uid(add(.dictionary([class_("NSDate"), ("NS.time", .real(value))])))
    case .uuid(let value):
      let bytes = withUnsafeBytes(of: value.uuid) { Data($0) }
      return .uid(add(.dictionary([class_("NSUUID"), ("NS.uuidbytes", .data(bytes))])))
    case .string(let value): return text(value)
    default: return .uid(0)
    }
  }

  private mutating func add(_ model: AppleModel) -> Int {
    // Entities name each other, so that their places are taken first.
    var places = [String: Int]()
    for entity in model.entities { places[entity.name] = add(.bool(false)) }
    for entity in model.entities { objects[places[entity.name]!] = self.entity(entity, model, places) }
    let versions = array(model.versionIdentifiers.map { text($0) })
    let entities = dictionary(model.entities.map { ($0.name, .uid(places[$0.name]!)) })
    return add(
      .dictionary([class_("NSManagedObjectModel"), ("NSVersionIdentifiers", versions), ("NSEntities", entities)]))
  }

  private mutating func entity(_ entity: AppleEntity, _ model: AppleModel, _ places: [String: Int]) -> Value {
    var properties = [(String, Value)]()
    func isProxy(_ name: String) -> Bool {
      hasProxies && model.declarer(of: name, in: entity.name) != entity.name
    }
    for attribute in entity.attributes {
      let value = isProxy(attribute.name) ? proxy(entity, places) : self.attribute(attribute)
      properties.append((attribute.name, .uid(add(value))))
    }
    for relationship in entity.relationships {
      let value =
        isProxy(relationship.name) ? proxy(entity, places) : self.relationship(relationship, places)
      properties.append((relationship.name, .uid(add(value))))
    }
    let tuples = array(entity.uniqueness.map { tuple in array(tuple.map { text($0) }) })
    return .dictionary([
      class_("NSEntityDescription"), ("NSEntityName", text(entity.name)),
      ("NSClassNameForEntity", text(entity.className)), ("NSIsAbstract", .bool(entity.isAbstract)),
      ("NSSuperentity", entity.superName.flatMap { places[$0] }.map(Value.uid) ?? .uid(0)),
      ("NSRenamingIdentifier", text(entity.formerName ?? entity.name)), ("NSUniqueTuples", tuples),
      ("NSFetchIndexDescriptions", indices(entity.indices)), ("NSProperties", dictionary(properties)),
    ])
  }

  private mutating func proxy(_ entity: AppleEntity, _ places: [String: Int]) -> Value {
    .dictionary([
      class_("_NSPropertyDescriptionProxy"),
      ("NSEntityDescription", .uid(places[entity.name] ?? 0)),
    ])
  }

  private mutating func indices(_ indices: [AppleIndex]) -> Value {
    array(
      indices.map { index in
        let elements = index.properties.map { name in
          Value.uid(add(.dictionary([class_("NSFetchIndexElementDescription"), ("NSPropertyName", text(name))])))
        }
        return .uid(
          add(
            .dictionary([
              class_("NSFetchIndexDescription"), ("NSIndexName", text(index.name)),
              ("NSIndexElements", array(elements)),
            ])))
      })
  }

  private mutating func attribute(_ attribute: AppleAttribute) -> Value {
    var fields: [(String, Value)] = [
      class_(attribute.type == .composite ? "NSCompositeAttributeDescription" : "NSAttributeDescription"),
      ("NSPropertyName", text(attribute.name)), ("NSAttributeType", .integer(attribute.type.rawValue)),
      ("NSIsOptional", .bool(attribute.isOptional)), ("NSDefaultValue", plain(attribute.defaultValue)),
      ("NSAttributeValueClassName", text(attribute.valueClass)),
      ("NSValueTransformerName", text(attribute.transformer)),
      ("NSRenamingIdentifier", text(attribute.formerName ?? attribute.name)), ("NSFlagsKey", .integer(attribute.flags)),
      ("_P", .integer((attribute.isOptional ? 2 : 0) | (attribute.isTransient ? 8 : 0) | 0xF1)),
    ]
    if attribute.isTransient { fields.append(("NSIsTransient", .bool(true))) }
    if attribute.type == .composite {
      let elements = attribute.elements.map { Value.uid(add(self.attribute($0))) }
      fields.append(("NSCompositeElements", array(elements)))
      if attribute.isEnum {
        var information: [(String, Value)] = [("EnumType", .bool(true))]
        if !attribute.enumCases.isEmpty { information.append(("enum", array(attribute.enumCases.map { text($0) }))) }
        fields.append(("NSUserInfo", dictionary(information)))
      }
    }
    return .dictionary(fields)
  }

  private mutating func relationship(_ relationship: AppleRelationship, _ places: [String: Int]) -> Value {
    .dictionary([
      class_("NSRelationshipDescription"), ("NSPropertyName", text(relationship.name)),
      ("NSDestinationEntity", places[relationship.destination].map(Value.uid) ?? .uid(0)),
      ("_NSDestinationEntityName", text(relationship.destination)),
      ("_NSInverseRelationshipName", text(relationship.inverse)),
      ("NSMinCount", .integer(relationship.minimum)), ("NSMaxCount", .integer(relationship.maximum)),
      ("NSIsOrdered", .bool(relationship.isOrdered)), ("NSIsOptional", .bool(relationship.isOptional)),
      ("NSDeleteRule", .integer(relationship.deleteRule.rawValue)),
      ("NSRenamingIdentifier", text(relationship.formerName ?? relationship.name)), ("_P", .integer(0xF1)),
    ])
  }
}
