import Foundation
import SwiftData
import SwiftDataAppleStore

/// A save in the history of a store.
public struct StoreTransaction: Sendable, Codable, Equatable {
  /// The changes of one kind to one class.
  public struct Change: Sendable, Codable, Equatable {
    /// The kind of a change.
    public enum Kind: String, Sendable, Codable {
      /// The objects are new.
      case inserted
      /// Properties of the objects changed.
      case updated
      /// The objects are deleted.
      case deleted
    }
    /// The class.
    public var entity: String
    /// The kind.
    public var kind: Kind
    /// The number of objects.
    public var count: Int
    /// The properties that changed, sorted. Empty for other kinds, and for Apple's stores.
    public var properties: [String]
  }

  /// The number of the transaction.
  public var number: Int64
  /// The time of the save.
  public var date: Date
  /// The author that the context had.
  public var author: String?
  /// The program that saved.
  public var program: String
  /// The process of the program.
  public var process: String
  /// The changes, by class.
  public var changes: [Change]

  /// The transaction as text.
  public var text: String {
    var head = "\(number)  \(date.formatted(.iso8601))"
    if !program.isEmpty { head += "  \(program)\(process.isEmpty ? "" : " (\(process))")" }
    if let author { head += "  by \(author)" }
    return ([head] + changes.map { "  \($0.text)" }).map(TerminalText.withoutControls).joined(separator: "\n")
  }
}

extension StoreTransaction.Change {
  fileprivate var text: String {
    "\(entity)  \(count) \(kind.rawValue)" + (properties.isEmpty ? "" : ": \(properties.joined(separator: ", "))")
  }
}

extension InspectedStore {
  /// The newest transactions of the history, the newest first. Other programs may save meanwhile.
  /// - Parameters:
  ///   - date: earlier transactions are left out.
  ///   - limit: the greatest number of transactions.
  /// - Throws: `SwiftDataError` if the store cannot be read.
  public func transactions(since date: Date? = nil, limit: Int) throws -> [StoreTransaction] {
    let since = date?.timeIntervalSinceReferenceDate ?? -.greatestFiniteMagnitude
    switch kind {
    case .sqlite:
      guard format != "format 1" else {
        throw SwiftDataError(
          .unsupportedFeature,
          message: "\"\(location)\" has the history of an earlier release; open the store with its program first")
      }
      return try readLive { try Self.transactions(of: $0, since: since, limit: limit) }
    case .postgres: return try server!.atOneMoment { try $0.transactions(since: since, limit: limit) }
    case .apple: return try appleTransactions(since: since, limit: limit)
    }
  }

  // MARK: - OpenSwiftData, in a file

  /// A part of the JSON of a block of changes.
  private struct Entry: Decodable {
    let kind: Int
    let entity: String
    let properties: [String]?
    /// The first key and the number of each run of keys, alternating.
    let keys: [Int64]

    enum CodingKeys: String, CodingKey {
      case kind, properties, keys
      case entity = "class"
    }
  }

  private static func transactions(
    of connection: FileConnection, since: Double, limit: Int
  ) throws -> [StoreTransaction] {
    let heads = try connection.rows(
      """
      SELECT id, timestamp, author, program, process, changes FROM _swiftdata_history \
      WHERE timestamp >= \(bind: .real(since)) ORDER BY id DESC LIMIT \(bind: .integer(Int64(limit)))
      """)
    return try heads.compactMap { row in
      guard var transaction = StoreTransaction(row) else { return nil }
      let first = transaction.number << 32
      let more = try connection.rows(
        """
        SELECT changes FROM _swiftdata_changes WHERE id >= \(bind: .integer(first)) \
        AND id < \(bind: .integer(first &+ 1 << 32))
        """)
      var changes = ChangeCounts()
      for case .text(let block) in [row[5]] + more.map({ $0[0] }) {
        for entry in try entries(of: block, transaction.number) {
          let counts = stride(from: 1, to: entry.keys.count, by: 2).map { entry.keys[$0] }
          changes.add(entry.entity, entry.kind, counts.reduce(0) { $0 &+ $1 }, entry.properties ?? [])
        }
      }
      transaction.changes = changes.sorted
      return transaction
    }
  }

  private static func entries(of block: String, _ number: Int64) throws -> [Entry] {
    do {
      return try JSONCoding.decode([Entry].self, from: Data(block.utf8))
    } catch {
      throw SwiftDataError(
        .storeDamaged, message: "the transaction \(number) of the history cannot be read", underlying: error)
    }
  }

  // MARK: - Apple's frameworks

