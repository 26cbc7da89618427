import SwiftData

/// The functions that lowered predicates call, as far as the server can compute exactly Swift's answer.
///
/// A missing function is an error when a statement is prepared, and `swift_unsure` raises an error when it runs. In
/// both cases the context filters in memory. Texts are in the form of ``StoredText``.
enum ServerFunctions {
  /// Increases with every change, so that opening a store updates its functions.
  static let version = 5

  static func install(on connection: PostgresConnection) throws {
    for statement in all { try connection.script(statement) }
  }

  /// Characters that never combine with a neighbour from the same list: below U+0300, Cyrillic and CJK letters, common
  /// punctuation, emoji without skin tones.
  private static let whole =
    #"\u0003-\u02ff\u0400-\u0481\u048a-\u052f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u3041-\u3096\u30a1-\u30fa"#
    + #"\u4e00-\u9fff\uac00-\ud7a3\U0001f300-\U0001f3fa\U0001f400-\U0001faff"#

  private static var all: [String] {
    raising + text + numbers + members + ReferenceStatements.functions + StoreEpoch.functions
  }

  private static func function(_ head: String, _ returns: String, _ body: String) -> String {
    // Volatile, so that nothing is computed for rows that do not need it. Such functions are inlined.
    "CREATE OR REPLACE FUNCTION \(head) RETURNS \(returns) LANGUAGE sql AS $swift$ SELECT \(body) $swift$"
  }

  private static let raising = [
    """
    CREATE OR REPLACE FUNCTION swift_unsure(text) RETURNS boolean LANGUAGE plpgsql AS $swift$
    BEGIN RAISE EXCEPTION 'only Swift can tell' USING ERRCODE = 'P0DS1'; END $swift$
    """,
    """
    CREATE OR REPLACE FUNCTION swift_truth_is(boolean, integer) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT
    AS $swift$ SELECT $1 = ($2 <> 0) $swift$
    """,
    // Lowered predicates compare conditions with 1 and 0, the stored Booleans.
    """
    DO $swift$ BEGIN
      CREATE OPERATOR = (LEFTARG = boolean, RIGHTARG = integer, FUNCTION = swift_truth_is);
    EXCEPTION WHEN duplicate_function THEN NULL; END $swift$
    """,
  ]

  private static let text = [
    // Stored text is in normal form C.
    function("swift_nfc(text)", "text", "$1"),
    function(
      "swift_count(text)", "bigint",
      "CASE WHEN $1 IS NULL THEN NULL WHEN $1 ~ '^[\(whole)]*$' AND strpos($1, chr(13)) = 0 THEN length($1)::bigint"
        + " WHEN swift_unsure($1) THEN 0 END"),
    // A matching part may still be in the middle of a character.
    function(
      "swift_contains(text, text)", "boolean",
      """
      CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL
        WHEN $2 = '' THEN true WHEN \(hasControls("$2")) THEN swift_unsure($1)
        WHEN strpos($1, $2) = 0 THEN false
        WHEN \(isWhole("left($2, 1)")) AND \(isWhole("right($2, 1)"))
          AND (strpos($1, $2) = 1 OR \(isWhole("substr($1, strpos($1, $2) - 1, 1)")))
          AND \(isWhole("substr($1, strpos($1, $2) + length($2), 1)")) THEN true
        ELSE swift_unsure($1) END
      """),
    function(
      "swift_starts_with(text, text)", "boolean",
      """
      CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL
        WHEN $2 = '' THEN true WHEN \(hasControls("$2")) THEN swift_unsure($1)
        WHEN NOT starts_with($1, $2) THEN false
        WHEN \(isWhole("right($2, 1)")) AND \(isWhole("substr($1, length($2) + 1, 1)")) THEN true
        ELSE swift_unsure($1) END
      """),
  ]

  /// Line ends, because two may be one character, and the replacements for U+0000 and U+0001.
  private static func hasControls(_ text: String) -> String { "\(text) ~ '[\\u0001\\u0002\\r\\n]'" }
  private static func isWhole(_ character: String) -> String { "\(character) ~ '^[\(whole)]?$'" }

  private static let numbers: [String] =
    [
      function(
        "swift_unsigned_key(bigint)", "bigint", "$1 # '-9223372036854775808'::bigint"),
      // Foundation orders NaN below all numbers.
      function(
        "swift_decimal_key(text)", "numeric", "CASE WHEN $1 = 'NaN' THEN '-Infinity'::numeric ELSE $1::numeric END"),
    ] + [("add", "+"), ("subtract", "-"), ("multiply", "*")].flatMap(arithmetic)
    + [("divide", "/"), ("remainder", "%")].map(division)

  /// Integers that overflow have no sum, and equal nothing, as in the default store. Floating-point overflow is an
  /// error of the server, after which Swift computes the result.
  private static func arithmetic(_ name: String, _ op: String) -> [String] {
    [
      function(
        "swift_\(name)(bigint, bigint, text)", "bigint",
        "CASE WHEN ($3 IN ('Int', 'Int64') OR swift_unsure($3)) AND $1::numeric \(op) $2::numeric"
          + " BETWEEN -9223372036854775808 AND 9223372036854775807 THEN $1 \(op) $2 END"),
      function(
        "swift_\(name)(double precision, double precision, text)", "double precision",
        "CASE WHEN $3 = 'Double' OR swift_unsure($3) THEN $1 \(op) $2 END"),
    ]
  }

  private static func division(_ name: String, _ op: String) -> String {
    function(
      "swift_\(name)(bigint, bigint, text)", "bigint",
      "CASE WHEN ($3 IN ('Int', 'Int64') OR swift_unsure($3)) AND $2 <> 0"
        + " AND NOT ($2 = -1 AND $1 = '-9223372036854775808'::bigint) THEN $1 \(op) $2 END")
  }

  private static let found = "jsonb_path_query_first($1, $2::jsonpath)"
  private static let foundText = "(\(found) #>> '{}')"

  private static let members = [
    function("swift_member_integer(jsonb, text)", "bigint", "\(foundText)::bigint"),
    function(
      "swift_member_bool(jsonb, text)", "bigint",
      "CASE \(foundText) WHEN 'true' THEN 1::bigint WHEN 'false' THEN 0::bigint END"),
    function("swift_member_real(jsonb, text)", "double precision", "\(foundText)::double precision"),
    function("swift_member_uuid(jsonb, text)", "uuid", "\(foundText)::uuid"),
    // Text inside JSON is in its original form, so only plain text can be compared.
    function(
      "swift_member_text(jsonb, text)", "text",
      "CASE WHEN coalesce(\(foundText), '') ~ '^[\(whole)]*$' OR swift_unsure($2) THEN \(foundText) COLLATE \"C\" END"),
  ]
}
