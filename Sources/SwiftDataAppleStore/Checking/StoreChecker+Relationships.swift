import SwiftData

extension StoreChecker {
  mutating func check(_ relationship: AppleRelationship, of entity: AppleEntity) throws {
    guard file.columns.hasTable(relationship.destination),
      let destination = file.model.entity(named: relationship.destination)
    else { return }
    let (own, other) = (file.columns.table(of: entity.name), file.columns.table(of: relationship.destination))
    let link = file.columns.link(relationship.name, of: entity.name)
    let exists: SQLFragment = "SELECT d.Z_PK FROM main.\(name: other) AS d WHERE d.Z_ENT IN (\(family(destination)))"
    switch link {
    case .toOne(let column, let entityColumn):
      guard let number = file.numbers[entity.name] else { return }
      let rows: SQLFragment = "FROM main.\(name: own) AS t WHERE t.Z_ENT = \(number)"
      let key: SQLFragment = "t.\(name: column)"
      try count(
        .references, entity.name, relationship.name, "keys lead to no object",
        "SELECT count(*) \(rows) AND \(key) IS NOT NULL AND \(key) NOT IN (\(exists))")
      if let entityColumn {
        try count(
          .references, entity.name, relationship.name, "the entity of the target is not the one that it has",
          """
          SELECT count(*) \(rows) AND t.\(name: entityColumn) IS NOT \
          (SELECT d.Z_ENT FROM main.\(name: other) AS d WHERE d.Z_PK = \(key))
          """)
      }
      let position = "Z_FOK_" + column.dropFirst()
      if file.tables[own]?[position] != nil {
        try count(
          .lists, entity.name, relationship.name, "rows of an ordered list have no place, or others have one",
          "SELECT count(*) \(rows) AND (\(key) IS NULL) <> (t.\(name: position) IS NULL)")
      }
      guard let inverse = file.model.inverse(of: relationship), !inverse.isToMany,
        case .toOne(let back, _) = file.columns.link(inverse.name, of: relationship.destination)
      else { return }
      try count(
        .inverses, entity.name, relationship.name, "targets do not point back by \(inverse.name)",
        """
        SELECT count(*) \(rows) AND \(key) IN (\(exists)) AND t.Z_PK IS NOT \
        (SELECT d.\(name: back) FROM main.\(name: other) AS d WHERE d.Z_PK = \(key))
        """)
    case .join(let table, let owner, let target, let position):
      let owners: SQLFragment = "SELECT o.Z_PK FROM main.\(name: own) AS o"
      try count(
        .references, entity.name, relationship.name, "pairs lead to no object",
        """
        SELECT count(*) FROM main.\(name: table) AS p WHERE p.\(name: target) NOT IN (\(exists)) \
        OR p.\(name: owner) NOT IN (\(owners))
        """)
      guard let position else { return }
      try count(
        .lists, entity.name, relationship.name, "pairs of an ordered list have no place",
        "SELECT count(*) FROM main.\(name: table) AS p WHERE p.\(name: position) IS NULL")
    case .column(let table, let column, _, _, true):
      let owners: SQLFragment = "SELECT o.Z_PK FROM main.\(name: own) AS o WHERE o.Z_ENT IN (\(family(entity)))"
      // A superentity's column serves its subentities.
      guard file.model.declarer(of: relationship.name, in: entity.name) == entity.name else { return }
      try count(
        .references, entity.name, relationship.name, "rows name an owner that is not there",
        """
        SELECT count(*) FROM main.\(name: table) AS t WHERE t.\(name: column) IS NOT NULL \
        AND t.\(name: column) NOT IN (\(owners))
        """)
    case .column, .none: return
    }
  }
}
