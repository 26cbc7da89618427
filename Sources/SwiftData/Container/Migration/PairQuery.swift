/// The former storage of a relationship, seen from the table whose rows become the owners.
package struct PairQuery: Equatable {
  /// One end of the pairs.
  package struct End: Equatable {
    /// The old column of the pairs' table with the keys.
    package var column: String
    /// The old column with the places in the list of this end.
    package var position: String?
    /// The old table of the objects.
    package var table: String
    /// The old classes of the objects that count. Nil for all.
    package var classes: [String]?
  }

  /// The old table that has the pairs.
  package var table: String
  package var owner: End
  package var target: End

  package var swapped: PairQuery { PairQuery(table: table, owner: target, target: owner) }

  /// The pairs of an old relationship, with its own side as the owner.
  /// - Parameter classes: the old classes of the owners that count.
  init(_ relationship: LayoutRecord.Relationship, ownedBy classes: [String], in old: LayoutRecord) {
    let (source, destination) = (old.table(named: relationship.table), old.table(named: relationship.destination))
    let all = relationship.entity.flatMap { source?.family(of: $0) } ?? source?.classes ?? []
    var owner = End(
      column: "_pk", table: relationship.table, classes: Set(classes).isSuperset(of: all) ? nil : classes)
    var target = End(column: "_pk", table: relationship.destination)
    // In an earlier format, classes of a hierarchy share the columns of one name.
    func isShared(_ column: String, _ table: LayoutRecord.Table?) -> Bool {
      (table?.columns.filter { $0.name == column }.count ?? 0) > 1
    }
    switch relationship.storage {
    case .foreignKey(let column):
      table = relationship.table
      target.column = column
      if isShared(column, source) { owner.classes = classes }
      target.position = old.table(named: relationship.table)?.position(of: column)?.name
    case .inverse(let column):
      table = relationship.destination
      owner.column = column
      if isShared(column, destination) { target.classes = relationship.target.flatMap { destination?.family(of: $0) } }
      owner.position = destination?.position(of: column)?.name
    case .pairs(let name, let isForward):
      table = name
      (owner.column, owner.position) = isForward ? ("source", "source_position") : ("target", "target_position")
      (target.column, target.position) = isForward ? ("target", "target_position") : ("source", "source_position")
    }
    (self.owner, self.target) = (owner, target)
  }

  private init(table: String, owner: End, target: End) {
    (self.table, self.owner, self.target) = (table, owner, target)
  }

  /// Whether it consists of all pairs of a table that stays as it is.
  func isWhole(_ pairs: LayoutRecord.PairTable, in old: LayoutRecord) -> Bool {
    table == pairs.name && owner.column == "source" && old.pairTables.contains(pairs) && owner.classes == nil
      && target.classes == nil
  }

  /// The statement that selects `owner`, `target` and their places, as SQL of both databases.
  /// - Parameters:
  ///   - old: the layout of the tables.
  ///   - age: the expression for the age of a pair.
  package func select(in old: LayoutRecord, age: String? = nil) -> String {
    // Both databases take it for a number, so that arms of a union fit.
    func column(_ name: String?) -> String { name.map { "p." + $0.quotedIdentifier } ?? "CAST(NULL AS bigint)" }
    var conditions = ["\(column(owner.column)) IS NOT NULL", "\(column(target.column)) IS NOT NULL"]
    for end in [owner, target] {
      guard let classes = end.classes, let table = old.table(named: end.table), table.hasDiscriminator,
        !Set(classes).isSuperset(of: table.classes)
      else { continue }
      let list = classes.map(\.quotedLiteral).joined(separator: ", ")
      conditions.append(
        end.column == "_pk"
          ? "p._entity IN (\(list))"
          : "\(column(end.column)) IN (SELECT _pk FROM \(end.table.quotedIdentifier) WHERE _entity IN (\(list)))")
    }
    return "SELECT \(column(owner.column)) AS owner, \(column(target.column)) AS target,"
      + " \(column(owner.position)) AS owner_position, \(column(target.position)) AS target_position"
      + (age.map { ", \($0) AS age" } ?? "")
      + " FROM \(table.quotedIdentifier) AS p WHERE \(conditions.joined(separator: " AND "))"
  }
}
