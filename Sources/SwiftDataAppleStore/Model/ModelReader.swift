import Foundation

/// Reads the model that a store keeps in `Z_MODELCACHE`: a compressed keyed archive of an `NSManagedObjectModel`.
struct ModelReader {
  /// The limit for the size of a model, in bytes without compression.
  private static let limit = 64 << 20
  private static let entityLimit = 2_000

  private let archive: KeyedArchive
  private var warnings: [String] = []
  /// Entities can share the objects of an archive, so the limit is one for the whole model.
  private var budget: Budget

  private init(_ archive: KeyedArchive) { (self.archive, budget) = (archive, archive.readingBudget) }

  /// - Throws: ``Inflate/Failure``, ``BinaryPropertyList/Failure`` or ``KeyedArchive/Failure``.
  static func model(_ content: [UInt8]) throws -> AppleModel {
    var reader = ModelReader(try KeyedArchive(try archive(content)))
    return try reader.model()
  }

  /// The archive without compression. Every store seen has raw DEFLATE data. An archive that is not compressed, or has the
  /// header of zlib before the data, is read too.
  private static func archive(_ content: [UInt8]) throws -> [UInt8] {
    if content.starts(with: BinaryPropertyList.signature) { return content }
    do {
      return try Inflate.decompress(content, limit: limit)
    } catch {
      guard content.count > 2, content[0] & 0x0F == 8, (Int(content[0]) << 8 | Int(content[1])).isMultiple(of: 31)
      else {
        throw error
      }
      return try Inflate.decompress(Array(content.dropFirst(2)), limit: limit)
    }
  }

  private mutating func value(_ field: String, _ instance: KeyedArchive.Instance) throws -> PlainValue {
    try archive.value(field, of: instance, &budget)
  }

  private mutating func links(_ field: String, _ instance: KeyedArchive.Instance) throws -> [Int] {
    let links = try archive.links(field, of: instance)
    guard budget.spend(objects: links.count) else { throw KeyedArchive.Failure(reason: "it repeats too much") }
    return links
  }

  private mutating func model() throws -> AppleModel {
    guard let root = try archive.instance(archive.root), root.className == "NSManagedObjectModel" else {
      throw KeyedArchive.Failure(reason: "its root is not an NSManagedObjectModel")
    }
    var versions = [String]()
    switch try value("NSVersionIdentifiers", root) {
    case .array(let values): versions = values.compactMap(\.string)
    case .string(let value): versions = [value]
    default: break
    }
    var entities = [AppleEntity]()
    for (name, uid) in try entries("NSEntities", of: root) {
      guard entities.count < Self.entityLimit else { throw KeyedArchive.Failure(reason: "more than 2,000 entities") }
      guard let instance = try archive.instance(uid) else {
        warnings.append("the entity \(name) cannot be read")
        continue
      }
      entities.append(try entity(name, instance))
    }
    entities.sort { Array($0.name.unicodeScalars).lexicographicallyPrecedes(Array($1.name.unicodeScalars)) }
    var model = AppleModel(versionIdentifiers: versions, entities: entities, warnings: warnings)
    try inherit(&model)
    return model
  }

  /// Adds the properties that a subentity has as proxies only.
  private mutating func inherit(_ model: inout AppleModel) throws {
    for (place, entity) in model.entities.enumerated() where entity.superName != nil {
      var known = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
      var full = entity
      for parent in model.lineage(of: entity.name).dropFirst() {
        guard budget.spend(objects: parent.attributes.count + parent.relationships.count) else {
          throw KeyedArchive.Failure(reason: "it repeats too much")
        }
        full.attributes += parent.attributes.filter { known.insert($0.name).inserted }
        full.relationships += parent.relationships.filter { known.insert($0.name).inserted }
      }
      full.attributes.sort { Self.precedes($0.name, $1.name) }
      full.relationships.sort { Self.precedes($0.name, $1.name) }
      if known.count != entity.attributes.count + entity.relationships.count {
        model.entities[place] = full
      }
    }
  }

