import Foundation
import PostgresServers
import SwiftData
import SyncProtocol
import Testing

@testable import SyncServer

/// Clients find out that the server's database was restored from a backup.
@Suite("A restored log") struct LogRestoreTests {
  @Test("A client that has seen commits which a restored server lost gets all zones whole, and knows the fork")
  func restored() async throws {
    let fixture = try LogFixture()
    let share = try await fixture.share(with: ["bob": true])
    var (ann, bob, late) = (LogClient(fixture), LogClient(fixture, "bob"), LogClient(fixture))
    try await ann.pull()
    try await bob.pull()
    for number in 0..<3 { #expect(try await ann.push([.ann: [.numbered(number): .born()]]) == nil) }
    try await late.pull()
    let backup = try fixture.copy()
    #expect(try await ann.push([.ann: [.d: .born()], share: [.d: .born()]]) == nil)
    try await ann.pull()
    #expect(ann.cursor == 4)
    let old = ann.states
    ann.store = backup.store
    bob.store = backup.store
    late.store = backup.store
    #expect(try await ann.push([.ann: [.a: .set(["x": .null])]]) == .behind)
    // The log goes on beyond the client's cursor before the client returns.
    try await late.pull()
    #expect(late.fork == nil && late.starts == 2)
    for number in 10..<14 { #expect(try await late.push([.ann: [.numbered(number): .born()]]) == nil) }
    try await ann.pull()
    #expect(ann.fork == 3 && ann.cursor == 7 && ann.states[.ann][.d] == nil)
    // What the client had seen behind the fork is known by its commits.
    let lost = old.zones.values.flatMap(\.records).filter { $0.value.commit ?? 0 > 3 }
    #expect(lost.map(\.key) == [.d, .d])
    try await bob.pull()
    #expect(bob.fork == nil && bob.states[share] == ann.states[share])
  }

  @Test("A restore to a state before the last start is found, too")
  func restoredFurther() async throws {
    let fixture = try LogFixture()
    var ann = LogClient(fixture)
    try await ann.pull()
    #expect(try await ann.push([.ann: [.a: .born()]]) == nil)
    let backup = try fixture.copy()
    ann.store = try fixture.another()
    try await ann.pull()
    #expect(try await ann.push([.ann: [.b: .born()]]) == nil)
    try await ann.pull()
    #expect(ann.fork == nil && ann.cursor == 2)
    ann.store = backup.store
    try await ann.pull()
    #expect(ann.fork == 1 && ann.states[.ann].records.count == 1 && ann.cursor == 1)
  }

  @Test("A start of the server alone costs a client one request")
  func restarted() async throws {
    let fixture = try LogFixture()
    var ann = LogClient(fixture)
    try await ann.pull()
    #expect(try await ann.push([.ann: [.a: .born()]]) == nil)
    try await ann.pull()
    let before = ann.answers
    for _ in 0..<3 { ann.store = try fixture.another() }
    try await ann.pull()
    #expect(ann.answers == before + 2)
    #expect(ann.fork == nil && ann.epochs.count == 4)
    #expect(ann.starts == 1)
  }

  @Test("A database that is restored while a server runs on it begins an epoch", arguments: TestStore.available)
  func restoredMeanwhile(_ kind: TestStore) async throws {
    let fixture = try LogFixture(kind)
    var ann = LogClient(fixture)
    try await ann.pull()
    for name in [RecordName.a, .b] { #expect(try await ann.push([.ann: [name: .born()]]) == nil) }
    try await ann.pull()
    // As if a backup of the first commit were there now.
    try await fixture.store.lose(after: 1)
    #expect(try await ann.push([.ann: [.c: .born()]]) == .behind)
    try await ann.pull()
    #expect(ann.fork == 1 && ann.cursor == 1 && ann.states[.ann].records.keys.sorted() == [.a])
    #expect(try await ann.push([.ann: [.c: .born()]]) == nil)
    try await ann.pull()
    #expect(ann.cursor == 2 && ann.epochs.count == 2)
  }

  @Test(
    "A process that has answered no request since its start finds such a restore, too", arguments: TestStore.available)
  func restoredUnused(_ kind: TestStore) async throws {
    let fixture = try LogFixture(kind)
    var ann = LogClient(fixture)
    try await ann.pull()
    for name in [RecordName.a, .b] { #expect(try await ann.push([.ann: [name: .born()]]) == nil) }
    let unused = try fixture.another()
    try await ann.pull()
    try await fixture.store.lose(after: 1)
    ann.store = unused
    #expect(try await ann.push([.ann: [.c: .born()]], cursor: 1) == .behind)
    try await ann.pull()
    #expect(ann.fork == 1 && ann.cursor == 1)
  }

  @Test(
    "A process that was idle before the files of its PostgreSQL server were restored begins an epoch, and no commit comes again before",
    .enabled(if: TestStore.postgresURL != nil, "POSTGRES_URL names no server"))
  func restoredFiles() async throws {
    let server = try PrivateServer()
    let fixture = try LogFixture(at: server.url)
    let idle = try fixture.another()
    var (ann, bob) = (LogClient(fixture), LogClient(fixture, "bob"))
    try await ann.pull()
    try await bob.pull()
    for name in [RecordName.a, .b] { #expect(try await ann.push([.ann: [name: .born()]]) == nil) }
    try await ann.pull()
    // As if the server ran on a backup of the first commit now.
    try await fixture.store.lose(after: 1)
    try server.restart()
    (ann.store, bob.store) = (idle, idle)
    #expect(try await bob.push([bob.own: [.a: .born()]]) == .behind)
    try await bob.pull()
    for number in 0..<3 { #expect(try await bob.push([bob.own: [.numbered(number): .born()]]) == nil) }
    // The log has a commit of the number that Ann's client has seen, with another content.
    try await ann.pull()
    #expect(ann.fork == 1 && ann.cursor == 4 && ann.states[.ann].records.keys.sorted() == [.a])
    // A process that finds the epoch begins no other one.
    ann.store = fixture.store
    try await ann.pull()
    #expect(ann.epochs.count == 3)
    server.stop()
  }

  @Test("A fold and a scan that began before a restore end without a change")
  func compactions() async throws {
    let fixture = try LogFixture()
    var ann = LogClient(fixture)
    try await ann.pull()
    #expect(try await ann.push([.ann: [.a: .born()]]) == nil)
    #expect(try await ann.push([.ann: [.a: .dead()]]) == nil)
    try await ann.pull()
    let key = ZoneName.ann.text
    var fold = try #require(try await fixture.store.beginFold(key))
    while try await fixture.store.foldMore(&fold) {}
    try await fixture.store.lose(after: 1)
    #expect(try await !fixture.store.endFold(fold))
    #expect(try await fixture.compact(.ann).folded == 1)
    try await ann.pull()
    #expect(ann.fork == 1 && ann.states[.ann][.a]?.born != nil && ann.states[.ann][.a]?.dead == nil)
  }
}

extension ZoneStore {
  /// Removes the entries after a commit, as a restored backup lacks them.
  /// - Parameter isNoticed: whether this process finds out.
  func lose(after commit: Int64, isNoticed: Bool = true) throws {
    try transaction { context in
      try context.delete(model: LogPart.self, where: #Predicate { $0.commit > commit })
      try context.delete(model: LogTransaction.self, where: #Predicate { $0.commit > commit })
      try head(context).commit = commit
    }
    if !isNoticed { newestCommit.store(commit, ordering: .relaxed) }
  }
}
