import Foundation
import SyncProtocol
import Testing
import UntrustedInput

@testable import SyncServer

/// A transaction is taken for all of its zones or for none, and each refusal has a test.
@Suite("Pushes to the log") struct LogPushTests {
  private typealias Parts = [ZoneName: [RecordName: Registers]]

  /// A store with a share of Ann's, and clients that have seen it.
  private struct World {
    let fixture: LogFixture
    let share: ZoneName
    var (ann, bob): (LogClient, LogClient)

    init(_ kind: TestStore = .sqlite, limits: ServerLimits = LogFixture.limits, bobWrites: Bool = true) async throws {
      fixture = try LogFixture(kind, limits: limits)
      share = try await fixture.share(with: ["bob": bobWrites])
      (ann, bob) = (LogClient(fixture), LogClient(fixture, "bob"))
      try await ann.pull()
      try await bob.pull()
    }
  }

  @Test("A transaction over several zones is in the log of each, with one commit", arguments: TestStore.available)
  func severalZones(_ kind: TestStore) async throws {
    var world = try await World(kind)
    let parts: Parts = [.ann: [.a: .born()], world.share: [.b: .born(), .c: .refer(.b)]]
    #expect(try await world.ann.push(parts) == nil)
    try await world.ann.pull()
    try await world.bob.pull()
    #expect(world.ann.states[.ann][.a]?.born != nil && world.ann.states[world.share][.b]?.born != nil)
    #expect(Set(world.ann.states.zones.values.flatMap { $0.records.values.map(\.commit) }) == [1])
    #expect(world.bob.states[world.share] == world.ann.states[world.share])
    #expect(world.bob.states.zones[.ann] == nil && world.bob.known == [world.bob.own, world.share])
  }

