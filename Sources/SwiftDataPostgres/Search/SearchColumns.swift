import Foundation
import SwiftData

/// The words of the searchable texts of a class hierarchy: a `tsvector` beside each text, and a GIN index over them.
///
/// The words are those of the default store's index, put there by whoever writes the row. Where somebody else changes a
/// text, they are null, and the row is looked at by every search until the store is opened again.
struct SearchColumns {
  struct Column {
    /// The column of the text.
    let source: String
    /// That of its words.
    var words: String { ServerNames.words(of: source) }
  }

  let table: String
  let columns: [Column]
  /// What the index is on, for a row of an alias.
  func all(_ alias: String) -> String {
    columns.map { "coalesce(\(alias)\($0.words.quotedIdentifier), '')" }.joined(separator: " || ")
  }
  /// The condition that words are missing.
  func lacksWords(_ alias: String) -> String {
    columns.map {
      "\(alias)\($0.source.quotedIdentifier) IS NOT NULL AND \(alias)\($0.words.quotedIdentifier) IS NULL"
    }.joined(separator: " OR ")
  }

  /// Nil where nothing of the hierarchy is searchable.
  init?(_ table: EntityTable, _ layout: StoreLayout) {
    guard let index = layout.searchIndex(of: table) else { return nil }
    self.table = table.name
    columns = index.columns.map { Column(source: $0.source) }
  }

  /// Those of all hierarchies.
  static func all(of layout: StoreLayout) -> [SearchColumns] {
    var seen = Set<String>()
    return layout.tables.filter { seen.insert($0.name).inserted }.compactMap { SearchColumns($0, layout) }
  }

  /// What the store's metadata have when everything is there.
  var records: Set<String> {
    let names = columns.map(\.source).joined(separator: ",")
    return ["\(SearchWords.version) \(table): \(names)"]
  }

  // MARK: - Making

  /// Makes what is not there, and finds the words of all texts.
  func make(on connection: PostgresConnection) throws {
    let rows = table.quotedIdentifier
    for column in columns {
      let words = column.words.quotedIdentifier
      let forget = forgetting(column)
      try connection.script(
        """
        ALTER TABLE \(rows) ADD COLUMN IF NOT EXISTS \(words) tsvector;
        CREATE OR REPLACE FUNCTION \(forget)() RETURNS trigger LANGUAGE plpgsql AS $swift$
        BEGIN NEW.\(words) := NULL; RETURN NEW; END $swift$;
        DROP TRIGGER IF EXISTS \(forget) ON \(rows);
        CREATE TRIGGER \(forget) BEFORE UPDATE OF \(column.source.quotedIdentifier) ON \(rows) FOR EACH ROW
        WHEN (NEW.\(column.source.quotedIdentifier) IS DISTINCT FROM OLD.\(column.source.quotedIdentifier)
          AND NEW.\(words) IS NOT DISTINCT FROM OLD.\(words) AND NEW.\(words) IS NOT NULL)
        EXECUTE FUNCTION \(forget)();
        """)
    }
    func index(_ kind: String) -> String {
      ServerNames.constraint(table, columns.map(\.source), kind).quotedIdentifier
    }
    try connection.script(
      "CREATE INDEX IF NOT EXISTS \(index("words")) ON \(rows) USING gin ((\(all(""))));"
        + " CREATE INDEX IF NOT EXISTS \(index("wordless")) ON \(rows) (_pk) WHERE \(lacksWords(""))")
    while try fill(on: connection) {}
  }

  /// The trigger and its function.
  private func forgetting(_ column: Column) -> String {
    ServerNames.short("swift_forget_\(table)_\(column.source)").quotedIdentifier
  }

  /// Removes what does not go with the table.
  func remove(on connection: PostgresConnection) throws {
    for column in columns { try connection.script("DROP FUNCTION IF EXISTS \(forgetting(column))() CASCADE") }
  }

  /// Whether there are texts without words.
  func isIncomplete(on connection: PostgresConnection) throws -> Bool {
    try connection.run("SELECT 1 FROM \(table.quotedIdentifier) WHERE \(lacksWords("")) LIMIT 1").count > 0
  }

  /// Finds the words of some texts.
  /// - Returns: false where all have theirs.
  private func fill(on connection: PostgresConnection) throws -> Bool {
    let sources = columns.map(\.source.quotedIdentifier).joined(separator: ", ")
    let result = try connection.run(
      "SELECT _pk, \(sources) FROM \(table.quotedIdentifier) WHERE \(lacksWords("")) LIMIT 2000")
    guard result.count > 0 else { return false }
    let rows = RowBuffer([("_pk", .bigint)] + columns.map { ($0.words, .tsvector) })
    for row in 0..<result.count {
      let texts = columns.indices.map { result.text(row, $0 + 1) }
      rows.append([.integer(result.integer(row, 0))] + (try Self.cells(of: texts)))
    }
    let assignments = columns.map { "\($0.words.quotedIdentifier) = v.\($0.words.quotedIdentifier)" }
    _ = try connection.run(
      "UPDATE \(table.quotedIdentifier) AS t SET \(assignments.joined(separator: ", "))"
        + " FROM \(rows.source()) AS v(\(rows.list)) WHERE t._pk = v._pk", rows.parameters)
    return true
  }

  // MARK: - Cells

  /// The cells of the words of texts; null where there is no text.
  static func cells(of texts: [String?]) throws -> [SQLValue] {
    var words = try SearchWords.words(of: texts.compactMap { $0 }).makeIterator()
    return texts.map { text in text == nil ? .null : .blob(vector(words.next() ?? [])) }
  }

  /// What the server can have in a word, in bytes; the rest is cut off, here and in what is looked for.
  static let longestWord = 500
  /// A vector can have a mebibyte; what is behind it is not found.
  private static let longestVector = 900_000

  static func word(_ word: String) -> String {
    guard word.utf8.count > longestWord else { return word }
    var result = word
    while result.utf8.count > longestWord { result.unicodeScalars.removeLast() }
    return result
  }

  /// A `tsvector` in the server's binary form: its words, and where in the text they are.
  private static func vector(_ words: [String]) -> Data {
    var places = [String: [UInt16]]()
    var size = 0
    for (place, word) in words.enumerated() {
      let word = Self.word(word)
      if places[word] == nil { size += word.utf8.count + 8 }
      guard size < longestVector else { break }
      // Places are 1 to 16,383, and at most 255 of a word.
      if place < 16_383, places[word, default: []].count < 255 {
        places[word, default: []].append(UInt16(place + 1))
      } else if places[word] == nil {
        places[word] = []
      }
      size += 2
    }
    var bytes = [UInt8]()
    PostgresParameter.append(UInt32(places.count), to: &bytes)
    for (word, places) in places.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      bytes += word.utf8
      bytes.append(0)
      PostgresParameter.append(UInt16(places.count), to: &bytes)
      for place in places { PostgresParameter.append(place, to: &bytes) }
    }
    return Data(bytes)
  }
}
