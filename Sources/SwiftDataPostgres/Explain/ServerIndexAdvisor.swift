import Foundation
import SwiftData

/// Finds the missing index of a fetch by explaining it on empty copies of the tables, with and without candidates.
struct ServerIndexAdvisor {
  let store: PostgresStore
  let rows: EntityRows
  let query: StoreQuery

  private static let candidate = "_swiftdata_candidate"

  func findings(_ plan: ServerPlan) -> [PlanFinding] {
    guard plan.scans("t0"), hasCondition || !query.order.isEmpty else { return [] }
    let columns = self.columns
    // Without the permission to create temporary tables there is no advice.
    guard !columns.isEmpty, let best = try? best(columns) else { return [] }
    let name = rows.table.entity.name
    let names = best.map { column in
      rows.table.stored.first { TableNames.column(for: $0) == column }?.name ?? column
    }
    guard !names.isEmpty else {
      return hasCondition
        ? [
          PlanFinding(
            entity: name, index: [],
            description: "Every row of \(name) is scanned. No #Index helps: the predicate is computed for each row.")
        ] : []
    }
    let macro = "#Index<\(name)>([\(names.map { "\\.\($0)" }.joined(separator: ", "))])"
    return [
      PlanFinding(
        entity: name, index: names,
        description: "Every row of \(name) is scanned. \(macro) lets the server find them if there are many.")
    ]
  }

  private var hasCondition: Bool { query.condition != nil }

  /// The statement from `FROM` on.
  private var text: String {
    let sql = query.statement("", ordered: true).sql
    return String(sql[(sql.range(of: " FROM ")?.lowerBound ?? sql.startIndex)...])
  }

  /// The columns of `t0` that condition and order read, in order of appearance.
  private var columns: [String] {
    let text = text
    let found = rows.table.stored.map { TableNames.column(for: $0) }.compactMap { column -> (String, String.Index)? in
      text.range(of: "t0.\(column.quotedIdentifier)").map { (column, $0.lowerBound) }
    }
    return found.sorted { $0.1 < $1.1 }.prefix(4).map(\.0)
  }

  /// - Returns: no columns if no index helps; nil if an existing one does.
  private func best(_ columns: [String]) throws -> [String]? {
    try store.read { connection in try connection.part(isKept: false) { try best(columns, on: connection) } }
  }

  private func best(_ columns: [String], on connection: PostgresConnection) throws -> [String]? {
    let text = text
    // Temporary tables shadow tables of the same name.
    for table in store.layout.record.tables where text.contains(table.name.quotedIdentifier) {
      let name = table.name.quotedIdentifier
      try connection.script(
        "CREATE TEMP TABLE \(name) (LIKE \(store.configuration.namespace.quotedIdentifier).\(name) INCLUDING ALL)")
    }
    for pairs in store.layout.record.pairTables where text.contains(pairs.name.quotedIdentifier) {
      let name = pairs.name.quotedIdentifier
      try connection.script(
        "CREATE TEMP TABLE \(name) (LIKE \(store.configuration.namespace.quotedIdentifier).\(name) INCLUDING ALL)")
    }
    try connection.script("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
    let before = try plan(on: connection)
    if isServed(before, columns) { return nil }
    var best = [String]()
    var score = 0
    for arrangement in Self.arrangements(columns) {
      let list = arrangement.map { "\($0.quotedIdentifier) NULLS FIRST" }.joined(separator: ", ")
      let (index, table) = (Self.candidate, rows.table.name.quotedIdentifier)
      try connection.script("CREATE INDEX \(index) ON pg_temp.\(table) (\(list))")
      let plan = try plan(on: connection)
      try connection.script("DROP INDEX pg_temp.\(index)")
      guard plan.uses(index) else { continue }
      let own = narrowing(plan, arrangement) * 2 + (before.sorts && !plan.sorts ? 1 : 0)
      if own > score { (best, score) = (arrangement, own) }
    }
    return best
  }

  /// Whether an existing index finds the rows or has their order.
  private func isServed(_ plan: ServerPlan, _ columns: [String]) -> Bool {
    hasCondition ? narrowing(plan, columns) > 0 : !plan.sorts
  }

  private func narrowing(_ plan: ServerPlan, _ columns: [String]) -> Int {
    columns.count { column in
      plan.conditions.contains { $0.contains("(\(column) ") || $0.contains("\(column.quotedIdentifier) ") }
    }
  }

  private func plan(on connection: PostgresConnection) throws -> ServerPlan {
    let statement = PostgresStatement(query.statement("t0._pk", ordered: true))
    return ServerPlan(
      try connection.run("EXPLAIN (COSTS OFF) /* empty */ \(statement.sql)", statement.parameters))
  }

  /// All sequences of one to three columns, shorter ones first.
  private static func arrangements(_ columns: [String]) -> [[String]] {
    func longer(_ shorter: [[String]]) -> [[String]] {
      shorter.flatMap { start in columns.filter { !start.contains($0) }.map { start + [$0] } }
    }
    let singles = columns.map { [$0] }
    let pairs = longer(singles)
    return singles + pairs + longer(pairs)
  }
}
