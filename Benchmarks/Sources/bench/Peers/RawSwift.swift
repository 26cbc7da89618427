import BenchKit
import GRDBSQLite

/// The SQLite C API from hand-tuned Swift: prepared statements, structs with Swift strings.
/// The floor for a Swift library that returns String properties.
final class RawSwift: Peer {
  static let name = "raw Swift"
  private var db: OpaquePointer!
  private var loaded: [Message] = []
  private(set) var statementCount = 0
  var statements: Int? { statementCount }

  struct Message {
    var id, conversationID, senderID, text: String
    var createdAt, updatedAt: Double
    var status: Status
    var syncStatus: SyncStatus
    var retryCount: Int
    var category: String?
    var categoryConfidence: Double?
    var unreadFlag: Bool
  }
  static let columns = """
    id, conversationID, senderID, text, createdAt, updatedAt, status, syncStatus, \
    retryCount, category, categoryConfidence, unreadFlag
    """

  init(path: String, trace: Bool) {
    check(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil))
    exec("PRAGMA journal_mode=WAL")
    exec("PRAGMA synchronous=NORMAL")
  }
  func close() { sqlite3_close(db) }

  private func check(_ rc: Int32, _ expected: Int32 = SQLITE_OK) {
    if rc != expected { fatalError(String(cString: sqlite3_errmsg(db))) }
  }
  private func exec(_ sql: String) {  // transaction control is not counted
    check(sqlite3_exec(db, sql, nil, nil, nil))
  }
  private func prepare(_ sql: String) -> OpaquePointer {
    var s: OpaquePointer?
    check(sqlite3_prepare_v2(db, sql, -1, &s, nil))
    return s!
  }
  @inline(__always) private func bind(_ s: OpaquePointer, _ i: Int32, _ value: String) {
    var value = value
    value.withUTF8 {
      _ = sqlite3_bind_text(
        s, i, UnsafeRawPointer($0.baseAddress)?.assumingMemoryBound(to: CChar.self), Int32($0.count),
        unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }
  }
  private func step(_ s: OpaquePointer) {
    statementCount += 1
    check(sqlite3_step(s), SQLITE_DONE)
    sqlite3_reset(s)
  }
  @inline(__always) private func text(_ s: OpaquePointer, _ i: Int32) -> String {
    let p = sqlite3_column_text(s, i)
    return String(
      decoding: UnsafeBufferPointer(start: p, count: Int(sqlite3_column_bytes(s, i))), as: UTF8.self)
  }
  @inline(__always) private func message(_ s: OpaquePointer) -> Message {
    let st = sqlite3_column_text(s, 6)!
    let status: Status =
      switch st[0] {
      case UInt8(ascii: "d"): .delivered
      case UInt8(ascii: "r"): .read
      default: st[3] == UInt8(ascii: "d") ? .sending : .sent
      }
    let sync: SyncStatus =
      switch sqlite3_column_text(s, 7)![0] {
      case UInt8(ascii: "p"): .pending
      case UInt8(ascii: "s"): .synced
      default: .failed
      }
    return Message(
      id: text(s, 0), conversationID: text(s, 1), senderID: text(s, 2), text: text(s, 3),
      createdAt: sqlite3_column_double(s, 4), updatedAt: sqlite3_column_double(s, 5),
      status: status, syncStatus: sync, retryCount: Int(sqlite3_column_int64(s, 8)),
      category: sqlite3_column_type(s, 9) == SQLITE_NULL ? nil : text(s, 9),
      categoryConfidence: sqlite3_column_type(s, 10) == SQLITE_NULL ? nil : sqlite3_column_double(s, 10),
      unreadFlag: sqlite3_column_int(s, 11) != 0)
  }
  private func collect(_ s: OpaquePointer) -> [Message] {
    var all: [Message] = []
    statementCount += 1
    while sqlite3_step(s) == SQLITE_ROW { all.append(message(s)) }
    sqlite3_reset(s)
    return all
  }
  private func sum(_ all: [Message]) -> Int64 {
    var sum: Int64 = 0
    for m in all {
      sum += touch(
        m.id, m.conversationID, m.senderID, m.text, m.createdAt, m.updatedAt, m.status, m.syncStatus,
        m.retryCount, m.category, m.categoryConfidence, m.unreadFlag)
    }
    return sum
  }

  func insert(_ source: RowSource) {
    exec("BEGIN IMMEDIATE")
    let s = prepare("INSERT INTO message (\(Self.columns)) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)")
    for k in 0..<source.count {
      let r = source[k]
      bind(s, 1, r.id); bind(s, 2, r.conversationID); bind(s, 3, r.senderID); bind(s, 4, r.text)
      sqlite3_bind_double(s, 5, r.createdAt)
      sqlite3_bind_double(s, 6, r.updatedAt)
      bind(s, 7, r.status.rawValue); bind(s, 8, r.syncStatus.rawValue)
      sqlite3_bind_int64(s, 9, Int64(r.retryCount))
      if let c = r.category { bind(s, 10, c) } else { sqlite3_bind_null(s, 10) }
      if let c = r.categoryConfidence { sqlite3_bind_double(s, 11, c) } else { sqlite3_bind_null(s, 11) }
      sqlite3_bind_int(s, 12, r.unreadFlag ? 1 : 0)
      step(s)
    }
    sqlite3_finalize(s)
    exec("COMMIT")
  }
  func fetchAll() -> Int64 {
    let s = prepare("SELECT \(Self.columns) FROM message")
    defer { sqlite3_finalize(s) }
    return sum(collect(s))
  }
  func fetchTwo() -> Int64 {
    let s = prepare("SELECT \(Self.columns) FROM message")
    defer { sqlite3_finalize(s) }
    return collect(s).reduce(0) { $0 + Int64($1.text.utf8.count + $1.retryCount) }
  }
  func pointFetch(_ ids: [String]) -> Int64 {
    exec("BEGIN")
    defer { exec("COMMIT") }
    return pointFetchSeparately(ids)
  }
  func pointFetchSeparately(_ ids: [String]) -> Int64 {
    let s = prepare("SELECT \(Self.columns) FROM message WHERE id = ?")
    defer { sqlite3_finalize(s) }
    var total: Int64 = 0
    for id in ids {
      bind(s, 1, id)
      total += sum(collect(s))
    }
    return total
  }
  func page(_ conversations: [String], limit: Int) -> Int64 {
    let s = prepare(
      "SELECT \(Self.columns) FROM message WHERE conversationID = ? ORDER BY createdAt DESC LIMIT ?")
    defer { sqlite3_finalize(s) }
    exec("BEGIN")
    defer { exec("COMMIT") }
    var total: Int64 = 0
    for c in conversations {
      bind(s, 1, c)
      sqlite3_bind_int64(s, 2, Int64(limit))
      total += sum(collect(s))
    }
    return total
  }
  func load(_ n: Int) {
    let s = prepare("SELECT \(Self.columns) FROM message LIMIT \(n)")
    loaded = collect(s)
    sqlite3_finalize(s)
  }
  private func update(tiny: Bool) {
    if !tiny { exec("BEGIN IMMEDIATE") }
    let s = prepare("UPDATE message SET retryCount = ? WHERE id = ?")
    for k in loaded.indices {
      loaded[k].retryCount += 1
      sqlite3_bind_int64(s, 1, Int64(loaded[k].retryCount))
      bind(s, 2, loaded[k].id)
      step(s)
    }
    sqlite3_finalize(s)
    if !tiny { exec("COMMIT") }
  }
  func updateLoaded() { update(tiny: false) }
  func tinyTransactions() { update(tiny: true) }
  func relationLazy(_ n: Int) -> Int64 {
    exec("BEGIN")
    defer { exec("COMMIT") }
    var s = prepare("SELECT \(Self.columns) FROM message LIMIT \(n)")
    let all = collect(s)
    sqlite3_finalize(s)
    s = prepare("SELECT id, displayName, isGroup, isPinned, updatedAt FROM conversation WHERE id = ?")
    defer { sqlite3_finalize(s) }
    var sum: Int64 = 0
    for m in all {
      bind(s, 1, m.conversationID)
      statementCount += 1
      check(sqlite3_step(s), SQLITE_ROW)
      sum += Int64(m.id.utf8.count) + Int64(text(s, 1).utf8.count)
      sqlite3_reset(s)
    }
    return sum
  }
  func relationEager(_ n: Int) -> Int64 {
    let columns = Self.columns.split(separator: ", ").map { "m.\($0)" }.joined(separator: ", ")
    let s = prepare(
      """
      SELECT \(columns), c.id, c.displayName, c.isGroup, c.isPinned, c.updatedAt FROM message m \
      LEFT JOIN conversation c ON c.id = m.conversationID LIMIT \(n)
      """)
    defer { sqlite3_finalize(s) }
    var all: [(Message, String)] = []
    statementCount += 1
    while sqlite3_step(s) == SQLITE_ROW { all.append((message(s), text(s, 13))) }
    return all.reduce(0) { $0 + Int64($1.0.id.utf8.count) + Int64($1.1.utf8.count) }
  }
  func deleteHalf() { exec("DELETE FROM message WHERE unreadFlag = 1") }
  func count() -> Int64 {
    let s = prepare("SELECT COUNT(*) FROM message WHERE status = 'read' AND unreadFlag = 1")
    defer { sqlite3_finalize(s) }
    statementCount += 1
    check(sqlite3_step(s), SQLITE_ROW)
    return sqlite3_column_int64(s, 0)
  }
  func search(_ needle: String) -> Int64 {
    let s = prepare("SELECT \(Self.columns) FROM message WHERE text LIKE ?")
    defer { sqlite3_finalize(s) }
    bind(s, 1, "%\(needle)%")
    return sum(collect(s))
  }
}
