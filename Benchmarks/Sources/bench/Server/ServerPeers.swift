import BenchKit
import CBenchRows
import CRaw
import CRawPostgres
import Foundation
import GRDB
import SwiftData
import SwiftDataPostgres

// MARK: - OpenSwiftData

/// Our library, on either database.
struct OwnServerPeer: ServerPeer {
  /// The threads on which the calls run, which block.
  enum Way: String, CaseIterable {
    /// Each client is a thread with a context of its own.
    case threads
    /// Each client is a task with a model actor of its own.
    case actors
    /// Each operation is a call of `perform`, which makes a context.
    case perform
    /// Each client is a task, and each operation makes a context and blocks the thread of the task. Not recommended.
    case direct
  }

  let container: ModelContainer
  let way: Way
  /// Counts the rows of the history.
  let history: @Sendable () throws -> Int
  var changesOfSave: Int { 1 }

  func client() throws -> ServerClient {
    switch way {
    case .threads:
      .thread { [container] in
        let context = ModelContext(container)
        return { try context.run($0) }
      }
    case .actors:
      .task { [actor = ServerActor(modelContainer: container)] in try await actor.run($0) }
    case .perform:
      .task { [container] operation in try await container.perform { try $0.run(operation) } }
    case .direct:
      .task { [container] in try ModelContext(container).run($0) }
    }
  }

  func save(_ rows: RowSource) throws {
    let context = ModelContext(container)
    for index in 0..<rows.count { context.insert(Message(rows[index])) }
    try context.save()
  }

  func changes() throws -> Int { try history() }
}

@ModelActor
private actor ServerActor {
  func run(_ operation: ServerOperation) throws { try modelContext.run(operation) }
}

