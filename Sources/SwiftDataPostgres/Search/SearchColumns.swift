import Foundation
import SwiftData

/// The words of a class hierarchy's searchable texts: a `tsvector` for each text, with a GIN index.
///
/// The words are the same as in the default store's index. The program that writes a row computes them. If another program
/// changes a text, they become NULL, and every search checks the row until the store is opened again.
struct SearchColumns {
  struct Column {
    /// The column of the text.
    let source: String
    /// The column of its words.
    var words: String { ServerNames.words(of: source) }
  }

  let table: String
  let columns: [Column]
  /// The indexed expression for a row of an alias.
  func all(_ alias: String) -> String {
    columns.map { "coalesce(\(alias)\($0.words.quotedIdentifier), '')" }.joined(separator: " || ")
  }
  /// The condition that a row may have the words of a query.
  /// - Parameter query: the parameter, a text.
  func mayHave(_ query: String, _ alias: String) -> String {
    "((\(all(alias))) @@ \(query)::text::tsquery OR \(lacksWords(alias)))"
  }
  /// The condition that words are missing.
  func lacksWords(_ alias: String) -> String {
    columns.map {
      "\(alias)\($0.source.quotedIdentifier) IS NOT NULL AND \(alias)\($0.words.quotedIdentifier) IS NULL"
    }.joined(separator: " OR ")
  }

  /// Returns nil if nothing in the hierarchy is searchable.
  init?(_ table: EntityTable, _ layout: StoreLayout) {
    guard let index = layout.searchIndex(of: table) else { return nil }
    self.table = table.name
    columns = index.columns.map { Column(source: $0.source) }
  }

  /// The search columns of all hierarchies.
  static func all(of layout: StoreLayout) -> [SearchColumns] {
    var seen = Set<String>()
    return layout.tables.filter { seen.insert($0.name).inserted }.compactMap { SearchColumns($0, layout) }
  }

  /// The store's metadata for complete search columns.
  var records: Set<String> {
    let names = columns.map(\.source).joined(separator: ",")
    return ["\(SearchWords.version) \(table): \(names)"]
  }

  // MARK: - Making

  /// Creates missing columns, and computes the words of all texts.
  /// - Parameter isSharded: whether the rows are on other servers. Only the store changes texts there.
  func make(on connection: PostgresConnection, isSharded: Bool) throws {
    for statement in creation { try connection.script(statement) }
    for column in columns where !isSharded { try connection.script(forgettingCreation(column)) }
    while try fill(on: connection) {}
  }

  /// The statements that create the columns and their indices.
  var creation: [String] {
    let rows = table.quotedIdentifier
    func index(_ kind: String) -> String {
      ServerNames.constraint(table, columns.map(\.source), kind).quotedIdentifier
    }
    return columns.map { "ALTER TABLE \(rows) ADD COLUMN IF NOT EXISTS \($0.words.quotedIdentifier) tsvector" } + [
      "CREATE INDEX IF NOT EXISTS \(index("words")) ON \(rows) USING gin ((\(all(""))))",
      "CREATE INDEX IF NOT EXISTS \(index("wordless")) ON \(rows) (_pk) WHERE \(lacksWords(""))",
    ]
  }

  private func forgettingCreation(_ column: Column) -> String {
    let (rows, words) = (table.quotedIdentifier, column.words.quotedIdentifier)
    let forget = forgetting(column)
    return """
      CREATE OR REPLACE FUNCTION \(forget)() RETURNS trigger LANGUAGE plpgsql AS $swift$
      BEGIN \(Self.forgettingBody(column.words)) END $swift$;
      DROP TRIGGER IF EXISTS \(forget) ON \(rows);
      CREATE TRIGGER \(forget) BEFORE UPDATE OF \(column.source.quotedIdentifier) ON \(rows) FOR EACH ROW
      WHEN (NEW.\(column.source.quotedIdentifier) IS DISTINCT FROM OLD.\(column.source.quotedIdentifier)
        AND NEW.\(words) IS NOT DISTINCT FROM OLD.\(words) AND NEW.\(words) IS NOT NULL)
      EXECUTE FUNCTION \(forget)();
      """
  }

  /// The statements of the function that forgets words. A migration recognizes the function by it.
  static func forgettingBody(_ words: String) -> String { "NEW.\(words.quotedIdentifier)\(forgettingEnd)" }

  /// The end of each such function.
  static let forgettingEnd = " := NULL; RETURN NEW;"

  /// The trigger with its function.
  private func forgetting(_ column: Column) -> String {
    TableNames.index(of: table, [column.source], "forget").quotedIdentifier
  }

  /// Removes objects that dropping the table leaves.
  func remove(on connection: PostgresConnection) throws {
    for column in columns { try connection.script("DROP FUNCTION IF EXISTS \(forgetting(column))() CASCADE") }
  }

  /// Whether some texts have no words.
  func isIncomplete(on connection: PostgresConnection) throws -> Bool {
    try connection.run("SELECT 1 FROM \(table.quotedIdentifier) WHERE \(lacksWords("")) LIMIT 1").count > 0
  }

  /// Computes the words of some texts.
  /// - Returns: false if all texts have theirs.
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
        + " FROM \(rows.source()) AS v(\(rows.list)) WHERE t._pk = v._pk AND t._pk = ANY($1::bigint[])", rows.parameters
    )
    return true
  }

  // MARK: - Cells

  /// The cells with the words of texts, NULL for a missing text.
  static func cells(of texts: [String?]) throws -> [SQLValue] {
    var words = try SearchWords.words(of: texts.compactMap { $0 }).makeIterator()
    return texts.map { text in text == nil ? .null : .blob(vector(words.next() ?? [])) }
  }

  /// The server's limit of a word in bytes. Longer words are truncated, also in queries.
  static let longestWord = 500
  /// The size limit of a vector is 1 MiB. Words beyond it are not found.
  private static let longestVector = 900_000

  static func word(_ word: String) -> String {
    guard word.utf8.count > longestWord else { return word }
    var result = word
    while result.utf8.count > longestWord { result.unicodeScalars.removeLast() }
    return result
  }

  /// A `tsvector` in the server's binary format: its words with their positions.
  private static func vector(_ words: [String]) -> Data {
    var places = [String: [UInt16]]()
    var size = 0
    for (place, word) in words.enumerated() {
      let word = Self.word(word)
      if places[word] == nil { size += word.utf8.count + 8 }
      guard size < longestVector else { break }
      // Positions are 1 to 16,383, at most 255 per word.
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
