import BenchKit
import CBenchRows
import GRDB

extension BenchKit.Status: DatabaseValueConvertible {}
extension BenchKit.SyncStatus: DatabaseValueConvertible {}

protocol BenchMessage: FetchableRecord, PersistableRecord {
  init(_ row: BenchKit.Row)
  var id: String { get }
  var conversationID: String { get }
  var text: String { get }
  var retryCount: Int { get set }
  func touched() -> Int64
  associatedtype Conversation: FetchableRecord & TableRecord & BenchConversation
  associatedtype Joined: FetchableRecord
  static func names(_ joined: Joined) -> Int64
}
protocol BenchConversation { var displayName: String { get } }

// MARK: Codable records

struct CodableConversation: Codable, FetchableRecord, PersistableRecord, BenchConversation {
  static let databaseTableName = "conversation"
  var id, displayName: String
  var isGroup, isPinned: Bool
  var updatedAt: Double
}

struct CodableMessage: Codable, FetchableRecord, PersistableRecord, BenchMessage {
  static let databaseTableName = "message"
  static let conversation = belongsTo(
    CodableConversation.self, key: "conversation", using: ForeignKey(["conversationID"]))
  typealias Conversation = CodableConversation
  var id, conversationID, senderID, text: String
  var createdAt, updatedAt: Double
  var status: BenchKit.Status
  var syncStatus: SyncStatus
  var retryCount: Int
  var category: String?
  var categoryConfidence: Double?
  var unreadFlag: Bool

  init(_ r: BenchKit.Row) {
    id = r.id; conversationID = r.conversationID; senderID = r.senderID; text = r.text
    createdAt = r.createdAt; updatedAt = r.updatedAt; status = r.status; syncStatus = r.syncStatus
    retryCount = r.retryCount; category = r.category; categoryConfidence = r.categoryConfidence
    unreadFlag = r.unreadFlag
  }
  func touched() -> Int64 {
    touch(
      id, conversationID, senderID, text, createdAt, updatedAt, status, syncStatus, retryCount,
      category, categoryConfidence, unreadFlag)
  }
  struct Joined: Decodable, FetchableRecord {
    var message: CodableMessage
    var conversation: CodableConversation?
  }
  static func names(_ j: Joined) -> Int64 {
    Int64(j.message.id.utf8.count) + Int64(j.conversation!.displayName.utf8.count)
  }
}

// MARK: Hand-written records: positional decoding, explicit encoding

struct ManualConversation: FetchableRecord, PersistableRecord, BenchConversation {
  static let databaseTableName = "conversation"
  static var databaseSelection: [any SQLSelectable] {
    ["id", "displayName", "isGroup", "isPinned", "updatedAt"].map { Column($0) }
  }
  var id, displayName: String
  var isGroup, isPinned: Bool
  var updatedAt: Double
  init(row: GRDB.Row) {
    id = row[0]; displayName = row[1]; isGroup = row[2]; isPinned = row[3]; updatedAt = row[4]
  }
  func encode(to c: inout PersistenceContainer) {
    c["id"] = id; c["displayName"] = displayName; c["isGroup"] = isGroup; c["isPinned"] = isPinned
    c["updatedAt"] = updatedAt
  }
}

struct ManualMessage: FetchableRecord, PersistableRecord, BenchMessage {
  static let databaseTableName = "message"
  static let conversation = belongsTo(
    ManualConversation.self, key: "conversation", using: ForeignKey(["conversationID"]))
  typealias Conversation = ManualConversation
  static var databaseSelection: [any SQLSelectable] {
    [
      "id", "conversationID", "senderID", "text", "createdAt", "updatedAt", "status", "syncStatus",
      "retryCount", "category", "categoryConfidence", "unreadFlag",
    ].map { Column($0) }
  }
  var id, conversationID, senderID, text: String
  var createdAt, updatedAt: Double
  var status: BenchKit.Status
  var syncStatus: SyncStatus
  var retryCount: Int
  var category: String?
  var categoryConfidence: Double?
  var unreadFlag: Bool

  init(_ r: BenchKit.Row) {
    id = r.id; conversationID = r.conversationID; senderID = r.senderID; text = r.text
    createdAt = r.createdAt; updatedAt = r.updatedAt; status = r.status; syncStatus = r.syncStatus
    retryCount = r.retryCount; category = r.category; categoryConfidence = r.categoryConfidence
    unreadFlag = r.unreadFlag
  }
  init(row: GRDB.Row) {
    id = row[0]; conversationID = row[1]; senderID = row[2]; text = row[3]
    createdAt = row[4]; updatedAt = row[5]; status = row[6]; syncStatus = row[7]
    retryCount = row[8]; category = row[9]; categoryConfidence = row[10]; unreadFlag = row[11]
  }
  func encode(to c: inout PersistenceContainer) {
    c["id"] = id; c["conversationID"] = conversationID; c["senderID"] = senderID; c["text"] = text
    c["createdAt"] = createdAt; c["updatedAt"] = updatedAt; c["status"] = status; c["syncStatus"] = syncStatus
    c["retryCount"] = retryCount; c["category"] = category; c["categoryConfidence"] = categoryConfidence
    c["unreadFlag"] = unreadFlag
  }
  func touched() -> Int64 {
    touch(
      id, conversationID, senderID, text, createdAt, updatedAt, status, syncStatus, retryCount,
      category, categoryConfidence, unreadFlag)
  }
  struct Joined: FetchableRecord {
    var message: ManualMessage
    var conversation: ManualConversation
    init(row: GRDB.Row) {
      message = ManualMessage(row: row)
      conversation = row["conversation"]
    }
  }
  static func names(_ j: Joined) -> Int64 {
    Int64(j.message.id.utf8.count) + Int64(j.conversation.displayName.utf8.count)
  }
}

