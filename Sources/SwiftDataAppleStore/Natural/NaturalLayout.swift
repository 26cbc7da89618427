import Foundation
import SwiftData

extension NaturalModel {
  /// The views that show a file in the layout of the classes.
  package func mapping(of file: AppleFile) -> ViewMapping {
    var tables = [ViewMapping.Table]()
    for root in classes where root.superclass == nil {
      let members = family(of: root.name)
      let named = Set(members.map(\.name))
      let classes = members.map { member in
        let family = file.model.family(of: member.name).filter { entity in
          file.model.lineage(of: entity.name).first { named.contains($0.name) }?.name == member.name
        }
        return ViewMapping.Class(
          name: member.name, entity: member.name, numbers: family.compactMap { file.numbers[$0.name] },
          properties: all(of: member).flatMap { columns(of: $0, in: member, file) })
      }
      tables.append(
        ViewMapping.Table(
          name: TableNames.table(ofClass: root.name), appleTable: file.columns.table(of: root.name), classes: classes,
          hasDiscriminator: members.count > 1))
    }
    let counts = Dictionary(grouping: file.model.entities) { file.columns.table(of: $0.name) }.mapValues(\.count)
    return ViewMapping(tables: tables, pairs: pairs(file)) { counts[$0] ?? 0 }
  }

  /// The class and its subclasses.
  package func family(of name: String) -> [NaturalClass] {
    classes.filter { member in
      sequence(first: member, next: { $0.superclass.flatMap(self.class) }).contains { $0.name == name }
    }
  }

  package func root(of name: String) -> String {
    var member = self.class(named: name)
    while let parent = member?.superclass.flatMap(self.class) { member = parent }
    return member?.name ?? name
  }

  /// The properties of a class, the inherited ones first.
  package func all(of member: NaturalClass) -> [NaturalProperty] {
    (member.superclass.flatMap(self.class).map { all(of: $0) } ?? []) + member.properties
  }

  private func columns(
    of property: NaturalProperty, in member: NaturalClass, _ file: AppleFile
  ) -> [ViewMapping.Property] {
    let name = column(of: property, in: member)
    switch property.kind {
    case .toMany: return []
    case .toOne(let relationship):
      guard case .toOne(let column, let entityColumn) = file.columns.link(relationship.name, of: member.name) else {
        return []
      }
      var result = [
        ViewMapping.Property(
          name: name, property: property.name,
          source: .toOne(relationship, column: column, entityColumn: entityColumn))
      ]
      if inverse(of: relationship)?.isToMany == true {
        let position = "Z_FOK_" + column.dropFirst()
        let isKnown = file.tables[file.columns.table(of: member.name)]?[position] != nil
        result.append(
          ViewMapping.Property(
            name: TableNames.position(of: name), property: property.name,
            source: .position(column: isKnown ? position : nil)))
      }
      return result
    default:
      guard let attribute = property.attribute else { return [] }
      let names = file.columns.storage(attribute.name, of: member.name).columns
      return [
        ViewMapping.Property(
          name: name, property: property.name, source: .attribute(attribute, columns: names, property.conversion))
      ]
    }
  }

  /// The column of a property of a class, or the table with its pairs.
  package func column(of property: NaturalProperty, in member: NaturalClass) -> String {
    let owner = self.class(named: declarer(of: property.originalName, in: member.name)) ?? member
    let names = owner.properties.map(\.name)
    if property.isToMany { return TableNames.pairs(property.name, of: owner.name, among: names) }
    return TableNames.column(property.name, of: owner.name, isRoot: owner.superclass == nil, among: names)
  }

  func inverse(of relationship: AppleRelationship) -> NaturalProperty? {
    relationship.inverse.flatMap { property($0, of: relationship.destination) }
  }

  // MARK: - Pairs

  /// Our table of pairs for a to-many relationship, named as `RelationshipInfo` names it. Nil if a column of the targets names
  /// their owner.
  package func pairTable(
    of property: NaturalProperty, in member: NaturalClass
  ) -> (name: String, isForward: Bool)? {
    guard case .toMany(let relationship) = property.kind else { return nil }
    let own = column(of: property, in: member)
    guard let inverse = inverse(of: relationship) else { return (own, true) }
    guard inverse.isToMany, let target = self.class(named: relationship.destination) else { return nil }
    let other = column(of: inverse, in: target)
    return own <= other ? (own, true) : (other, false)
  }

