import Foundation

// The statements that make what a record describes. Each is skipped where it exists.

extension LayoutRecord {
  package func creationStatements() -> [String] {
    tables.flatMap { [$0.creation()] + $0.indexCreations } + pairTables.flatMap { [$0.creation()] + $0.indexCreations }
  }
}

extension LayoutRecord.Table {
  /// - Parameters:
  ///   - temporaryName: the name of the table while it is filled, before it takes the place of another.
  ///   - defaults: the default of each column, as SQL.
  package func creation(
    as temporaryName: String? = nil, defaults: (LayoutRecord.Column) -> String? = { _ in nil }
  ) -> String {
    var lines = ["_pk INTEGER PRIMARY KEY NOT NULL"]
    if hasDiscriminator { lines.append("_entity TEXT NOT NULL") }
    lines += columns.map { column in column.definition + (defaults(column).map { " DEFAULT \($0)" } ?? "") }
    return "CREATE TABLE IF NOT EXISTS \((temporaryName ?? name).quotedIdentifier) (\n"
      + "  \(lines.joined(separator: ",\n  "))\n)"
  }

  var indexCreations: [String] { indices.map { creation(of: $0) } }

  func creation(of index: LayoutRecord.Index) -> String {
    let list = index.terms.joined(separator: ", ")
    return "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX IF NOT EXISTS \(self.name(of: index).quotedIdentifier)"
      + " ON \(name.quotedIdentifier) (\(list))" + (index.condition().map { " WHERE \($0)" } ?? "")
  }

  package func name(of index: LayoutRecord.Index) -> String {
    index.formerName
      ?? TableNames.index(
        of: name, index.columns, index.isUnique ? "unique" : "index", owner: index.classes?.first)
  }
}

extension LayoutRecord.Column {
  var definition: String {
    var result = name.quotedIdentifier
    if let affinity { result += " \(affinity.rawValue)" }
    if isRequired { result += " NOT NULL" }
    if let reference {
      result +=
        " REFERENCES \(reference.table.quotedIdentifier) (_pk)"
        + (reference.setsNull ? " ON DELETE SET NULL" : "") + " DEFERRABLE INITIALLY DEFERRED"
    }
    return result
  }
}

extension LayoutRecord.PairTable {
  package func creation(as temporaryName: String? = nil) -> String {
    let reference = "(_pk) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED"
    return """
      CREATE TABLE IF NOT EXISTS \((temporaryName ?? name).quotedIdentifier) (
        source INTEGER NOT NULL REFERENCES \(source.quotedIdentifier) \(reference),
        target INTEGER NOT NULL REFERENCES \(target.quotedIdentifier) \(reference),
        source_position INTEGER,
        target_position INTEGER,
        UNIQUE (source, target)
      )
      """
  }

  var indexCreations: [String] {
    let index = TableNames.index(of: name, ["target"], "index").quotedIdentifier
    return ["CREATE INDEX IF NOT EXISTS \(index) ON \(name.quotedIdentifier) (target)"]
  }
}
