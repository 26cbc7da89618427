import Foundation

/// SQLite's plan for a statement.
struct QueryPlan {
  let steps: [PlanStep]

  init(of statement: SQLFragment, on connection: SQLiteConnection) throws {
    let explain = SQLFragment("EXPLAIN QUERY PLAN " + statement.sql, statement.arguments)
    self.init(
      try connection.rows(explain) { (Int($0.integer(0)), Int($0.integer(1)), $0.text(3) ?? "") })
  }

  init(of statement: SQLFragment, on database: SQLiteDatabase) throws {
    self.init(
      try database.rows("EXPLAIN QUERY PLAN " + statement.sql, statement.arguments) {
        (Int($0.integer(0)), Int($0.integer(1)), $0.string(3))
      })
  }

  private init(_ rows: [(id: Int, parent: Int, detail: String)]) {
    var depths = [0: -1]
    steps = rows.map { row in
      let depth = (depths[row.parent] ?? -1) + 1
      depths[row.id] = depth
      return PlanStep(depth: depth, detail: row.detail)
    }
  }

  /// The aliases that the statement scans.
  var scanned: [String] { steps.compactMap { Self.alias($0.detail, after: "SCAN ") } }

  /// The number of scans without an index.
  var bareScans: Int { steps.count { Self.alias($0.detail, after: "SCAN ") != nil && !$0.detail.contains(" USING ") } }

  /// How much of the statement's order an index has: 2 is all of it, and 0 none. With 1 SQLite sorts only rows that are equal by
  /// the first terms, as the rows with equal sort keys of a descending fetch, whose last term is the ascending primary key.
  var presorted: Int {
    steps.reduce(2) { least, step in
      guard step.detail.hasPrefix("USE TEMP B-TREE FOR"), step.detail.contains("ORDER BY") else { return least }
      return min(least, step.detail.hasPrefix("USE TEMP B-TREE FOR ORDER BY") ? 0 : 1)
    }
  }

  /// How much an alias's index narrows its rows: 3 for each equality, 1 for each bound.
  func selectivity(of alias: String) -> Int {
    steps.filter { Self.alias($0.detail, after: "SEARCH ") == alias }.reduce(0) { sum, step in
      let terms = step.detail.split(separator: "(").last ?? ""
      return sum + terms.components(separatedBy: "=?").count * 3 + terms.components(separatedBy: ">?").count
        + terms.components(separatedBy: "<?").count - 5
    }
  }

  /// `t0` of `SCAN t0 USING …`, or nil if the step reads no table of ours.
  private static func alias(_ detail: String, after verb: String) -> String? {
    guard detail.hasPrefix(verb), !detail.contains("VIRTUAL TABLE") else { return nil }
    let name = detail.dropFirst(verb.count).prefix { !$0.isWhitespace }
    return name.first == "t" && name.count > 1 && name.dropFirst().allSatisfy(\.isNumber) ? String(name) : nil
  }
}
