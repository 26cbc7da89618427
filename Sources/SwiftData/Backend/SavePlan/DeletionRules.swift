/// The store queries that the delete rules of a class need for some keys.
struct DeletionRules {
  typealias Question = ([Int64]) -> SQLFragment

  /// Finds keys of objects that cannot be deleted silently: a `.deny` protects their targets, or another object
  /// requires them.
  private(set) var refusals: [Question] = []
  /// Finds keys and classes of objects that cascades delete.
  private(set) var cascades: [(destination: __Entity, targets: Question)] = []
  /// Finds keys with targets that a `.deny` protects.
  private(set) var denials: [(property: __Property, owners: Question)] = []
  /// Finds keys and classes of objects whose to-one the store clears.
  private(set) var cleared: [(property: __Property, destination: __Entity, targets: Question)] = []

  init(_ table: EntityTable, _ tables: TableCatalog, _ dialect: any SQLDialect) throws {
    for property in table.entity.properties where !property.isAttribute {
      let info = RelationshipInfo.of(property, in: table.entity)
      let destination = try tables.table(for: info.destination)
      // The objects are loaded, and their save checks the list.
      if let inverse = info.inverse, inverse.isToMany, (inverse.relationship?.minimumModelCount ?? 0) > 0 {
        refusals.append(Self.owners(info, table, dialect))
      }
      switch info.deleteRule {
      case .deny:
        let owners = Self.owners(info, table, dialect)
        refusals.append(owners)
        denials.append((property, owners))
      case .cascade: cascades.append((info.destination, Self.targets(info, table, destination, dialect)))
      case .nullify:
        guard let inverse = info.inverse, inverse.isToOne else { continue }
        let column = TableNames.column(for: inverse).quotedIdentifier
        if inverse.isOptional {
          let targets = Self.rows(of: destination) { dialect.isAmong("t0.\(column)", $0) }
          cleared.append((inverse, info.destination, targets))
        } else {
          refusals.append { keys in
            "SELECT DISTINCT \(column) FROM \(name: destination.name) WHERE \(dialect.isAmong(column, keys))"
          }
        }
      default: continue
      }
    }
  }

  /// Finds the keys that have a target.
  private static func owners(_ info: RelationshipInfo, _ table: EntityTable, _ dialect: any SQLDialect) -> Question {
    let (from, owner, target) = pairs(of: info, table)
    return { keys in
      """
      SELECT DISTINCT \(owner) FROM \(from) \
      WHERE \(dialect.isAmong(owner, keys)) AND \(target) IS NOT NULL
      """
    }
  }

  private static func targets(
    _ info: RelationshipInfo, _ table: EntityTable, _ destination: EntityTable, _ dialect: any SQLDialect
  ) -> Question {
    let (from, owner, target) = pairs(of: info, table)
    return rows(of: destination) { keys in
      "t0._pk IN (SELECT \(target) FROM \(from) WHERE \(dialect.isAmong(owner, keys)))"
    }
  }

  /// Selects the keys and class names of rows.
  /// - Parameter condition: makes the condition from the keys.
  private static func rows(of table: EntityTable, _ condition: @escaping ([Int64]) -> SQLFragment) -> Question {
    let name = table.hasDiscriminator ? "t0._entity" : "NULL"
    return { "SELECT t0._pk, \(name) FROM \(name: table.name) AS t0 WHERE \(condition($0))" }
  }

  /// The storage of the pairs of owner and target.
  private static func pairs(
    of info: RelationshipInfo, _ table: EntityTable
  ) -> (from: String, owner: String, target: String) {
    switch info.storage {
    case .foreignKey: (table.name.quotedIdentifier, "_pk", TableNames.column(for: info.property).quotedIdentifier)
    case .inverseForeignKey(let inverse, _):
      (
        TableNames.table(for: info.destination).quotedIdentifier, TableNames.column(for: inverse).quotedIdentifier,
        "_pk"
      )
    case .join(let join, let source, let target, _): (join.quotedIdentifier, source, target)
    }
  }
}