extension ModelContext {
  fileprivate func run(_ operation: ServerOperation) throws {
    switch operation {
    case .page(let conversation):
      var descriptor = FetchDescriptor<Message>(
        predicate: #Predicate { $0.conversationID == conversation },
        sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
      descriptor.fetchLimit = 20
      try check(fetch(descriptor), 20)
    case .point(let id):
      try check(fetch(FetchDescriptor<Message>(predicate: #Predicate { $0.id == id })), 1)
    case .raise(let id):
      let found = try fetch(FetchDescriptor<Message>(predicate: #Predicate { $0.id == id }))
      try check(found, 1)
      found[0].retryCount += 1
      try save()
    }
  }

  /// Reads every property.
  private func check(_ found: [Message], _ count: Int) throws {
    guard found.count == count, found.reduce(0, { $0 + $1.touched }) > 0 else {
      throw Failure("\(found.count) objects instead of \(count)")
    }
  }
}

// MARK: - SQLite

/// SQLite from C: each client is a thread with a connection, and writes take turns by a lock.
struct RawServerPeer: ServerPeer {
  let path: String
  private let turn = ServerTurn()

  init(path: String) throws {
    self.path = path
    let connection = craw_open(path)
    craw_client_begin(connection)
    craw_close(connection)
  }

  func client() throws -> ServerClient {
    .thread { [path, turn] in
      guard let connection = craw_open(path) else { throw Failure("SQLite has no memory") }
      craw_client_begin(connection)
      return { operation in
        let sum: Int64
        switch operation {
        case .page(let conversation): sum = craw_client_page(connection, conversation)
        case .point(let id): sum = craw_client_point(connection, id)
        case .raise(let id):
          turn.take { craw_client_raise(connection, id) }
          sum = 1
        }
        guard sum > 0 else { throw Failure("the rows are empty") }
      }
    }
  }

  func save(_ rows: RowSource) throws {
    let peer = RawC(path: path, trace: false)
    peer.prepare(rows)
    turn.take { peer.insert(rows) }
    peer.close()
  }

  func changes() throws -> Int { try ServerHistory.count(path, "history") }
}

/// The lock of programs whose threads write with connections of their own.
final class ServerTurn: Sendable {
  // Not a Mutex, whose waiters convoy on Linux.
  private let lock = NSLock()

  func take<T>(_ body: () throws -> T) rethrows -> T { try lock.withLock(body) }
}

/// GRDB's pool, with its asynchronous methods: five readers and a writer, as ours.
struct GRDBServerPeer: ServerPeer {
  let path: String
  private let pool: DatabasePool

  init(path: String) throws {
    self.path = path
    pool = try DatabasePool(path: path)
    try pool.write { try $0.execute(sql: String(cString: bench_history_table())) }
  }

  func client() throws -> ServerClient {
    .task { [pool] operation in
      switch operation {
      case .page(let conversation):
        let found = try await pool.read {
          try ManualMessage.filter(Column("conversationID") == conversation).order(Column("createdAt").desc).limit(20)
            .fetchAll($0)
        }
        guard found.count == 20, found.reduce(0, { $0 + $1.touched() }) > 0 else { throw Failure("no full page") }
      case .point(let id):
        let found = try await pool.read { try ManualMessage.fetchOne($0, key: id) }
        guard let found, found.touched() > 0 else { throw Failure("no message \(id)") }
      case .raise(let id):
        try await pool.write { try Self.raise($0, id) }
      }
    }
  }

  private static func raise(_ database: Database, _ id: String) throws {
    guard var message = try ManualMessage.fetchOne(database, key: id) else { throw Failure("no message \(id)") }
    message.retryCount += 1
    try message.update(database, columns: ["retryCount"])
    let changes = #"[{"kind":1,"class":"Message","properties":["retryCount"],"keys":["\#(id)"]}]"#
    try database.cachedStatement(sql: String(cString: bench_history_insertion()))
      .execute(arguments: [Double(bench_now_ns()) / 1e9, nil, "bench", "12345", changes])
  }

  func save(_ rows: RowSource) throws {
    try pool.write { database in
      for index in 0..<rows.count { try ManualMessage(rows[index]).insert(database) }
    }
  }

  func changes() throws -> Int { try ServerHistory.count(path, "history") }
}

// MARK: - PostgreSQL

/// libpq from C: each client is a thread, and the threads share as many connections as the other peers have.
struct LibPQServerPeer: ServerPeer {
  private let pool: LibPQPool
  private let url: String

  init(url: String) throws {
    self.url = url
    pool = try LibPQPool(url)
  }

  func client() throws -> ServerClient {
    .thread { [pool] in
      { operation in
        try pool.with { connection in
          let sum: Int64
          switch operation {
          case .page(let conversation): sum = strings(conversation) { crawpg_page(connection, $0, 1, 20) }
          case .point(let id): sum = strings(id) { crawpg_point(connection, $0, 1) }
          case .raise(let id):
            crawpg_client_raise(connection, id)
            sum = 1
          }
          guard sum > 0 else { throw Failure("the rows are empty") }
        }
      }
    }
  }

  /// By COPY, with keys of its own.
  func save(_ rows: RowSource) throws {
    let all = UnsafeMutableBufferPointer<bench_row>.allocate(capacity: rows.count)
    defer { all.deallocate() }
    for index in 0..<rows.count { bench_make_row(Int64(rows.from + index), all.baseAddress! + index) }
    pool.with { crawpg_copy_after($0, all.baseAddress, Int64(rows.from), Int64(rows.count)) }
  }

  func changes() throws -> Int { try ServerHistory.count(url: url, "bench.raw_history") }
}

private func strings<T>(_ text: String, _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> T) -> T {
  text.withCString { pointer in withUnsafePointer(to: Optional(pointer)) { body($0) } }
}

/// Connections that threads lend each other.
// @unchecked Sendable because the lock guards the idle ones, and a thread takes one out of them.
private final class LibPQPool: @unchecked Sendable {
  private let free = DispatchSemaphore(value: ServerDatabase.connections)
  private let lock = NSLock()
  private var idle: [OpaquePointer]

  init(_ url: String) throws {
    idle = try (0..<ServerDatabase.connections).map { _ in
      guard let connection = crawpg_open(url, "bench.raw") else { throw Failure("libpq has no memory") }
      crawpg_client_begin(connection)
      return connection
    }
  }

  func with<T>(_ body: (OpaquePointer) throws -> T) rethrows -> T {
    free.wait()
    let connection = lock.withLock { idle.removeLast() }
    defer {
      lock.withLock { idle.append(connection) }
      free.signal()
    }
    return try body(connection)
  }
}

/// Counts rows of a history, to check that each write was kept once.
enum ServerHistory {
  static func count(_ path: String, _ table: String) throws -> Int {
    let queue = try DatabaseQueue(path: path)
    return try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") } ?? 0
  }

  static func count(url: String, _ table: String) throws -> Int {
    guard let count = Int(try PostgresShell(url).ask("SELECT count(*) FROM \(table)")) else {
      throw Failure("\(table) has no count")
    }
    return count
  }
}
