import Foundation
import SwiftData

/// Reads and deletes the history inside a file: `ATRANSACTION`, `ACHANGE` and the strings that they name.
struct HistoryRows {
  let file: AppleFile
  let mapping: ViewMapping
  let layout: StoreLayout

  typealias Transaction = DefaultHistoryTransaction

  private var hasHistory: Bool { file.tables["ATRANSACTION"] != nil && file.tables["ACHANGE"] != nil }

  func fetch(_ descriptor: HistoryDescriptor<Transaction>, _ connection: FileConnection) throws -> [Transaction] {
    try query(descriptor, connection)?.transactions() ?? []
  }

  /// Nil if the file has no history.
  private func query(
    _ descriptor: HistoryDescriptor<Transaction>, _ connection: FileConnection
  ) throws -> HistoryQuery? {
    guard hasHistory else { return nil }
    let bounds = HistoryBounds(descriptor.predicate, store: file.identifier)
    try check(bounds.token, connection)
    return HistoryQuery(
      descriptor, bounds, HistoryQuery.Columns(number: "a.Z_PK"), heads: { try heads($0, connection) },
      changes: { try changes($0, connection) })
  }

  /// Apple's frameworks purge the oldest transactions.
  private func check(_ token: Int64?, _ connection: FileConnection) throws {
    guard let token, token > 0 else { return }
    // After the newest one was purged too, the counter of the keys tells how far the history was.
    let rows = try connection.rows(
      """
      SELECT coalesce((SELECT min(Z_PK) FROM main.ATRANSACTION), \
      (SELECT max(Z_MAX) + 1 FROM main.Z_PRIMARYKEY WHERE Z_NAME = 'TRANSACTION'))
      """)
    guard case .integer(let oldest)? = rows.first?.first, oldest > token, oldest - token > 1 else { return }
    throw SwiftDataError(
      .historyTokenExpired,
      message:
        "the history of \"\(file.url.path)\" begins after the token; fetch all objects, and keep the newest token")
  }

  func delete(_ descriptor: HistoryDescriptor<Transaction>, _ connection: FileConnection) throws {
    guard let query = try query(descriptor, connection) else { return }
    let gone = SQLValue.list(try query.numbers())
    try connection.run("DELETE FROM main.ACHANGE WHERE ZTRANSACTIONID IN (SELECT value FROM json_each(\(bind: gone)))")
    try connection.run("DELETE FROM main.ATRANSACTION WHERE Z_PK IN (SELECT value FROM json_each(\(bind: gone)))")
  }

  // MARK: - Rows

  private func heads(_ clauses: SQLFragment, _ connection: FileConnection) throws -> [Transaction] {
    let columns = file.tables["ATRANSACTION"] ?? [:]
    func text(_ name: String) -> String {
      let plain = columns[name] == nil ? "NULL" : "a.\(name)"
      guard columns[name + "TS"] != nil, file.tables["ATRANSACTIONSTRING"] != nil else { return plain }
      return "coalesce((SELECT ZNAME FROM main.ATRANSACTIONSTRING WHERE Z_PK = a.\(name)TS), \(plain))"
    }
    let statement: SQLFragment =
      """
      SELECT a.Z_PK, a.ZTIMESTAMP, \(text("ZAUTHOR")), \(text("ZBUNDLEID")), \(text("ZPROCESSID")) \
      FROM main.ATRANSACTION AS a \(clauses)
      """
    let rows = try connection.rows(statement)
    return rows.compactMap { row in
      guard case .integer(let number) = row[0] else { return nil }
      return Transaction(
        timestamp: Date(timeIntervalSinceReferenceDate: Self.seconds(row[1])), changes: [],
        number: number, store: file.identifier, author: Self.text(row[2]), program: Self.text(row[3]) ?? "",
        process: Self.text(row[4]) ?? "")
    }
  }

