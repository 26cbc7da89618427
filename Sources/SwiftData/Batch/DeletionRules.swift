/// What the delete rules of a class ask of the store about some of its keys.
struct DeletionRules {
  typealias Question = ([Int64]) -> SQLFragment

  /// Which keys are of objects that may not simply go: they have targets that a `.deny` protects, or another object
  /// requires them.
  private(set) var refusals: [Question] = []
  /// The keys and the classes of what is deleted along.
  private(set) var cascades: [(destination: __Entity, targets: Question)] = []
  /// Which keys have targets that a `.deny` protects.
  private(set) var denials: [(property: __Property, owners: Question)] = []
  /// The keys and the classes of objects whose to-one the store clears.
  private(set) var cleared: [(property: __Property, destination: __Entity, targets: Question)] = []

  init(_ table: EntityTable, _ core: ContainerCore) throws {
    for property in table.entity.properties where !property.isAttribute {
      let info = RelationshipInfo.of(property, in: table.entity)
      let destination = try core.table(for: info.destination)
      switch info.deleteRule {
      case .deny:
        let owners = Self.owners(info, table)
        refusals.append(owners)
        denials.append((property, owners))
      case .cascade: cascades.append((info.destination, Self.targets(info, table, destination)))
      case .nullify:
        guard let inverse = info.inverse, inverse.isToOne else { continue }
        let column = TableNames.column(for: inverse).quotedIdentifier
        if inverse.isOptional {
          cleared.append((inverse, info.destination, Self.rows(of: destination) { "t0.\(column) IN (\($0))" }))
        } else {
          refusals.append { keys in
            SQLFragment(
              "SELECT DISTINCT \(column) FROM \(destination.name.quotedIdentifier) WHERE \(column) IN (\(Self.list))",
              [ContextState.list(keys)])
          }
        }
      default: continue
      }
    }
  }

  /// The keys that have a target.
  private static func owners(_ info: RelationshipInfo, _ table: EntityTable) -> Question {
    let (from, owner, target) = pairs(of: info, table)
    return { keys in
      SQLFragment(
        "SELECT DISTINCT \(owner) FROM \(from) WHERE \(owner) IN (\(list)) AND \(target) IS NOT NULL",
        [ContextState.list(keys)])
    }
  }

  private static func targets(_ info: RelationshipInfo, _ table: EntityTable, _ destination: EntityTable) -> Question {
    let (from, owner, target) = pairs(of: info, table)
    return rows(of: destination) { "t0._pk IN (SELECT \(target) FROM \(from) WHERE \(owner) IN (\($0)))" }
  }

  /// The keys and class names of rows.
  /// - Parameter condition: makes the condition from the list of keys.
  private static func rows(of table: EntityTable, _ condition: (String) -> String) -> Question {
    let name = table.hasDiscriminator ? "t0._entity" : "NULL"
    let sql = "SELECT t0._pk, \(name) FROM \(table.name.quotedIdentifier) AS t0 WHERE \(condition(list))"
    return { SQLFragment(sql, [ContextState.list($0)]) }
  }

  /// Where the pairs of owner and target are.
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

  fileprivate static let list = "SELECT value FROM json_each(?)"
}

extension SQLFragment {
  /// A question of the rules as PostgreSQL reads it.
  var onServer: SQLFragment {
    let list = "SELECT value::bigint FROM jsonb_array_elements_text(?::jsonb) AS value"
    return SQLFragment(sql.replacing(DeletionRules.list, with: list), arguments)
  }
}
