import Foundation
import SwiftData
import Synchronization
import Testing

@testable import SwiftDataPostgres

private enum Old {
  @Model final class Item {
    @Attribute(.unique) var key: String
    var n: Int = 0
    var owner: Owner?
    init(_ key: String) { self.key = key }
  }
  @Model final class Owner {
    var name: String
    var count: Int = 0
    @Relationship(deleteRule: .cascade, inverse: \Item.owner) var items: [Item] = []
    init(_ name: String) { self.name = name }
  }
}

private enum New {
  @Model final class Item {
    @Attribute(.unique) var key: String
    var n: Int = 0
    var maybe: String?
    var owner: Owner?
    init(_ key: String) { self.key = key }
  }
  @Model final class Owner {
    var name: String
    var count: Int = 0
    var more: String?
    @Relationship(deleteRule: .cascade, inverse: \Item.owner) var items: [Item] = []
    init(_ name: String) { self.name = name }
  }
}

private final class Writing: Sendable {
  let isDone = Atomic(false)
  let saves = Atomic(0)
}

@Suite("Opening a store in use", .enabled(if: PostgresServer.isThere, PostgresServer.reason), .timeLimit(.minutes(20)))
struct OpeningTests {
  /// Finds a connection that waits for the table of items.
  private static let waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '\"Item\"'::regclass"
  /// `OPENINGS=15` for as many.
  private static let rounds = ProcessInfo.processInfo.environment["OPENINGS"].flatMap(Int.init) ?? 4

  @Test("with a change of two tables succeeds beside six writers, whose saves are all right", arguments: 0..<rounds)
  func besideWriters(round: Int) throws {
    let store = TestStore()
    let old = try store.open(Old.Item.self, Old.Owner.self)
    do {
      let context = ModelContext(old)
      for number in 0..<6 {
        let owner = Old.Owner("o\(number)")
        context.insert(owner)
        owner.items.append(Old.Item("i\(number)"))
      }
      try context.save()
    }
    let state = Writing()
    let failures = Failures()
    let writers = (0..<6).map { number in
      Worker {
        var turn = 0
        while !state.isDone.load(ordering: .relaxed) {
          failures.collect {
            let context = ModelContext(old)
            let owners = try context.fetch(FetchDescriptor<Old.Owner>())
            let items = try context.fetch(FetchDescriptor<Old.Item>())
            // In two orders.
            if number.isMultiple(of: 2) {
              owners[number].count += 1
              items[number].n += 1
            } else {
              items[number].n += 1
              items[number].owner = owners[(number + turn) % 6]
            }
            context.insert(Old.Item("n\(number)-\(turn)"))
            try context.save()
            state.saves.add(1, ordering: .relaxed)
          }
          turn += 1
        }
      }
    }
    while state.saves.load(ordering: .relaxed) < 20, !Task.isCancelled { Thread.sleep(forTimeInterval: 0.01) }
    var new: ModelContainer?
    #expect(throws: Never.self) { new = try store.open(New.Item.self, New.Owner.self) }
    let atOpening = state.saves.load(ordering: .relaxed)
    // The old program goes on.
    while state.saves.load(ordering: .relaxed) < atOpening + 20, !Task.isCancelled {
      Thread.sleep(forTimeInterval: 0.01)
    }
    state.isDone.store(true, ordering: .relaxed)
    for writer in writers { writer.join() }
    #expect(failures.all == [])
    let items = try ModelContext(#require(new)).fetchCount(FetchDescriptor<New.Item>())
    #expect(items == 6 + state.saves.load(ordering: .relaxed))
  }

  @Test("waits while another program holds its tables, and gives its locks back meanwhile")
  func held() throws {
    let store = TestStore()
    let old = try store.open(Old.Item.self, Old.Owner.self)
    let other = try PostgresConnection(url: store.url, namespace: store.namespace)
    try other.script("BEGIN; LOCK TABLE \"Item\" IN ROW EXCLUSIVE MODE")
    let failures = Failures()
    let opening = Worker { failures.collect { _ = try store.open(New.Item.self, New.Owner.self) } }
    while try store.sql(Self.waiting).count == 0, !Task.isCancelled { Thread.sleep(forTimeInterval: 0.01) }
    while try store.sql(Self.waiting).count > 0, !Task.isCancelled { Thread.sleep(forTimeInterval: 0.01) }
    // It gave up for a moment, so that this save need not wait for its end.
    let context = ModelContext(old)
    context.insert(Old.Item("a"))
    #expect(throws: Never.self) { try context.save() }
    try other.script("COMMIT")
    opening.join()
    #expect(failures.all == [])
  }

  @Test("waits for a save that has written its rows, without a lock that the rest of the save needs")
  func order() throws {
    let store = TestStore()
    _ = try store.open(Old.Item.self, Old.Owner.self)
    let other = try PostgresConnection(url: store.url, namespace: store.namespace)
    try other.script("BEGIN; LOCK TABLE \"Item\" IN ROW EXCLUSIVE MODE")
    let failures = Failures()
    let opening = Worker { failures.collect { _ = try store.open(New.Item.self, New.Owner.self) } }
    while try store.sql(Self.waiting).count == 0, !Task.isCancelled { Thread.sleep(forTimeInterval: 0.01) }
    #expect(throws: Never.self) {
      try other.script("LOCK TABLE _swiftdata_changes, _swiftdata_numbers IN ROW EXCLUSIVE MODE NOWAIT; COMMIT")
    }
    try other.script("ROLLBACK")
    opening.join()
    #expect(failures.all == [])
  }

  @Test("replaces a connection that is lost meanwhile")
  func lost() throws {
    let store = TestStore()
    _ = try store.open(Old.Item.self, Old.Owner.self)
    let other = try PostgresConnection(url: store.url, namespace: store.namespace)
    try other.script("BEGIN")
    try other.run(
      "SELECT pg_advisory_xact_lock(hashtextextended($1::text, 7))", [.text("swiftdata \(store.namespace)")])
    let failures = Failures()
    let opening = Worker { failures.collect { _ = try store.open(New.Item.self, New.Owner.self) } }
    let cut = """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'swiftdata \(store.namespace)' AND \(other.processIdentifier) = ANY(pg_blocking_pids(pid))
      """
    while try store.sql(cut).count == 0, !Task.isCancelled { Thread.sleep(forTimeInterval: 0.01) }
    try other.script("COMMIT")
    opening.join()
    #expect(failures.all == [])
  }
}
