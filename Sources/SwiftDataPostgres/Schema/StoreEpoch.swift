import SwiftData

/// Tells a program that the rows of its store were replaced since it opened the store, as by a restore.
///
/// The epoch consists of the identity of the history's table and of the transaction that wrote the row with the store's
/// identifier. A restore of the schema makes the table again, and a restore of the rows alone writes that row again. A trigger
/// writes it again where SQL empties a table, and an opening where a column gets or loses a codec. No save, VACUUM or REINDEX changes
/// either.
enum StoreEpoch {
  /// The SQL of the epoch. NULL while the metadata are empty.
  /// - Parameter table: the expression with the identity of the history's table.
  static func sql(table: String) -> String {
    "\(table)::text || ' ' || (SELECT xmin::text FROM \(ServerNames.metadata) WHERE key = 'identifier')"
  }

  /// The statement that begins an epoch, so that the saves of programs are refused that opened the store before.
  static let renewal = "UPDATE \(ServerNames.metadata) SET value = value WHERE key = 'identifier'"

  private static let function = "swiftdata_emptied"

  static let functions = [
    """
    CREATE OR REPLACE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql AS $swift$
    BEGIN
      EXECUTE format('UPDATE %I.\(ServerNames.metadata) SET value = value WHERE key = ''identifier''', TG_TABLE_SCHEMA);
      RETURN NULL;
    END $swift$
    """
  ]

  /// The statement that gives the trigger to the tables that lack it. A server with rows of other servers has none for these.
  static func watching(_ tables: [String]) -> String {
    let list = tables.map(\.quotedLiteral).joined(separator: ", ")
    return """
      DO $swift$ DECLARE r record; BEGIN
        FOR r IN SELECT c.oid::regclass AS t FROM pg_catalog.pg_class AS c
          JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
          WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND c.relname::text = ANY(ARRAY[\(list)]::text[])
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger AS g JOIN pg_catalog.pg_proc AS f ON f.oid = g.tgfoid
              WHERE g.tgrelid = c.oid AND f.proname = \(function.quotedLiteral))
        LOOP
          EXECUTE format('CREATE TRIGGER \(function) AFTER TRUNCATE ON %s EXECUTE FUNCTION \(function)()', r.t);
        END LOOP;
      END $swift$
      """
  }
}

extension LayoutRecord {
  /// The names of all tables of models and pairs, with their partitions.
  func names(with partitions: [PartitionedTable]) -> [String] {
    tables.map(\.name) + pairTables.map(\.name) + partitions.flatMap(\.partitions)
  }
}
