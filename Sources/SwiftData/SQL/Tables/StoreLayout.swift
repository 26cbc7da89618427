/// The tables of one store.
// @unchecked Sendable because it is immutable.
package final class StoreLayout: @unchecked Sendable {
  /// The tables, one per class.
  package let tables: [EntityTable]
  /// The layout as the file records it.
  package let record: LayoutRecord

  package init(tables: [EntityTable]) {
    self.tables = tables
    self.record = LayoutRecord(tables)
  }

  /// The part that encodes the cells of secret columns, or nil if the store has no key.
  package var coding: ColumnCoding? { tables.first?.coding }

  /// The codec of a column of this layout or a former one, or nil if its cells are the values.
  package func codec(of column: LayoutRecord.Column, in table: String) -> ColumnCodec? {
    guard column.isEncrypted == true, let coding else { return nil }
    return ColumnCodec(coding, table: table, column: column.name)
  }

  /// The table of a class.
  package func table(ofClass name: String) -> EntityTable? { tables.first { $0.entity.name == name } }

  /// The class and the key paths of a unique index.
  func constraint(named name: String) -> (entity: String, names: [String])? {
    for table in record.tables {
      guard let index = table.indices.first(where: { table.name(of: $0) == name }) else { continue }
      let declaring = tables.first { member in
        member.name == table.name && member.uniqueness.contains { $0.terms.map(\.sql) == index.terms }
      }
      return (declaring?.entity.name ?? table.classes[0], index.names)
    }
    return nil
  }

  /// The class and the property of a column.
  func property(ofColumn column: String, in table: String) -> (entity: String, name: String)? {
    guard let known = record.table(named: table)?.column(named: column), let entity = known.entity else { return nil }
    return (entity, known.propertyName)
  }
}

/// The names of tables and columns in a record of the layout.
struct LayoutNames: Sendable {
  let table: @Sendable (__Entity) -> String
  /// The column of a property, or the table with the pairs of a to-many.
  let column: @Sendable (__Property) -> String
  let position: @Sendable (String) -> String
  /// An index of a table, if it is not named as ``TableNames`` names it.
  let index: @Sendable (_ table: String, LayoutRecord.Index) -> String?

  static let current = LayoutNames(
    table: { TableNames.table(for: $0) }, column: { TableNames.column(for: $0) },
    position: { TableNames.position(of: $0) }, index: { _, _ in nil })
}

extension LayoutRecord {
  package init(_ tables: [EntityTable]) {
    self.init(tables, .current)
    for table in tables where !table.codecs.isEmpty {
      guard let index = self.tables.firstIndex(where: { $0.name == table.name }) else { continue }
      for place in self.tables[index].columns.indices
      where table.codecs[self.tables[index].columns[place].name]?.isReadable == false {
        self.tables[index].columns[place].isEncrypted = true
      }
    }
  }

  init(_ tables: [EntityTable], _ names: LayoutNames) {
    let roots = OrderedDictionary(grouping: tables, by: \.name)
    self.tables = roots.map { Self.table($1, names) }.sorted { $0.name < $1.name }
    (relationships, pairTables) = ([], [])
    var seen = Set<String>()
    for table in tables {
      for property in table.entity.properties where !property.isAttribute {
        let info = RelationshipInfo.of(property, in: table.entity)
        // Each class lists inherited relationships; one entry is enough.
        guard info.source === table.entity else { continue }
        let relationship = Self.relationship(property, info, names)
        relationships.append(relationship)
        guard case .pairs(let name, let isForward) = relationship.storage, seen.insert(name).inserted else { continue }
        let (own, other) = (relationship.table, relationship.destination)
        pairTables.append(
          PairTable(name: name, source: isForward ? own : other, target: isForward ? other : own))
      }
    }
  }

