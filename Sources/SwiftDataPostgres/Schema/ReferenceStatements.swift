import SwiftData

/// The statements that keep a column's keys valid: a row that they refer to exists, and its deletion sets them to NULL,
/// deletes their rows, or is refused.
///
/// A foreign key does so. A partitioned table cannot be the target of one, because its keys are unique within partitions
/// only. There, two triggers do the same. Nothing does so between servers.
struct ReferenceStatements {
  /// The effect of a target's deletion on the rows that refer to it.
  enum Deletion: String {
    case setNull = "SET NULL"
    case cascade = "CASCADE"
    case refuse = ""
  }

  let table: String
  let column: String
  let target: String
  let deletion: Deletion
  let partitions: PartitionedTables

  private var name: String { ServerNames.constraint(table, [column], "fkey") }
  private var deletionName: String { ServerNames.constraint(table, [column], "deleted") }

  var creation: [String] {
    if partitions.isSharded(table) || partitions.isSharded(target) { return [] }
    let (table, column) = (table.quotedIdentifier, column.quotedIdentifier)
    let deferred = "DEFERRABLE INITIALLY DEFERRED"
    guard partitions[target] != nil else {
      let action = deletion == .refuse ? "" : " ON DELETE \(deletion.rawValue)"
      return [
        "ALTER TABLE \(table) ADD CONSTRAINT \(name.quotedIdentifier) FOREIGN KEY (\(column))"
          + " REFERENCES \(target.quotedIdentifier) (_pk)\(action) \(deferred)"
      ]
    }
    func trigger(_ name: String, _ event: String, _ call: [String]) -> String {
      "CREATE CONSTRAINT TRIGGER \(name.quotedIdentifier) AFTER \(event) \(deferred) FOR EACH ROW"
        + (event.hasPrefix("INSERT") ? " WHEN (NEW.\(column) IS NOT NULL)" : "")
        + " EXECUTE FUNCTION \(call[0])(\(call.dropFirst().map(\.quotedLiteral).joined(separator: ", ")))"
    }
    return [
      trigger(
        name, "INSERT OR UPDATE OF \(column) ON \(table)", ["swiftdata_referring", self.column, target]),
      trigger(
        deletionName, "DELETE ON \(target.quotedIdentifier)",
        ["swiftdata_referred", self.table, self.column, deletion.rawValue]),
    ]
  }

  /// The statement that removes the foreign key or the triggers, whatever their names are: tables and columns may have had
  /// others when they were made.
  var removal: [String] {
    func text(_ name: String) -> String { name.quotedLiteral }
    // Nil for a table that is not there.
    let class_ = "to_regclass(\(text(table.quotedIdentifier)))"
    let attribute =
      "(SELECT attnum FROM pg_catalog.pg_attribute WHERE attrelid = \(class_) AND attname = \(text(column)))"
    func loop(_ query: String, _ statement: String) -> String {
      "FOR r IN \(query) LOOP EXECUTE format(\(statement), r.n, r.t); END LOOP;"
    }
    let keys = loop(
      "SELECT conname AS n, conrelid::regclass AS t FROM pg_catalog.pg_constraint"
        + " WHERE conrelid = \(class_) AND contype = 'f' AND conkey = ARRAY[\(attribute)]",
      "'ALTER TABLE %2$s DROP CONSTRAINT %1$I'")
    let arguments =
      "(\(Self.begins([column])) AND tgrelid = \(class_)) OR \(Self.begins([table, column]))"
    let triggers = loop(
      "SELECT tgname AS n, tgrelid::regclass AS t FROM pg_catalog.pg_trigger JOIN pg_catalog.pg_proc AS f"
        + " ON f.oid = tgfoid WHERE tgparentid = 0 AND f.proname IN ('swiftdata_referring', 'swiftdata_referred')"
        + " AND (\(arguments)) AND tgrelid IN (SELECT oid FROM pg_catalog.pg_class WHERE relnamespace ="
        // Other stores of the database have triggers with the same arguments.
        + " (SELECT relnamespace FROM pg_catalog.pg_class WHERE oid = \(class_)))",
      "'DROP TRIGGER IF EXISTS %1$I ON %2$s'")
    return ["DO $swift$ DECLARE r record; BEGIN \(keys) \(triggers) END $swift$"]
  }

