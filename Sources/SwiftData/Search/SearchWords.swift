import Foundation
import GRDB
import Synchronization

/// The words of texts as the default store's full-text index has them, for stores that keep an index of their own.
package enum SearchWords {
  /// Goes up when the words of a text change.
  package static let version = SearchText.version

  /// The words of each text, in order.
  /// - Throws: an error where SQLite, whose tokenizer it is, has no memory.
  package static func words(of texts: [String]) throws -> [[String]] {
    try tokenizer.withLock { known in
      let tokenizer = try known ?? Tokenizer()
      known = tokenizer
      return try texts.map { try tokenizer.words(of: SearchText.indexed($0)) }
    }
  }

  /// SQLite's, which belongs to a database.
  private final class Tokenizer {
    private let database: DatabaseQueue
    private let tokenizer: any FTS5Tokenizer

    init() throws {
      database = try DatabaseQueue()
      tokenizer = try database.read {
        try $0.makeTokenizer(FTS5TokenizerDescriptor(components: SearchText.tokenizerComponents))
      }
    }

    func words(of text: String) throws -> [String] { try tokenizer.tokenize(document: text).map(\.token) }
  }

  private static let tokenizer = Mutex<Tokenizer?>(nil)
}

/// What a search must find, in words.
package struct SearchTerm: Sendable {
  /// One word, or several that follow each other.
  package let words: [String]
  /// Whether the last one may go on.
  package let isPrefix: Bool
}

/// A search of one class.
package struct SearchRequest {
  package let table: EntityTable
  let index: SearchIndex
  let query: SearchQuery
  /// The greatest number of hits; nil is all.
  package let limit: Int?

  /// What must all be found, in words.
  package func terms() throws -> [SearchTerm] { try query.words() }
}

/// What a search finds in stored rows.
package enum SearchAnswer {
  /// The hits, ranked by the database. `counts` are asked for if unsaved objects have to be ranked beside them.
  case hits([SearchFound], counts: () throws -> SearchCounts)
  /// The keys of the rows in which something may be found, in order: all of them, or those that fit best by the database's
  /// own measure. FTS5 then decides in memory, so that every store gives the same results.
  case candidates([Int64], counts: SearchCounts)
}

/// How common the terms of a search are.
package struct SearchCounts {
  /// How many rows the class hierarchy has.
  let rowCount: Int
  /// How many of them have each term.
  let counts: [Int]

  package init(rowCount: Int, counts: [Int]) { (self.rowCount, self.counts) = (rowCount, counts) }

  var rarity: [Double] { counts.map { UnsavedSearch.rarity(of: $0, among: rowCount) } }
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
