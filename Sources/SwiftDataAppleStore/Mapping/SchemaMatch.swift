import Foundation
import SwiftData

/// Finds where a file keeps each class and property of a program's models, and collects all differences.
struct SchemaMatch {
  private let file: AppleFile
  private let layout: StoreLayout
  private(set) var differences: [String] = []
  private var classes: [String: ViewMapping.Class] = [:]

  private init(_ file: AppleFile, _ layout: StoreLayout) { (self.file, self.layout) = (file, layout) }

  /// - Throws: `SwiftDataError/loadIssueModelContainer` with all differences.
  static func mapping(of file: AppleFile, to layout: StoreLayout) throws -> ViewMapping {
    var match = SchemaMatch(file, layout)
    let mapping = match.mapping()
    guard match.differences.isEmpty else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message: "the models differ from those inside \"\(file.url.path)\" in \(match.differences.count)"
          + " place\(match.differences.count == 1 ? "" : "s"); `swiftdata models` prints classes that fit:\n"
          + match.differences.map { "- \($0)" }.joined(separator: "\n"))
    }
    return mapping
  }

  private mutating func mapping() -> ViewMapping {
    var tables = [ViewMapping.Table]()
    let groups = Dictionary(grouping: layout.tables, by: \.name)
    for (name, members) in groups.sorted(by: { $0.key < $1.key }) {
      var found = [ViewMapping.Class]()
      for table in members { if let known = self.class(of: table, among: members) { found.append(known) } }
      guard let first = found.first else { continue }
      tables.append(
        ViewMapping.Table(
          name: name, appleTable: file.columns.table(of: first.entity), classes: found,
          hasDiscriminator: members[0].hasDiscriminator))
      checkHierarchy(members)
    }
    for table in tables { for member in table.classes { classes[member.name] = member } }
    let pairs = self.pairs()
    let counts = Dictionary(grouping: file.model.entities) { file.columns.table(of: $0.name) }.mapValues(\.count)
    return ViewMapping(tables: tables, pairs: pairs) { counts[$0] ?? 0 }
  }

  private mutating func note(_ text: String) { differences.append(text) }

  // MARK: - Classes

  private mutating func `class`(of table: EntityTable, among members: [EntityTable]) -> ViewMapping.Class? {
    let name = table.entity.name
    guard let entity = file.model.entity(named: name) else {
      let names = file.model.entities.map(\.name).sorted().joined(separator: ", ")
      note("\(name): the file has no such entity; it has \(names). Remove the class from the schema, or rename it")
      return nil
    }
    guard file.columns.hasTable(name) else {
      note("\(name): the file's model has the entity, and the file lacks the table \(file.columns.table(of: name))")
      return nil
    }
    let named = Set(members.map(\.entity.name))
    // A row of a subentity without a class is an object of the nearest superclass.
    let family = file.model.family(of: name).filter { descendant in
      file.model.lineage(of: descendant.name).first { named.contains($0.name) }?.name == name
    }
    var properties = [ViewMapping.Property]()
    for property in table.entity.properties where property.isStored {
      guard let source = source(of: property, in: table, entity) else { continue }
      properties.append(
        ViewMapping.Property(name: TableNames.column(for: property), property: property.name, source: source))
      guard let position = table.positionColumn(of: property) else { continue }
      var column: String?
      if case .toOne(_, let key, _) = source {
        let name = "Z_FOK_" + key.dropFirst()
        if file.tables[file.columns.table(of: entity.name)]?[name] != nil { column = name }
      }
      properties.append(
        ViewMapping.Property(name: position, property: property.name, source: .position(column: column)))
    }
    for property in table.entity.properties where property.isToMany { check(toMany: property, in: table, entity) }
    let numbers = family.compactMap { file.numbers[$0.name] }
    return ViewMapping.Class(name: name, entity: name, numbers: numbers, properties: properties)
  }

  private mutating func checkHierarchy(_ members: [EntityTable]) {
    for table in members {
      guard let parent = table.entity.superentity, file.model.entity(named: table.entity.name) != nil else { continue }
      let lineage = file.model.lineage(of: table.entity.name).map(\.name)
      if !lineage.contains(parent.name) {
        note(
          "\(table.entity.name): it inherits from \(parent.name), which it does not in the file; write it without the"
            + " superclass")
      }
    }
  }

  // MARK: - Properties

  private func isNamed(_ name: String, _ other: String) -> Bool {
    name == other || (file.model.isInferred && name.lowercased() == other.lowercased())
  }

  /// The names that a property may have in the file: its own, and its original name.
  private func names(of property: __Property) -> [String] {
    let former = property.schemaProperty.originalName
    return former.isEmpty || former == property.name ? [property.name] : [property.name, former]
  }

  private mutating func source(
    of property: __Property, in table: EntityTable, _ entity: AppleEntity
  ) -> ViewMapping.Property.Source? {
    let place = "\(entity.name).\(property.name)"
    for name in names(of: property) {
      if property.isToOne {
        guard let known = entity.relationships.first(where: { isNamed($0.name, name) }) else { continue }
        return toOne(property, known, table, entity, place)
      }
      guard let attribute = entity.attributes.first(where: { isNamed($0.name, name) }) else { continue }
      return self.attribute(property, attribute, entity, place)
    }
    missing(property, entity, place)
    return nil
  }

  private mutating func missing(_ property: __Property, _ entity: AppleEntity, _ place: String) {
    let isOther =
      property.isAttribute
      ? entity.relationships.contains { $0.name == property.name }
      : entity.attributes.contains { $0.name == property.name }
    if isOther {
      return note("\(place): it is \(property.isAttribute ? "a relationship" : "an attribute") in the file")
    }
    let renamed =
      (entity.attributes.map { ($0.name, $0.formerName) } + entity.relationships.map { ($0.name, $0.formerName) })
      .first { $0.1 == property.name }
    if let renamed {
      return note("\(place): the file calls it \(renamed.0); write var \(renamed.0)")
    }
    let known = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
    let kind = property.isAttribute ? "@Attribute" : "@Relationship"
    let unclaimed = known.subtracting(table(entity)?.entity.properties.map(\.name) ?? []).sorted()
    note(
      "\(place): the file has no such property; remove it, mark it @Transient, or copy the file with `swiftdata import` and"
        + " open the copy, which gets the property"
        + (unclaimed.isEmpty
          ? ""
          : ", or write \(kind)(originalName: …) with one of those that no property has: \(unclaimed.joined(separator: ", "))")
    )
  }

  private func table(_ entity: AppleEntity) -> EntityTable? { layout.tables.first { $0.entity.name == entity.name } }

  private mutating func attribute(
    _ property: __Property, _ attribute: AppleAttribute, _ entity: AppleEntity, _ place: String
  ) -> ViewMapping.Property.Source? {
    if attribute.isTransient {
      note("\(place): it is transient in the file; mark it @Transient")
      return nil
    }
    let columns = file.columns.storage(attribute.name, of: entity.name).columns
    guard !columns.isEmpty else {
      note(
        "\(place): the file's model has it, and the table \(file.columns.table(of: entity.name)) has no column for it")
      return nil
    }
    if attribute.isOptional, !property.isOptional, !file.model.isInferred {
      note("\(place): it may be nil in the file; write an optional: var \(property.name): \(property.bareType)?")
    }
    guard let conversion = AttributeMatch.conversion(property, attribute, isInferred: file.model.isInferred) else {
      note(
        "\(place): it is \(SwiftTypes.describe(attribute)) in the file, and \(property.valueType) in the model;"
          + " write \(SwiftTypes.declaration(attribute))")
      return nil
    }
    return .attribute(attribute, columns: columns, conversion)
  }

  // MARK: - Relationships

  private mutating func toOne(
    _ property: __Property, _ known: AppleRelationship, _ table: EntityTable, _ entity: AppleEntity, _ place: String
  ) -> ViewMapping.Property.Source? {
    if known.isToMany {
      note("\(place): it is a to-many relationship in the file; write [\(known.destination)]")
      return nil
    }
    if known.isOptional, !property.isOptional, !file.model.isInferred {
      note("\(place): it may be nil in the file; write an optional: var \(property.name): \(known.destination)?")
    }
    checkEnds(property, known, table, place)
    guard case .toOne(let column, let entityColumn) = file.columns.link(known.name, of: entity.name) else {
      note("\(place): the table \(file.columns.table(of: entity.name)) has no column for it")
      return nil
    }
    return .toOne(known, column: column, entityColumn: entityColumn)
  }

  private mutating func check(toMany property: __Property, in table: EntityTable, _ entity: AppleEntity) {
    let place = "\(entity.name).\(property.name)"
    guard let known = relationship(property, entity) else {
      // Without a model, the file does not name lists that the column of a to-one relationship keeps.
      let isKept = file.model.isInferred && RelationshipInfo.of(property, in: table.entity).inverse?.isToOne == true
      if !isKept { missing(property, entity, place) }
      return
    }
    if !known.isToMany {
      return note("\(place): it is a to-one relationship in the file; write \(known.destination)?")
    }
    checkEnds(property, known, table, place)
    if case .none = file.columns.link(known.name, of: entity.name) {
      note("\(place): the file has no column or table for it")
    }
  }

  private func relationship(_ property: __Property, _ entity: AppleEntity) -> AppleRelationship? {
    for name in names(of: property) {
      if let known = entity.relationships.first(where: { isNamed($0.name, name) }) { return known }
    }
    return nil
  }

  private mutating func checkEnds(
    _ property: __Property, _ known: AppleRelationship, _ table: EntityTable, _ place: String
  ) {
    let info = RelationshipInfo.of(property, in: table.entity)
    let destination = info.destination.name
    // A class may stand for a subentity's superentity.
    let isRelated =
      known.destination == destination || file.model.isInferred
      || file.model.lineage(of: known.destination).contains { $0.name == destination }
    if !isRelated { note("\(place): it leads to \(known.destination) in the file, and to \(destination) in the model") }
    guard !file.model.isInferred else { return }
    let inverse = info.inverse.flatMap { inverse in
      file.model.entity(named: destination).flatMap { relationship(inverse, $0)?.name } ?? inverse.name
    }
    if let inverse, inverse != known.inverse {
      note(
        "\(place): its inverse is \(known.inverse.map { "\(known.destination).\($0)" } ?? "none") in the file, and"
          + " \(destination).\(inverse) in the model"
          + "; write @Relationship(inverse: \\\(destination).\(known.inverse ?? "withoutInverse"))")
    }
  }

  // MARK: - Pairs

  private mutating func pairs() -> [ViewMapping.Pairs] {
    var result = [String: ViewMapping.Pairs]()
    for table in layout.tables {
      for property in table.toMany {
        let info = RelationshipInfo.of(property, in: table.entity)
        guard case .join(let name, let source, _, _) = info.storage, result[name] == nil,
          let entity = file.model.entity(named: info.source.name), let known = relationship(property, entity)
        else { continue }
        let link = file.columns.link(known.name, of: entity.name)
        var other: String?
        if let inverse = file.model.inverse(of: known), inverse.isToMany,
          case .join(_, _, _, let position) = file.columns.link(inverse.name, of: known.destination)
        {
          other = position
        }
        let isReflexive = known.inverse == known.name && known.destination == entity.name
        result[name] = ViewMapping.Pairs(
          name: name, link: link, isForward: source == "source", otherPosition: isReflexive ? nil : other,
          isReflexive: isReflexive, ownerEntity: entity.name, targetEntity: known.destination)
      }
    }
    return result.values.sorted { $0.name < $1.name }
  }
}
