/// The layout of stores of the formats 1 to 3, which have other names, and one column for all properties of a name in a
/// hierarchy.
///
/// Opening such a store migrates it. A record in memory always says which class has which property; the names of its tables
/// and columns are those that the store has.
package enum FormerLayout {
  private static let names = LayoutNames(
    table: { $0.root.name },
    column: { $0.isToMany ? "\($0.entityName)_\($0.name)" : $0.name },
    position: { "\($0)_position" },
    index: { indexName(of: $0, $1.columns, isUnique: $1.isUnique) })

  private static func indexName(of table: String, _ columns: [String], isUnique: Bool) -> String {
    ([table] + columns).joined(separator: "_").replacingOccurrences(of: ".", with: "_")
      .replacingOccurrences(of: "@", with: "_") + (isUnique ? "_unique" : "_index")
  }

  /// The record of a store in the former format.
  /// - Parameters:
  ///   - stored: what the store says.
  ///   - layouts: the layouts that it may have had.
  /// - Returns: the record, and the place of the layout that it has, if it is one of them.
  package static func record(
    _ stored: LayoutRecord, as layouts: [StoreLayout]
  ) -> (record: LayoutRecord, layout: Int?) {
    for (place, layout) in layouts.enumerated() where isRecord(stored, of: layout) {
      return (withMixed(LayoutRecord(layout.tables, names), stored), place)
    }
    return (withMixed(described(stored), stored), nil)
  }

  /// The record that a former store of a layout has.
  package static func stored(_ layout: StoreLayout) -> LayoutRecord { merged(LayoutRecord(layout.tables, names)) }

  /// Whether a former store with this record has a layout.
  package static func isRecord(_ stored: LayoutRecord, of layout: StoreLayout) -> Bool {
    merged(withMembers(stored)) == self.stored(layout)
  }

  /// The record without more knowledge: each class of a hierarchy may have each property.
  package static func described(_ stored: LayoutRecord) -> LayoutRecord {
    var record = withMembers(stored)
    for (place, table) in record.tables.enumerated() where table.columns.contains(where: { $0.entity == nil }) {
      for (index, column) in table.columns.enumerated() {
        record.tables[place].columns[index].entity = table.classes.first
        let key = table.columns.first { $0.family == .key && names.position($0.name) == column.name }
        record.tables[place].columns[index].property = column.family == .position ? key?.name : column.name
      }
      for (index, known) in table.indices.enumerated() {
        record.tables[place].indices[index].formerName = indexName(
          of: table.name, known.columns, isUnique: known.isUnique)
      }
    }
    for (place, relationship) in record.relationships.enumerated() where relationship.entity == nil {
      record.relationships[place].entity = record.table(named: relationship.table)?.classes.first
    }
    return record
  }

  /// Notes which columns have values of several types.
  private static func withMixed(_ record: LayoutRecord, _ stored: LayoutRecord) -> LayoutRecord {
    var result = record
    for (place, table) in record.tables.enumerated() {
      for (index, column) in table.columns.enumerated()
      where stored.table(named: table.name)?.column(named: column.name)?.family == .mixed {
        result.tables[place].columns[index].isMixed = true
      }
    }
    return result
  }

  /// The record with members of composite values as ``TableNames`` writes them.
  private static func withMembers(_ stored: LayoutRecord) -> LayoutRecord {
    var record = stored
    for (place, table) in stored.tables.enumerated() {
      for (index, known) in table.indices.enumerated() where known.expressions != nil && known.keyPaths == nil {
        record.tables[place].indices[index].keyPaths = known.columns
        record.tables[place].indices[index].columns = known.columns.map { name in
          let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
          return parts.count == 2 ? TableNames.member(parts[1], of: parts[0]) : name
        }
      }
    }
    return record
  }

  /// What a former store said of a layout: one column for each name in a table, and no classes.
  private static func merged(_ record: LayoutRecord) -> LayoutRecord {
    var result = record
    for (place, table) in record.tables.enumerated() {
      var columns: OrderedDictionary<String, LayoutRecord.Column> = [:]
      for column in table.columns {
        guard let known = columns[column.name], known != column else {
          columns[column.name] = columns[column.name] ?? column
          continue
        }
        columns[column.name] = LayoutRecord.Column(name: column.name, entity: nil, property: nil, family: .mixed)
      }
      result.tables[place].columns = Array(columns.values)
      var indices = [LayoutRecord.Index]()
      for index in table.indices where !indices.contains(where: { $0.terms == index.terms }) {
        var plain = index
        (plain.classes, plain.numbers) = (nil, nil)
        indices.append(plain)
      }
      result.tables[place].indices = indices
    }
    for place in record.relationships.indices {
      result.relationships[place].entity = nil
      result.relationships[place].target = nil
    }
    return result
  }
}
