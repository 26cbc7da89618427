import CSwiftDataSQLite
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import SwiftData

private enum Connected {
  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }
}

@Suite struct StoreConnectionsTests {
  @Test("Own saves are never taken for somebody else's, whichever connection reads next")
  func ownSaves() throws {
    let files = try TemporaryStore()
    let container = try files.container(Connected.Note.self)
    let context = ModelContext(container)
    for number in 0..<5 {
      context.insert(Connected.Note("\(number)"))
      try context.save()
      for _ in 0..<3 { #expect(try context.fetch(FetchDescriptor<Connected.Note>()).count == number + 1) }
    }
    #expect(container.core.sqliteStores[0].externalCommits == 0)
  }

  @Test("Somebody else's save is noticed by the next read")
  func foreignSaves() throws {
    let files = try TemporaryStore()
    let (own, foreign) = (try files.container(Connected.Note.self), try files.container(Connected.Note.self))
    let context = ModelContext(own)
    context.insert(Connected.Note("before"))
    try context.save()
    let note = try context.fetch(FetchDescriptor<Connected.Note>())[0]
    let other = ModelContext(foreign)
    try other.fetch(FetchDescriptor<Connected.Note>())[0].text = "after"
    try other.save()
    _ = try context.fetch(FetchDescriptor<Connected.Note>())
    #expect(note.text == "after")
    #expect(own.core.sqliteStores[0].externalCommits == 1)
  }

  @Test("More readers than connections wait for each other, and all see a state that was saved")
  func manyReaders() async throws {
    let files = try TemporaryStore()
    let container = try files.container(Connected.Note.self)
    let all = await withTaskGroup(of: [Int].self) { group in
      group.addTask {
        let context = ModelContext(container)
        for _ in 0..<40 {
          context.insert(Connected.Note("a"))
          context.insert(Connected.Note("b"))
          try? context.save()
        }
        return []
      }
      for _ in 0..<16 {
        group.addTask {
          let context = ModelContext(container)
          return (0..<10).map { _ in (try? context.fetchCount(FetchDescriptor<Connected.Note>())) ?? -1 }
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(all.count == 160)
    #expect(all.allSatisfy { (0...80).contains($0) && $0.isMultiple(of: 2) })
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Connected.Note>()) == 80)
  }

  @Test("Where the container goes, the file is whole without the log beside it")
  func end() throws {
    let files = try TemporaryStore()
    func work() throws {
      let context = ModelContext(try files.container(Connected.Note.self))
      context.insert(Connected.Note("a"))
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Connected.Note>()) == 1)
    }
    try work()
    // Another test may have made all containers watch their stores. A watch that looks right now holds the container until it is done.
    for _ in 0..<12_000 where FileManager.default.fileExists(atPath: files.url.path + "-wal") { usleep(10_000) }
    #expect(!FileManager.default.fileExists(atPath: files.url.path + "-wal"))
    #expect(try files.shell("SELECT text FROM Note") == "a")
  }

