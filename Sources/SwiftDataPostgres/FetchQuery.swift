import Foundation
import SwiftData

/// What a fetch asks the server.
struct FetchQuery {
  /// From `FROM` to the end of the condition.
  private let body: SQLFragment
  private let order: SQLFragment
  private let bounds: String
  let hasCondition: Bool
  let hasOrder: Bool

  /// - Throws: ``DataStoreError`` where the server cannot answer as Swift does.
  init<M: PersistentModel>(_ descriptor: FetchDescriptor<M>, _ rows: EntityRows, _ store: PostgresStore) throws {
    let query = try Self.lower(descriptor, rows, store)
    var body = SQLFragment(" FROM \(rows.table.name.quotedIdentifier) AS t0")
    for join in query.joins + query.orderJoins { body = body + SQLFragment(" ") + join }
    var conditions = [SQLFragment]()
    if let own = rows.table.discriminatorCondition { conditions.append(SQLFragment(own)) }
    if let condition = query.condition { conditions.append(SQLFragment("(") + condition + SQLFragment(")")) }
    for (index, condition) in conditions.enumerated() {
      body = body + SQLFragment(index == 0 ? " WHERE " : " AND ") + condition
    }
    self.body = body
    var order = SQLFragment(" ORDER BY ")
    for term in query.order {
      order = order + term + SQLFragment(SQLDialect.nullsOrder(term) + ", ")
    }
    self.order = order + SQLFragment("t0._pk")
    hasCondition = query.condition != nil
    hasOrder = !query.order.isEmpty
    let limit = descriptor.fetchLimit.flatMap { $0 < 0 ? nil : $0 }
    let offset = max(0, descriptor.fetchOffset ?? 0)
    bounds = (limit.map { " LIMIT \($0)" } ?? "") + (offset > 0 ? " OFFSET \(offset)" : "")
  }

  /// Tables, condition and order.
  var text: String { body.sql + order.sql }
  /// The values, in order.
  var values: [SQLValue] { body.arguments + order.arguments }

  /// The statement that selects something of the rows, in order.
  func statement(selecting selection: String) -> PostgresStatement {
    Self.numbered(SQLFragment("SELECT \(selection)") + body + order + SQLFragment(bounds))
  }

  /// The statement that counts the rows.
  var count: PostgresStatement {
    if bounds.isEmpty { return Self.numbered(SQLFragment("SELECT count(*)") + body) }
    return Self.numbered(
      SQLFragment("SELECT count(*) FROM (SELECT 1") + body + SQLFragment(bounds) + SQLFragment(") AS c"))
  }

  // MARK: - Lowering

  private static func lower<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, _ rows: EntityRows, _ store: PostgresStore
  ) throws -> LoweredQuery {
    func lower(_ sort: [SortDescriptor<M>]) throws -> LoweredQuery {
      try PredicateLowering.query(
        descriptor.predicate, sort, entity: rows.table.entity, environment: store.environment)
    }
    do {
      return try lower(descriptor.sortBy)
    } catch is SwiftDataError {
      guard (try? lower([])) != nil else { throw DataStoreError.preferInMemoryFilter }
      throw DataStoreError.preferInMemorySort
    }
  }

  /// The text with `$1`, `$2` for its question marks, which elsewhere stand in quotes only.
  /// - Parameter first: how many parameters come before.
  static func numbered(_ fragment: SQLFragment, first: Int = 0) -> PostgresStatement {
    var sql = [UInt8]()
    var number = first
    var quote: UInt8?
    for byte in fragment.sql.utf8 {
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        if quote == nil { quote = byte } else if quote == byte { quote = nil }
        sql.append(byte)
      case UInt8(ascii: "?") where quote == nil:
        number += 1
        sql += "$\(number)".utf8
      default: sql.append(byte)
      }
    }
    return PostgresStatement(
      String(decoding: sql, as: UTF8.self), fragment.arguments.map(PostgresParameter.init(comparing:)))
  }
}

extension PostgresStore {
  /// What lowering has to know. Columns have text in normal form C: see ``StoredText``.
  package var environment: LoweringEnvironment {
    LoweringEnvironment(
      storeIdentifier: identifier, isDenormalized: { _, _ in false },
      familyNames: { [layout] entity in
        layout.tables.first { $0.entity === entity }?.family.map(\.name) ?? [entity.name]
      },
      dialect: .postgres)
  }

  /// Runs a fetch; on a fresh connection where the first was lost or knew older tables.
  /// - Throws: ``DataStoreError`` where the server lacks what the fetch needs.
  func run(_ query: FetchQuery, _ statement: PostgresStatement) throws -> PostgresResult {
    do {
      return try readRaw(cancellable: true) { try $0.run(statement.sql, statement.parameters) }
    } catch let error as PostgresError {
      guard error.wantsSwift, query.hasCondition || query.hasOrder else { throw error.error(configuration.name) }
      // Whether it is the order, the next question shows.
      throw query.hasCondition ? DataStoreError.preferInMemoryFilter : DataStoreError.preferInMemorySort
    }
  }
}