  private func appleTransactions(since: Double, limit: Int) throws -> [StoreTransaction] {
    guard let file = apple?.file, let columns = file.tables["ATRANSACTION"], file.tables["ACHANGE"] != nil else {
      return []
    }
    func text(_ name: String) -> String {
      let plain = columns[name] == nil ? "NULL" : "a.\(name)"
      guard columns[name + "TS"] != nil, file.tables["ATRANSACTIONSTRING"] != nil else { return plain }
      return "coalesce((SELECT ZNAME FROM main.ATRANSACTIONSTRING WHERE Z_PK = a.\(name)TS), \(plain))"
    }
    return try file.read { connection in
      let heads = try connection.rows(
        """
        SELECT a.Z_PK, a.ZTIMESTAMP, \(text("ZAUTHOR")), \(text("ZBUNDLEID")), \(text("ZPROCESSID")) \
        FROM main.ATRANSACTION AS a WHERE a.ZTIMESTAMP >= \(bind: .real(since)) \
        ORDER BY a.Z_PK DESC LIMIT \(bind: .integer(Int64(limit)))
        """)
      return try heads.compactMap { row in
        guard var transaction = StoreTransaction(row) else { return nil }
        let rows = try connection.rows(
          """
          SELECT coalesce(p.Z_NAME, 'entity ' || c.ZENTITY), c.ZCHANGETYPE, count(*) FROM main.ACHANGE AS c \
          LEFT JOIN main.Z_PRIMARYKEY AS p ON p.Z_ENT = c.ZENTITY \
          WHERE c.ZTRANSACTIONID = \(bind: .integer(transaction.number)) GROUP BY 1, 2
          """)
        var changes = ChangeCounts()
        for row in rows {
          if case .text(let entity) = row[0], case .integer(let kind) = row[1], case .integer(let count) = row[2] {
            changes.add(entity, Int(clamping: kind), count, [])
          }
        }
        transaction.changes = changes.sorted
        return transaction
      }
    }
  }
}

extension ServerReader {
  func transactions(since: Double, limit: Int) throws -> [StoreTransaction] {
    let heads = try rows(
      """
      SELECT id, timestamp, author, program, process FROM _swiftdata_history \
      WHERE id IS NOT NULL AND timestamp >= \(bind: .real(since)) ORDER BY id DESC LIMIT \(bind: .integer(Int64(limit)))
      """)
    var transactions = heads.compactMap { StoreTransaction($0) }
    var changes = [Int64: ChangeCounts]()
    let list = transactions.map { String($0.number) }.joined(separator: ", ")
    guard !list.isEmpty else { return [] }
    let rows = try rows(
      """
      SELECT history, entity, kind::bigint, sum(count)::bigint, properties::text FROM _swiftdata_changes \
      WHERE history IN (\(list)) GROUP BY history, entity, kind, properties::text
      """)
    for row in rows {
      guard case .integer(let number) = row[0], case .text(let entity) = row[1], case .integer(let kind) = row[2],
        case .integer(let count) = row[3]
      else { continue }
      var names = [String]()
      if case .text(let text) = row[4] { names = (try? JSONCoding.decode([String].self, from: Data(text.utf8))) ?? [] }
      changes[number, default: ChangeCounts()].add(entity, Int(clamping: kind), count, names)
    }
    for index in transactions.indices {
      transactions[index].changes = changes[transactions[index].number]?.sorted ?? []
    }
    return transactions
  }
}

/// Adds changes up by class and kind.
private struct ChangeCounts {
  private struct Group: Hashable {
    let entity: String
    let kind: Int
  }
  private var counts: [Group: (count: Int64, properties: Set<String>)] = [:]

  mutating func add(_ entity: String, _ kind: Int, _ count: Int64, _ properties: [String]) {
    var known = counts[Group(entity: entity, kind: kind)] ?? (0, [])
    // A damaged history may have any numbers.
    known.count &+= count
    known.properties.formUnion(properties)
    counts[Group(entity: entity, kind: kind)] = known
  }

  var sorted: [StoreTransaction.Change] {
    let kinds: [StoreTransaction.Change.Kind] = [.inserted, .updated, .deleted]
    return counts.filter { kinds.indices.contains($0.key.kind) }
      .sorted { ($0.key.entity, $0.key.kind) < ($1.key.entity, $1.key.kind) }
      .map { group, known in
        StoreTransaction.Change(
          entity: group.entity, kind: kinds[group.kind], count: Int(known.count), properties: known.properties.sorted())
      }
  }
}

extension StoreTransaction {
  /// A transaction without its changes, from its number, time, author, program and process. Nil if a cell has another type.
  fileprivate init?(_ row: [SQLValue]) {
    func text(_ cell: SQLValue) -> String? {
      switch cell {
      case .text(let text): text
      case .integer(let number): String(number)
      default: nil
      }
    }
    let seconds: Double
    switch row[1] {
    case .real(let value): seconds = value
    case .integer(let value): seconds = Double(value)
    default: return nil
    }
    guard case .integer(let number) = row[0], seconds.isFinite, abs(seconds) < 1e11 else { return nil }
    self.init(
      number: number, date: Date(timeIntervalSinceReferenceDate: seconds), author: text(row[2]),
      program: text(row[3]) ?? "", process: text(row[4]) ?? "", changes: [])
  }
}
