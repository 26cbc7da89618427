/// What the delete rules of a class ask of the store about some of its keys.
struct DeletionRules {
  /// - Parameter keys: a subselect of the keys (`SQLDialect.list`).
  typealias Question = (_ keys: SQLFragment) -> SQLFragment

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
          cleared.append(
            (inverse, info.destination, Self.rows(of: destination, "t0.\(column) IN (", ")")))
        } else {
          let sql = "SELECT DISTINCT \(column) FROM \(destination.name.quotedIdentifier) WHERE \(column) IN ("
          refusals.append { keys in SQLFragment(sql) + keys + SQLFragment(")") }
        }
      default: continue
      }
    }
  }

  /// The keys that have a target.
  private static func owners(_ info: RelationshipInfo, _ table: EntityTable) -> Question {
    let (from, owner, target) = pairs(of: info, table)
    return { keys in
      SQLFragment("SELECT DISTINCT \(owner) FROM \(from) WHERE \(owner) IN (") + keys
        + SQLFragment(") AND \(target) IS NOT NULL")
    }
  }

  private static func targets(_ info: RelationshipInfo, _ table: EntityTable, _ destination: EntityTable) -> Question {
    let (from, owner, target) = pairs(of: info, table)
    return rows(of: destination, "t0._pk IN (SELECT \(target) FROM \(from) WHERE \(owner) IN (", "))")
  }

  /// The keys and class names of rows.
  /// - Parameters:
  ///   - start: the condition up to the list of keys.
  ///   - end: what is behind it.
  private static func rows(of table: EntityTable, _ start: String, _ end: String) -> Question {
    let name = table.hasDiscriminator ? "t0._entity" : "NULL"
    let sql = "SELECT t0._pk, \(name) FROM \(table.name.quotedIdentifier) AS t0 WHERE \(start)"
    return { SQLFragment(sql) + $0 + SQLFragment(end) }
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
}

extension SQLDialect {
  /// A list of keys as the rows of a subselect.
  package func list(of keys: [Int64]) -> SQLFragment {
    rows(ofList: ContextState.list(keys), decode: nil, form: .integer)
  }
}