  private static func seconds(_ cell: SQLValue) -> Double {
    switch cell {
    case .real(let value): value
    case .integer(let value): Double(value)
    default: 0
    }
  }

  private static func text(_ cell: SQLValue) -> String? { if case .text(let text) = cell { text } else { nil } }

  private func changes(_ numbers: [Int64], _ connection: FileConnection) throws -> [Int64: [HistoryChange]] {
    let classes = Self.classes(mapping)
    let entities = Dictionary(layout.tables.map { ($0.entity.name, $0.entity) }) { first, _ in first }
    var bits = [Int64: ChangeBits]()
    let all = file.tables["ACHANGE"] ?? [:]
    let tombstones = (0..<64).prefix { all["ZTOMBSTONE\($0)"] != nil }.map { "ZTOMBSTONE\($0)" }
    let columns = (["Z_PK", "ZTRANSACTIONID", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZCOLUMNS"] + tombstones)
      .joined(separator: ", ")
    let statement: SQLFragment =
      """
      SELECT \(columns) FROM main.ACHANGE \
      WHERE ZTRANSACTIONID IN (SELECT value FROM json_each(\(bind: .list(numbers)))) ORDER BY Z_PK
      """
    var result = [Int64: [HistoryChange]]()
    for row in try connection.rows(statement) {
      guard case .integer(let id) = row[0], case .integer(let transaction) = row[1],
        case .integer(let type) = row[2], let kind = HistoryRecorder.Kind(rawValue: type),
        case .integer(let number) = row[3], case .integer(let key) = row[4],
        let member = classes[number], let entity = entities[member.name],
        let appleEntity = file.model.entities.first(where: { file.numbers[$0.name] == number })
      else { continue }
      var names = [String]()
      if case .blob(let data) = row[5] {
        let known = bits[number] ?? ChangeBits(appleEntity, file.model)
        bits[number] = known
        names = known.names(in: data).compactMap { Self.property($0, of: member, entity) }
      }
      let tombstone = kind == .delete ? self.tombstone(Array(row[6...]), appleEntity, member) : [:]
      let change = ChangeRow(
        id: id, transaction: transaction, kind: kind, entity: entity, store: file.identifier, key: key,
        properties: Self.json(names), tombstone: tombstone.isEmpty ? nil : Self.json(tombstone))
      result[transaction, default: []].append(change.change(0))
    }
    return result
  }

  static func classes(_ mapping: ViewMapping) -> [Int64: ViewMapping.Class] {
    var result = [Int64: ViewMapping.Class]()
    for member in mapping.tables.flatMap(\.classes) { for number in member.numbers { result[number] = member } }
    return result
  }

  /// The model's name of a property, which may have been renamed.
  private static func property(_ name: String, of member: ViewMapping.Class, _ entity: __Entity) -> String? {
    let known = member.properties.first { property in
      switch property.source {
      case .attribute(let attribute, _, _): attribute.name == name
      case .toOne(let relationship, _, _): relationship.name == name
      case .position: false
      }
    }
    if let known { return known.name }
    return entity.properties.first { $0.isToMany && ($0.name == name || $0.schemaProperty.originalName == name) }?.name
  }

  /// The values of the preserved attributes, which are numbered by name.
  private func tombstone(
    _ cells: [SQLValue], _ entity: AppleEntity, _ member: ViewMapping.Class
  ) -> [String: SQLValue] {
    var result = [String: SQLValue]()
    let preserved = entity.attributes.filter { $0.isPreserved && !$0.isTransient }
    for (attribute, cell) in zip(preserved, cells) where cell != .null {
      for property in member.properties {
        guard case .attribute(let known, _, let conversion) = property.source, known.name == attribute.name else {
          continue
        }
        result[property.name] = conversion.read.map { $0([cell]) } ?? cell
      }
    }
    return result
  }

  private static func json(_ value: some Encodable) -> String? {
    (try? JSONCoding.encode(value)).map { String(decoding: $0, as: UTF8.self) }
  }
}