  private static func table(_ members: [EntityTable], _ names: LayoutNames) -> Table {
    let root = members.first { $0.entity.superentity == nil } ?? members[0]
    var columns = [Column]()
    var seen = Set<ObjectIdentifier>()
    for table in members {
      for property in table.stored where seen.insert(ObjectIdentifier(property)).inserted {
        // A subclass's column is NULL in rows of other classes.
        let isOfRoot = root.entity.properties.contains { $0 === property }
        var column = column(property, isRequired: !property.isOptional && isOfRoot, in: table, names)
        if !isOfRoot { column.isOptional = property.isOptional }
        columns.append(column)
        guard table.positionColumn(of: property) != nil else { continue }
        columns.append(
          Column(
            name: names.position(column.name), entity: column.entity, property: column.property, affinity: .integer,
            family: .position))
      }
    }
    let classes = [root.entity.name] + members.map(\.entity.name).filter { $0 != root.entity.name }
    let superclasses = members.compactMap { table in
      table.entity.superentity.map { (table.entity.name, $0.name) }
    }
    let name = names.table(root.entity)
    return Table(
      name: name, classes: classes, superclasses: Dictionary(superclasses) { first, _ in first },
      hasDiscriminator: root.hasDiscriminator, columns: columns, indices: indices(members, name, names))
  }

  private static func column(
    _ property: __Property, isRequired: Bool, in table: EntityTable, _ names: LayoutNames
  ) -> Column {
    var column = Column(
      name: names.column(property), entity: property.entityName, property: property.name, affinity: .integer,
      isRequired: isRequired, family: ValueFamily(property))
    switch property.kind {
    case .attribute(let type, _):
      column.formerNames = property.attribute?.formerName.map { [$0] } ?? []
      column.affinity = type
      column.valueType = SchemaValueType(property.bareType).name
      column.parts = CompositeMembers.parts(of: property.bareType)
      column.isExternal = property.isExternal
    case .toOne, .toMany:
      column.formerNames = []
      let info = RelationshipInfo.of(property, in: table.entity)
      // `.noAction` leaves keys of deleted rows, which a foreign key would refuse.
      if info.inverse?.relationship?.deleteRule != .noAction {
        column.reference = Reference(table: names.table(info.destination), setsNull: property.isOptional)
      }
    }
    return column
  }

  private static func indices(_ members: [EntityTable], _ table: String, _ names: LayoutNames) -> [Index] {
    var result = [Index]()
    func add(_ terms: [IndexTerm], isUnique: Bool, classes: [String]?) {
      let expressions =
        terms.contains(where: \.isMember)
        ? terms.map { $0.sql(in: names.column($0.property).quotedIdentifier) } : nil
      var index = Index(
        columns: terms.map { $0.column(in: names.column($0.property)) }, isUnique: isUnique, expressions: expressions,
        keyPaths: terms.map(\.name), classes: classes)
      let numbers = isUnique ? zip(terms, index.columns).filter { $0.0.mayBeNaN }.map { $0.1 } : []
      if !numbers.isEmpty { index.numbers = numbers }
      index.formerName = names.index(table, index)
      // A unique index of all rows serves as a plain one.
      let isKnown = result.contains {
        // Predicates do not use a unique index that leaves out NaN.
        $0.terms == index.terms && ($0.numbers == nil || isUnique)
          && ($0.classes == nil || $0.classes == index.classes && $0.isUnique == isUnique)
      }
      if !terms.isEmpty, !isKnown { result.append(index) }
    }
    for table in members {
      for constraint in table.uniqueness { add(constraint.terms, isUnique: true, classes: constraint.classes) }
      for terms in table.indices { add(terms, isUnique: false, classes: nil) }
    }
    return result
  }

  private static func relationship(
    _ property: __Property, _ info: RelationshipInfo, _ names: LayoutNames
  ) -> Relationship {
    let storage: Storage
    switch info.storage {
    case .foreignKey: storage = .foreignKey(column: names.column(property))
    case .inverseForeignKey(let inverse, _): storage = .inverse(column: names.column(inverse))
    case .join:
      let own = names.column(property)
      if let other = info.inverse.map(names.column), other < own {
        storage = .pairs(table: other, isForward: false)
      } else {
        storage = .pairs(table: own, isForward: true)
      }
    }
    return Relationship(
      table: names.table(info.source), name: property.name, destination: names.table(info.destination),
      storage: storage, entity: property.entityName, target: info.destination.name,
      formerNames: property.relationship?.formerName.map { [$0] } ?? [])
  }
}
