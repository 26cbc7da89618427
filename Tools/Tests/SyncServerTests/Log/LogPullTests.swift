import Foundation
import SyncProtocol
import Testing
import UntrustedInput

@testable import SyncServer

/// A pull returns what follows one cursor in all zones of an account, up to one commit.
@Suite("Pulls from the log", .timeLimit(.minutes(5))) struct LogPullTests {
  private static var small: ServerLimits {
    var limits = LogFixture.limits
    limits.answerSize = 300
    return limits
  }

  @Test(
    "An answer ends at one commit in all zones, so that no transaction is seen in part", arguments: TestStore.available)
  func cut(_ kind: TestStore) async throws {
    let fixture = try LogFixture(kind, limits: Self.small)
    let share = try await fixture.share(with: ["bob": true])
    var (ann, bob) = (LogClient(fixture), LogClient(fixture, "bob"))
    try await ann.pull()
    try await bob.pull()
    for number in 0..<40 {
      let parts: [ZoneName: [RecordName: Registers]] =
        number % 3 == 0
        ? [share: [.numbered(number): .born()]]
        : [share: [.numbered(number): .born()], .ann: [.numbered(number): .born()]]
      #expect(try await ann.push(parts) == nil)
    }
    var answers = 0
    while try await ann.pullOnce().latest > ann.cursor {
      answers += 1
      let (own, shared) = (Set(ann.states[.ann].records.keys), Set(ann.states[share].records.keys))
      #expect(own == shared.filter { name in (0..<40).contains { $0 % 3 != 0 && .numbered($0) == name } })
      #expect(shared.count == Int(ann.cursor))
    }
    #expect(answers > 5 && ann.states[share].records.count == 40)
    try await bob.pull()
    #expect(bob.states[share] == ann.states[share])
  }

  @Test(
    "A client that holds what it sent gets the commits of it alone, between the entries of others",
    arguments: TestStore.available)
  func held(_ kind: TestStore) async throws {
    let fixture = try LogFixture(kind, limits: Self.small)
    let share = try await fixture.share(with: ["bob": true])
    var (ann, bob, reader) = (LogClient(fixture), LogClient(fixture, "bob"), LogClient(fixture))
    for _ in 0..<2 {
      try await ann.pull()
      try await bob.pull()
    }
    ann.holds = true
    for number in 0..<9 {
      let name = RecordName.numbered(number)
      if number % 3 == 1 {
        #expect(try await bob.push([share: [name: .born()]]) == nil)
      } else {
        let transaction = SyncLog.Transaction(id: UUID(), parts: [.ann: [name: .born()], share: [name: .born()]])
        ann.outbox.append(transaction)
        #expect(try await ann.push([transaction], cursor: ann.cursor) == nil)
      }
    }
    var (own, others) = (0, 0)
    repeat {
      let answer = try await ann.pullOnce()
      own += answer.entries.count { $0.id != nil }
      others += answer.entries.count { $0.id == nil }
    } while !ann.outbox.isEmpty
    #expect(own == 6 && others == 3)
    try await reader.pull()
    #expect(ann.states == reader.states && ann.states[share].records.count == 9)
  }

  @Test(
    "A pull of many zones looks at a bounded number of entries and takes no commit in part",
    arguments: TestStore.available)
  func manyZones(_ kind: TestStore) async throws {
    var limits = LogFixture.limits
    limits.scannedEntries = 16
    let fixture = try LogFixture(kind, limits: limits)
    var zones: [ZoneName] = []
    for number in 0..<5 { zones.append(try await fixture.share("root\(number)")) }
    var (ann, other, bob) = (LogClient(fixture), LogClient(fixture), LogClient(fixture, "bob"))
    try await ann.pull()
    try await other.pull()
    try await bob.pull()
    for number in 0..<60 {
      let name = RecordName.numbered(number)
      if number % 20 == 19 {
        // More commits than a pull looks at have nothing for the account.
        for number in 0..<20 { #expect(try await bob.push([bob.own: [.numbered(number): .born()]]) == nil) }
      }
      let parts = Dictionary(uniqueKeysWithValues: zones.map { ($0, [name: Registers.born()]) })
      #expect(try await ann.push(parts) == nil)
    }
    repeat {
      let answer = try await other.pullOnce()
      #expect(answer.entries.reduce(0) { $0 + $1.parts.count } <= 2 * limits.scannedEntries)
      #expect(Set(zones.map { other.states[$0].records.count }).count == 1)
    } while other.cursor < 120
    try await ann.pull()
    #expect(other.states == ann.states && other.states[zones[0]].records.count == 60 && other.answers > 8)
  }

  @Test("A pull of many zones has a commit with more parts than it looks at")
  func largeCommit() async throws {
    var limits = LogFixture.limits
    limits.scannedEntries = 4
    let fixture = try LogFixture(limits: limits)
    var zones: [ZoneName] = []
    for number in 0..<12 { zones.append(try await fixture.share("root\(number)")) }
    var ann = LogClient(fixture)
    try await ann.pull()
    #expect(try await ann.push(Dictionary(uniqueKeysWithValues: zones.map { ($0, [.a: .born()]) })) == nil)
    let answer = try await ann.pullOnce()
    #expect(answer.cursor == 1 && answer.entries.map(\.parts.count) == [12])
  }

  @Test("An answer from many zones has one commit at least, and no more than an answer may have")
  func bound() async throws {
    let fixture = try LogFixture(limits: Self.small)
    var shares: [ZoneName] = []
    for number in 0..<4 { shares.append(try await fixture.share("root\(number)")) }
    var (ann, other) = (LogClient(fixture), LogClient(fixture))
    try await ann.pull()
    try await other.pull()
    for share in shares {
      #expect(try await ann.push([share: [.a: .born("Note", ["x": .data(Data(count: 200))])]]) == nil)
    }
    var counts: [Int] = []
    repeat { counts.append(try await other.pullOnce().entries.count) } while other.cursor < 4
    #expect(counts == [1, 1, 1, 1])
  }

  @Test("The cursor passes over entries of other accounts")
  func others() async throws {
    let fixture = try LogFixture()
    var (ann, bob) = (LogClient(fixture), LogClient(fixture, "bob"))
    try await ann.pull()
    try await bob.pull()
    for number in 0..<5 { #expect(try await bob.push([bob.own: [.numbered(number): .born()]]) == nil) }
    try await ann.pull()
    #expect(ann.cursor == 5 && ann.states[.ann].records.isEmpty)
  }

  @Test("A new share comes whole, and a share goes with its states when the owner removes the account")
  func shares() async throws {
    let fixture = try LogFixture()
    var (ann, bob) = (LogClient(fixture), LogClient(fixture, "bob"))
    try await ann.pull()
    try await bob.pull()
    let share = try await fixture.share()
    try await ann.pull()
    #expect(ann.list?.zones.map(\.name) == [.ann, share] && ann.list?.zones.last?.root == RecordName("root"))
    for number in 0..<5 { #expect(try await ann.push([share: [.numbered(number): .born()]]) == nil) }
    try await bob.pull()
    #expect(bob.cursor == 5 && bob.states.zones[share] == nil)
    _ = try await fixture.store.invite(
      InviteRequest(account: "bob", permission: .readOnly), to: share.text, account: "ann")
    try await bob.pull()
    #expect(bob.list?.invitations == 1 && bob.states.zones[share] == nil)
    _ = try await fixture.store.accept(zone: share.text, account: "bob")
    try await bob.pull()
    #expect(bob.states[share].records.count == 5 && bob.writable == [bob.own])
    try await fixture.invite("bob", to: share.text, isWritable: true)
    try await bob.pull()
    #expect(bob.writable == [bob.own, share])
    try await fixture.store.removeParticipant("bob", from: share.text, account: "ann")
    try await bob.pull()
    #expect(bob.states.zones[share] == nil && bob.known == [bob.own])
  }

  @Test("The list of zones comes when it has changed, and has one version in all processes")
  func list() async throws {
    let fixture = try LogFixture()
    let share = try await fixture.share(with: ["bob": true])
    var ann = LogClient(fixture)
    try await ann.pull()
    let version = try #require(ann.list?.version)
    #expect(try await ann.pullOnce().list == nil)
    #expect(try await ann.push([share: [.a: .born()]]) == nil)
    #expect(try await ann.pullOnce().list == nil)
    ann.store = try fixture.another()
    try await ann.pull()
    #expect(try await ann.pullOnce().list == nil && ann.list?.version == version)
    // A participant publishes a key that the owner then has to wrap.
    for (account, key) in [("ann", 1), ("bob", 2)] as [(String, UInt8)] {
      _ = try await fixture.store.publish(
        PublishKeyRequest(key: Data(repeating: key, count: AccountKey.size)), account: account)
      if account == "ann" {
        try await fixture.store.putKeys(
          PutZoneKeysRequest(generation: 1, previous: nil, wrapped: ["ann": Data([1])]), to: share.text, account: "ann")
      }
    }
    let answer = try await ann.pullOnce()
    #expect(answer.list?.zones.last?.needsKeys == true && answer.list?.zones.last?.keyGeneration == 1)
    _ = try await fixture.store.publish(
      PublishKeyRequest(key: Data(repeating: 3, count: AccountKey.size)), account: "bob")
    #expect(try await ann.pullOnce().list?.version != answer.list?.version)
  }

  @Test("A large zone comes in parts, while the other zones go on", arguments: TestStore.available)
  func parts(_ kind: TestStore) async throws {
    let fixture = try LogFixture(kind, limits: Self.small)
    let share = try await fixture.share(with: ["bob": true])
    var (ann, bob) = (LogClient(fixture), LogClient(fixture, "bob"))
    try await ann.pull()
    for number in 0..<600 {
      #expect(try await ann.push([share: [.numbered(number): .born("Note", ["x": .integer(Int64(number))])]]) == nil)
      guard number == 399 else { continue }
      #expect(try await fixture.compact(share).folded == 400)
      try await ann.pull()
    }
    #expect(try await fixture.stored(share).pages > 1)
    var number = 600
    _ = try await bob.pullOnce()
    while try await bob.pullOnce().latest > bob.cursor || !bob.isComplete {
      #expect(bob.known.contains(share) == (bob.loading[share] == nil && bob.answers > 1))
      guard number < 620 else { continue }
      #expect(try await bob.push([bob.own: [.numbered(number): .born()]]) == nil)
      number += 1
    }
    try await ann.pull()
    #expect(bob.states[share] == ann.states[share] && bob.states[share].records.count == 600)
    #expect(bob.states[bob.own].records.count == 20 && bob.starts == 2 && bob.answers > 20)
  }

  @Test("A zone that is folded while a client loads it begins again")
  func foldedMeanwhile() async throws {
    let fixture = try LogFixture(limits: Self.small)
    var (ann, other) = (LogClient(fixture), LogClient(fixture))
    try await ann.pull()
    for number in 0..<60 { #expect(try await ann.push([.ann: [.numbered(number): .born()]]) == nil) }
    for _ in 0..<3 { _ = try await other.pullOnce() }
    #expect(other.loading.count == 1)
    #expect(try await ann.push([.ann: [.a: .dead()]]) == nil)
    try await fixture.compact(.ann)
    _ = try await other.pullOnce()
    #expect(other.starts == 2)
    try await other.pull()
    try await ann.pull()
    #expect(other.states == ann.states && other.starts == 2)
  }

  @Test("Each zone that a client knows, and that was folded meanwhile, begins again in the next answer")
  func severalFolded() async throws {
    let fixture = try LogFixture(limits: Self.small)
    var shares: [ZoneName] = []
    for number in 0..<4 { shares.append(try await fixture.share("root\(number)")) }
    var (ann, other) = (LogClient(fixture), LogClient(fixture))
    try await ann.pull()
    try await other.pull()
    for number in 0..<20 {
      let parts = Dictionary(uniqueKeysWithValues: shares.map { ($0, [RecordName.numbered(number): Registers.born()]) })
      #expect(try await ann.push(parts) == nil)
    }
    for share in shares { try await fixture.compact(share) }
    _ = try await other.pullOnce()
    #expect(other.known == [.ann] && other.loading.count == 4)
    try await other.pull()
    try await ann.pull()
    #expect(other.states == ann.states && ann.states[shares[3]].records.count == 20)
  }

  @Test("A client that was away while its zone was folded gets it whole, and its outbox stays")
  func away() async throws {
    let fixture = try LogFixture()
    var (ann, other) = (LogClient(fixture), LogClient(fixture))
    try await ann.pull()
    try await other.pull()
    for number in 1..<5 { #expect(try await ann.push([.ann: [.numbered(number): .born()]]) == nil) }
    #expect(try await ann.push([.ann: [.a: .dead()]]) == nil)
    #expect(try await fixture.compact(.ann).forgotten == 1)
    other.outbox = [SyncLog.Transaction(id: UUID(), parts: [.ann: [.b: .set(["x": .null], at: Registers.time(2000))]])]
    #expect(try await other.push() == .behind)
    try await other.pull()
    #expect(other.outbox.count == 1 && other.states[.ann][.a] == nil)
    #expect(try await other.push() == nil)
    try await other.pull()
    try await ann.pull()
    #expect(other.states == ann.states && other.outbox.isEmpty)
  }

  @Test(
    "A position that no answer had begins the zone again",
    arguments: ["", "a", "E/0/0", "E/0/0/99", "E/7/0/7", "E/0/1/0", "E/0/-1/0", "E/0/0/9223372036854775808", "0/0/0"])
  func positions(_ position: String) async throws {
    let fixture = try LogFixture()
    var ann = LogClient(fixture)
    try await ann.pull()
    for number in 0..<3 { #expect(try await ann.push([.ann: [.numbered(number): .born()]]) == nil) }
    var other = ann
    let epoch = try #require(ann.epochs.last).name.uuidString
    (other.known, other.loading) = ([], [.ann: position.replacingOccurrences(of: "E", with: epoch)])
    try await ann.pull()
    try await other.pull()
    #expect(other.starts == ann.starts + 1 && other.states == ann.states)
  }

  @Test("A transaction is acknowledged with the entries up to its commit, and not before")
  func taken() async throws {
    let fixture = try LogFixture(limits: Self.small)
    var ann = LogClient(fixture)
    try await ann.pull()
    ann.outbox = (0..<30).map { SyncLog.Transaction(id: UUID(), parts: [.ann: [.numbered($0): .born()]]) }
    let sent = ann.outbox.count
    #expect(try await ann.push() == nil)
    repeat {
      _ = try await ann.pullOnce()
      #expect(ann.outbox.count == sent - Int(ann.cursor) && ann.states[.ann].records.count == Int(ann.cursor))
    } while !ann.outbox.isEmpty
    #expect(ann.answers > 5)
  }

  @Test("A cursor that the log does not have, or too many names, are refused")
  func refusals() async throws {
    var limits = LogFixture.limits
    limits.transactions = 3
    let fixture = try LogFixture(limits: limits)
    var ann = LogClient(fixture)
    try await ann.pull()
    for cursor in [-1, 1, .max, .min] as [Int64] {
      ann.cursor = cursor
      let client = ann
      #expect(
        await refusal {
          var client = client
          _ = try await client.pullOnce()
        } == .unknownSequence)
    }
    (ann.cursor, ann.outbox) = (0, (0..<4).map { _ in SyncLog.Transaction(id: UUID(), parts: [:]) })
    let client = ann
    #expect(
      await refusal {
        var client = client
        _ = try await client.pullOnce()
      } == .tooLarge)
  }

  @Test("A known zone that the account may not read, and a loading one, are left out")
  func forgedZones() async throws {
    let fixture = try LogFixture()
    var (ann, bob) = (LogClient(fixture), LogClient(fixture, "bob"))
    try await ann.pull()
    #expect(try await ann.push([.ann: [.a: .born("secret")]]) == nil)
    try await bob.pull()
    bob.cursor = 0
    (bob.known, bob.loading) = ([.ann, .share("none"), bob.own], [.ann: "0/0/0", .share("\0"): "0/0/0"])
    let answer = try await bob.pullOnce()
    #expect(answer.entries.isEmpty && answer.loads.isEmpty && bob.cursor == 1)
  }

  // MARK: - Waiting

  @Test("A wait ends at a change of a zone of the account, of its list or of the epoch, and not at other changes")
  func wait() async throws {
    let fixture = try LogFixture()
    let share = try await fixture.share(with: ["bob": true])
    var (ann, bob) = (LogClient(fixture), LogClient(fixture, "bob"))
    try await ann.pull()
    try await bob.pull()
    func isChanged(_ client: LogClient) async throws -> Bool {
      let request = SyncLog.WaitRequest(
        cursor: client.cursor, epoch: try #require(client.epochs.last).name,
        version: try #require(client.list).version, seconds: 0)
      let store = try #require(client.store as? ZoneStore)
      return try await store.isChanged(for: request, account: client.account).isChanged
    }
    #expect(try await [isChanged(ann), isChanged(bob)] == [false, false])
    #expect(try await ann.push([.ann: [.a: .born()]]) == nil)
    #expect(try await [isChanged(ann), isChanged(bob)] == [true, false])
    try await ann.pull()
    #expect(try await bob.push([share: [.a: .born()]]) == nil)
    #expect(try await [isChanged(ann), isChanged(bob)] == [true, true])
    try await ann.pull()
    try await bob.pull()
    try await fixture.invite("cy", to: share.text, isWritable: false)
    #expect(try await !isChanged(bob))
    try await fixture.invite("bob", to: share.text, isWritable: false)
    #expect(try await isChanged(bob))
    let next = try fixture.another()
    #expect(try await isChanged(ann))
    ann.store = next
    try await ann.pull()
    #expect(try await !isChanged(ann))
  }
}
