import SwiftData

// The statements that create the tables of a record. Each does nothing if its result exists.

extension LayoutRecord.Table {
  func serverCreation(_ partitioned: PartitionedTable?, namespace: String) -> [String] {
    let key = partitioned == nil ? "_pk bigint PRIMARY KEY" : "_pk bigint NOT NULL"
    let lines = [key] + (hasDiscriminator ? [Self.discriminator] : []) + columns.map(\.serverDefinition)
    let sequence = ServerNames.keys(of: name).quotedIdentifier
    let partitions = partitioned.map { $0.isSharded ? $0.foreignCreation(namespace) : $0.localCreation } ?? []
    return [creation(lines, partitioned)] + partitions
      + ["CREATE SEQUENCE IF NOT EXISTS \(sequence) INCREMENT BY \(KeyBlocks.size)"]
  }

  /// The statement that creates the table with a column in each line.
  package func creation(_ lines: [String], _ partitioned: PartitionedTable?) -> String {
    "CREATE TABLE IF NOT EXISTS \(name.quotedIdentifier) (\n  "
      + (lines + ["_given jsonb"]).joined(separator: ",\n  ") + "\n)" + (partitioned?.clause ?? "")
  }

  static var discriminator: String { "_entity text COLLATE \"C\" NOT NULL" }

  /// Constraints that require all tables.
  func serverConstraints(_ partitions: PartitionedTables, _ layout: StoreLayout) -> [String] {
    columns.flatMap { references($0, partitions)?.creation ?? [] }
      + indices.flatMap { creationOnServer($0, in: partitions, layout) }
  }

  func references(_ column: LayoutRecord.Column, _ partitions: PartitionedTables) -> ReferenceStatements? {
    column.reference.map { reference in
      ReferenceStatements(
        table: name, column: column.name, target: reference.table,
        deletion: reference.setsNull ? .setNull : .refuse, partitions: partitions)
    }
  }

  /// Unique values are checked at the end of a transaction, so that one transaction can swap them.
  ///
  /// Empty for an index that the server cannot make (``LayoutRecord/Index/serverTerms(of:in:)``). Each local partition has
  /// the unique constraints itself.
  package func creationOnServer(
    _ index: LayoutRecord.Index, in partitions: PartitionedTables, _ layout: StoreLayout
  ) -> [String] {
    if index.isUnique {
      guard index.expressions == nil else { return [] }
      let columns = index.columns.map(\.quotedIdentifier)
      // A unique constraint has no condition. An exclusion of equal values has one, and is deferred as well.
      let constraint =
        index.serverCondition.map { condition in
          "EXCLUDE USING btree (\(columns.map { "\($0) WITH =" }.joined(separator: ", "))) WHERE (\(condition))"
        } ?? "UNIQUE (\(columns.joined(separator: ", ")))"
      return partitions.parts(of: name).map { part in
        "ALTER TABLE \(part.quotedIdentifier) ADD CONSTRAINT \(ServerNames.index(index, of: part).quotedIdentifier)"
          + " \(constraint) DEFERRABLE INITIALLY DEFERRED"
      }
    }
    guard let definition = definition(of: index, in: layout) else { return [] }
    return ["CREATE INDEX IF NOT EXISTS \(ServerNames.index(index, of: name).quotedIdentifier) ON \(definition)"]
  }

  /// The table and the terms of a plain index, as `CREATE INDEX … ON` wants them. Nil if the server cannot make it.
  /// - Parameters:
  ///   - part: a partition of the table that gets the index, or nil for the table.
  ///   - namespace: the schema of the table if the connection may have another one.
  func definition(
    of index: LayoutRecord.Index, in layout: StoreLayout, of part: String? = nil, namespace: String? = nil
  ) -> String? {
    guard let terms = index.serverTerms(of: name, in: layout) else { return nil }
    // In Swift's order, as in ORDER BY. Otherwise the server would not read rows from the index in order.
    let list = terms.map { "\($0) NULLS FIRST" }.joined(separator: ", ")
    let place = (namespace.map { "\($0.quotedIdentifier)." } ?? "") + (part ?? name).quotedIdentifier
    return "\(place) (\(list))"
  }
}

extension LayoutRecord.Index {
  /// The SQL of the terms as the server indexes it: columns, and members of composite values as predicates read them.
  ///
  /// Nil if a member has a type that the server does not compare, or if it is a text: the server leaves some texts to
  /// Swift, for which an index has no value.
  func serverTerms(of table: String, in layout: StoreLayout) -> [String]? {
    guard expressions != nil else { return columns.map(\.quotedIdentifier) }
    for member in layout.tables where member.name == table {
      for terms in member.indices where terms.map({ $0.column(in: TableNames.column(for: $0.property)) }) == columns {
        return Self.serverTerms(terms)
      }
    }
    return nil
  }

  private static func serverTerms(_ terms: [IndexTerm]) -> [String]? {
    let forms: Set<ScalarType.Form> = [.bool, .integer, .real, .uuid]
    guard terms.allSatisfy({ !$0.isMember || forms.contains($0.type.form) }) else { return nil }
    return terms.map { term in
      let sql = term.sql(in: TableNames.column(for: term.property).quotedIdentifier, PostgresDialect())
      return term.isMember ? "(\(sql))" : sql
    }
  }

  /// The columns that the terms read.
  var bases: [String] { columns.map { String($0.prefix { $0 != "@" }) } }
}

extension LayoutRecord.Index {
  /// The server takes NaN for equal to NaN.
  package var serverCondition: String? { condition { "\($0) <> 'NaN'::float8" } }
}

extension LayoutRecord.PairTable {
  /// The statement that creates the table without its indices, under a name that it has while it is filled.
  func copyCreation(_ temporary: (String) -> String) -> [String] {
    [
      """
      CREATE TABLE \(temporary(name).quotedIdentifier) (
        _pk bigint PRIMARY KEY DEFAULT nextval('\(ServerNames.pairs)'),
        source bigint NOT NULL,
        target bigint NOT NULL,
        source_position bigint,
        target_position bigint,
        UNIQUE (source, target)
      )
      """
    ]
  }

  var serverIndices: [String] {
    let index = ServerNames.constraint(name, ["target"], "index")
    return ["CREATE INDEX IF NOT EXISTS \(index.quotedIdentifier) ON \(name.quotedIdentifier) (target)"]
  }

  func serverConstraints(_ partitions: PartitionedTables) -> [String] {
    [("source", source), ("target", target)].flatMap { column, target in
      ReferenceStatements(table: name, column: column, target: target, deletion: .cascade, partitions: partitions)
        .creation
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
