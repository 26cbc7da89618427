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

/// What a store's own index found.
package struct SearchCandidates {
  /// The models in which something may be found: all of them, or those that fit best by the store's own measure.
  package var identifiers: [PersistentIdentifier]
  /// How many models there are in the class hierarchy.
  package var rowCount: Int
  /// How many of them have each term.
  package var counts: [Int]

  package init(identifiers: [PersistentIdentifier], rowCount: Int, counts: [Int]) {
    (self.identifiers, self.rowCount, self.counts) = (identifiers, rowCount, counts)
  }
}

/// The same as objects of a context.
package struct FoundObjects {
  let objects: [any PersistentModel]
  let rowCount: Int
  let counts: [Int]
}

extension SearchQuery {
  func words() throws -> [SearchTerm] {
    zip(terms, try SearchWords.words(of: terms.map(\.text))).map { SearchTerm(words: $1, isPrefix: $0.isPrefix) }
  }
}

extension ContextState {
  /// A search in a store that finds candidates by an index of its own: FTS5 then decides in memory, so that the results
  /// are those of the default store.
  func searchCandidates<M: PersistentModel>(
    _ type: M.Type, _ text: String, limit: Int?, in table: EntityTable
  ) throws -> [ModelContext.SearchHit<M>] {
    let store = core.store(of: table)
    let members = core.allTables.filter { $0.name == table.name }.sorted { $0.entity.name < $1.entity.name }
    let isSearchable = table.family.contains { $0.properties.contains(where: SearchIndex.isSearchable) }
    guard isSearchable, let index = SearchIndex(table: table.name, members: members) else {
      throw SearchIndex.nothing(table.entity)
    }
    guard let query = SearchQuery(text), limit.map({ $0 > 0 }) ?? true else { return [] }
    try loadMarkedRows(root: table.root)
    let found = try store.searchCandidates(query.words(), in: table, limit: limit, context: self)
    let pending: __ModelState.Flags = [.inserted, .changed, .deleted]
    let candidates =
      found.objects.compactMap { $0 as? M }.filter { $0.__state.flags.isDisjoint(with: pending) }
      + unsaved(M.self).filter { !$0.__state.flags.contains(.deleted) }
    guard !candidates.isEmpty else { return [] }
    let rarity = found.counts.map { UnsavedSearch.rarity(of: $0, among: found.rowCount) }
    let search = try UnsavedSearch(index, candidates)
    let hits = try search.hits(query, rarity: rarity).map {
      ModelContext.SearchHit(model: candidates[Int($0.key)], rank: $0.rank, snippets: $0.snippets)
    }
    // A stable sort: what fits equally well stays in the order of age.
    return Array(hits.sorted { $0.rank < $1.rank }.prefix(limit ?? .max))
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
