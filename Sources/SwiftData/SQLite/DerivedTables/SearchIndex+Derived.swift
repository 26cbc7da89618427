extension SearchIndex {
  /// The tables, the view and the triggers of the index.
  var derived: DerivedTable {
    let view = "\(name).texts"
    let names = columns.map(\.name.quotedIdentifier).joined(separator: ", ")
    let texts = columns.map { "\($0.value()) AS \($0.name.quotedIdentifier)" }.joined(separator: ", ")
    let (index, rows) = (name.quotedIdentifier, table.quotedIdentifier)
    let content = "content=\(view.quotedLiteral), content_rowid='_pk'"
    func values(_ row: String) -> String { columns.map { $0.value(of: row) }.joined(separator: ", ") }
    let remove = "INSERT INTO \(index) (\(index), rowid, \(names)) VALUES ('delete', old._pk, \(values("old.")));"
    let add = "INSERT INTO \(index) (rowid, \(names)) VALUES (new._pk, \(values("new.")));"
    let sources = columns.map(\.source.quotedIdentifier).joined(separator: ", ")
    return DerivedTable(
      name: name,
      objects: [
        .init(.view, view, "AS SELECT _pk, \(texts) FROM \(rows) /* \(SearchText.version) */"),
        .init(.virtualTable, name, "USING fts5(\(names), \(content), \(SearchText.tokenizer))"),
        .init(.trigger, "\(name).insert", "AFTER INSERT ON \(rows) BEGIN \(add) END"),
        .init(.trigger, "\(name).delete", "AFTER DELETE ON \(rows) BEGIN \(remove) END"),
        .init(.trigger, "\(name).update", "AFTER UPDATE OF \(sources) ON \(rows) BEGIN \(remove) \(add) END"),
      ],
      fill: "INSERT INTO \(index) (\(index)) VALUES ('rebuild')")
  }
}