// MARK: The peer

/// Default implementations, specialized for each of the two final classes below.
protocol GRDBBased: Peer {
  associatedtype M: BenchMessage
  var pool: DatabasePool { get }
  var loaded: [M] { get set }
  var counter: Counter { get }
  func joined(_ n: Int) -> QueryInterfaceRequest<M.Joined>
}

// @unchecked Sendable because a worker measures on one thread.
final class Counter: @unchecked Sendable {
  var n = 0
  /// DatabasePool: WAL and synchronous=NORMAL.
  func pool(_ path: String, _ trace: Bool) throws -> DatabasePool {
    var configuration = Configuration()
    if trace {
      configuration.prepareDatabase { db in db.trace { _ in self.n += 1 } }
    }
    return try DatabasePool(path: path, configuration: configuration)
  }
}

extension GRDBBased {
  func close() throws { try pool.close() }
  var statements: Int? { counter.n }

  func insert(_ source: RowSource) throws {
    try pool.write { db in
      for k in 0..<source.count { try M(source[k]).insert(db) }
    }
  }
  private func sum(_ all: [M]) -> Int64 { all.reduce(0) { $0 + $1.touched() } }
  func fetchAll() throws -> Int64 { try pool.read { try sum(M.fetchAll($0)) } }
  func fetchTwo() throws -> Int64 {
    try pool.read { try M.fetchAll($0).reduce(0) { $0 + Int64($1.text.utf8.count + $1.retryCount) } }
  }
  func pointFetch(_ ids: [String]) throws -> Int64 {
    try pool.read { db in
      var total: Int64 = 0
      for id in ids { total += try M.fetchOne(db, key: id)!.touched() }
      return total
    }
  }
  func pointFetchSeparately(_ ids: [String]) throws -> Int64 {
    var total: Int64 = 0
    for id in ids { total += try pool.read { try M.fetchOne($0, key: id)! }.touched() }
    return total
  }
  func page(_ conversations: [String], limit: Int) throws -> Int64 {
    try pool.read { db in
      var total: Int64 = 0
      for c in conversations {
        total += try sum(
          M.filter(Column("conversationID") == c).order(Column("createdAt").desc).limit(limit).fetchAll(db))
      }
      return total
    }
  }
  func load(_ n: Int) throws { loaded = try pool.read { try M.limit(n).fetchAll($0) } }
  func updateLoaded() throws {
    try pool.write { db in
      for k in loaded.indices {
        loaded[k].retryCount += 1
        try loaded[k].update(db)
      }
    }
  }
  func updateLoadedPartially() throws {
    try pool.write { db in
      for k in loaded.indices {
        loaded[k].retryCount += 1
        try loaded[k].update(db, columns: ["retryCount"])
      }
    }
  }
  func tinyTransactions() throws {
    for k in loaded.indices {
      loaded[k].retryCount += 1
      try pool.write { try loaded[k].update($0, columns: ["retryCount"]) }
    }
  }
  func tinyTransactionsWithHistory() throws {
    try pool.write { try $0.execute(sql: String(cString: bench_history_table())) }
    for k in loaded.indices {
      loaded[k].retryCount += 1
      try pool.write { db in
        try loaded[k].update(db, columns: ["retryCount"])
        let changes = #"[{"kind":1,"class":"Message","properties":["retryCount"],"keys":["\#(loaded[k].id)"]}]"#
        try db.cachedStatement(sql: String(cString: bench_history_insertion()))
          .execute(arguments: [Double(bench_now_ns()) / 1e9, nil, "bench", "12345", changes])
      }
    }
  }
  func relationLazy(_ n: Int) throws -> Int64 {
    try pool.read { db in
      var sum: Int64 = 0
      for m in try M.limit(n).fetchAll(db) {
        let c = try M.Conversation.fetchOne(db, key: m.conversationID)!
        sum += Int64(m.id.utf8.count) + Int64(c.displayName.utf8.count)
      }
      return sum
    }
  }
  func relationEager(_ n: Int) throws -> Int64 {
    try pool.read { try joined(n).fetchAll($0).reduce(0) { $0 + M.names($1) } }
  }
  func deleteHalf() throws { _ = try pool.write { try M.filter(Column("unreadFlag") == true).deleteAll($0) } }
  func count() throws -> Int64 {
    try pool.read {
      Int64(try M.filter(Column("status") == BenchKit.Status.read && Column("unreadFlag") == true).fetchCount($0))
    }
  }
  func search(_ needle: String) throws -> Int64 {
    try pool.read { try sum(M.filter(Column("text").like("%\(needle)%")).fetchAll($0)) }
  }
}

final class GRDBCodable: GRDBBased {
  static let name = "GRDB Codable"
  let pool: DatabasePool
  let counter = Counter()
  var loaded: [CodableMessage] = []
  init(path: String, trace: Bool) throws { pool = try counter.pool(path, trace) }
  func joined(_ n: Int) -> QueryInterfaceRequest<CodableMessage.Joined> {
    CodableMessage.including(optional: CodableMessage.conversation).limit(n).asRequest(of: CodableMessage.Joined.self)
  }
}

final class GRDBManual: GRDBBased {
  static let name = "GRDB manual"
  let pool: DatabasePool
  let counter = Counter()
  var loaded: [ManualMessage] = []
  init(path: String, trace: Bool) throws { pool = try counter.pool(path, trace) }
  func joined(_ n: Int) -> QueryInterfaceRequest<ManualMessage.Joined> {
    ManualMessage.including(optional: ManualMessage.conversation).limit(n).asRequest(of: ManualMessage.Joined.self)
  }
}
