import Foundation
import SwiftData

// Deletes, and the members of to-many relationships.

extension AppleRowWriter {
  func delete(_ keys: [Int64], from table: EntityTable) throws {
    let known = try place(of: table)
    try noteOldFiles(of: keys, table.stored, known)
    try keepTombstones(of: keys, known)
    try clearReferences(to: keys, in: known.table.appleTable)
    try connection.run(
      "DELETE FROM main.\(name: known.table.appleTable) WHERE \(store.dialect.isAmong("Z_PK", keys))")
  }

  /// The history keeps the values of some attributes, as they are in the row.
  private func keepTombstones(
    of keys: [Int64], _ known: (table: ViewMapping.Table, class: ViewMapping.Class, number: Int64)
  ) throws {
    guard let entity = file.model.entity(named: known.class.entity) else { return }
    // Each attribute has its place, also a composite, whose values the history does not keep.
    let terms = entity.attributes.filter { $0.isPreserved && !$0.isTransient }.map { attribute in
      if case .column(let column) = file.columns.storage(attribute.name, of: entity.name) {
        column.quotedIdentifier
      } else {
        "NULL"
      }
    }
    guard terms.contains(where: { $0 != "NULL" }) else { return }
    let list = terms.joined(separator: ", ")
    let rows = try connection.rows(
      "SELECT Z_PK, \(list) FROM main.\(name: known.table.appleTable) WHERE \(store.dialect.isAmong("Z_PK", keys))")
    for row in rows {
      if case .integer(let key) = row[0] {
        tombstones[Row(entity: known.class.name, key: key)] = Array(row.dropFirst())
      }
    }
  }

  /// SQL has no foreign keys here: what points at a row that goes is cleared, unless a rule says that nothing is done.
  func clearReferences(to keys: [Int64], in table: String) throws {
    var done = Set<String>()
    for entity in file.model.entities {
      for relationship in entity.relationships {
        let pointsHere = file.columns.table(of: relationship.destination) == table
        switch file.columns.link(relationship.name, of: entity.name) {
        case .toOne(let column, let entityColumn) where pointsHere:
          let own = file.columns.table(of: entity.name)
          if file.model.inverse(of: relationship)?.deleteRule == .noAction { continue }
          guard done.insert("\(own).\(column)").inserted else { continue }
          if relationship.isOptional {
            try clear(column, entityColumn, in: own, keys)
          } else {
            try noteRequired(relationship, of: entity, column, in: own, keys)
          }
        case .column(let other, let column, _, _, true) where file.columns.table(of: entity.name) == table:
          if relationship.deleteRule == .noAction { continue }
          if done.insert("\(other).\(column)").inserted { try clear(column, nil, in: other, keys) }
        case .join(let pairs, let owner, let target, _):
          let isOwner = file.columns.table(of: entity.name) == table
          for column in [isOwner ? owner : nil, pointsHere ? target : nil].compactMap(\.self)
          where done.insert("\(pairs).\(column)").inserted {
            try connection.run(
              "DELETE FROM main.\(name: pairs) WHERE \(store.dialect.isAmong(column.quotedIdentifier, keys))")
          }
        default: break
        }
      }
    }
  }

  /// Notes the objects whose required to-one leads to rows that go. The same save may delete these objects or give them another target.
  private func noteRequired(
    _ relationship: AppleRelationship, of entity: AppleEntity, _ column: String, in table: String, _ keys: [Int64]
  ) throws {
    let rows = try connection.rows(
      "SELECT Z_PK FROM main.\(name: table) WHERE \(store.dialect.isAmong(column.quotedIdentifier, keys))")
    let holders = rows.compactMap { if case .integer(let key) = $0[0] { key } else { nil } }
    guard !holders.isEmpty else { return }
    required.append(
      RequiredTarget(
        entity: entity.name, relationship: relationship.name, table: table, column: column, keys: keys, holders: holders
      ))
  }

  /// Checks at the end of the save that no object lost its required target. The program's models may lack the class of the object or may
  /// have an optional to-one, so that no delete rule refused the deletion.
  func checkRequired() throws {
    for target in required {
      let column = target.column.quotedIdentifier
      let left = try connection.rows(
        """
        SELECT 1 FROM main.\(name: target.table) WHERE \(store.dialect.isAmong("Z_PK", target.holders)) \
        AND (\(column) IS NULL OR \(store.dialect.isAmong(column, target.keys)))
        """)
      guard !left.isEmpty else { continue }
      throw SwiftDataError(
        .modelValidationFailure, entity: target.entity, property: target.relationship,
        message:
          "the file's model requires a target, and \(left.count) of its objects would lose theirs, which is deleted;"
          + " delete these objects too or assign another target, or call rollback()")
    }
  }

  private func clear(_ column: String, _ entityColumn: String?, in table: String, _ keys: [Int64]) throws {
    let position = "Z_FOK_" + column.dropFirst()
    let all = [column, entityColumn, file.tables[table]?[position] == nil ? nil : position].compactMap(\.self)
    let list = all.map { "\($0.quotedIdentifier) = NULL" }.joined(separator: ", ")
    try connection.run(
      "UPDATE main.\(name: table) SET \(list) WHERE \(store.dialect.isAmong(column.quotedIdentifier, keys))")
  }

  // MARK: - Lists

  /// The pairs of a relationship as the file keeps them, and whether the owner of the list is their owner.
  private func pairs(of info: RelationshipInfo) -> (pairs: ViewMapping.Pairs, isOwner: Bool)? {
    guard case .join(let name, let source, _, _) = info.storage,
      let pairs = mapping.pairs.first(where: { $0.name == name })
    else { return nil }
    return (pairs, pairs.isForward == (source == "source"))
  }