  /// The pairs of a dictionary in a field. The dictionary has its keys in `NS.keys` or in a search mapping.
  private mutating func entries(_ field: String, of owner: KeyedArchive.Instance) throws -> [(String, Int)] {
    guard let uid = try archive.link(field, of: owner), let dictionary = try archive.instance(uid) else { return [] }
    let (keys, values): ([PlainValue], [Int])
    if dictionary.names.contains("NS.keys") {
      keys = try value("NS.keys", dictionary).array ?? []
      values = try links("NS.objects", dictionary)
    } else {
      guard let mapping = try archive.link("searchMapping", of: dictionary).flatMap(archive.instance),
        let content = try archive.link("values", of: dictionary).flatMap(archive.instance)
      else { return [] }
      keys = try value("keys", mapping).array ?? []
      values = try links("NS.objects", content)
    }
    return zip(keys, values).compactMap { key, value in key.string.map { ($0, value) } }
  }

  private mutating func entity(_ name: String, _ instance: KeyedArchive.Instance) throws -> AppleEntity {
    var entity = AppleEntity(name: name)
    entity.className = try text("NSClassNameForEntity", instance)
    entity.isAbstract = try flag("NSIsAbstract", instance)
    entity.formerName = try text("NSRenamingIdentifier", instance).flatMap { $0 == name ? nil : $0 }
    if let parent = try archive.link("NSSuperentity", of: instance).flatMap(archive.instance) {
      entity.superName = try text("NSEntityName", parent)
    }
    entity.uniqueness = (try value("NSUniqueTuples", instance).array ?? []).map { tuple in
      (tuple.array ?? []).compactMap(\.string)
    }.filter { !$0.isEmpty }
    entity.indices = try indices(instance)
    for (name, uid) in try entries("NSProperties", of: instance) {
      guard let property = try archive.instance(uid) else { continue }
      switch property.className {
      case "NSRelationshipDescription": entity.relationships.append(try relationship(name, property))
      case "NSAttributeDescription", "NSDerivedAttributeDescription", "NSCompositeAttributeDescription":
        entity.attributes.append(try attribute(name, property, depth: 0))
      case "NSPropertyProxy", "_NSPropertyProxy", "_NSPropertyDescriptionProxy": break
      case "NSFetchedPropertyDescription", "NSExpressionDescription": break
      default: warnings.append("\(entity.name).\(name) is a \(property.className), which is not read")
      }
    }
    entity.attributes.sort { Self.precedes($0.name, $1.name) }
    entity.relationships.sort { Self.precedes($0.name, $1.name) }
    return entity
  }

  static func precedes(_ left: String, _ right: String) -> Bool {
    left.unicodeScalars.lexicographicallyPrecedes(right.unicodeScalars)
  }

  private mutating func indices(_ instance: KeyedArchive.Instance) throws -> [AppleIndex] {
    guard let list = try archive.link("NSFetchIndexDescriptions", of: instance).flatMap(archive.instance) else {
      return []
    }
    var result = [AppleIndex]()
    for uid in try links("NS.objects", list) {
      guard let index = try archive.instance(uid), let name = try text("NSIndexName", index) else { continue }
      let elements = try archive.link("NSIndexElements", of: index).flatMap(archive.instance)
      let uids = try elements.map { try links("NS.objects", $0) } ?? []
      var properties = [String]()
      for uid in uids {
        guard let element = try archive.instance(uid) else { continue }
        if let property = try text("NSPropertyName", element) { properties.append(property) }
      }
      // An element without a property is an expression.
      if properties.count == uids.count { result.append(AppleIndex(name: name, properties: properties)) }
    }
    return result
  }

  // MARK: - Properties

  private mutating func text(_ field: String, _ instance: KeyedArchive.Instance) throws -> String? {
    try value(field, instance).string
  }

