import SwiftData

/// Brings the tables of pairs to the models: makes new ones with the pairs of those that they continue, and drops these.
struct PairChange {
  let change: LayoutChange
  let plan: LayoutPlan
  private var connection: PostgresConnection { change.connection }

  init(_ change: LayoutChange, _ plan: LayoutPlan) { (self.change, self.plan) = (change, plan) }

  /// The tables that are made.
  private var made: [LayoutPlan.PairPlan] {
    plan.pairTables.filter { pairs in !isThere(pairs) }
  }

  /// Whether the table is there and keeps its pairs. A table whose pairs another list continues does not keep them.
  private func isThere(_ pairs: LayoutPlan.PairPlan) -> Bool {
    pairs.isKept
      || pairs.sources.isEmpty && plan.old.pairTables.contains(pairs.new) && !read.contains(pairs.new.name)
  }

  /// The tables whose pairs a list continues.
  private var read: Set<String> { Set(plan.pairTables.filter { !$0.isKept }.flatMap(\.sources).map(\.table)) }

  /// Copies the pairs, before the tables at their ends get other names.
  func copy() throws {
    var dropped = Set<String>()
    for pairs in made {
      let former = pairs.new.name
      try run(pairs.new.copyCreation(temporary))
      for query in pairs.sources {
        try connection.script(
          "INSERT INTO \(temporary(former).quotedIdentifier) (source, target, source_position, target_position)"
            + " SELECT owner, target, owner_position::bigint, target_position::bigint"
            + " FROM (\(query.select(in: plan.old, age: "p._pk"))) AS q ORDER BY age ON CONFLICT DO NOTHING")
        if plan.old.pairTables.contains(where: { $0.name == query.table }) { dropped.insert(query.table) }
      }
    }
    let kept = Set(plan.pairTables.filter(isThere).map(\.new.name))
    let names = Set(made.map(\.new.name))
    for table in plan.old.pairTables.map(\.name) where !kept.contains(table) {
      guard dropped.contains(table) || names.contains(table) else { continue }
      if !dropped.contains(table) {
        let count = try connection.run("SELECT count(*) FROM \(table.quotedIdentifier)").integer(0, 0)
        if count > 0 {
          change.warn("the relationship of the table \(table) gives its name to another one", count, "link")
        }
      }
      // The triggers on a divided target do not go with the table.
      for column in ["source", "target"] {
        let reference = ReferenceStatements(
          table: table, column: column, target: "", deletion: .cascade, partitions: change.partitions)
        try run(reference.removal)
      }
      try connection.script("DROP TABLE IF EXISTS \(table.quotedIdentifier) CASCADE")
    }
    for pairs in made {
      try connection.script(
        "ALTER TABLE \(temporary(pairs.new.name).quotedIdentifier) RENAME TO \(pairs.new.name.quotedIdentifier)")
    }
  }

  /// Adds the keys and indices, when all tables have their names.
  func finish(_ result: inout LayoutRecord) throws {
    for pairs in made {
      try run(pairs.new.serverIndices)
      try connection.settleConstraints()
      try run(pairs.new.serverConstraints(change.partitions))
    }
    for pairs in plan.pairTables where isThere(pairs) && change.isFormer {
      let names = (
        FormerServerNames.targets(of: pairs.new.name), ServerNames.constraint(pairs.new.name, ["target"], "index")
      )
      try run(["ALTER INDEX IF EXISTS \(names.0.quotedIdentifier) RENAME TO \(names.1.quotedIdentifier)"])
    }
    let names = Set(plan.pairTables.map(\.new.name))
    result.pairTables.removeAll { names.contains($0.name) || read.contains($0.name) }
    result.pairTables += plan.pairTables.map(\.new)
  }

  private func temporary(_ name: String) -> String { TableNames.part("new", of: name) }

  private func run(_ statements: [String]) throws { try change.run(statements) }
}