  private func pairs(_ file: AppleFile) -> [ViewMapping.Pairs] {
    var result = [String: ViewMapping.Pairs]()
    for member in classes {
      for property in member.properties {
        guard case .toMany(let relationship) = property.kind,
          let (name, isForward) = pairTable(of: property, in: member),
          result[name] == nil
        else { continue }
        var other: String?
        if let inverse = inverse(of: relationship),
          case .join(_, _, _, let position) = file.columns.link(inverse.originalName, of: relationship.destination)
        {
          other = position
        }
        let isReflexive = relationship.inverse == relationship.name && relationship.destination == member.name
        result[name] = ViewMapping.Pairs(
          name: name, link: file.columns.link(relationship.name, of: member.name), isForward: isForward,
          otherPosition: isReflexive ? nil : other, isReflexive: isReflexive, ownerEntity: member.name,
          targetEntity: relationship.destination)
      }
    }
    return result.values.sorted { $0.name < $1.name }
  }

  // MARK: - The layout

  /// The layout that a container would record for the classes.
  package var record: LayoutRecord {
    var tables = [LayoutRecord.Table]()
    var pairTables = [LayoutRecord.PairTable]()
    var relationships = [LayoutRecord.Relationship]()
    for root in classes where root.superclass == nil {
      let members = family(of: root.name)
      tables.append(table(root, members))
      for member in members {
        for property in member.properties {
          guard let relationship = property.relationship else { continue }
          let (own, other) = (
            TableNames.table(ofClass: root.name), TableNames.table(ofClass: self.root(of: relationship.destination))
          )
          relationships.append(
            LayoutRecord.Relationship(
              table: own, name: property.name, destination: other, storage: storage(property, member),
              entity: member.name, target: relationship.destination, formerNames: formerNames(property)))
          guard let (name, isForward) = pairTable(of: property, in: member),
            !pairTables.contains(where: { $0.name == name })
          else { continue }
          pairTables.append(
            LayoutRecord.PairTable(name: name, source: isForward ? own : other, target: isForward ? other : own))
        }
      }
    }
    return LayoutRecord(
      tables: tables.sorted { $0.name < $1.name }, pairTables: pairTables, relationships: relationships)
  }

  private func storage(_ property: NaturalProperty, _ member: NaturalClass) -> LayoutRecord.Storage {
    guard case .toMany(let relationship) = property.kind else {
      return .foreignKey(column: column(of: property, in: member))
    }
    if let (name, isForward) = pairTable(of: property, in: member) { return .pairs(table: name, isForward: isForward) }
    guard let inverse = inverse(of: relationship), let target = self.class(named: relationship.destination) else {
      return .inverse(column: "")
    }
    return .inverse(column: column(of: inverse, in: target))
  }

  private func table(_ root: NaturalClass, _ members: [NaturalClass]) -> LayoutRecord.Table {
    var columns = [LayoutRecord.Column]()
    for member in members {
      for property in member.properties where !property.isToMany {
        let column = column(property, member, isRequired: !property.isOptional && member.name == root.name)
        columns.append(column)
        guard case .toOne(let relationship) = property.kind, inverse(of: relationship)?.isToMany == true else {
          continue
        }
        columns.append(
          LayoutRecord.Column(
            name: TableNames.position(of: column.name), entity: member.name, property: property.name,
            affinity: .integer, family: .position))
      }
    }
    let superclasses = members.compactMap { member in member.superclass.map { (member.name, $0) } }
    return LayoutRecord.Table(
      name: TableNames.table(ofClass: root.name),
      classes: [root.name] + members.map(\.name).filter { $0 != root.name },
      superclasses: Dictionary(superclasses) { first, _ in first }, hasDiscriminator: members.count > 1,
      columns: columns, indices: indices(members))
  }

  /// The `originalName:` that the declaration has. Otherwise the container would take the property for a new one.
  private func formerNames(_ property: NaturalProperty) -> [String] {
    let former =
      property.name == property.originalName
      ? property.attribute?.formerName ?? property.relationship?.formerName : property.originalName
    return former.map { [$0] } ?? []
  }

  private func column(
    _ property: NaturalProperty, _ member: NaturalClass, isRequired: Bool
  ) -> LayoutRecord.Column {
    var column = LayoutRecord.Column(
      name: column(of: property, in: member), entity: member.name, property: property.name,
      affinity: property.affinity, isRequired: isRequired, family: property.family)
    column.valueType = property.recordedType
    column.formerNames = property.attribute == nil ? [] : formerNames(property)
    column.isExternal = property.attribute?.isExternal == true && property.affinity == .blob
    if case .toOne(let relationship) = property.kind,
      inverse(of: relationship)?.relationship?.deleteRule != .noAction
    {
      let target = TableNames.table(ofClass: root(of: relationship.destination))
      column.reference = LayoutRecord.Reference(table: target, setsNull: !isRequired)
    }
    return column
  }