  func removePairs(_ members: [ListMember], of info: RelationshipInfo) throws {
    guard let (pairs, isOwner) = pairs(of: info) else { return }
    for member in members {
      let (owner, target) = isOwner ? (member.owner, member.target) : (member.target, member.owner)
      switch pairs.link {
      case .join(let table, let ownerColumn, let targetColumn, _):
        try connection.run(
          """
          DELETE FROM main.\(name: table) WHERE \(name: ownerColumn) = \(bind: .integer(owner)) \
          AND \(name: targetColumn) = \(bind: .integer(target))
          """)
        guard pairs.isReflexive else { continue }
        try connection.run(
          """
          DELETE FROM main.\(name: table) WHERE \(name: ownerColumn) = \(bind: .integer(target)) \
          AND \(name: targetColumn) = \(bind: .integer(owner))
          """)
      case .column(let table, let column, _, let position, _):
        let cleared = [column, position].compactMap { $0.map { "\($0.quotedIdentifier) = NULL" } }
        try connection.run(
          """
          UPDATE main.\(name: table) SET \(cleared.joined(separator: ", ")) \
          WHERE Z_PK = \(bind: .integer(target)) AND \(name: column) = \(bind: .integer(owner))
          """)
      case .toOne, .none: break
      }
    }
  }

  func addPairs(_ members: [ListMember], of info: RelationshipInfo) throws {
    guard let (pairs, isOwner) = pairs(of: info) else { return }
    for member in members {
      let (owner, target) = isOwner ? (member.owner, member.target) : (member.target, member.owner)
      switch pairs.link {
      case .join(let table, let ownerColumn, let targetColumn, let position):
        try addPair(owner, target, table, ownerColumn, targetColumn, position, pairs.otherPosition)
        if pairs.isReflexive { try addPair(target, owner, table, ownerColumn, targetColumn, position, nil) }
      case .column(let table, let column, let entityColumn, let position, _):
        var set: SQLFragment = "\(name: column) = \(bind: .integer(owner))"
        if let entityColumn {
          let number = file.numbers[pairs.ownerEntity] ?? 0
          set = "\(set), \(name: entityColumn) = \(number)"
        }
        if let position {
          set = """
            \(set), \(name: position) = (SELECT coalesce(max(s.\(name: position)), 1024) + 1024 \
            FROM main.\(name: table) AS s WHERE s.\(name: column) = \(bind: .integer(owner)))
            """
        }
        try connection.run("UPDATE main.\(name: table) SET \(set) WHERE Z_PK = \(bind: .integer(target))")
      case .toOne, .none: break
      }
    }
  }

  private func addPair(
    _ owner: Int64, _ target: Int64, _ table: String, _ ownerColumn: String, _ targetColumn: String,
    _ position: String?, _ otherPosition: String?
  ) throws {
    var names: SQLFragment = "\(name: ownerColumn), \(name: targetColumn)"
    var values: SQLFragment = "\(bind: .integer(owner)), \(bind: .integer(target))"
    for (place, column, key) in [(position, ownerColumn, owner), (otherPosition, targetColumn, target)] {
      guard let place else { continue }
      names = "\(names), \(name: place)"
      values = """
        \(values), (SELECT coalesce(max(s.\(name: place)), 1024) + 1024 FROM main.\(name: table) AS s \
        WHERE s.\(name: column) = \(bind: .integer(key)))
        """
    }
    try connection.run("INSERT OR IGNORE INTO main.\(name: table) (\(names)) VALUES (\(values))")
  }

  /// Writes the places of members of ordered lists; an unordered one has none in the file.
  func place(_ members: [ListMember], of info: RelationshipInfo) throws {
    switch info.storage {
    case .inverseForeignKey(let inverse, let name):
      guard let table = mapping.table(named: TableNames.table(for: info.destination)) else { return }
      for member in table.classes {
        guard case .position(let column?)? = member.property(name)?.source,
          case .toOne(_, let owner, _)? = member.property(TableNames.column(for: inverse))?.source
        else { continue }
        for member in members {
          // Another process may have moved it to another list, where the place means nothing.
          try connection.run(
            """
            UPDATE main.\(name: table.appleTable) SET \(name: column) = \(bind: .integer(member.place)) \
            WHERE Z_PK = \(bind: .integer(member.target)) AND \(name: owner) = \(bind: .integer(member.owner))
            """)
        }
        return
      }
    case .join:
      guard let (pairs, isOwner) = pairs(of: info) else { return }
      switch pairs.link {
      case .join(let table, let ownerColumn, let targetColumn, let position):
        guard let column = isOwner ? position : pairs.otherPosition else { return }
        let (own, other) = isOwner ? (ownerColumn, targetColumn) : (targetColumn, ownerColumn)
        for member in members {
          try connection.run(
            """
            UPDATE main.\(name: table) SET \(name: column) = \(bind: .integer(member.place)) \
            WHERE \(name: own) = \(bind: .integer(member.owner)) AND \(name: other) = \(bind: .integer(member.target))
            """)
        }
      case .column(let table, let owner, _, let position?, _):
        for member in members {
          try connection.run(
            """
            UPDATE main.\(name: table) SET \(name: position) = \(bind: .integer(member.place)) \
            WHERE Z_PK = \(bind: .integer(member.target)) AND \(name: owner) = \(bind: .integer(member.owner))
            """)
        }
      default: return
      }
    case .foreignKey: return
    }
  }
}