  private mutating func number(_ field: String, _ instance: KeyedArchive.Instance) throws -> Int64? {
    try value(field, instance).integer
  }

  private mutating func flag(_ field: String, _ instance: KeyedArchive.Instance) throws -> Bool {
    switch try value(field, instance) {
    case .bool(let value): value
    case .integer(let value): value != 0
    default: false
    }
  }

  private mutating func isTransient(_ instance: KeyedArchive.Instance) throws -> Bool {
    if try flag("NSIsTransient", instance) { return true }
    return (try number("_P", instance) ?? 0) & 8 != 0
  }

  private mutating func attribute(
    _ name: String, _ instance: KeyedArchive.Instance, depth: Int
  ) throws -> AppleAttribute {
    var attribute = AppleAttribute(name: name, type: .undefined)
    attribute.type = AppleType(rawValue: try number("NSAttributeType", instance) ?? 0) ?? .undefined
    attribute.isOptional = try flag("NSIsOptional", instance)
    attribute.isTransient = try isTransient(instance)
    let defaultValue = try value("NSDefaultValue", instance)
    attribute.defaultValue = defaultValue == .null ? nil : defaultValue
    attribute.valueClass = try text("NSAttributeValueClassName", instance)
    attribute.transformer = try text("NSValueTransformerName", instance)
    attribute.formerName = try text("NSRenamingIdentifier", instance).flatMap { $0 == name ? nil : $0 }
    attribute.flags = try number("NSFlagsKey", instance) ?? 0
    guard instance.className == "NSCompositeAttributeDescription" else { return attribute }
    attribute.type = .composite
    if case .dictionary(let information) = try value("NSUserInfo", instance) {
      attribute.isEnum = [.bool(true), .integer(1)].contains(information["EnumType"])
      attribute.enumCases = information["enum"]?.array?.compactMap(\.string) ?? []
    }
    guard depth < 16 else { throw KeyedArchive.Failure(reason: "composites within composites without end") }
    if let list = try archive.link("NSCompositeElements", of: instance).flatMap(archive.instance) {
      for uid in try links("NS.objects", list) {
        guard let element = try archive.instance(uid), let name = try text("NSPropertyName", element) else { continue }
        attribute.elements.append(try self.attribute(name, element, depth: depth + 1))
      }
    }
    return attribute
  }

  private mutating func relationship(_ name: String, _ instance: KeyedArchive.Instance) throws -> AppleRelationship {
    var relationship = AppleRelationship(name: name, destination: "")
    if let entity = try archive.link("NSDestinationEntity", of: instance).flatMap(archive.instance) {
      relationship.destination = try text("NSEntityName", entity) ?? ""
    }
    if relationship.destination.isEmpty {
      relationship.destination = try text("_NSDestinationEntityName", instance) ?? ""
    }
    if let inverse = try archive.link("NSInverseRelationship", of: instance).flatMap(archive.instance) {
      relationship.inverse = try text("NSPropertyName", inverse)
    }
    if relationship.inverse == nil { relationship.inverse = try text("_NSInverseRelationshipName", instance) }
    (relationship.minimum, relationship.maximum) =
      (try number("NSMinCount", instance) ?? 0, try number("NSMaxCount", instance) ?? 0)
    relationship.isToMany = relationship.maximum != 1
    for field in ["NSOrdered", "NSIsOrdered", "_NSIsOrdered"] where try flag(field, instance) {
      relationship.isOrdered = true
    }
    relationship.isOptional = try flag("NSIsOptional", instance)
    relationship.isTransient = try isTransient(instance)
    relationship.deleteRule = .init(rawValue: try number("NSDeleteRule", instance) ?? 1) ?? .nullify
    relationship.formerName = try text("NSRenamingIdentifier", instance).flatMap { $0 == name ? nil : $0 }
    return relationship
  }
}