  @Test("A transaction that is refused in one zone is in no zone", arguments: TestStore.available)
  func allOrNone(_ kind: TestStore) async throws {
    let world = try await World(kind, bobWrites: false)
    let before = try await world.fixture.store.counts()
    let parts: Parts = [world.bob.own: [.a: .born()], world.share: [.b: .born()]]
    #expect(try await world.bob.push(parts) == .forbidden)
    #expect(try await world.bob.push([world.bob.own: [.a: .born()], .ann: [.b: .born()]]) == .forbidden)
    #expect(
      try await world.bob.push([world.bob.own: [.a: .born()], .share("unknown"): [.b: .born()]]) == .forbidden)
    #expect(
      try await world.ann.push([.ann: [.a: .born()], world.share: [.b: .set(["data": LogFixture.asset("x")])]])
        == .missingAsset)
    #expect(try await world.fixture.store.counts() == before)
  }

  @Test("A refused transaction refuses those after it, and those before it stay taken")
  func prefix() async throws {
    var world = try await World()
    world.ann.outbox = [
      SyncLog.Transaction(id: UUID(), parts: [.ann: [.a: .born()]]),
      SyncLog.Transaction(id: UUID(), parts: [.account("bob"): [.b: .born()]]),
      SyncLog.Transaction(id: UUID(), parts: [.ann: [.c: .born()]]),
    ]
    #expect(try await world.ann.push() == .forbidden)
    try await world.ann.pull()
    #expect(world.ann.outbox.count == 2 && world.ann.states[.ann].records.count == 1)
  }

  @Test("A transaction that is sent again is taken once, also after it was packed", arguments: TestStore.available)
  func again(_ kind: TestStore) async throws {
    let world = try await World(kind)
    let transactions = (0..<5).map { SyncLog.Transaction(id: UUID(), parts: [.ann: [.numbered($0): .born()]]) }
    for _ in 0..<3 { #expect(try await world.ann.push(transactions + transactions.prefix(2)) == nil) }
    #expect(try await world.fixture.store.counts()[3] == 5)
    while try await world.fixture.store.packTransactions() {}
    #expect(try await world.fixture.store.counts()[1] == 0)
    #expect(try await world.ann.push(transactions) == nil)
    #expect(try await world.fixture.store.counts()[3] == 5)
    var ann = world.ann
    ann.outbox = transactions + [SyncLog.Transaction(id: UUID(), parts: [:])]
    try await ann.pull()
    #expect(ann.outbox.count == 1)
  }

  @Test("Another account's transaction with the same identity is another one")
  func otherAccount() async throws {
    let world = try await World()
    let id = UUID()
    for client in [world.ann, world.bob] {
      #expect(try await client.push([SyncLog.Transaction(id: id, parts: [client.own: [.a: .born()]])]) == nil)
    }
    #expect(try await world.fixture.store.counts()[3] == 2)
    let mal = world.bob
    #expect(
      try await mal.push([SyncLog.Transaction(id: UUID(), parts: [mal.own: [.b: .born()]])], before: [id]) == nil)
    #expect(
      try await mal.push([SyncLog.Transaction(id: UUID(), parts: [mal.own: [.b: .born()]])], before: [UUID()])
        == .behind)
  }

  @Test("A transaction without changes is taken")
  func empty() async throws {
    var world = try await World()
    world.ann.outbox = [SyncLog.Transaction(id: UUID(), parts: [:])]
    #expect(try await world.ann.push() == nil)
    try await world.ann.pull()
    #expect(world.ann.outbox.isEmpty && world.ann.cursor == 1)
  }

  // MARK: - Behind

  @Test("A client with another epoch, or with a cursor that the log does not have, pulls first")
  func epochs() async throws {
    var world = try await World()
    let parts: Parts = [.ann: [.a: .born()]]
    for cursor in [-1, 1, .min, .max] as [Int64] {
      #expect(try await world.ann.push(parts, cursor: cursor) == .behind)
    }
    world.ann.store = try world.fixture.another()
    #expect(try await world.ann.push(parts) == .behind)
    // The first process sees the epoch of the second one, too.
    #expect(try await LogClient(world.fixture).push(parts) == .behind)
    try await world.ann.pull()
    #expect(world.ann.fork == nil && world.ann.starts == 2)
    #expect(try await world.ann.push(parts) == nil)
  }

  @Test("A client that has not seen the fold of a zone pulls first, and a fold of another zone does not matter")
  func folded() async throws {
    var world = try await World()
    #expect(try await world.bob.push([world.share: [.a: .born()]]) == nil)
    #expect(try await world.fixture.compact(world.share).folded == 1)
    #expect(try await world.ann.push([world.share: [.b: .born()]]) == .behind)
    #expect(try await world.ann.push([.ann: [.b: .born()]]) == nil)
    try await world.ann.pull()
    #expect(try await world.ann.push([world.share: [.b: .born()]]) == nil)
  }

  // MARK: - Moves

  /// Two concurrent parts of one zone, and whether one of them moves a record that the other one writes or leads to.
  private static let pairs: [(String, [RecordName: Registers], [RecordName: Registers], Bool)] = [
    ("two writes of one record", [.a: .set(["x": .null])], [.a: .set(["y": .null])], false),
    ("a move and a write of its record", [.a: .home(.ann)], [.a: .set(["y": .null])], true),
    ("a move and a write of another record", [.a: .home(.ann)], [.b: .set(["y": .null])], false),
    ("a move and a reference to its record", [.a: .home(.ann)], [.b: .refer(.a)], true),
    ("a move and a member of a list", [.a: .home(.ann)], [.b: .member(.a)], true),
    ("a move and a deletion of its record", [.a: .home(.ann)], [.a: .dead()], true),
    ("two moves of one record", [.a: .home(.ann)], [.a: .home(.ann, moves: 2)], true),
    ("two moves of two records", [.a: .home(.ann)], [.b: .home(.ann)], false),
    (
      "a move and a record that the moved one leads to", [.a: .home(.ann).joining(.refer(.b))],
      [.b: .set(["y": .null])], false
    ),
    ("a move and a move of what it leads to", [.a: .home(.ann).joining(.refer(.b))], [.b: .home(.ann)], true),
  ]

  @Test(
    "Of two concurrent transactions, neither moves what the other one writes or leads to", arguments: 0..<pairs.count)
  func moves(_ index: Int) async throws {
    let (label, one, two, isRefused) = Self.pairs[index]
    for (first, second) in [(one, two), (two, one)] {
      let world = try await World()
      #expect(try await world.bob.push([world.share: first]) == nil)
      #expect(try await world.ann.push([world.share: second]) == (isRefused ? .moved : nil), "\(label)")
      // In another zone the same names are other records.
      #expect(try await world.ann.push([.ann: second]) == nil, "\(label)")
      var ann = world.ann
      try await ann.pull()
      #expect(try await ann.push([world.share: second]) == nil, "\(label)")
    }
  }

  @Test("A client's own earlier transactions are not concurrent, in one request or in several")
  func ownMoves() async throws {
    let world = try await World()
    let (move, write) = (
      SyncLog.Transaction(id: UUID(), parts: [world.share: [.a: .home(.ann)]]),
      SyncLog.Transaction(id: UUID(), parts: [world.share: [.a: .set(["x": .null])]])
    )
    #expect(try await world.ann.push([move, write]) == nil)
    let later = SyncLog.Transaction(id: UUID(), parts: [world.share: [.a: .refer(.b)]])
    #expect(try await world.ann.push([later], before: [write.id]) == .moved)
    #expect(try await world.ann.push([later], before: [move.id, write.id]) == nil)
  }

  // MARK: - Times, texts, sizes

  @Test("A time that is more than 10 minutes ahead is refused with the server's time, wherever it is")
  func clock() async throws {
    let world = try await World()
    let now = world.fixture.clock.now
    func all(_ time: HybridTime) -> [Registers] {
      var (added, removed, place) = (Registers(), Registers(), Registers())
      added.edges["x"] = [.b: Edge(added: time)]
      removed.edges["x"] = [.b: Edge(removed: time)]
      place.edges["x"] = [.b: Edge(place: Stamped(time, Place("8")))]
      return [
        .born(at: time), .set(["x": .null], at: time), .dead(at: time), .home(.ann, at: time), added, removed, place,
      ]
    }
    for (index, registers) in all(Registers.time(now + SyncWire.clockTolerance)).enumerated() {
      #expect(try await world.ann.push([.ann: [.numbered(10 + index): registers]]) == nil)
    }
    for registers in all(Registers.time(now + SyncWire.clockTolerance + 1)) + all(Registers.time(.max, .max)) {
      let request = SyncLog.PushRequest(
        cursor: 0, epoch: try #require(world.ann.epochs.last).name,
        transactions: [SyncLog.Transaction(id: UUID(), parts: [.ann: [.a: registers]])])
      let refusal = try await world.fixture.store.push(request, account: "ann").response.refusal
      #expect(refusal?.code == .clockAhead && refusal?.time == Untrusted(now))
    }
  }

  @Test("Names that the store cannot keep, or that are too long, are refused", arguments: TestStore.available)
  func names(_ kind: TestStore) async throws {
    let world = try await World(kind)
    let long = String(repeating: "a", count: 257)
    let bad: [Parts] = [
      [.ann: [RecordName(""): .born()]], [.ann: [RecordName("a\0"): .born()]],
      [.ann: [RecordName(long): .born()]], [.ann: [.a: .born("")]], [.ann: [.a: .born(WireName(long))]],
      [.ann: [.a: .born("A\0")]], [.ann: [.a: .set([WireName(long): .null])]],
      [.ann: [.a: .refer(RecordName("\0"))]], [.ann: [.a: .member(RecordName(long))]],
      [.ann: [.a: .set(["x": .reference(Reference(.b, hint: .share(ExactText(long))))])]],
      [.ann: [.a: .home(.account("\0"))]], [.share("\0"): [.a: .born()]], [.account(ExactText(long)): [.a: .born()]],
    ]
    // An account keeps what it alone thinks of a shared record under the name with four more bytes, in its own zone.
    let shared = RecordName(String(repeating: "a", count: 61))
    for parts in bad + [[world.share: [shared: .born()]]] {
      #expect(try await world.ann.push(parts) == .invalid, "\(parts)")
    }
    #expect(try await world.ann.push([.ann: [shared: .born()]]) == nil)
    let texts: RegisterValue = .text("\0")
    #expect(try await world.ann.push([.ann: [.a: .set(["x": texts])]]) == nil)
    var ann = world.ann
    try await ann.pull()
    #expect(ann.states[.ann][.a]?.fields["x"]?.value == texts)
  }

  @Test("The quota of each zone is held, and a transaction has a largest number of records")
  func limits() async throws {
    var limits = LogFixture.limits
    (limits.zoneSize, limits.changes, limits.transactions) = (1200, 10, 3)
    let world = try await World(limits: limits)
    let (small, large): (RegisterValue, RegisterValue) = (.data(Data(count: 400)), .data(Data(count: 800)))
    #expect(try await world.ann.push([.ann: [.a: .set(["x": large])]]) == nil)
    #expect(
      try await world.ann.push([world.share: [.a: .set(["x": small])], .ann: [.b: .set(["x": small])]])
        == .quotaExceeded)
    #expect(try await world.ann.push([world.share: [.a: .set(["x": small])]]) == nil)
    let many = Dictionary(uniqueKeysWithValues: (0..<11).map { (RecordName.numbered($0), Registers.dead()) })
    #expect(try await world.ann.push([world.share: many]) == .tooLarge)
    let transactions = (0..<3).map { _ in SyncLog.Transaction(id: UUID(), parts: [:]) }
    #expect(try await world.ann.push(transactions) == nil)
    await #expect(throws: SyncFailure.self) { try await world.ann.push(transactions, before: [UUID()]) }
    for zone in [ZoneName.ann, world.share] {
      let stored = try await world.fixture.stored(zone)
      #expect(stored.size == stored.measured)
    }
  }

  @Test("A transaction and a push have a largest number of parts, and the rest of a push comes with the next one")
  func parts() async throws {
    var limits = LogFixture.limits
    limits.parts = 3
    let fixture = try LogFixture(limits: limits)
    var zones = [ZoneName.ann]
    for number in 0..<3 { zones.append(try await fixture.share("root\(number)")) }
    var ann = LogClient(fixture)
    try await ann.pull()
    func transaction(_ count: Int) -> SyncLog.Transaction {
      let parts = zones.prefix(count).map { ($0, [RecordName.a: Registers.born()]) }
      return SyncLog.Transaction(id: UUID(), parts: Dictionary(uniqueKeysWithValues: parts))
    }
    let answer = try await fixture.store.push(
      SyncLog.PushRequest(cursor: 0, epoch: try #require(ann.epochs.last).name, transactions: [transaction(4)]),
      account: "ann"
    ).response
    #expect(answer.refusal?.code == .tooLarge && answer.refusal?.status == 413)
    #expect(answer.refusal?.message.contains("3 zones") == true)
    ann.outbox = [transaction(2), transaction(2), transaction(0), transaction(3)]
    for left in [3, 1, 0] {
      #expect(try await ann.push() == (left > 0 ? .behind : nil))
      try await ann.pull()
      #expect(ann.outbox.count == left)
    }
  }

  @Test("A transaction and a part without records count for the quota")
  func emptyParts() async throws {
    var limits = LogFixture.limits
    limits.zoneSize = 300
    let world = try await World(limits: limits)
    for (zone, parts) in [(ZoneName.ann, [:]), (world.share, [world.share: [:]])] as [(ZoneName, Parts)] {
      for _ in 0..<4 { #expect(try await world.ann.push(parts) == nil) }
      #expect(try await world.ann.push(parts) == .quotaExceeded)
      let stored = try await world.fixture.stored(zone)
      #expect(stored.entries == 4 && stored.size == stored.measured)
    }
  }

  @Test("The identities of old transactions have a quota for each account", arguments: TestStore.available)
  func identities(_ kind: TestStore) async throws {
    var limits = LogFixture.limits
    limits.zoneSize = 1 << 20
    let world = try await World(kind, limits: limits)
    /// A transaction whose identity is in a group, at one of its places.
    func transaction(_ number: Int, group: UInt8 = 0xAB) -> SyncLog.Transaction {
      var id = UUID(uuidString: "00C00000-0000-4000-8000-000000000000")!.uuid
      (id.0, id.14, id.15) = (group, UInt8(number >> 8), UInt8(number & 0xFF))
      return SyncLog.Transaction(id: UUID(uuid: id), parts: [:])
    }
    // As many as 64 KiB have. There are 4096 groups.
    let count = (64 << 10) / 24 + 1
    for start in stride(from: 0, to: count, by: 1000) {
      #expect(try await world.ann.push((start..<min(start + 1000, count)).map { transaction($0) }) == nil)
    }
    while try await world.fixture.store.packTransactions() {}
    #expect(try await world.fixture.store.counts()[1] == 0)
    let cursor = try await world.fixture.store.counts()[3]
    let request = SyncLog.PushRequest(
      cursor: world.ann.cursor, epoch: try #require(world.ann.epochs.last?.name),
      transactions: [transaction(0), transaction(count)])
    let answer = try await world.fixture.store.push(request, account: "ann").response
    #expect(answer.taken == Untrusted(1) && answer.refusal?.code == .quotaExceeded)
    #expect(answer.refusal?.message.contains("larger --quota") == true)
    #expect(try await world.fixture.store.counts()[3] == cursor)
    #expect(try await world.ann.push([transaction(count, group: 0xAC)]) == nil)
    #expect(try await world.bob.push([transaction(count)]) == nil)
  }

  // MARK: - Assets

  @Test(
    "A zone has the bytes before a transaction names them, and a wrong size is refused", arguments: TestStore.available)
  func assets(_ kind: TestStore) async throws {
    var world = try await World(kind)
    let (own, share) = (world.ann.own, world.share)
    let asset = LogFixture.asset("bytes")
    #expect(try await world.ann.push([own: [.a: .set(["x": asset])]]) == .missingAsset)
    // A tombstone names no bytes.
    #expect(try await world.ann.push([own: [.a: .set(["x": asset]).joining(.dead())]]) == nil)
    try await world.fixture.put("bytes", to: own)
    #expect(try await world.ann.push([own: [.b: .set(["x": asset])]]) == nil)
    let wrong = RegisterValue.asset(sha256: ExactText(ServerFixture.sha256("bytes")), size: 4)
    for zone in [own, share] {
      #expect(try await world.ann.push([zone: [.b: .set(["x": wrong])]]) == .invalid)
    }
    for name in ["", "a", "\0", String(repeating: "A", count: 64)] {
      let bad = RegisterValue.asset(sha256: ExactText(name), size: 5)
      #expect(try await world.ann.push([own: [.b: .set(["x": bad])]]) == .missingAsset)
    }
    // Ann's device moves the object, and has not got its bytes.
    #expect(try await !world.fixture.hasAsset("bytes", in: share))
    #expect(try await world.ann.push([share: [.b: .set(["x": asset]), .c: .set(["x": asset])]]) == nil)
    let part = try await world.fixture.store.assetPart(
      ServerFixture.sha256("bytes"), offset: 0, account: "bob", zone: share.text)
    #expect(part == Data("bytes".utf8))
    for zone in [own, share] {
      let stored = try await world.fixture.stored(zone)
      #expect(stored.size == stored.measured)
    }
    try await world.bob.pull()
    #expect(try await world.bob.push([world.bob.own: [.b: .set(["x": asset])]]) == nil)
  }

  @Test("The name of an asset is no permission to read it")
  func assetOfOthers() async throws {
    let world = try await World()
    try await world.fixture.put("secret", to: .ann)
    #expect(try await world.ann.push([.ann: [.a: .set(["x": LogFixture.asset("secret")])]]) == nil)
    let mal = LogFixture.asset("secret")
    #expect(try await world.bob.push([world.bob.own: [.a: .set(["x": mal])]]) == .missingAsset)
    #expect(try await world.bob.push([world.share: [.a: .set(["x": mal])]]) == .missingAsset)
  }

  @Test(
    "An upload replaces one with a wrong size, does not disturb that of another account, and changes no complete asset")
  func otherSize() async throws {
    let world = try await World()
    let bytes = Data((0..<SyncWire.chunkSize + 100).map { UInt8(truncatingIfNeeded: $0) })
    let name = ServerFixture.sha256(of: bytes)
    func put(_ offset: Int, _ end: Int, of total: Int, by account: String = "ann") async throws -> AssetState {
      try await world.fixture.store.putAsset(
        name, offset: Untrusted(Int64(offset)), total: Untrusted(Int64(total)),
        Data((bytes + Data(count: 10 * SyncWire.chunkSize))[offset..<end]), account: account,
        zone: world.share.text)
    }
    let first = SyncWire.chunkSize
    // A wrong size, after which the client goes on with the right one, as the state says.
    #expect(try await put(0, first, of: 10 * first).size == Untrusted(Int64(first)))
    #expect(try await put(first, bytes.count, of: bytes.count).size == 0)
    #expect(try await put(0, first, of: bytes.count).size == Untrusted(Int64(first)))
    // Another participant sends more bytes than there are.
    for part in 0..<3 { _ = try await put(part * first, (part + 1) * first, of: 10 * first, by: "bob") }
    let state = try await world.fixture.store.assetState(name, account: "ann", zone: world.share.text)
    #expect(state.size == Untrusted(Int64(first)) && !state.isComplete)
    #expect(try await put(first, bytes.count, of: bytes.count).isComplete)
    for account in ["ann", "bob"] {
      let state = try await put(0, first, of: 10 * first, by: account)
      #expect(state.isComplete && state.size == Untrusted(Int64(bytes.count)))
    }
    var read = Data()
    while read.count < bytes.count {
      read += try await world.fixture.store.assetPart(
        name, offset: Untrusted(Int64(read.count)), account: "bob", zone: world.share.text)
    }
    #expect(read == bytes)
    let stored = try await world.fixture.stored(world.share)
    #expect(stored.size == stored.measured)
  }

  @Test("A last part with a wrong checksum deletes all parts, and the next upload is taken")
  func damaged() async throws {
    let world = try await World()
    let bytes = Data((0..<SyncWire.chunkSize + 1).map { UInt8(truncatingIfNeeded: $0) })
    func put(_ offset: Int, _ part: Data) async throws -> AssetState {
      try await world.fixture.store.putAsset(
        ServerFixture.sha256(of: bytes), offset: Untrusted(Int64(offset)), total: Untrusted(Int64(bytes.count)), part,
        account: "ann", zone: world.share.text)
    }
    for isDamaged in [true, false] {
      _ = try await put(0, isDamaged ? Data(count: SyncWire.chunkSize) : bytes.prefix(SyncWire.chunkSize))
      let end = bytes.dropFirst(SyncWire.chunkSize)
      if isDamaged {
        #expect(await refusal { _ = try await put(SyncWire.chunkSize, end) } == .invalid)
        #expect(try await world.fixture.store.counts()[2] == 0)
      } else {
        #expect(try await put(SyncWire.chunkSize, end).isComplete)
      }
      let stored = try await world.fixture.stored(world.share)
      #expect(stored.size == stored.measured)
    }
  }

  @Test("A link stands beside the bytes that a client has begun to send, which the sweep deletes")
  func unfinishedAsset() async throws {
    let world = try await World()
    let large = String(repeating: "a", count: SyncWire.chunkSize + 1)
    let name = ServerFixture.sha256(large)
    let bytes = Data(large.utf8)
    func put(_ zone: ZoneName, _ offset: Int) async throws -> Bool {
      try await world.fixture.store.putAsset(
        name, offset: Untrusted(Int64(offset)), total: Untrusted(Int64(bytes.count)),
        bytes.dropFirst(offset).prefix(SyncWire.chunkSize), account: "ann", zone: zone.text
      ).isComplete
    }
    #expect(try await !put(world.share, 0))
    #expect(try await !put(.ann, 0))
    #expect(try await put(.ann, SyncWire.chunkSize))
    #expect(try await world.ann.push([world.share: [.a: .set(["x": LogFixture.asset(large)])]]) == nil)
    #expect(try await put(world.share, SyncWire.chunkSize))
    world.fixture.clock.advance(days: 2)
    #expect(try await world.fixture.compact(world.share).assets == 1)
    #expect(try await world.fixture.store.counts()[2] == 2)
    let end = try await world.fixture.store.assetPart(
      name, offset: Untrusted(Int64(SyncWire.chunkSize)), account: "bob", zone: world.share.text)
    #expect(end == Data("a".utf8))
    let stored = try await world.fixture.stored(world.share)
    #expect(stored.size == stored.measured)
  }
}