  /// The condition that a trigger's arguments begin with some texts. Each is followed by NUL.
  private static func begins(_ texts: [String]) -> String {
    let bytes: [UInt8] = texts.flatMap { text -> [UInt8] in Array(text.utf8) + [0] }
    return "substring(tgargs FROM 1 FOR \(bytes.count)) = '\\x\(bytes.hexDigits)'::bytea"
  }

  /// The functions of the triggers. A row may have changed since the event that a deferred trigger runs for, and an
  /// update may have moved a row to another partition, which deletes it from its own.
  static let functions = [
    """
    CREATE OR REPLACE FUNCTION swiftdata_referring() RETURNS trigger LANGUAGE plpgsql AS $swift$
    DECLARE target bigint; n integer;
    BEGIN
      EXECUTE format('SELECT ($1).%I', TG_ARGV[0]) INTO target USING NEW;
      EXECUTE format('SELECT 1 FROM %I.%I WHERE _pk = $1 FOR KEY SHARE', TG_TABLE_SCHEMA, TG_ARGV[1])
        INTO n USING target;
      IF n IS NULL THEN
        EXECUTE format('SELECT 1 FROM %I.%I WHERE _pk = $1 AND %I = $2', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_ARGV[0])
          INTO n USING NEW._pk, target;
        IF n IS NOT NULL THEN
          RAISE EXCEPTION 'row % of % refers to a row of % that does not exist', NEW._pk, TG_TABLE_NAME, TG_ARGV[1]
            USING ERRCODE = 'foreign_key_violation';
        END IF;
      END IF;
      RETURN NULL;
    END $swift$
    """,
    """
    CREATE OR REPLACE FUNCTION swiftdata_referred() RETURNS trigger LANGUAGE plpgsql AS $swift$
    DECLARE n integer; own name;
    BEGIN
      SELECT c.relname INTO own FROM pg_catalog.pg_inherits AS i JOIN pg_catalog.pg_class AS c ON c.oid = i.inhparent
        WHERE i.inhrelid = TG_RELID;
      EXECUTE format('SELECT 1 FROM %I.%I WHERE _pk = $1', TG_TABLE_SCHEMA, coalesce(own, TG_TABLE_NAME))
        INTO n USING OLD._pk;
      IF n IS NOT NULL THEN RETURN NULL; END IF;
      IF TG_ARGV[2] = 'SET NULL' THEN
        EXECUTE format('UPDATE %I.%I SET %I = NULL WHERE %3$I = $1', TG_TABLE_SCHEMA, TG_ARGV[0], TG_ARGV[1])
          USING OLD._pk;
      ELSIF TG_ARGV[2] = 'CASCADE' THEN
        EXECUTE format('DELETE FROM %I.%I WHERE %I = $1', TG_TABLE_SCHEMA, TG_ARGV[0], TG_ARGV[1]) USING OLD._pk;
      ELSE
        EXECUTE format('SELECT 1 FROM %I.%I WHERE %I = $1 LIMIT 1', TG_TABLE_SCHEMA, TG_ARGV[0], TG_ARGV[1])
          INTO n USING OLD._pk;
        IF n IS NOT NULL THEN
          RAISE EXCEPTION 'row % of % is referred to by %', OLD._pk, TG_TABLE_NAME, TG_ARGV[0]
            USING ERRCODE = 'foreign_key_violation';
        END IF;
      END IF;
      RETURN NULL;
    END $swift$
    """,
  ]
}

extension PostgresStore {
  /// The columns that refer to rows of a table and that neither a foreign key nor a trigger keeps valid, because one of both tables is on
  /// other servers.
  func unenforcedReferences(to target: String) -> [(table: String, column: String, isPair: Bool)] {
    if partitions.sharded.isEmpty { return [] }
    let isSharded = partitions.isSharded(target)
    let columns = layout.record.tables.filter { isSharded || partitions.isSharded($0.name) }.flatMap { table in
      // The save refuses a deletion whose target an object requires.
      table.columns.filter { $0.reference?.table == target && $0.reference?.setsNull == true }
        .map { (table.name, $0.name, false) }
    }
    let pairs = isSharded ? layout.record.pairTables : []
    return columns + pairs.filter { $0.source == target }.map { ($0.name, "source", true) }
      + pairs.filter { $0.target == target }.map { ($0.name, "target", true) }
  }
}
