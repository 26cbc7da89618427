import Foundation
import SwiftData

extension PostgresStore {
  /// Finds the rows with all words. FTS5 then ranks them in memory.
  package func search(_ request: SearchRequest) throws -> SearchAnswer {
    let terms = try request.terms()
    let rows = try rows(of: request.table.entity)
    // A term without a word finds nothing.
    guard let columns = rows.search, terms.allSatisfy({ !$0.words.isEmpty }) else {
      return .candidates([], counts: SearchCounts(rowCount: 0, counts: terms.map { _ in 0 }))
    }
    let queries = terms.map(Self.query)
    let table = rows.table.name.quotedIdentifier
    var condition = columns.mayHave("$1", "t0.")
    if let own = rows.table.discriminatorCondition { condition += " AND \(own)" }
    var candidates = "SELECT t0._pk FROM \(table) AS t0 WHERE \(condition)"
    // The server does not check that words are consecutive, so any row may be among the best.
    if let limit = request.limit, limit < 1_000_000, terms.allSatisfy({ $0.words.count == 1 }) {
      candidates +=
        " ORDER BY ts_rank(\(columns.all("t0.")), $1::text::tsquery, 1) DESC NULLS FIRST, t0._pk LIMIT \(limit * 10 + 200)"
    }
    let count = "SELECT count(*) FROM \(table) AS t0"
    let statements =
      [
        PostgresStatement(candidates, [.text(queries.joined(separator: " & "))]), PostgresStatement(count),
      ]
      + queries.map {
        PostgresStatement("\(count) WHERE (\(columns.all("t0."))) @@ $1::text::tsquery", [.text($0)])
      }
    let results = try read(cancellable: true) { try $0.pipeline(statements) }
    let keys = (0..<results[0].count).map { results[0].integer($0, 0) }
    return .candidates(
      keys.sorted(),
      counts: SearchCounts(
        rowCount: Int(results[1].integer(0, 0)), counts: results.dropFirst(2).map { Int($0.integer(0, 0)) }))
  }

  /// The server does not check that words are consecutive, so FTS5 checks the rows in memory.
  package func condition(of request: SearchRequest) throws -> SearchCondition? {
    let terms = try request.terms()
    guard let columns = try rows(of: request.table.entity).search, terms.allSatisfy({ !$0.words.isEmpty }) else {
      return SearchCondition("false", isExact: true)
    }
    let words = terms.map(Self.query).joined(separator: " & ")
    return SearchCondition(SQLFragment(columns.mayHave("?", "t0."), [.text(words)]), isExact: false)
  }

  /// All words of a term, quoted.
  private static func query(_ term: SearchTerm) -> String {
    let words = term.words.enumerated().map { index, word in
      let quoted = SearchColumns.word(word).replacingOccurrences(of: "\\", with: "\\\\", options: .literal)
        .quotedLiteral
      let isCut = word.utf8.count > SearchColumns.longestWord
      return quoted + (term.isPrefix && index == term.words.count - 1 && !isCut ? ":*" : "")
    }
    return "(" + words.joined(separator: " & ") + ")"
  }
}
