import SwiftData

/// A table that is divided into partitions. The store's metadata has one for each.
package struct PartitionedTable: Codable, Equatable {
  package var table: String
  var column: String
  package let count: Int
  /// The names of the foreign servers with the partitions, in turn. Empty if they are local.
  package let servers: [String]
  /// The names of the partitions, which they keep when the table gets another name. A store of the first format has none.
  var names: [String]?

  init(table: String, column: String, count: Int, servers: [String]) {
    (self.table, self.column, self.count, self.servers) = (table, column, count, servers)
    names = (0..<count).map { TableNames.partition($0, of: table) }
  }

  var isSharded: Bool { !servers.isEmpty }

  /// The names of the partitions.
  package var partitions: [String] { names ?? (0..<count).map { FormerServerNames.partition($0, of: table) } }

  /// The clause after the columns in `CREATE TABLE`.
  var clause: String { " PARTITION BY HASH (\(column.quotedIdentifier))" }

  /// The statements that create local partitions. Each has its own primary key, because a key of the whole table would
  /// have to contain the dividing column.
  var localCreation: [String] { (0..<count).map(localCreation) }

  package func localCreation(_ index: Int) -> String {
    let name = partitions[index].quotedIdentifier
    return "CREATE TABLE IF NOT EXISTS \(name) PARTITION OF \(table.quotedIdentifier) (PRIMARY KEY (_pk))"
      + " FOR VALUES WITH (MODULUS \(count), REMAINDER \(index))"
  }

  /// The statements that attach the partitions of other servers.
  func foreignCreation(_ namespace: String) -> [String] {
    partitions.enumerated().map { index, name in
      "CREATE FOREIGN TABLE IF NOT EXISTS \(name.quotedIdentifier) PARTITION OF \(table.quotedIdentifier)"
        + " FOR VALUES WITH (MODULUS \(count), REMAINDER \(index))"
        + " SERVER \(servers[index % servers.count].quotedIdentifier)"
        + " OPTIONS (schema_name \(namespace.quotedLiteral), table_name \(name.quotedLiteral))"
    }
  }

  /// Whether it differs from another division in a former name of the column at most.
  func isDivided(like wanted: PartitionedTable, _ record: LayoutRecord) -> Bool {
    let column = record.table(named: table)?.column(named: wanted.column)
    let formers = column?.formerNames ?? []
    return (wanted.column == self.column || formers.contains(self.column) || column?.property == self.column)
      && wanted.count == count && wanted.servers == servers
  }

  /// The statement that renames a column on a shard, once.
  func renaming(_ column: String, to name: String) -> String {
    func exists(_ column: String) -> String {
      "EXISTS (SELECT FROM information_schema.columns WHERE table_schema = current_schema()"
        + " AND table_name = \(table.quotedLiteral) AND column_name = \(column.quotedLiteral))"
    }
    return "DO $swift$ BEGIN IF \(exists(column)) AND NOT \(exists(name)) THEN ALTER TABLE \(table.quotedIdentifier)"
      + " RENAME COLUMN \(column.quotedIdentifier) TO \(name.quotedIdentifier); END IF; END $swift$"
  }

  /// The statement that renames the table on a shard, once.
  func renaming(to name: String) -> String {
    "ALTER TABLE IF EXISTS \(table.quotedIdentifier) RENAME TO \(name.quotedIdentifier)"
  }
}

/// The partitioned tables of a store.
package struct PartitionedTables {
  private let tables: [String: PartitionedTable]

  package init(_ tables: [PartitionedTable] = []) {
    self.tables = Dictionary(tables.map { ($0.table, $0) }) { first, _ in first }
  }

  subscript(name: String) -> PartitionedTable? { tables[name] }
  var all: [PartitionedTable] { tables.values.sorted { $0.table < $1.table } }
  var sharded: [PartitionedTable] { all.filter(\.isSharded) }
  func isSharded(_ table: String) -> Bool { tables[table]?.isSharded ?? false }

  /// The tables with the constraints of a table: the local partitions, or the table itself.
  func parts(of table: String) -> [String] {
    guard let partitioned = self[table] else { return [table] }
    return partitioned.isSharded ? [] : partitioned.partitions
  }
}
