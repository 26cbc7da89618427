import CSwiftDataSQLite
import Foundation

/// The words of texts as the default store indexes them, for stores with their own index.
package enum SearchWords {
  /// Increases when the words of a text change.
  package static let version = SearchText.version

  /// The words of each text, in order.
  /// - Throws: an error if SQLite's tokenizer runs out of memory.
  package static func words(of texts: [String]) throws -> [[String]] {
    try tokenizer.withLock { known in
      let tokenizer = try known ?? Tokenizer()
      known = tokenizer
      return try texts.map { try tokenizer.words(of: SearchText.indexed($0)) }
    }
  }

  /// SQLite's tokenizer, which needs a database.
  private final class Tokenizer {
    private let database: SQLiteDatabase
    private let methods: fts5_tokenizer
    private let tokenizer: OpaquePointer

    init() throws {
      database = try SQLiteDatabase.inMemory()
      guard let api = try Self.api(of: database) else {
        throw SQLiteError(SQLITE_ERROR, "the SQLite library lacks FTS5, which a search needs; install one that has it")
      }
      let (name, arguments) = (SearchText.tokenizerComponents[0], SearchText.tokenizerComponents.dropFirst())
      var (methods, context, made) = (fts5_tokenizer(), UnsafeMutableRawPointer?.none, OpaquePointer?.none)
      var code = api.pointee.xFindTokenizer(api, name, &context, &methods)
      if code == SQLITE_OK {
        let texts = arguments.map { strdup($0) }
        defer { for text in texts { free(text) } }
        var pointers = texts.map { UnsafePointer($0) }
        code = methods.xCreate(context, &pointers, Int32(pointers.count), &made)
      }
      guard code == SQLITE_OK, let made else { throw SQLiteError(code) }
      (self.methods, tokenizer) = (methods, made)
    }

    deinit { methods.xDelete(tokenizer) }

    /// SQLite hands out the functions of FTS5 through a parameter.
    private static func api(of database: SQLiteDatabase) throws -> UnsafeMutablePointer<fts5_api>? {
      let kind: StaticString = "fts5_api_ptr"
      var api: UnsafeMutablePointer<fts5_api>?
      try withUnsafeMutablePointer(to: &api) { place in
        try database.withStatement("SELECT fts5(?)", []) { statement in
          _ = kind.utf8Start.withMemoryRebound(to: CChar.self, capacity: kind.utf8CodeUnitCount) {
            sqlite3_bind_pointer(statement, 1, place, $0, nil)
          }
          _ = try database.step(statement, "SELECT fts5(?)")
        }
      }
      return api
    }

    func words(of text: String) throws -> [String] {
      var (words, text) = ([String](), text)
      let code = withUnsafeMutablePointer(to: &words) { words in
        text.withUTF8 { bytes in
          bytes.withMemoryRebound(to: CChar.self) {
            methods.xTokenize(tokenizer, words, FTS5_TOKENIZE_DOCUMENT, $0.baseAddress, Int32($0.count)) {
              (words, _, start, count, _, _) in
              let bytes = UnsafeRawBufferPointer(start: start, count: Int(count))
              words?.assumingMemoryBound(to: [String].self).pointee.append(String(decoding: bytes, as: UTF8.self))
              return SQLITE_OK
            }
          }
        }
      }
      guard code == SQLITE_OK else { throw SQLiteError(code) }
      return words
    }
  }

  private static let tokenizer = Lock<Tokenizer?>(nil)
}

/// A term of a search, in words.
package struct SearchTerm: Sendable {
  /// A word, or several consecutive words.
  package let words: [String]
  /// Whether the last word is a prefix.
  package let isPrefix: Bool
}

/// A search of one class.
package struct SearchRequest {
  package let table: EntityTable
  let index: SearchIndex
  let query: SearchQuery
  /// The maximum number of hits, or nil for all.
  package let limit: Int?

  func with(limit: Int?) -> Self { Self(table: table, index: index, query: query, limit: limit) }

  /// The terms. All must match.
  package func terms() throws -> [SearchTerm] { try query.words() }
}

/// A condition for the rows of `t0` that a search finds.
package struct SearchCondition {
  let sql: SQLFragment
  /// Whether each row that meets the condition is a hit. Otherwise FTS5 decides in memory.
  let isExact: Bool

  package init(_ sql: SQLFragment, isExact: Bool) { (self.sql, self.isExact) = (sql, isExact) }
}

/// A found row, before its object is loaded.
package struct SearchFound {
  let key: Int64
  let rank: Double
}

/// The result of a search in stored rows.
package enum SearchAnswer {
  /// The hits, ranked by the database. `counts` is called if unsaved objects have to be ranked too.
  case hits([SearchFound], counts: () throws -> SearchCounts)
  /// The keys of candidate rows: all, or the best by the database's own ranking. FTS5 then ranks them in memory, so
  /// that every store returns the same results.
  case candidates([Int64], counts: SearchCounts)
}

/// The frequencies of the terms of a search.
package struct SearchCounts {
  /// The number of rows of the class hierarchy.
  let rowCount: Int
  /// The number of rows with each term.
  let counts: [Int]

  package init(rowCount: Int, counts: [Int]) { (self.rowCount, self.counts) = (rowCount, counts) }

  var rarity: [Double] { counts.map { Self.rarity(of: $0, among: rowCount) } }

  /// The weight of a term that `found` of `all` rows contain, as in FTS5's BM25.
  static func rarity(of found: Int, among all: Int) -> Double {
    max(log((Double(all - found) + 0.5) / (Double(found) + 0.5)), 1e-6)
  }
}

extension SearchQuery {
  func words() throws -> [SearchTerm] {
    zip(terms, try SearchWords.words(of: terms.map(\.text))).map { SearchTerm(words: $1, isPrefix: $0.isPrefix) }
  }
}

extension SearchIndex {
  static func unsupported(_ entity: __Entity, _ store: String) -> SwiftDataError {
    SwiftDataError(
      .unsupportedFeature, entity: entity.name,
      message: "its store \"\(store)\" is not a default store and does not offer full-text search; fetch with"
        + " localizedStandardContains in a predicate")
  }

  static func nothing(_ entity: __Entity) -> SwiftDataError {
    SwiftDataError(
      .unsupportedPredicate, entity: entity.name,
      message: "there is nothing to search; mark its String properties with @Attribute(.spotlight)")
  }
}
