import Foundation
import SwiftData

extension PostgresStore {
  package func update(_ update: BatchUpdate) throws -> [String: [Int64]] {
    let table = update.table
    let statement = try self.statement(update)
    let names = update.columns.map(\.property.name)
    return try transaction(author: update.editing.author, mayRepeat: false) { transaction in
      let result: PostgresResult
      do {
        result = try transaction.run(statement.sql, statement.parameters)
      } catch let error as PostgresError where error.state == "23502" {
        // Any row would fail, because the column requires a value.
        throw update.failure(1)
      } catch let error as PostgresError where error.wantsSwift {
        throw DataStoreError.preferInMemoryFilter
      }
      var changed = [String: [Int64]]()
      let failures = (0..<result.count).count { result.integer($0, 1) != 0 }
      if failures > 0 { throw update.failure(failures) }
      // Nothing is committed then.
      let isUnsure = (0..<result.count).contains { result.integer($0, 2) != 0 }
      if isUnsure { throw DataStoreError.preferInMemoryFilter }
      for row in 0..<result.count {
        let name = table.hasDiscriminator ? result.text(row, 3) ?? "" : table.entity.name
        changed[name, default: []].append(result.integer(row, 0))
      }
      var history = HistoryRecorder()
      for (entity, keys) in changed.sorted(by: { $0.key < $1.key }) {
        for key in keys.sorted() { history.update(entity, key, names) }
      }
      transaction.changes = history.take()
      return changed
    }
  }

  /// One statement that finds and locks the rows, computes their new values, and writes them. It returns the key of each, whether
  /// the row has no value, whether only Swift knows its value, and its class.
  private func statement(_ update: BatchUpdate) throws -> PostgresStatement {
    let columns = update.columns
    let layout = layouts.update(update.table, columns.map(\.property))
    var assignments = [String]()
    var given = [String: String]()
    var texts = [String: String]()
    var values = [PostgresParameter]()
    // Whether the server computes texts, from columns that may lack the original texts.
    var computesText = false
    let list = layout.columns.map(\.name.quotedLiteral).joined(separator: ", ")
    func assign(_ column: String, _ value: SQLValue, _ type: PostgresType) {
      values.append(.array([value], type))
      assignments.append("\(column.quotedIdentifier) = (?::\(type.name)[])[1]")
    }
    for (place, (assigned, column)) in zip(columns, layout.columns).enumerated() {
      // Each row needs a cell of its own.
      guard column.codec == nil else { throw DataStoreError.preferInMemoryFilter }
      guard assigned.isConstant else {
        assignments.append("\(column.name.quotedIdentifier) = v.c\(place)")
        if column.type == .text || column.type == .jsonb { computesText = true }
        continue
      }
      let cell = try ServerCell(of: assigned.constant, assigned.property)
      given[column.name] = cell.given
      if case .text(let text) = cell.value { texts[column.name] = text }
      assign(column.name, cell.value, column.type)
    }
    for (word, cell) in zip(layout.words, try SearchColumns.cells(of: layout.words.map { texts[$0.source] })) {
      assign(word.words, cell, .tsvector)
    }
    values.append(.array([ServerCell.encode(given: given)], .jsonb))
    assignments.append(
      "_given = nullif((coalesce(t._given, '{}') - ARRAY[\(list)]::text[]) || coalesce((?::jsonb[])[1], '{}'), '{}')")
    // The server has the original texts of other rows in another form, which only Swift reads.
    if computesText, update.readsOtherRows { throw DataStoreError.preferInMemoryFilter }
    let condition = computesText ? "v.given IS NOT FALSE" : "FALSE"
    let returned =
      "t._pk, v.failed::int::bigint AS failed, (\(condition))::int::bigint AS unsure"
      + (update.table.hasDiscriminator ? ", t._entity" : "")
    // The row as it was before the update, which takes its original texts away: RETURNING has the new row.
    let before: SQLFragment =
      "SELECT r.*, (SELECT o._given IS NOT NULL FROM \(name: update.table.name) AS o WHERE o._pk = r.pk) AS given FROM r"
    let found = PostgresStatement(
      computesText
        ? "WITH r AS MATERIALIZED (\(update.rows)), v AS MATERIALIZED (\(before))" as SQLFragment
        : "WITH v AS MATERIALIZED (\(update.rows))" as SQLFragment)
    let rest = PostgresStatement(
      """
       UPDATE \(name: update.table.name) AS t SET \(assignments.joined(separator: ", ")) \
      FROM v WHERE t._pk = v.pk RETURNING \(returned)
      """ as SQLFragment, first: found.parameters.count)
    return PostgresStatement(found.sql + rest.sql, found.parameters + values)
  }
}
