import Foundation
import SwiftData
import SyncProtocol
import Testing

@testable import SyncServer

/// Several servers take pushes to the same zones at once. On SQLite they are several stores of one file.
@Suite("Several servers on one log", .timeLimit(.minutes(20))) struct LogContentionTests {
  /// A client's push, as the model repeats it later.
  private struct Sent {
    let transaction: SyncLog.Transaction
    let account: String
    let cursor: Int64
    let before: [UUID]
    /// The reason why a server refused it.
    let refusal: SyncFailure.Code?

    var identity: LogIdentity { LogIdentity(account: account, id: transaction.id) }
  }

  /// Saves, pushes and pulls until all of the client's saves are in the log.
  /// - Returns: the client, and its pushes in their order.
  private static func work(
    _ client: LogClient, _ seed: Int, saves: Int
  ) async throws -> (client: LogClient, sent: [Sent]) {
    var (client, random, sent, left) = (client, RandomRegisters(seed: seed), [Sent](), saves)
    let zones = try #require(client.list).zones.map(\.name)
    while left > 0 || !client.outbox.isEmpty {
      if left > 0 {
        var parts: [ZoneName: [RecordName: Registers]] = [:]
        for _ in 0...random.below(3) {
          parts[random.pick(zones), default: [:]][random.name()] = random.registers(zones)
        }
        client.outbox.append(SyncLog.Transaction(id: random.id(), parts: parts))
        left -= 1
      }
      let transactions = Array(client.outbox.prefix(1 + random.below(3)))
      let request = SyncLog.PushRequest(
        cursor: client.cursor, epoch: try #require(client.epochs.last).name, transactions: transactions)
      let answer = try await client.store.answer(request, account: client.account)
      let taken = answer.taken.clamped(to: 0...transactions.count)
      for (index, transaction) in transactions.prefix(taken + 1).enumerated() {
        sent.append(
          Sent(
            transaction: transaction, account: client.account, cursor: client.cursor,
            before: transactions[..<index].map(\.id), refusal: index < taken ? nil : answer.refusal?.code))
      }
      if let refusal = answer.refusal?.code, [.clockAhead, .missingAsset].contains(refusal) {
        client.outbox.remove(at: taken)
      }
      if answer.refusal != nil || random.chance(30) { try await client.pull() }
    }
    try await client.pull()
    return (client, sent)
  }

  @Test(
    "take each transaction once, in an order in which the model takes the same ones, and refuse no other ones",
    arguments: TestStore.available, 0..<3)
  func order(_ kind: TestStore, _ seed: Int) async throws {
    let fixture = try LogFixture(kind)
    let servers = [fixture.store, try fixture.another(), try fixture.another()]
    let accounts = ["ann", "bob", "cy", "ann", "bob", "cy"]
    var shares: [ZoneName: ModelServer.Share] = [:]
    for owner in ["ann", "bob"] {
      let others = Dictionary(uniqueKeysWithValues: ["ann", "bob", "cy"].filter { $0 != owner }.map { ($0, true) })
      shares[try await fixture.share(of: owner, with: others)] = ModelServer.Share(owner: owner, members: others)
    }
    var clients: [LogClient] = []
    for (index, account) in accounts.enumerated() {
      var client = LogClient(servers[index % servers.count], account)
      try await client.pull()
      clients.append(client)
    }
    let done = try await withThrowingTaskGroup(of: (client: LogClient, sent: [Sent]).self) { group in
      for (index, client) in clients.enumerated() {
        // The numbers of near seeds overlap.
        group.addTask { try await Self.work(client, (seed * 6 + index) * 1_000_000, saves: 12) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let sent = done.flatMap(\.sent)

    // The model takes the transactions in the order of their commits.
    var model = ModelServer()
    (model.now, model.shares) = (fixture.clock.now, shares)
    model.start(0)
    // A client may send a transaction again. The first time counts.
    let taken = Dictionary(sent.filter { $0.refusal == nil }.map { ($0.identity, $0) }) { first, _ in first }
    let commits = try await servers[0].commits(of: Array(taken.keys))
    #expect(commits.values.sorted() == (1...Int64(taken.count)).map(\.self))
    for (identity, _) in commits.sorted(by: { $0.value < $1.value }) {
      let one = try #require(taken[identity])
      #expect(model.push(one.transaction, one.account, cursor: one.cursor, epoch: 0, before: one.before) == nil)
    }
    #expect(model.commit == commits.values.max())

    // With all entries, the model refuses each refused one too.
    for one in sent where one.refusal != nil {
      var model = model
      let copy = SyncLog.Transaction(id: UUID(), parts: one.transaction.parts)
      let refusal = model.push(copy, one.account, cursor: one.cursor, epoch: 0, before: one.before)
      // The check of moves comes before that of assets.
      #expect(refusal == one.refusal || one.refusal == .missingAsset && refusal == .moved)
    }
    for (var client, _) in done {
      try await client.pull()
      for zone in client.known { #expect(client.states[zone] == model.state(zone, at: model.commit)) }
    }
    print("several servers on \(kind): \(taken.count) taken, \(sent.count { $0.refusal != nil }) refused")
  }

  @Test("take a move or the write that races it, and never both or a half", arguments: TestStore.available)
  func moves(_ kind: TestStore) async throws {
    let fixture = try LogFixture(kind)
    let share = try await fixture.share(with: ["bob": true])
    var (ann, bob) = (LogClient(fixture), LogClient(try fixture.another(), "bob"))
    for number in 0..<20 {
      try await ann.pull()
      let name = RecordName.numbered(number)
      #expect(try await ann.push([share: [name: .born()]]) == nil)
      try await ann.pull()
      try await bob.pull()
      let move = [share: [name: Registers.home(.ann)], .ann: [name: .born().joining(.home(.ann))]]
      let write = [share: [name: Registers.set(["x": .integer(1)], at: Registers.time(2000))]]
      let (mover, writer) = (ann, bob)
      async let moved = mover.push(move)
      async let written = writer.push(write)
      let (first, second) = try await (moved, written)
      #expect(Set([first, second]) == [nil, .moved])
      try await ann.pull()
      #expect((ann.states[share][name]?.home != nil) == (first == nil))
      #expect((ann.states[.ann][name] != nil) == (first == nil))
      #expect((ann.states[share][name]?.fields["x"] != nil) == (second == nil))
    }
  }

  @Test(
    "take a large push although another server takes small ones without a pause", arguments: TestStore.available)
  func large(_ kind: TestStore) async throws {
    let fixture = try LogFixture(kind)
    var (ann, bob) = (LogClient(fixture), LogClient(try fixture.another(), "bob"))
    try await bob.pull()
    try await ann.pull()
    let (cursor, epoch) = (ann.cursor, try #require(ann.epochs.last).name)
    let transactions = (0..<500).map { SyncLog.Transaction(id: UUID(), parts: [.ann: [.numbered($0): .born()]]) }
    let small = Task { [bob] () async throws -> Int in
      var count = 0
      while !Task.isCancelled {
        #expect(try await bob.push([bob.own: [.numbered(count % 50): .born()]]) == nil)
        count += 1
      }
      return count
    }
    let request = SyncLog.PushRequest(cursor: cursor, epoch: epoch, transactions: transactions)
    let answer = try await fixture.store.push(request, account: "ann").response
    small.cancel()
    #expect(answer.refusal == nil && answer.taken.value(in: 500...500) != nil)
    _ = try await small.value
    try await ann.pull()
    #expect(ann.states[.ann].records.count == 500)
  }

  @Test(
    "fold the logs of the zones that others push to, and clients of each server have the same states",
    arguments: TestStore.available)
  func compaction(_ kind: TestStore) async throws {
    let fixture = try LogFixture(kind)
    let share = try await fixture.share(with: ["bob": true])
    let servers = [fixture.store, try fixture.another()]
    let compactors = servers.map { server in
      Task { () async throws -> Int in
        var folds = 0
        do {
          while !Task.isCancelled {
            if try await server.compactLog(share.text).folded != nil { folds += 1 }
            // The other tests need the thread too.
            await Task.yield()
          }
        } catch is CancellationError {}
        return folds
      }
    }
    let clients = try await withThrowingTaskGroup(of: LogClient.self) { group in
      for (index, account) in ["ann", "bob", "ann", "bob"].enumerated() {
        group.addTask {
          var client = LogClient(servers[index % 2], account)
          for number in 0..<25 {
            let registers = Registers.born("Note", ["x": .integer(Int64(number))])
            let parts = [share: [RecordName.numbered(number * 4 + index): registers.joining(.refer(.numbered(number)))]]
            client.outbox.append(SyncLog.Transaction(id: UUID(), parts: parts))
            repeat { try await Self.pull(&client) } while try await client.push() != nil
          }
          try await Self.pull(&client)
          return client
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    for compactor in compactors { compactor.cancel() }
    var folds = 0
    for compactor in compactors { folds += try await compactor.value }
    #expect(folds > 0)
    var states: [SyncProtocol.ZoneState] = []
    for var client in clients + [LogClient(servers[0])] {
      #expect(client.outbox.isEmpty)
      try await client.pull()
      states.append(client.states[share])
    }
    #expect(states[0].records.count == 100)
    for state in states { #expect(state == states[0]) }
    try await fixture.compact(share)
    let stored = try await fixture.stored(share)
    #expect(stored.size == stored.measured && !stored.hasLeftovers)
  }

  /// Pulls, and repeats a pull that a fold interrupted.
  private static func pull(_ client: inout LogClient) async throws {
    while true {
      do { return try await client.pull() } catch let failure as SyncFailure where failure.code == .unavailable {}
    }
  }

  @Test("answer the pushes that come at once together, and one that fails does not fail the others")
  func together() async throws {
    let fixture = try LogFixture()
    let share = try await fixture.share(with: ["bob": true, "cy": false])
    var clients: [LogClient] = []
    for account in ["ann", "bob", "cy", "ann"] {
      var client = LogClient(fixture, account)
      try await client.pull()
      clients.append(client)
    }
    let epoch = try #require(clients[0].epochs.last).name
    let shared = SyncLog.Transaction(id: UUID(), parts: [share: [.a: .home(.ann)], .ann: [.a: .born()]])
    func checked(_ account: String, _ transactions: [SyncLog.Transaction]) async throws -> ZoneStore.CheckedPush {
      try await fixture.store.check(
        SyncLog.PushRequest(cursor: 0, epoch: epoch, transactions: transactions), account)
    }
    let pushes = [
      try await checked("ann", [shared]),
      // The record moved in the same transaction of the database.
      try await checked("bob", [SyncLog.Transaction(id: UUID(), parts: [share: [.a: .set(["x": .null])]])]),
      try await checked("cy", [SyncLog.Transaction(id: UUID(), parts: [share: [.b: .born()]])]),
      try await checked("bob", [SyncLog.Transaction(id: UUID(), parts: [share: [.b: .refer(.c)]])]),
      // The same transaction once more.
      try await checked("ann", [shared, SyncLog.Transaction(id: UUID(), parts: [share: [.a: .set(["y": .null])]])]),
      // A move of a record that another one led to.
      try await checked("ann", [SyncLog.Transaction(id: UUID(), parts: [share: [.c: .home(.ann)]])]),
    ]
    let codes = try await fixture.store.refusals(of: pushes)
    #expect(codes == [nil, .moved, .forbidden, nil, nil, .moved])
    try await clients[0].pull()
    #expect(clients[0].cursor == 3 && clients[0].states[share].records.keys.sorted() == [.a, .b])
    let stored = try await fixture.stored(share)
    #expect(stored.size == stored.measured)
  }
}

extension ZoneStore {
  fileprivate func commits(of identities: [LogIdentity]) throws -> [LogIdentity: Int64] {
    try known(identities, ModelContext(container)).commits
  }

  /// The reasons why the pushes were refused that one transaction of the database took.
  fileprivate func refusals(of pushes: [CheckedPush]) throws -> [SyncFailure.Code?] {
    try answers(to: pushes).map(\.response.refusal?.code)
  }
}
