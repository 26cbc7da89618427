import Foundation
import SwiftData
import SyncProtocol
import Testing
import UntrustedInput

@testable import SyncServer

/// The server folds logs and forgets records without any device.
@Suite("Compaction of the log", .timeLimit(.minutes(5))) struct LogCompactionTests {
  /// A client that knows nothing reads the zones of an account.
  private func read(_ fixture: LogFixture, _ account: String = "ann", from store: ZoneStore? = nil) async throws
    -> LogClient
  {
    var client = LogClient(store ?? fixture.store, account)
    try await client.pull()
    return client
  }

  @Test("A fold does not copy a record with many members for each entry")
  func inPlace() throws {
    var changes: [RecordName: ZoneStore.Fold.Change] = [:]
    var (copies, storage) = (0, UInt(0))
    for number in 0..<2000 {
      changes.take(.change([.a: .member(.numbered(number))]), commit: Int64(number))
      let members = try #require(changes[.a]?.registers?.edges["members"])
      // A dictionary is a pointer to its storage.
      let new = unsafeBitCast(members, to: UInt.self)
      if new != storage { copies += 1 }
      storage = new
    }
    // It grows now and then.
    #expect(copies < 20, "\(copies)")
  }

  @Test(
    "The state is the same after a fold, also of encrypted values, and the log is gone", arguments: TestStore.available)
  func fold(_ kind: TestStore) async throws {
    let fixture = try LogFixture(kind)
    var ann = try await read(fixture)
    for number in 0..<700 {
      let name = RecordName.numbered(number % 300)
      let value: RegisterValue = number % 2 == 0 ? .sealed(Data("sealed \(number)".utf8)) : .integer(Int64(number))
      let registers = Registers.born("Note", at: Registers.time(Int64(number)), ["x": value])
      #expect(try await ann.push([.ann: [name: registers.joining(.member(.numbered(number)))]]) == nil)
    }
    try await ann.pull()
    let before = try await fixture.stored(.ann)
    #expect(before.entries == 700 && before.pages == 0 && before.size == before.measured)
    #expect(try await fixture.compact(.ann).folded == 700)
    let after = try await fixture.stored(.ann)
    #expect(after.entries == 0 && after.pages > 1 && after.folded == 700 && !after.hasLeftovers)
    #expect(after.size == after.measured)
    #expect(try await read(fixture).states == ann.states)
    // The log goes on, and the next fold joins it into the pages.
    for number in 0..<350 {
      let registers = Registers.set(["x": .null], at: Registers.time(Int64(2000 + number)))
      #expect(try await ann.push([.ann: [.numbered(number): registers]]) == nil)
    }
    try await ann.pull()
    #expect(try await read(fixture).states == ann.states)
    #expect(try await fixture.compact(.ann).folded == 1050)
    let end = try await read(fixture)
    #expect(end.states == ann.states && end.states[.ann].records.count == 350)
    #expect(try await fixture.compact(.ann).folded == nil)
  }

  @Test("Records and entries of any size fold, and a page has one record at least")
  func sizes() async throws {
    let fixture = try LogFixture()
    var ann = try await read(fixture)
    for (number, size) in [0, 1, 70_000, 300, 200_000, 64 << 10, 5].enumerated() {
      let value = RegisterValue.data(Data(repeating: UInt8(number), count: size))
      #expect(try await ann.push([.ann: [.numbered(number): .born("Note", ["x": value])]]) == nil)
    }
    try await ann.pull()
    try await fixture.compact(.ann)
    #expect(try await fixture.stored(.ann).pages > 3)
    #expect(try await read(fixture).states == ann.states)
  }

  @Test("Entries stay for the retention, and a fold is due when old entries have as many bytes as the pages")
  func retention() async throws {
    var limits = LogFixture.limits
    (limits.retention, limits.foldSize) = (30 * TestClock.day, 2500)
    let fixture = try LogFixture(limits: limits)
    var ann = try await read(fixture)
    func push(_ numbers: Range<Int>, _ size: Int = 300) async throws {
      try await ann.pull()
      for number in numbers {
        let value = RegisterValue.data(Data(count: size))
        #expect(try await ann.push([.ann: [.numbered(number): .born("Note", ["x": value])]]) == nil)
      }
    }
    func due() async throws -> Bool { try await fixture.store.zonesToCompactLog() == [ZoneName.ann.text] }
    try await push(0..<5)
    fixture.clock.advance(days: 31)
    #expect(try await !due())
    try await push(5..<10)
    #expect(try await !due())
    fixture.clock.advance(days: 29)
    #expect(try await !due())
    fixture.clock.advance(days: 1.1)
    #expect(try await due())
    try await push(10..<12)
    #expect(try await fixture.compact(.ann).folded == 10)
    #expect(try await fixture.stored(.ann).entries == 2)
    #expect(try await !due())
    // The pages have about 3,300 bytes.
    fixture.clock.advance(days: 31)
    try await push(12..<17)
    fixture.clock.advance(days: 31)
    #expect(try await !due())
    try await push(17..<24)
    fixture.clock.advance(days: 31)
    #expect(try await due())
    try await ann.pull()
    try await fixture.compact(.ann)
    #expect(try await read(fixture).states == ann.states)
  }

  // MARK: - Forgetting

  /// Writes to a zone, and the names of `a` to `d` that the server then forgets.
  private static let cases: [(String, [[RecordName: Registers]], [RecordName])] = [
    ("a dead record", [[.a: .born()], [.a: .dead()]], [.a]),
    ("a living record", [[.a: .born()]], []),
    ("a record that left", [[.a: .born()], [.a: .home(.share("x"))]], [.a]),
    ("a record that left and came back", [[.a: .born()], [.a: .home(.share("x"))], [.a: .home(.ann, moves: 2)]], []),
    ("a dead record that a living one leads to", [[.a: .dead()], [.b: .born().joining(.refer(.a))]], []),
    ("a dead record that is in a living one's list", [[.a: .dead()], [.b: .born().joining(.member(.a))]], []),
    ("a dead record that leads to a living one", [[.a: .dead().joining(.refer(.b))], [.b: .born()]], []),
    ("a dead record that a dead one leads to", [[.a: .dead()], [.b: .dead().joining(.refer(.a))]], [.a, .b]),
    ("a dead record that leads to an unknown one", [[.a: .dead().joining(.refer(.d))]], [.a]),
    ("a write to a record that the server forgot", [[.a: .set(["x": .null])]], [.a]),
    (
      "a dead record that a living one led to before",
      [
        [.a: .dead()], [.b: .born().joining(.refer(.a))], [.b: .refer(.c, at: Registers.time(2000))],
      ], [.a]
    ),
  ]

  @Test("The server forgets what no view needs", arguments: 0..<cases.count)
  func forget(_ index: Int) async throws {
    let (label, writes, expected) = Self.cases[index]
    let fixture = try LogFixture()
    var ann = try await read(fixture)
    for write in writes {
      #expect(try await ann.push([.ann: write]) == nil)
      try await ann.pull()
    }
    let before = ann.states[.ann].records
    let done = try await fixture.compact(.ann)
    #expect(done.forgotten == expected.count, "\(label)")
    // Forgetting is an entry: a client that follows the log and one that reads it from its start have one state.
    try await ann.pull()
    #expect(ann.states[.ann].records == before.filter { !expected.contains($0.key) }, "\(label)")
    #expect(try await read(fixture).states == ann.states, "\(label)")
    try await fixture.compact(.ann)
    #expect(try await read(fixture).states == ann.states, "\(label)")
    #expect(try await fixture.compact(.ann).forgotten == 0, "\(label)")
  }

  @Test("A record stays that an entry names which came while the server scanned the zone")
  func pushMeanwhile() async throws {
    let fixture = try LogFixture()
    let ann = try await read(fixture)
    #expect(try await ann.push([.ann: [.a: .dead(), .b: .dead(), .c: .dead(), .d: .dead()]]) == nil)
    let key = ZoneName.ann.text
    var fold = try #require(try await fixture.store.beginFold(key))
    while try await fixture.store.foldMore(&fold) {}
    #expect(try await fixture.store.endFold(fold))
    while try await fixture.store.deleteLeftovers(key) {}
    var scan = try #require(try await fixture.store.beginScan(key))
    while try await fixture.store.collectMore(&scan) {}
    while try await fixture.store.scanMore(&scan) {}
    #expect(scan.forgettable == [.a, .b, .c, .d])
    var client = ann
    try await client.pull()
    #expect(try await client.push([.ann: [.numbered(9): .born().joining(.refer(.a))]]) == nil)
    #expect(try await client.push([.ann: [.b: .refer(.numbered(9))]]) == nil)
    #expect(try await client.push([.ann: [.numbered(8): .born().joining(.member(.c))]]) == nil)
    #expect(try await fixture.store.forget(&scan) == 1)
    try await client.pull()
    #expect(client.states[.ann].records.keys.sorted() == [.a, .b, .c, .numbered(8), .numbered(9)])
  }

  // MARK: - Crashes and other processes

  @Test("What a killed server began to fold, the next one ends", arguments: 0..<4)
  func killed(_ steps: Int) async throws {
    let fixture = try LogFixture()
    var ann = try await read(fixture)
    for number in 0..<600 {
      let registers = Registers.born("Note", ["x": .data(Data(count: 3000))])
      #expect(try await ann.push([.ann: [.numbered(number): registers]]) == nil)
      if number == 499 {
        try await fixture.compact(.ann)
        try await ann.pull()
      }
    }
    try await ann.pull()
    let key = ZoneName.ann.text
    var fold = try #require(try await fixture.store.beginFold(key))
    for step in 0..<min(steps, 2) { #expect(try await fixture.store.foldMore(&fold) == (step == 0)) }
    if steps == 3 { #expect(try await fixture.store.endFold(fold)) }
    let next = try fixture.another()
    #expect(try await read(fixture, from: next).states == ann.states)
    let done = try await next.compactLog(key)
    #expect(done.folded == (steps == 3 ? nil : 600))
    let stored = try await fixture.stored(.ann)
    #expect(stored.entries == 0 && !stored.hasLeftovers && stored.size == stored.measured)
    #expect(try await read(fixture, from: next).states == ann.states)
  }

  @Test("Of two servers that fold one zone, one does, and no entry is lost")
  func twice() async throws {
    let fixture = try LogFixture()
    var ann = try await read(fixture)
    for number in 0..<20 { #expect(try await ann.push([.ann: [.numbered(number): .born()]]) == nil) }
    try await ann.pull()
    let (key, other) = (ZoneName.ann.text, try fixture.another())
    var (one, two) = (
      try #require(try await fixture.store.beginFold(key)), try #require(try await other.beginFold(key))
    )
    _ = try await fixture.store.foldMore(&one)
    _ = try await other.foldMore(&two)
    #expect(try await other.endFold(two))
    #expect(try await !fixture.store.endFold(one))
    #expect(try await read(fixture, from: other).states == ann.states)
    // A server deletes the pages that another one is writing. The other one notices.
    for number in 20..<30 {
      #expect(try await LogClient.current(other).push([.ann: [.numbered(number): .born()]]) == nil)
    }
    var third = try #require(try await other.beginFold(key))
    while try await other.foldMore(&third) {}
    while try await fixture.store.deleteLeftovers(key) {}
    #expect(try await !other.endFold(third))
    try await other.compactLog(key).folded.map { #expect($0 == 30) }
    #expect(try await read(fixture, from: other).states[.ann].records.count == 30)
  }

  // MARK: - Assets

  @Test(
    "Assets go a day after the last register that names them, and those that another zone has stay",
    arguments: TestStore.available)
  func assets(_ kind: TestStore) async throws {
    let fixture = try LogFixture(kind)
    let share = try await fixture.share()
    var ann = try await read(fixture)
    for text in ["named", "replaced", "linked", "nowhere", "of a dead one"] { try await fixture.put(text, to: .ann) }
    func set(_ text: String, _ time: Int64 = 1000) -> Registers {
      .born("Note", at: Registers.time(time), ["x": LogFixture.asset(text)])
    }
    #expect(
      try await ann.push([
        .ann: [.a: set("named"), .b: set("replaced"), .c: set("linked"), .d: set("of a dead one")],
        share: [.c: set("linked")],
      ]) == nil)
    #expect(
      try await ann.push([
        .ann: [.b: set("named", 2000), .c: .set(["x": .null], at: Registers.time(2000)), .d: .dead()]
      ]) == nil)
    #expect(try await fixture.compact(.ann).assets == 0)
    fixture.clock.advance(days: 2)
    try await fixture.put("fresh", to: .ann)
    try await fixture.put("nowhere", to: .ann)
    try await ann.pull()
    #expect(try await ann.push([.ann: [.numbered(9): set("fresh")]]) == nil)
    // The third one is the bytes of the tombstone.
    #expect(try await fixture.compact(.ann).assets == 3)
    var left: [String] = []
    for text in ["named", "replaced", "linked", "nowhere", "of a dead one", "fresh"]
    where try await fixture.hasAsset(text, in: .ann) { left.append(text) }
    #expect(left == ["named", "nowhere", "fresh"])
    let bytes = try await fixture.store.assetPart(
      ServerFixture.sha256("linked"), offset: 0, account: "ann", zone: share.text)
    #expect(bytes == Data("linked".utf8))
    // The bytes come again to the first zone, and stay there when the share drops its own.
    try await fixture.put("linked", to: .ann)
    try await ann.pull()
    #expect(
      try await ann.push([share: [.c: .set(["x": .null], at: Registers.time(3000))], .ann: [.c: set("linked", 3000)]])
        == nil)
    fixture.clock.advance(days: 2)
    #expect(try await fixture.compact(share).assets == 1)
    #expect(try await fixture.compact(.ann).assets == 1)
    #expect(try await fixture.hasAsset("linked", in: .ann))
    #expect(try await !fixture.hasAsset("linked", in: share))
    for zone in [ZoneName.ann, share] {
      let stored = try await fixture.stored(zone)
      #expect(stored.size == stored.measured)
    }
    #expect(try await fixture.store.counts()[2] == 3)
  }

  @Test("A sweep is due when the assets have doubled, and not more often than once a day")
  func sweeps() async throws {
    var limits = LogFixture.limits
    limits.foldSize = 1 << 20
    let fixture = try LogFixture(limits: limits)
    let ann = try await read(fixture)
    try await fixture.put("one", to: .ann)
    #expect(try await ann.push([.ann: [.a: .born("Note", ["x": LogFixture.asset("one")])]]) == nil)
    #expect(try await fixture.store.zonesToCompactLog() == [ZoneName.ann.text])
    try await fixture.compact(.ann)
    for text in ["two", "six", "ten"] {
      #expect(try await fixture.store.zonesToCompactLog().isEmpty)
      try await fixture.put(text, to: .ann)
    }
    #expect(try await fixture.store.zonesToCompactLog().isEmpty)
    fixture.clock.advance(days: 1.1)
    #expect(try await fixture.store.zonesToCompactLog() == [ZoneName.ann.text])
    #expect(try await fixture.compact(.ann).assets == 3)
    #expect(try await fixture.hasAsset("one", in: .ann))
    #expect(try await fixture.store.zonesToCompactLog().isEmpty)
  }

  @Test("An asset stays that a push names while the server sweeps")
  func assetMeanwhile() async throws {
    let fixture = try LogFixture()
    let ann = try await read(fixture)
    for text in ["one", "two", "six"] { try await fixture.put(text, to: .ann) }
    #expect(try await ann.push([.ann: [.a: .born()]]) == nil)
    fixture.clock.advance(days: 2)
    let key = ZoneName.ann.text
    var scan = try #require(try await fixture.store.beginScan(key))
    while try await fixture.store.scanMore(&scan) {}
    #expect(scan.assets.count == 3)
    #expect(try await ann.push([.ann: [.b: .set(["x": LogFixture.asset("one")])]]) == nil)
    try await fixture.put("two", to: .ann)
    var count = 0
    while true {
      let deleted = try await fixture.store.deleteAssets(&scan)
      count += deleted.count
      guard deleted.hasMore else { break }
    }
    #expect(count == 1)
    #expect(try await fixture.hasAsset("one", in: .ann))
    #expect(try await fixture.hasAsset("two", in: .ann))
  }
}

extension LogClient {
  /// A client that has read all zones of Ann.
  fileprivate static func current(_ store: ZoneStore) async throws -> LogClient {
    var client = LogClient(store)
    try await client.pull()
    return client
  }
}
