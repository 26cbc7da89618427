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

  /// The class and the key paths of a unique index.
  func constraint(named name: String) -> (entity: String, names: [String])? {
    for table in record.tables {
      guard let index = table.indices.first(where: { table.name(of: $0) == name }) else { continue }
      let declaring = tables.first { member in
        member.name == table.name && member.uniqueness.contains { $0.map(\.uniqueSQL) == index.terms }
      }
      return (declaring?.entity.name ?? table.name, index.columns)
    }
    return nil
  }
}

extension LayoutRecord {
  package init(_ tables: [EntityTable]) {
    let roots = OrderedDictionary(grouping: tables, by: \.name)
    self.tables = roots.map { Self.table($0, $1) }.sorted { $0.name < $1.name }
    (relationships, pairTables) = ([], [])
    var seen = Set<String>()
    for table in tables {
      for property in table.entity.properties where !property.isAttribute {
        let info = RelationshipInfo.of(property, in: table.entity)
        // Each class lists inherited relationships; one entry is enough.
        guard info.source === table.entity else { continue }
        relationships.append(Self.relationship(property, info))
        guard case .join(let name, let source, _, _) = info.storage, seen.insert(name).inserted else { continue }
        let (own, other) = (TableNames.table(for: info.source), TableNames.table(for: info.destination))
        pairTables.append(
          source == "source"
            ? PairTable(name: name, source: own, target: other) : PairTable(name: name, source: other, target: own))
      }
    }
  }

  private static func table(_ name: String, _ members: [EntityTable]) -> Table {
    let root = members.first { $0.entity.superentity == nil } ?? members[0]
    var columns: OrderedDictionary<String, Column> = [:]
    for table in members {
      for property in table.stored {
        // A subclass's column is NULL in rows of other classes.
        let isRequired = !property.isOptional && root.entity.properties.contains { $0 === property }
        let column = column(property, isRequired: isRequired, in: table)
        // Classes with different types for one property name share a column that accepts both.
        columns[column.name] =
          columns[column.name].map { known in
            let names =
              (known.formerNames ?? []) + (column.formerNames ?? []).filter { known.formerNames?.contains($0) != true }
            var merged = known
            if known != column {
              merged = Column(name: column.name, family: .mixed, isExternal: known.isExternal || column.isExternal)
            }
            merged.formerNames = names
            return merged
          } ?? column
        if let position = table.positionColumn(of: property) {
          columns[position] = Column(name: position, affinity: .integer, family: .position)
        }
      }
    }
    return Table(
      name: name, classes: [root.entity.name] + members.map(\.entity.name).filter { $0 != root.entity.name },
      hasDiscriminator: root.hasDiscriminator, columns: Array(columns.values), indices: indices(members))
  }

  private static func column(_ property: __Property, isRequired: Bool, in table: EntityTable) -> Column {
    var column = Column(
      name: TableNames.column(for: property), affinity: .integer, isRequired: isRequired, family: ValueFamily(property))
    column.formerNames = property.attribute?.formerName.map { [$0] } ?? []
    switch property.kind {
    case .attribute(let type, _):
      column.affinity = type
      column.valueType = SchemaValueType(property.bareType).name
      column.isExternal = type == .blob && property.attribute?.options.contains(.externalStorage) == true
    case .toOne, .toMany:
      let info = RelationshipInfo.of(property, in: table.entity)
      // `.noAction` leaves keys of deleted rows, which a foreign key would refuse.
      if info.inverse?.relationship?.deleteRule != .noAction {
        column.reference = Reference(table: TableNames.table(for: info.destination), setsNull: !isRequired)
      }
    }
    return column
  }

  private static func indices(_ members: [EntityTable]) -> [Index] {
    var result = [Index]()
    for table in members {
      for (terms, isUnique) in table.uniqueness.map({ ($0, true) }) + table.indices.map({ ($0, false) }) {
        let isExpression = terms.contains(where: \.isMember)
        let expressions = isExpression ? terms.map { isUnique ? $0.uniqueSQL : $0.sql } : nil
        let numbers = isUnique ? terms.filter { $0.mayBeNaN && !$0.isMember }.map(\.column) : []
        let index = Index(
          columns: terms.map(\.column), isUnique: isUnique, expressions: expressions,
          numbers: numbers.isEmpty ? nil : numbers)
        // A unique index serves as a plain one.
        guard !terms.isEmpty, !result.contains(where: { $0.terms == index.terms }) else { continue }
        result.append(index)
      }
    }
    return result
  }

  private static func relationship(_ property: __Property, _ info: RelationshipInfo) -> Relationship {
    let storage: Storage =
      switch info.storage {
      case .foreignKey: .foreignKey(column: TableNames.column(for: property))
      case .inverseForeignKey(let inverse, _): .inverse(column: TableNames.column(for: inverse))
      case .join(let table, let source, _, _): .pairs(table: table, isForward: source == "source")
      }
    return Relationship(
      table: TableNames.table(for: info.source), name: property.name,
      destination: TableNames.table(for: info.destination), storage: storage)
  }
}