  #if os(Linux)
    /// The number of this process's open descriptors of a file.
    private func descriptors(of url: URL) throws -> Int {
      let folder = "/proc/self/fd"
      return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")) == url.path
      }
    }

    @Test("The writer is opened at the first save, and the log is gone after reading too")
    func reading() throws {
      let files = try TemporaryStore()
      func make() throws {
        let context = ModelContext(try files.container(Connected.Note.self))
        context.insert(Connected.Note("a"))
        try context.save()
      }
      try make()
      func read() throws {
        let context = ModelContext(try files.container(Connected.Note.self))
        #expect(try context.fetchCount(FetchDescriptor<Connected.Note>()) == 1)
        #expect(try descriptors(of: files.url) == 1)
        context.insert(Connected.Note("b"))
        try context.save()
        #expect(try descriptors(of: files.url) == 2)
      }
      func onlyRead(expecting count: Int) throws {
        let context = ModelContext(try files.container(Connected.Note.self))
        #expect(try context.fetchCount(FetchDescriptor<Connected.Note>()) == count)
      }
      try onlyRead(expecting: 1)
      for suffix in ["-wal", "-shm"] { #expect(!FileManager.default.fileExists(atPath: files.url.path + suffix)) }
      try read()
      try onlyRead(expecting: 2)
      for suffix in ["-wal", "-shm"] { #expect(!FileManager.default.fileExists(atPath: files.url.path + suffix)) }
    }
  #endif

  @Test("A file that lost its log mode gets it at opening")
  func logMode() throws {
    let files = try TemporaryStore()
    func open() throws { _ = try files.container(Connected.Note.self) }
    try open()
    #expect(try files.shell("PRAGMA journal_mode = DELETE") == "delete")
    try open()
    #expect(try files.shell("PRAGMA journal_mode") == "wal")
  }

  @Test("A read that fails leaves its connection as it was; a closed store says so")
  func failures() throws {
    let files = try TemporaryStore()
    let connections = try StoreConnections(path: files.url.path, options: SQLiteOptions())
    try connections.write { try $0.execute("CREATE TABLE t (x)") }
    #expect(throws: SQLiteError.self) { try connections.look { try $0.execute("INSERT INTO t VALUES (1)") } }
    #expect(throws: SQLiteError.self) { try connections.look { try $0.execute("no SQL") } }
    #expect(throws: CancellationError.self) {
      try connections.write { database in
        try database.execute("INSERT INTO t VALUES (2)")
        throw CancellationError()
      }
    }
    #expect(try connections.look { try $0.integer("SELECT count(*) FROM t") } == 0)
    try connections.close()
    #expect(throws: SQLiteError.self) { try connections.look { try $0.integer("SELECT 1") } }
    #expect(throws: SQLiteError.self) { try connections.write { try $0.execute("INSERT INTO t VALUES (3)") } }
  }

  @Test("A read prepares statements and reads another store amid its transaction, and sees one state throughout")
  func amidATransaction() throws {
    let (files, others) = (try TemporaryStore(), try TemporaryStore())
    let connections = try StoreConnections(path: files.url.path, options: SQLiteOptions())
    let other = try StoreConnections(path: others.url.path, options: SQLiteOptions())
    for (connections, value) in [(connections, 1), (other, 2)] {
      try connections.write { try $0.execute("CREATE TABLE t (x); INSERT INTO t VALUES (\(value))") }
    }
    func value(_ column: String, _ statements: KeptStatements) throws -> Int32 {
      let statement = try statements.statement("SELECT \(column) FROM t")
      defer { sqlite3_reset(statement) }
      #expect(sqlite3_step(statement) == SQLITE_ROW)
      return sqlite3_column_int(statement, 0)
    }
    let seen = try connections.read { statements in
      var seen = [try value("x", statements)]
      try connections.write { try $0.execute("UPDATE t SET x = 10") }
      // More statements than a connection keeps.
      for number in 0..<20 { seen.append(try value("x + \(number)", statements) - Int32(number)) }
      seen.append(try other.read { try value("x", $0) })
      seen.append(Int32(try #require(try statements.database.integer("SELECT x FROM t"))))
      return seen
    }
    #expect(seen == Array(repeating: 1, count: 21) + [2, 1])
    #expect(try connections.read { try value("x", $0) } == 10)
  }

  @Test("B10: Closing by several threads at once ends, and waits for the readers")
  func closing() throws {
    for _ in 0..<20 {
      let files = try TemporaryStore()
      let connections = try StoreConnections(path: files.url.path, options: SQLiteOptions())
      try connections.write { try $0.execute("CREATE TABLE a (b)") }
      // All readers are busy, so that the closers wait and get the permits in turn.
      let (isReading, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let (readers, closers) = (DispatchGroup(), DispatchGroup())
      for _ in 0..<5 {
        readers.enter()
        Thread.detachNewThread {
          _ = try? connections.look { _ in
            isReading.signal()
            mayEnd.wait()
          }
          readers.leave()
        }
      }
      for _ in 0..<5 { isReading.wait() }
      for _ in 0..<4 {
        closers.enter()
        Thread.detachNewThread {
          try? connections.close()
          closers.leave()
        }
      }
      for _ in 0..<5 { mayEnd.signal() }
      readers.wait()
      let end = closers.wait(timeout: .now() + 600)
      try #require(end == .success)
      try connections.close()
      #expect(throws: (any Error).self) { try connections.look { _ in } }
    }
  }

  /// Runs `body` while all readers are in use.
  private func whileAllRead(_ connections: StoreConnections, _ count: Int = 5, _ body: () throws -> Void) throws {
    try connections.look { _ in
      if count == 1 { try body() } else { try whileAllRead(connections, count - 1, body) }
    }
  }

  @Test("A fetch gives up if all readers stay in use, a save if the writer does, and both can be tried again")
  func timeout() throws {
    let files = try TemporaryStore()
    var configuration = ModelConfiguration(url: files.url)
    configuration.connectionTimeout = .zero
    let container = try ModelContainer(for: Connected.Note.self, configurations: configuration)
    guard case .connections(let connections) = container.core.sqliteStores[0].access else {
      Issue.record("an open store has connections")
      return
    }
    let context = ModelContext(container)
    context.insert(Connected.Note("a"))
    try whileAllRead(connections) {
      let error = #expect(throws: SwiftDataError.storeLocked) {
        try ModelContext(container).fetch(FetchDescriptor<Connected.Note>())
      }
      #expect(error?.message?.contains("all 5 connections that read were in use") == true)
      #expect(error?.message?.contains("raise `connectionTimeout`") == true)
    }
    try connections.write { _ in
      let error = #expect(throws: SwiftDataError.storeLocked) { try context.save() }
      #expect(error?.message?.contains("the connection that saves was in use") == true)
    }
    #expect(context.insertedModelsArray.count == 1)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Connected.Note>()) == 1)
  }

  @Test("A fetch of a store in memory gives up if a save stays in it")
  func timeoutInMemory() throws {
    let connections = try StoreConnections(inMemory: SQLiteOptions(), timeout: 0)
    try connections.write { try $0.execute("CREATE TABLE t (x)") }
    try connections.write { database in
      #expect(throws: SwiftDataError.storeLocked) { try connections.look { try $0.integer("SELECT count(*) FROM t") } }
      try database.execute("INSERT INTO t VALUES (1)")
    }
    #expect(try connections.look { try $0.integer("SELECT count(*) FROM t") } == 1)
  }

  /// Whether closing from inside an own read and write throws, and leaves the store open.
  private static func staysOpen(_ connections: StoreConnections) throws -> Bool {
    func isRefused() -> Bool {
      do {
        try connections.close()
        return false
      } catch {
        return (error as? SwiftDataError)?.message?.contains("the store could not be closed") == true
      }
    }
    try connections.write { try $0.execute("CREATE TABLE t (x)") }
    guard try connections.look({ _ in isRefused() }), try connections.write({ _ in isRefused() }) else { return false }
    try connections.write { try $0.execute("INSERT INTO t VALUES (1)") }
    let count = try connections.look { try $0.integer("SELECT count(*) FROM t") }
    try connections.close()
    return count == 1
  }

  @Test("Closing from inside an own read or write gives up, and the store stays open")
  func closingInside() async {
    // In processes of their own, which end if they hang.
    await #expect(processExitsWith: .success) {
      alarm(120)
      let files = try TemporaryStore()
      let connections = try StoreConnections(path: files.url.path, options: SQLiteOptions(), timeout: 0.05)
      exit(try Self.staysOpen(connections) ? 0 : 1)
    }
    await #expect(processExitsWith: .success) {
      alarm(120)
      exit(try Self.staysOpen(try StoreConnections(inMemory: SQLiteOptions(), timeout: 0.05)) ? 0 : 1)
    }
  }

  @Test("A thread that gave up gets no turn, and each of those that wait gets one")
  func turns() {
    let turns = Turns()
    #expect(turns.begin(within: nil))
    #expect(!turns.begin(within: 0))
    let done = DispatchGroup()
    let count = Mutex((now: 0, all: 0))
    let most = Mutex(0)
    for _ in 0..<8 {
      done.enter()
      Thread.detachNewThread {
        for _ in 0..<100 {
          guard turns.begin(within: nil) else { break }
          let now = count.withLock {
            $0 = ($0.now + 1, $0.all + 1)
            return $0.now
          }
          most.withLock { $0 = max($0, now) }
          count.withLock { $0.now -= 1 }
          turns.end()
        }
        done.leave()
      }
    }
    #expect(!turns.begin(within: 0))
    #expect(count.withLock { $0.all } == 0)
    turns.end()
    done.wait()
    #expect(count.withLock { $0.all } == 800)
    #expect(most.withLock { $0 } == 1)
    #expect(turns.begin(within: 0))
  }
}
