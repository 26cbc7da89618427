extension RTreeIndex {
  /// The table, the triggers and the rows. `family` lists the classes whose rows it contains; nil means all of the
  /// table.
  func derived(family: [__Entity]?) -> DerivedTable {
    let (rows, index) = (TableNames.table(for: entity).quotedIdentifier, name.quotedIdentifier)
    let columns = terms.indices.map { "\(lower($0)), \(upper($0))" }.joined(separator: ", ")
    let sources = Set(terms.map { TableNames.column(for: $0.property).quotedIdentifier }).sorted()
    let members = family.map { family in
      family.map(\.name.quotedLiteral).joined(separator: ", ")
    }
    func condition(_ row: String) -> String { members.map { " \(row)_entity IN (\($0))" } ?? "" }
    let isMember = members == nil ? "" : " WHEN\(condition("new."))"
    let remove = "DELETE FROM \(index) WHERE id = old._pk;"
    let add = "INSERT INTO \(index) (id, \(columns)) VALUES (new._pk, \(intervals("new.")));"
    return DerivedTable(
      name: name,
      objects: [
        .init(.virtualTable, name, "USING rtree(id, \(columns))"),
        .init(.trigger, "\(name).insert", "AFTER INSERT ON \(rows)\(isMember) BEGIN \(add) END"),
        .init(.trigger, "\(name).delete", "AFTER DELETE ON \(rows) BEGIN \(remove) END"),
        .init(
          .trigger, "\(name).update",
          "AFTER UPDATE OF \(sources.joined(separator: ", ")) ON \(rows)\(isMember) BEGIN \(remove) \(add) END"),
      ],
      fill: "INSERT INTO \(index) (id, \(columns)) SELECT _pk, \(intervals("")) FROM \(rows)"
        + (members == nil ? "" : " WHERE" + condition("")))
  }

  /// The bounds of a row's values. SQLite rounds bounds outwards, except so close to zero that a 32-bit float becomes
  /// zero.
  private func intervals(_ row: String) -> String {
    func bound(_ value: String, sign: String) -> String {
      "CASE WHEN typeof(\(value)) NOT IN ('real', 'integer') THEN \(sign)3e38"
        + " WHEN \(value) BETWEEN -1e-30 AND 1e-30 THEN \(sign)1e-30 ELSE max(min(\(value), 3e38), -3e38) END"
    }
    return terms.map { term in
      let value = term.sql(in: row + TableNames.column(for: term.property).quotedIdentifier)
      return bound(value, sign: "-") + ", " + bound(value, sign: "")
    }.joined(separator: ", ")
  }
}
