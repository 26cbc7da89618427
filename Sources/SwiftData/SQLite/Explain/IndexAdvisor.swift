import Foundation

/// Finds the missing index of a fetch. It creates candidate indices on a copy of the store's empty tables and compares
/// SQLite's plans.
struct IndexAdvisor {
  let query: StoreQuery
  let layout: StoreLayout
  /// The statements that created the store's tables and indices.
  let definitions: [String]

  /// The statements that created the objects that affect plans. Triggers and shadow tables are excluded.
  static func definitions(on connection: SQLiteConnection) throws -> [String] {
    let rows = try connection.rows(
      SQLFragment(
        "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND type IN ('table', 'view', 'index')"
          + " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rootpage = 0, type = 'index', rowid")
    ) { ($0.text(0)!, $0.text(1)!) }
    let virtual = rows.filter { $0.1.hasPrefix("CREATE VIRTUAL TABLE") }.map { $0.0 + "_" }
    return rows.filter { name, _ in !virtual.contains { name.hasPrefix($0) } }.map(\.1)
      + rows.filter { name, sql in sql.hasPrefix("CREATE VIEW") && virtual.contains { name.hasPrefix($0) } }.map(\.1)
  }

  func findings(_ plan: QueryPlan) throws -> [PlanFinding] {
    let aliases = plan.scanned.filter { isWorthSaying($0, plan) }
    guard !aliases.isEmpty else { return [] }
    let database = try SQLiteDatabase.inMemory()
    try SwiftFunctions.register(on: database.handle)
    // The database has no rows, so that the functions need no key.
    try EncryptionFunctions.register(KeyRing([]), on: database.handle)
    for definition in definitions { try database.execute(definition) }
    return try aliases.compactMap { alias in try finding(alias, on: database) }
  }

  /// Whether the plan deserves a finding. A fetch of all rows in order should scan an index.
  private func isWorthSaying(_ alias: String, _ plan: QueryPlan) -> Bool {
    query.condition != nil || plan.bareScans > 0 || alias != "t0"
  }

  // MARK: - One table

  private func finding(_ alias: String, on database: SQLiteDatabase) throws -> PlanFinding? {
    guard let table = table(of: alias) else { return nil }
    let name = alias == "t0" ? query.table.entity.name : table.name
    let every = "Every row of \(name) is scanned"
    guard query.condition != nil || alias != "t0" else {
      let best = try best(terms(of: alias, in: table), alias, table, on: database)
      return PlanFinding(
        entity: name, index: best?.map(\.keyPath) ?? [],
        description: best.map { "\(every) and sorted; \(Self.macro(name, $0)) would keep them in order." }
          ?? "\(every), since the fetch has no predicate\(query.limit == nil ? "" : " to begin with").")
    }
    let terms = terms(of: alias, in: table)
    if let best = try best(terms, alias, table, on: database) {
      return PlanFinding(
        entity: name, index: best.map(\.keyPath),
        description: "\(every), since no index fits the predicate; \(Self.macro(name, best)) would help.")
    }
    if let open = try openRange(terms, alias, table, on: database) {
      let macro = Self.macro(name, [open])
      return PlanFinding(
        entity: name, index: [open.keyPath],
        description:
          "\(every), since the fetch is in the order of insertion and SQLite expects a range with one bound to"
          + " take many. With \(macro), give the range a second bound or sort by \\.\(open.keyPath).")
    }
    return PlanFinding(
      entity: name, index: [], description: "\(every). " + reason(alias, terms))
  }

  /// The property whose index would be used if the order were not the insertion order.
  private func openRange(
    _ terms: [IndexTerm.Mention], _ alias: String, _ table: EntityTable, on database: SQLiteDatabase
  ) throws -> IndexTerm.Mention? {
    guard query.order.isEmpty else { return nil }
    var statement = query.select
    statement.sql = statement.sql.replacingOccurrences(of: " ORDER BY t0._pk", with: " ORDER BY +t0._pk")
    return try terms.first { term in
      try withIndex([term], of: table, on: database) {
        try QueryPlan(of: statement, on: database).selectivity(of: alias) > 0
      }
    }
  }

  private static func macro(_ entity: String, _ terms: [IndexTerm.Mention]) -> String {
    "#Index<\(entity)>([\(terms.map { "\\.\($0.keyPath)" }.joined(separator: ", "))])"
  }