  private func indices(_ members: [NaturalClass]) -> [LayoutRecord.Index] {
    var result = [LayoutRecord.Index]()
    for member in members {
      let lineage = Array(sequence(first: member, next: { $0.superclass.flatMap(self.class) }))
      let all = all(of: member)
      func add(_ names: [String], isUnique: Bool, of owner: NaturalClass) {
        let terms = names.compactMap { name in all.first { $0.originalName == name } }
        guard !terms.isEmpty, terms.count == names.count else { return }
        let isOwn =
          owner.superclass == nil || terms.contains { term in owner.properties.contains { $0.name == term.name } }
        let classes =
          isUnique && !isOwn
          ? [owner.name] + family(of: owner.name).map(\.name).filter { $0 != owner.name } : nil
        var index = LayoutRecord.Index(
          columns: terms.map { column(of: $0, in: member) }, isUnique: isUnique, keyPaths: terms.map(\.name),
          classes: classes)
        let numbers = isUnique ? zip(terms, index.columns).filter { $0.0.mayBeNaN }.map { $0.1 } : []
        if !numbers.isEmpty { index.numbers = numbers }
        let isKnown = result.contains {
          $0.columns == index.columns && ($0.numbers == nil || isUnique)
            && ($0.classes == nil || $0.classes == classes && $0.isUnique == isUnique)
        }
        if !isKnown { result.append(index) }
      }
      // Predicates do not use a unique index that leaves out NaN.
      func addNumbers(_ names: [String], of owner: NaturalClass) {
        guard names.contains(where: { name in all.first { $0.originalName == name }?.mayBeNaN == true }) else { return }
        add(names, isUnique: false, of: owner)
      }
      let unique = lineage.flatMap { owner in owner.uniqueness.map { (owner, $0) } }
      for (owner, names) in unique where names.count == 1 { add(names, isUnique: true, of: owner) }
      for (owner, names) in unique where names.count > 1 { add(names, isUnique: true, of: owner) }
      for property in all {
        if case .toOne = property.kind { add([property.originalName], isUnique: false, of: member) }
      }
      for owner in lineage { for names in owner.plainIndices(self) { add(names, isUnique: false, of: owner) } }
      for (owner, names) in unique { addNumbers(names, of: owner) }
    }
    return result
  }
}

extension NaturalProperty {
  /// Whether it is a number or a date, whose NaN no unique index has.
  var mayBeNaN: Bool { attribute != nil && (family == .real || family == .date) }

  /// The type of the property's column in our stores.
  var affinity: ColumnType {
    switch kind {
    case .toOne, .toMany: .integer
    case .cases, .structure, .array, .json: .text
    case .value(let type):
      switch type {
      case .int16, .int32, .int64, .bool: .integer
      case .double, .float, .date: .real
      case .string, .decimal, .url: .text
      default: .blob
      }
    }
  }

  /// The name under which a container records the type. The types of enums and structs belong to the program, so the first
  /// container that opens an import reads their values once.
  var recordedType: String {
    switch kind {
    case .array("String"): _typeName([String].self)
    case .array("Int"): _typeName([Int].self)
    case .array("Double"): _typeName([Double].self)
    case .array("Bool"): _typeName([Bool].self)
    case .array("Data"): _typeName([Data].self)
    case .array("Date"): _typeName([Date].self)
    case .array("UUID"): _typeName([UUID].self)
    case .json: _typeName(JSONValue.self)
    default: baseText
    }
  }

  package var family: ValueFamily {
    switch kind {
    case .toOne, .toMany: .key
    case .cases, .structure, .array, .json: .json
    case .value(let type):
      switch type {
      case .int16, .int32, .int64: .integer
      case .bool: .bool
      case .double, .float: .real
      case .date: .date
      case .string: .text
      case .decimal: .decimal
      case .url: .url
      case .uuid: .uuid
      default: .data
      }
    }
  }

  /// Converts the file's cells to the property's cell.
  var conversion: Conversion {
    guard let attribute else { return .same }
    switch kind {
    // The cells of the column may be something else than the class of the attribute says.
    case .value(let type): return attribute.archivedType.map { $0 == type } == false ? .same : .plain(attribute)
    case .structure(let structure): return .json(attribute, keys: Self.keys(structure))
    case .cases, .array, .json: return .json(attribute)
    case .toOne, .toMany: return .same
    }
  }

  private static func keys(_ structure: NaturalStructure) -> [CompositeKey] {
    structure.members.map { name, type in
      CompositeKey(
        name: name, isData: type == "Data", members: structure.nested.first { $0.name == type }.map(keys))
    }
  }
}
