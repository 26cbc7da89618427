import SwiftData

// Columns that the program encrypts. Each cell names its table and its column, so that it is encrypted again where one of
// them gets another name. The server never gets a value.
extension TableChange {
  /// Writes the cells of a column, which is in the table by now.
  func writing(_ column: LayoutRecord.Column) -> ColumnWriting {
    ColumnWriting(
      connection: connection, table: name, column: column, codec: change.layout.codec(of: column, in: table.new.name))
  }

  /// Encodes the cells of columns again whose table or column has another name than before.
  /// - Parameter columns: the columns of the table with their former names. Some have no property any more.
  func recode(_ columns: [LayoutRecord.Column]) throws {
    for former in columns {
      var column = former
      column.name = renames.first { $0.from == former.name }?.plan.column.name ?? former.name
      guard let known = change.layout.codec(of: former, in: formerTable),
        (formerTable, former.name) != (table.new.name, column.name)
      else { continue }
      try writing(column).writeAgain(from: known)
      try connection.settleConstraints()
    }
  }

  /// Copies values that are encrypted before, afterwards, or both.
  func recode(_ old: LayoutRecord.Column, _ column: LayoutRecord.Column, _ condition: String?) throws {
    let isGone = consumed.contains(old.name)
    // A column that stays is encrypted for the present name of the table already.
    let known = change.layout.codec(of: old, in: isGone ? formerTable : table.new.name)
    let source = physicalSource(old.name).quotedIdentifier
    // The original texts have the name of the new column by now.
    let original = known == nil ? ColumnWriting.Original(name: column.name, isJSON: old.serverType == .jsonb) : nil
    let rows = "\(source) IS NOT NULL" + (condition.map { " AND \($0)" } ?? "")
    try writing(column).write(from: source, original: original, where: rows) { try known?.decode($0) ?? $0 }
  }

  /// The columns that are encrypted from now on.
  private var sealed: [LayoutRecord.Column] {
    copies.filter { plan in
      plan.column.hasCodec && plan.columns.contains { table.old?.column(named: $0)?.hasCodec != true }
    }.map(\.column)
  }

  private var formerTable: String { table.old?.name ?? table.new.name }

  /// Writes the rows again without the plain values of columns that are encrypted from now on. The server keeps the values of
  /// a dropped column in its rows until then, and a sample of them in its statistics until the column goes.
  func wipe() throws {
    guard !sealed.isEmpty else { return }
    try connection.settleConstraints()
    let names = sealed.map(\.name.quotedLiteral).joined(separator: ", ")
    try alter("ALTER COLUMN _given TYPE jsonb USING nullif(_given - ARRAY[\(names)]::text[], '{}'::jsonb)")
  }

  /// Removes the values of properties that are encrypted from now on from the history. A former version of the models may have
  /// preserved them.
  func forgetHistory() throws {
    var properties = [String: Set<String>]()
    for column in sealed {
      for entity in column.entity.map(table.new.family) ?? table.new.classes {
        properties[entity, default: []].insert(column.propertyName)
      }
    }
    for (entity, names) in properties.sorted(by: { $0.key < $1.key }) {
      try RenamedHistory(connection: connection, entity: entity).forget(names)
    }
  }
}
