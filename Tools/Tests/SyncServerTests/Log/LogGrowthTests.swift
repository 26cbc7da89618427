import Foundation
import SyncProtocol
import Testing

@testable import SwiftData
@testable import SyncServer

/// What one change costs does not depend on what the server has.
@Suite("The cost of requests to the log", .timeLimit(.minutes(20))) struct LogGrowthTests {
  /// The statements of a push, of a pull and of a wait, and the steps of SQLite's virtual machine.
  private struct Cost: Equatable {
    var (push, pull, wait) = (0, 0, 0)
    var steps = 0
  }

  /// What one more change costs.
  private static func cost(_ fixture: LogFixture, _ zone: ZoneName, _ client: LogClient) async throws -> Cost {
    var (client, cost) = (client, Cost())
    func transaction(_ number: Int) -> SyncLog.Transaction {
      SyncLog.Transaction(id: UUID(), parts: [zone: [.numbered(1_000_000 + number): .born("Note", ["x": .integer(1)])]])
    }
    // The first requests read the list of zones.
    client.outbox = [transaction(0)]
    #expect(try await client.push() == nil)
    try await client.pull()
    client.outbox = [transaction(1)]
    cost.push = try await fixture.store.statements { [client] in try $0.take(client) }
    cost.wait = try await fixture.store.statements { [client] in try $0.look(client) }
    cost.pull = try await fixture.store.statements { [client] in try $0.read(client, entries: 1) }
    try await client.pull()
    client.outbox = [transaction(2)]
    cost.steps = try await fixture.store.steps { [client] store in
      try store.take(client)
      try store.look(client)
      try store.read(client, entries: 1)
    }
    return cost
  }

  private static func check(_ small: Cost, _ large: Cost) {
    #expect(small.push == large.push && small.pull == large.pull && small.wait == large.wait)
    #expect(large.steps < small.steps + small.steps / 5, "\(small.steps) became \(large.steps)")
  }

  @Test("One change costs the same, whatever the length of the log and the number of records")
  func zone() async throws {
    func cost(_ count: Int, folding: Bool) async throws -> Cost {
      let fixture = try LogFixture()
      var ann = LogClient(fixture)
      try await ann.pull()
      for start in stride(from: 0, to: count, by: 500) {
        let transactions = (start..<min(start + 500, count)).map {
          SyncLog.Transaction(id: UUID(), parts: [.ann: [.numbered($0): .born("Note", ["x": .integer(Int64($0))])]])
        }
        #expect(try await ann.push(transactions) == nil)
      }
      if folding { #expect(try await fixture.compact(.ann).folded != nil) }
      try await ann.pull()
      return try await Self.cost(fixture, .ann, ann)
    }
    Self.check(try await cost(10, folding: false), try await cost(3000, folding: false))
    Self.check(try await cost(10, folding: true), try await cost(3000, folding: true))
  }

  @Test("One change costs the same, whatever the number of the account's zones")
  func zones() async throws {
    func cost(_ count: Int) async throws -> Cost {
      let fixture = try LogFixture()
      var zones: [ZoneName] = []
      for number in 0..<count {
        zones.append(try await fixture.share("root\(number)", with: ["bob": true]))
      }
      var bob = LogClient(fixture, "bob")
      try await bob.pull()
      for zone in zones { #expect(try await bob.push([zone: [.a: .born()]]) == nil) }
      try await bob.pull()
      return try await Self.cost(fixture, zones[0], bob)
    }
    Self.check(try await cost(3), try await cost(60))
  }

  @Test("One change costs the same, whatever the number of other accounts and of the transactions of the account")
  func accounts() async throws {
    func cost(_ count: Int) async throws -> Cost {
      let fixture = try LogFixture()
      for number in 0..<count {
        var client = LogClient(fixture, "account\(number)")
        try await client.pull()
        #expect(try await client.push([client.own: [.a: .born()]]) == nil)
      }
      var ann = LogClient(fixture)
      try await ann.pull()
      for _ in 0..<count { #expect(try await ann.push([SyncLog.Transaction(id: UUID(), parts: [:])]) == nil) }
      while try await fixture.store.packTransactions() {}
      try await ann.pull()
      return try await Self.cost(fixture, .ann, ann)
    }
    Self.check(try await cost(3), try await cost(200))
  }

  @Test("A push of a transaction costs the same number of statements, whatever the number of assets that it names")
  func assets() async throws {
    func cost(_ count: Int, in zone: ZoneName?) async throws -> Int {
      let fixture = try LogFixture()
      let share = try await fixture.share()
      var ann = LogClient(fixture)
      try await ann.pull()
      var part: [RecordName: Registers] = [:]
      for number in 0..<count {
        part[.numbered(number)] = .set(["x": try await fixture.put("bytes \(number)", to: .ann)])
      }
      ann.outbox = [SyncLog.Transaction(id: UUID(), parts: [zone ?? share: part])]
      return try await fixture.store.statements { [ann] in try $0.take(ann) }
    }
    let (few, many) = (try await cost(2, in: .ann), try await cost(30, in: .ann))
    #expect(few == many)
    // The share gets the assets, which are rows.
    let (fewLinks, manyLinks) = (try await cost(2, in: nil), try await cost(30, in: nil))
    #expect(manyLinks <= fewLinks + 28, "\(fewLinks) became \(manyLinks)")
  }

  @Test("The last part of an asset costs the transaction the same, whatever the number of parts")
  func lastPart() async throws {
    func cost(_ count: Int) async throws -> Int {
      let fixture = try LogFixture()
      let bytes = Data(count: count * SyncWire.chunkSize + 1)
      var part = ZoneStore.AssetPart(
        zone: ZoneName.ann.text, sha256: ServerFixture.sha256(of: bytes), account: "ann", total: Int64(bytes.count))
      part.bytes = Data(count: SyncWire.chunkSize)
      while part.offset < part.total - 1 {
        // A traced use of a statement counts its untraced uses before, too.
        _ = try await fixture.store.steps { [part] store in
          let state = try store.take(part, nil)
          #expect(!state.isComplete)
        }
        part.offset = part.end
      }
      part.bytes = Data(count: 1)
      let checksum = try await fixture.store.checksum(part)
      return try await fixture.store.steps { [part] store in
        let state = try store.take(part, checksum)
        #expect(state.isComplete)
      }
    }
    let (few, many) = (try await cost(2), try await cost(60))
    #expect(many < few + few / 5, "\(few) became \(many)")
  }

  @Test("A pull costs the same number of statements, whatever the number of zones with new entries")
  func manyZones() async throws {
    func cost(_ count: Int) async throws -> Int {
      let fixture = try LogFixture()
      var zones: [ZoneName] = []
      for number in 0..<count { zones.append(try await fixture.share("root\(number)")) }
      var ann = LogClient(fixture)
      try await ann.pull()
      for number in 0..<5 {
        let part = [RecordName.numbered(number): Registers.born()]
        #expect(try await ann.push(Dictionary(uniqueKeysWithValues: zones.map { ($0, part) })) == nil)
      }
      // The first request reads the list of zones.
      _ = try await fixture.store.statements { [ann] in try $0.read(ann, entries: 5) }
      return try await fixture.store.statements { [ann] in try $0.read(ann, entries: 5) }
    }
    let (few, many) = (try await cost(1), try await cost(100))
    #expect(few == many)
  }

  @Test("A pull passes over many entries of other accounts with few statements and one answer")
  func otherEntries() async throws {
    var limits = LogFixture.limits
    limits.scannedEntries = 4
    let fixture = try LogFixture(limits: limits)
    let share = try await fixture.share("root")
    var (ann, bob) = (LogClient(fixture), LogClient(fixture, "bob"))
    try await ann.pull()
    try await bob.pull()
    let others = (0..<2000).map { SyncLog.Transaction(id: UUID(), parts: [bob.own: [.numbered($0): .born()]]) }
    for start in [0, 1000] { #expect(try await bob.push(Array(others[start..<start + 1000])) == nil) }
    #expect(try await ann.push([share: [.a: .born()]]) == nil)
    _ = try await fixture.store.statements { [ann] in try $0.read(ann, entries: 1) }
    let statements = try await fixture.store.statements { [ann] in try $0.read(ann, entries: 1) }
    // Five ranges have 1, 8, 64, 512 and 4096 commits.
    #expect(statements < 10, "\(statements)")
    #expect(try await ann.pullOnce().cursor == 2001)
  }

  @Test("Pushes that come together cost fewer statements than one by one")
  func together() async throws {
    func cost(_ count: Int) async throws -> Int {
      let fixture = try LogFixture()
      var clients: [LogClient] = []
      for number in 0..<count {
        var client = LogClient(fixture, "account\(number)")
        try await client.pull()
        #expect(try await client.push([client.own: [.a: .born()]]) == nil)
        try await client.pull()
        client.outbox = [SyncLog.Transaction(id: UUID(), parts: [client.own: [.a: .set(["x": .null])]])]
        clients.append(client)
      }
      return try await fixture.store.statements { [clients] store in
        let pushes = try clients.map { try store.check($0.request, $0.account) }
        for answer in try store.answers(to: pushes) { #expect(answer.response.refusal == nil) }
      }
    }
    let (one, many) = (try await cost(1), try await cost(20))
    #expect(many < 10 * one, "\(one) became \(many)")
  }
}

extension LogClient {
  /// The push of the outbox.
  fileprivate var request: SyncLog.PushRequest {
    SyncLog.PushRequest(cursor: cursor, epoch: epochs.last?.name ?? UUID(), transactions: outbox)
  }
}

extension ZoneStore {
  fileprivate func statements(_ body: @Sendable (isolated ZoneStore) throws -> Void) throws -> Int {
    try SQLTrace.record { try body(self) }.statements.count
  }

  fileprivate func steps(_ body: @Sendable (isolated ZoneStore) throws -> Void) throws -> Int {
    try SQLTrace.steps { try body(self) }
  }

  fileprivate func take(_ client: LogClient) throws {
    let answers = try answers(to: [try check(client.request, client.account)])
    #expect(answers.map(\.response.refusal?.code) == [nil])
  }

  fileprivate func look(_ client: LogClient) throws {
    let request = SyncLog.WaitRequest(
      cursor: client.cursor, epoch: try #require(client.epochs.last).name,
      version: try #require(client.list).version, seconds: 0)
    #expect(try isChanged(for: request, account: client.account).isChanged)
  }

  fileprivate func read(_ client: LogClient, entries: Int) throws {
    let request = SyncLog.PullRequest(
      cursor: client.cursor, epoch: client.epochs.last?.name, known: client.known.sorted(),
      unsent: client.outbox.map(\.id), version: client.list?.version)
    let answer = try SyncWire.decode(
      SyncLog.PullResponse.self, from: try pull(request, account: client.account))
    #expect(answer.entries.count == entries && answer.loads.isEmpty && answer.taken == client.outbox.map(\.id))
  }
}
