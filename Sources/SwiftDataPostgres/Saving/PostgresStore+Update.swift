import Foundation
import SwiftData

extension PostgresStore {
  package func rows(_ statement: SQLFragment) throws -> [[SQLValue]] {
    let statement = FetchQuery.numbered(statement)
    do {
      let result = try readRaw(cancellable: true) { try $0.run(statement.sql, statement.parameters) }
      guard result.isReadable else { throw DataStoreError.preferInMemoryFilter }
      return (0..<result.count).map { row in
        (0..<result.width).map { column in
          let cell = result.value(row, column)
          guard result.isText(column), case .text(let text) = cell else { return cell }
          return .text(StoredText.text(ofStored: text))
        }
      }
    } catch let error as PostgresError {
      throw error.wantsSwift ? DataStoreError.preferInMemoryFilter : error.error(configuration.name)
    }
  }

  package func update(_ update: RelationalUpdate, _ editing: EditingState) throws -> [String: [Int64]] {
    let rows = try rows(of: update.entity.name)
    let statement = try self.statement(update, rows)
    let names = update.columns.map(\.property.name)
    return try transaction(author: editing.author, mayRepeat: false) { transaction in
      let result: PostgresResult
      do {
        result = try transaction.run(statement.sql, statement.parameters)
      } catch let error as PostgresError where error.state == "23502" {
        // Every row of a column that needs a value would have failed.
        throw update.failure(1)
      } catch let error as PostgresError where error.wantsSwift {
        throw DataStoreError.preferInMemoryFilter
      }
      var changed = [String: [Int64]]()
      let failures = (0..<result.count).count { result.integer($0, 1) != 0 }
      if failures > 0 { throw update.failure(failures) }
      for row in 0..<result.count {
        let name = rows.table.hasDiscriminator ? result.text(row, 2) ?? "" : update.entity.name
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

  /// One statement: it finds and locks the rows, computes their new values, and writes them.
  private func statement(_ update: RelationalUpdate, _ rows: EntityRows) throws -> PostgresStatement {
    let record = layout.record.table(named: rows.table.name)
    var assignments = [String]()
    var given = [String: String]()
    var values = [PostgresParameter]()
    for (place, column) in update.columns.enumerated() {
      let name = TableNames.column(for: column.property)
      guard column.isConstant else {
        assignments.append("\(name.quotedIdentifier) = v.c\(place)")
        continue
      }
      let type = record?.column(named: name)?.serverType ?? ValueFamily(column.property).serverType
      guard type != .json else { throw DataStoreError.preferInMemoryFilter }
      let cell = try ServerCell(of: column.constant, column.property)
      given[name] = cell.given
      values.append(.array([cell.value], type))
      assignments.append("\(name.quotedIdentifier) = (?::\(type.name)[])[1]")
    }
    let properties = update.columns.map(\.property)
    let cells = try rows.words(
      properties, update.columns.map { try $0.isConstant ? ServerCell(of: $0.constant, $0.property).value : .null })
    for (column, words) in zip(rows.wordColumns(properties), cells) {
      values.append(.array([words], .tsvector))
      assignments.append("\(column.words.quotedIdentifier) = (?::tsvector[])[1]")
    }
    let list = properties.map { "'" + TableNames.column(for: $0).replacing("'", with: "''") + "'" }
    values.append(.array([ServerCell.encode(given: given)], .jsonb))
    assignments.append(
      "_given = nullif((coalesce(t._given, '{}') - ARRAY[\(list.joined(separator: ", "))]::text[])"
        + " || coalesce((?::jsonb[])[1], '{}'), '{}')")
    let returned = "t._pk, v.failed::int::bigint AS failed" + (rows.table.hasDiscriminator ? ", t._entity" : "")
    let found = FetchQuery.numbered(SQLFragment("WITH v AS MATERIALIZED (") + update.rows + SQLFragment(")"))
    let rest = FetchQuery.numbered(
      SQLFragment(
        " UPDATE \(rows.table.name.quotedIdentifier) AS t SET \(assignments.joined(separator: ", "))"
          + " FROM v WHERE t._pk = v.pk RETURNING \(returned)"), first: found.parameters.count)
    return PostgresStatement(found.sql + rest.sql, found.parameters + values)
  }
}