  private func reason(_ alias: String, _ terms: [IndexTerm.Mention]) -> String {
    let normalized = terms.filter { text.contains("swift_nfc(\(alias).\($0.column.quotedIdentifier))") }
    guard normalized.isEmpty else {
      let names = normalized.map(\.keyPath).joined(separator: ", ")
      return "The store holds text of \(names) outside Unicode normal form C, so each text is normalised"
        + " and no #Index helps. A store stays in this mode after its first such text. precomposedStringWithCanonicalMapping"
        + " before the assignment avoids it."
    }
    if let type = typeWithOwnEquality(alias) {
      return "A \(type) may have an == of its own, so Swift compares the value of each row. If it compares raw values,"
        + " conform it to Schema.ComparedByRawValue. SQL then compares them, and can use an #Index."
    }
    let searchable = alias == "t0" ? searchableProperties(terms) : []
    return "No #Index helps: the predicate is computed for each row. Equality with captured values, ranges of them and"
      + " prefixes, of stored properties and joined by &&, can use one."
      + (searchable.isEmpty
        ? ""
        : " Words in \(searchable.joined(separator: ", ")) are found by"
          + " context.search(\(query.table.entity.name).self, …) without a scan.")
  }

  /// The type of a property with a raw value whose equality Swift computes.
  private func typeWithOwnEquality(_ alias: String) -> Any.Type? {
    query.table.family.flatMap(\.properties).lazy.filter(\.isAttribute).map { (ScalarType(of: $0), $0) }
      .first { type, property in
        let cell = "\(alias).\(TableNames.column(for: property).quotedIdentifier)"
        return type.form != .json && type.form != .opaque && !type.hasEqualCells
          && text.contains("swift_value(?, \(cell)")
      }?.0.swiftType
  }

  private func searchableProperties(_ terms: [IndexTerm.Mention]) -> [String] {
    let names = query.table.family.flatMap(\.properties).filter(SearchIndex.isSearchable).map(\.name)
    return terms.map(\.keyPath).filter(names.contains)
  }

  // MARK: - Candidates

  /// The shortest index with the best plan, or nil if no index improves the plan.
  private func best(
    _ terms: [IndexTerm.Mention], _ alias: String, _ table: EntityTable, on database: SQLiteDatabase
  ) throws -> [IndexTerm.Mention]? {
    var best: [IndexTerm.Mention]?
    var score = Score(try QueryPlan(of: query.select, on: database), alias)
    for candidate in Self.arrangements(of: Array(terms.prefix(4))) {
      let new = try withIndex(candidate, of: table, on: database) {
        Score(try QueryPlan(of: query.select, on: database), alias)
      }
      if score < new { (best, score) = (candidate, new) }
    }
    return best
  }

  private func withIndex<T>(
    _ terms: [IndexTerm.Mention], of table: EntityTable, on database: SQLiteDatabase, _ body: () throws -> T
  ) throws -> T {
    let columns = terms.map(\.sql).joined(separator: ", ")
    try database.execute("CREATE INDEX _candidate ON \(table.name.quotedIdentifier) (\(columns))")
    defer { try? database.execute("DROP INDEX _candidate") }
    return try body()
  }

  /// The quality of a plan for an alias. Narrowing rows counts more than avoiding a sort.
  private struct Score: Comparable {
    let searches: Int
    let selectivity: Int
    let presorted: Int

    init(_ plan: QueryPlan, _ alias: String) {
      searches = plan.scanned.contains(alias) ? 0 : 1
      selectivity = plan.selectivity(of: alias)
      presorted = plan.presorted
    }

    static func < (left: Score, right: Score) -> Bool {
      (left.searches, left.selectivity, left.presorted) < (right.searches, right.selectivity, right.presorted)
    }
  }

  /// All sequences of one to three terms, shorter ones first.
  private static func arrangements(of terms: [IndexTerm.Mention]) -> [[IndexTerm.Mention]] {
    let singles = terms.map { [$0] }
    func longer(_ shorter: [[IndexTerm.Mention]]) -> [[IndexTerm.Mention]] {
      shorter.flatMap { start in
        terms.filter { term in !start.contains { $0.sql == term.sql } }.map { start + [$0] }
      }
    }
    let pairs = longer(singles)
    return singles + pairs + longer(pairs)
  }

  // MARK: - The statement's text

  /// The text after the select list without the tie-breaker.
  private var text: String {
    (query.joins + query.orderJoins + [query.condition].compactMap { $0 } + query.order.map(\.expression)).map(\.sql)
      .joined(separator: " ")
  }

  /// A table with the alias. It may be any class of a hierarchy.
  private func table(of alias: String) -> EntityTable? {
    if alias == "t0" { return query.table }
    return layout.tables.filter { table in
      text.range(of: table.name.quotedIdentifier + " AS \(alias)\\b", options: .regularExpression) != nil
    }.min { $0.entity.properties.count < $1.entity.properties.count }
  }

  /// The columns and members that the statement reads from an alias, in order of appearance.
  private func terms(of alias: String, in table: EntityTable) -> [IndexTerm.Mention] {
    let members = layout.tables.filter { $0.name == table.name }
    let text = text
    let all = members.flatMap { member in
      member.stored.flatMap { IndexTerm.mentions(in: text, of: $0, alias: alias) }
    }
    var seen = Set<String>()
    return all.sorted { $0.position < $1.position }.filter { seen.insert($0.sql).inserted }
  }
}
