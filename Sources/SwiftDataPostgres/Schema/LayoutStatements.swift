import SwiftData

// The statements that create the tables of a record. Each does nothing if its result exists.

extension LayoutRecord.Table {
  var serverCreation: [String] {
    var lines = ["_pk bigint PRIMARY KEY"]
    if hasDiscriminator { lines.append(Self.discriminator) }
    lines += columns.map(\.serverDefinition)
    lines.append("_given jsonb")
    return [
      "CREATE TABLE IF NOT EXISTS \(name.quotedIdentifier) (\n  \(lines.joined(separator: ",\n  "))\n)",
      "CREATE SEQUENCE IF NOT EXISTS \(ServerNames.keys(of: name).quotedIdentifier) INCREMENT BY \(KeyBlocks.size)",
    ]
  }

  static var discriminator: String { "_entity text COLLATE \"C\" NOT NULL" }

  /// Constraints that require all tables.
  var serverConstraints: [String] {
    columns.compactMap(serverReference) + indices.compactMap(creationOnServer)
  }

  func serverReference(_ column: LayoutRecord.Column) -> String? {
    guard let reference = column.reference else { return nil }
    let constraint = ServerNames.constraint(name, [column.name], "fkey")
    return "ALTER TABLE \(name.quotedIdentifier) ADD CONSTRAINT \(constraint.quotedIdentifier)"
      + " FOREIGN KEY (\(column.name.quotedIdentifier)) REFERENCES \(reference.table.quotedIdentifier) (_pk)"
      + (reference.setsNull ? " ON DELETE SET NULL" : "") + " DEFERRABLE INITIALLY DEFERRED"
  }

  /// Unique values are checked at the end of a transaction, so that one transaction can swap them.
  ///
  /// Nil for an index on members of composite values, which only makes queries faster.
  func creationOnServer(_ index: LayoutRecord.Index) -> String? {
    guard index.expressions == nil else { return nil }
    let list = index.columns.map(\.quotedIdentifier).joined(separator: ", ")
    let constraint = ServerNames.constraint(name, index.columns, index.isUnique ? "key" : "index")
    return index.isUnique
      ? "ALTER TABLE \(name.quotedIdentifier) ADD CONSTRAINT \(constraint.quotedIdentifier) UNIQUE (\(list))"
        + " DEFERRABLE INITIALLY DEFERRED"
        // In Swift's order, which is also that of ORDER BY. Otherwise the server would not read rows from the index in
        // order.
      : "CREATE INDEX IF NOT EXISTS \(constraint.quotedIdentifier) ON \(name.quotedIdentifier)"
        + " (\(index.columns.map { "\($0.quotedIdentifier) NULLS FIRST" }.joined(separator: ", ")))"
  }
}

extension LayoutRecord.PairTable {
  var serverCreation: [String] {
    let index = ServerNames.constraint(name, ["target"], "index")
    return [
      """
      CREATE TABLE IF NOT EXISTS \(name.quotedIdentifier) (
        _pk bigint PRIMARY KEY DEFAULT nextval('\(ServerNames.pairs)'),
        source bigint NOT NULL,
        target bigint NOT NULL,
        source_position bigint,
        target_position bigint,
        UNIQUE (source, target)
      )
      """,
      "CREATE INDEX IF NOT EXISTS \(index.quotedIdentifier) ON \(name.quotedIdentifier) (target)",
    ]
  }

  var serverConstraints: [String] {
    [("source", source), ("target", target)].map { column, table in
      let constraint = ServerNames.constraint(name, [column], "fkey")
      return
        "ALTER TABLE \(name.quotedIdentifier) ADD CONSTRAINT \(constraint.quotedIdentifier) FOREIGN KEY (\(column))"
        + " REFERENCES \(table.quotedIdentifier) (_pk) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED"
    }
  }
}

/// The store's internal tables.
enum OwnTables {
  static let creation = """
    CREATE TABLE IF NOT EXISTS \(ServerNames.metadata) (key text PRIMARY KEY, value text NOT NULL);
    CREATE TABLE IF NOT EXISTS \(ServerNames.numbers) (name text PRIMARY KEY, last bigint NOT NULL);
    CREATE SEQUENCE IF NOT EXISTS \(ServerNames.pairs);
    CREATE TABLE IF NOT EXISTS \(ServerNames.history) (
      save uuid PRIMARY KEY, id bigint UNIQUE, timestamp double precision NOT NULL, author text,
      program text NOT NULL, process text NOT NULL, origin uuid NOT NULL
    );
    CREATE TABLE IF NOT EXISTS \(ServerNames.changes) (
      id bigint PRIMARY KEY, history bigint NOT NULL, kind bigint NOT NULL, entity text NOT NULL, key bigint NOT NULL,
      count bigint NOT NULL, properties text, tombstone text
    );
    \(PostgresDeletedHistory.table);
    CREATE INDEX IF NOT EXISTS \(ServerNames.changes)_history ON \(ServerNames.changes) (history);
    """
}
