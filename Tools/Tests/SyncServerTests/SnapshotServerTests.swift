import Foundation
import SyncProtocol
import Testing
import UntrustedInput

@testable import SyncServer

@Suite("Snapshots on the server", .timeLimit(.minutes(20))) struct SnapshotServerTests {
  private let parts = (0..<3).map { SnapshotFixture.transaction("part \($0)") }

  @Test("A device that begins anew gets the parts and then the log behind them", arguments: TestStore.available)
  func reading(_ kind: TestStore) async throws {
    let fixture = try SnapshotFixture(kind)
    try await fixture.push(6)
    try await fixture.snapshot(parts, 6)
    let later = SnapshotFixture.transaction("later")
    try await fixture.push([later])
    #expect(try await fixture.readAll() == parts + [later])
    let first = try await fixture.changes(after: 0)
    #expect(first.isSnapshot == true && first.snapshot == SnapshotInfo(through: 6, rules: "rules"))
    // The last part has the number of the snapshot, and all parts are of the owner.
    #expect(first.entries.map(\.sequence) == [4, 5, 6] && Set(first.entries.map(\.account)) == [fixture.ann])
    #expect(first.latest == 7 && first.compacted == 0)
    let second = try await fixture.changes(after: 5, snapshot: 6)
    #expect(second.isSnapshot == true && second.entries.map(\.sequence) == [6])
    let log = try await fixture.changes(after: 6, snapshot: 6)
    #expect(log.isSnapshot == nil && log.snapshot?.through == 6 && log.entries.map(\.sequence) == [7])
    // One that has seen some of the log goes on in the log while it is there.
    #expect(try await fixture.changes(after: 2).entries.map(\.sequence) == [3, 4, 5, 6, 7])
  }

  @Test("An answer has as many parts as fit, and at least one")
  func pages() async throws {
    var limits = SnapshotFixture.limits
    limits.answerSize = 1000
    let fixture = try SnapshotFixture(limits: limits)
    let parts = [10, 10, 3000, 600, 600, 10, 2000].map {
      SnapshotFixture.transaction(String(repeating: "x", count: $0))
    }
    try await fixture.push(7)
    try await fixture.snapshot(parts, 7)
    #expect(try await fixture.changes(after: 0).entries.count == 3)
    #expect(try await fixture.changes(after: 3, snapshot: 7).entries.count == 2)
    #expect(try await fixture.readAll() == parts)
  }

  @Test("A device that reads a snapshot which another one replaced has to begin anew")
  func replaced() async throws {
    let fixture = try SnapshotFixture()
    try await fixture.push(6)
    try await fixture.snapshot(parts, 6)
    try await fixture.push(2)
    try await fixture.snapshot([parts[0]], 8)
    #expect(await refusal { _ = try await fixture.changes(after: 4, snapshot: 6) } == .compacted)
    #expect(try await fixture.readAll() == [parts[0]])
    #expect(try await fixture.state().parts == 1)
  }

  @Test("A program that knows no snapshots reads the log while it is there, and is refused afterwards")
  func olderClient() async throws {
    let fixture = try SnapshotFixture()
    try await fixture.push(6)
    try await fixture.snapshot(parts, 6)
    let answer = try await fixture.changes(after: 0, snapshot: nil)
    #expect(answer.isSnapshot == nil && answer.entries.map(\.sequence) == Array(1...6))
    #expect(answer.snapshotWanted == nil)
    fixture.clock.advance(days: 31)
    try await fixture.compact()
    for position: Int64 in [0, 5] {
      #expect(await refusal { _ = try await fixture.changes(after: position, snapshot: nil) } == .compacted)
    }
    #expect(try await fixture.changes(after: 6, snapshot: nil).entries.isEmpty)
    #expect(try await fixture.readAll() == parts)
  }

  @Test("The server asks the owner for a snapshot once the log is long, and not again before it is twice as long")
  func wanted() async throws {
    let fixture = try SnapshotFixture()
    #expect(try await fixture.push(4).snapshotWanted == nil)
    let bytes = try #require(try await fixture.push(1).snapshotWanted)
    #expect(try await Untrusted(fixture.state().logSize) == bytes)
    #expect(try await fixture.changes(after: 5).snapshotWanted == bytes)
    #expect(try await fixture.changes(after: 5, snapshot: nil).snapshotWanted == nil)
    try await fixture.finish(0, 5)
    #expect(try await fixture.push(4).snapshotWanted == nil)
    #expect(try await fixture.changes(after: 9).snapshotWanted == nil)
    #expect(try await fixture.push(1).snapshotWanted != nil)
    try await fixture.snapshot(parts, 10)
    // Another snapshot would add to what waits.
    #expect(try await fixture.push(6).snapshotWanted == nil)
    fixture.clock.advance(days: 31)
    try await fixture.compact()
    #expect(try await fixture.changes(after: 16).snapshotWanted == Untrusted(fixture.state().logSize))
  }

  @Test("The server asks for no snapshot while the log has fewer bytes than the snapshot")
  func large() async throws {
    let fixture = try SnapshotFixture()
    try await fixture.push(6)
    try await fixture.snapshot([SnapshotFixture.transaction(String(repeating: "x", count: 10_000))], 6)
    fixture.clock.advance(days: 31)
    try await fixture.compact()
    #expect(try await fixture.push(10, base: 6).snapshotWanted == nil)
    let large = [SnapshotFixture.transaction(String(repeating: "y", count: 10_000))]
    #expect(try await fixture.push(large, base: 6).snapshotWanted != nil)
  }

  @Test("Only the owner is asked for a snapshot and can send one")
  func owner() async throws {
    let fixture = try SnapshotFixture()
    let share = try await fixture.store.createShare(
      CreateShareRequest(root: RecordName("root"), title: ""), account: fixture.ann
    ).zone
    _ = try await fixture.store.invite(
      InviteRequest(account: "bob", permission: .readWrite), to: share, account: fixture.ann)
    _ = try await fixture.store.accept(zone: share, account: "bob")
    let transactions = (0..<6).map { _ in SnapshotFixture.transaction() }
    #expect(try await fixture.push(transactions, by: "bob", to: share).snapshotWanted == nil)
    let before = try await fixture.store.state(of: ServerZone.key(fixture.ann, share))
    for (account, code) in [("bob", SyncFailure.Code.forbidden), ("carol", .notFound)] {
      #expect(await refusal { try await fixture.put(parts[0], 0, 6, by: account, to: share) } == code)
      #expect(await refusal { try await fixture.finish(0, 6, by: account, to: share) } == code)
      #expect(await refusal { try await fixture.finish(1, 6, by: account, to: share) } == code)
    }
    #expect(try await fixture.store.state(of: ServerZone.key(fixture.ann, share)) == before)
    #expect(try await fixture.push([SnapshotFixture.transaction()], to: share).snapshotWanted != nil)
    try await fixture.put(parts[0], 0, 6, to: share)
    try await fixture.finish(1, 6, to: share)
    let read = try SyncWire.decode(
      ChangesResponse.self,
      from: try await fixture.store.changes(after: 0, account: "bob", zone: share, snapshot: 0))
    #expect(read.isSnapshot == true && read.entries.map(\.account) == [fixture.ann] && read.snapshotWanted == nil)
  }

  @Test("A snapshot that lacks a part, is of the future, or has too many parts is refused and changes nothing")
  func refused() async throws {
    let fixture = try SnapshotFixture()
    #expect(await refusal { try await fixture.put(parts[0], 0, 1) } == .unknownSequence)
    try await fixture.push(6)
    #expect(await refusal { try await fixture.put(parts[0], 0, 7) } == .unknownSequence)
    #expect(await refusal { try await fixture.finish(0, 7) } == .unknownSequence)
    #expect(await refusal { try await fixture.put(parts[0], 0, 0) } == .invalid)
    #expect(await refusal { try await fixture.put(parts[0], 6, 6) } == .invalid)
    #expect(await refusal { try await fixture.put(parts[0], -1, 6) } == .invalid)
    #expect(await refusal { try await fixture.finish(-1, 6) } == .invalid)
    #expect(await refusal { try await fixture.finish(7, 6) } == .invalid)
    #expect(await refusal { try await fixture.finish(1, 6) } == .invalid)
    let (ann, zone) = (fixture.ann, fixture.zone)
    for bytes in [Data(), Data("no transaction".utf8), parts[0].encoded + [0]] {
      #expect(
        await refusal {
          try await fixture.store.putSnapshotPart(0, ofSnapshot: 6, bytes, account: ann, zone: zone)
        } == .invalid)
    }
    var long = parts[0]
    long.changes[0] = RecordChange(RecordName(String(repeating: "x", count: 65)), "Note")
    #expect(await refusal { try await fixture.put(long, 0, 6) } == .invalid)
    #expect(try await fixture.state().parts == 0)
    try await fixture.put(parts[0], 0, 6)
    try await fixture.put(parts[2], 2, 6)
    #expect(await refusal { try await fixture.finish(3, 6) } == .invalid)
    #expect(try await fixture.state().snapshot == 0)
    #expect(try await fixture.changes(after: 0).isSnapshot == nil)
    try await fixture.put(parts[1], 1, 6)
    try await fixture.finish(3, 6)
    #expect(try await fixture.readAll() == parts)
    // An older one does not replace it.
    #expect(await refusal { try await fixture.put(parts[0], 0, 5) } == .invalid)
    #expect(await refusal { try await fixture.finish(1, 5) } == .invalid)
  }

  @Test("A part and a finished snapshot can be sent again")
  func again() async throws {
    let fixture = try SnapshotFixture()
    try await fixture.push(6)
    try await fixture.put(SnapshotFixture.transaction("outdated"), 0, 6)
    try await fixture.put(SnapshotFixture.transaction("left over"), 3, 6)
    try await fixture.snapshot(parts, 6)
    let state = try await fixture.state()
    #expect(state.parts == 3 && state.unfinishedSize == 0)
    fixture.clock.advance(days: 1)
    try await fixture.put(SnapshotFixture.transaction("of another"), 1, 6)
    try await fixture.finish(3, 6)
    #expect(try await fixture.state() == state)
    #expect(try await fixture.readAll() == parts)
    // Sending it again does not keep the log for longer.
    fixture.clock.advance(days: 29.5)
    #expect(try await fixture.compact() != nil)
  }

  @Test("Parts of two devices do not mix: the device that began last can finish, and the other one cannot")
  func twoDevices() async throws {
    let fixture = try SnapshotFixture()
    try await fixture.push(6)
    for index in 0..<2 { try await fixture.put(parts[index], Int64(index), 6, maker: "phone") }
    let other = (0..<2).map { SnapshotFixture.transaction("tablet \($0)") }
    try await fixture.put(other[0], 0, 6, maker: "tablet")
    #expect(await refusal { try await fixture.put(parts[2], 2, 6, maker: "phone") } == .invalid)
    #expect(await refusal { try await fixture.finish(3, 6, maker: "phone") } == .invalid)
    #expect(await refusal { try await fixture.finish(2, 6, maker: "tablet") } == .invalid)
    try await fixture.put(other[1], 1, 6, maker: "tablet")
    try await fixture.finish(2, 6, maker: "tablet")
    #expect(try await fixture.readAll() == other)
    #expect(try await fixture.state().parts == 2)
  }

  @Test("Unfinished parts take no more room than the zone has, and none of its quota")
  func room() async throws {
    let fixture = try SnapshotFixture()
    try await fixture.push(6)
    let size = try await fixture.state().size
    let large = SnapshotFixture.transaction(String(repeating: "x", count: 500_000))
    try await fixture.put(large, 0, 6)
    try await fixture.put(large, 1, 6)
    try await fixture.put(large, 1, 6)
    #expect(await refusal { try await fixture.put(large, 2, 6) } == .quotaExceeded)
    let state = try await fixture.state()
    #expect(state.parts == 2 && state.size == size && state.unfinishedSize == 2 * Int64(large.encoded.count))
    // The first part of a new one makes room.
    try await fixture.push(1)
    try await fixture.put(large, 0, 7)
    #expect(try await fixture.state().parts == 1)
    try await fixture.finish(0, 7)
    #expect(try await fixture.state().parts == 0)
  }

  @Test("A pushed change cannot have the field of snapshots, and a part can")
  func alias() async throws {
    let fixture = try SnapshotFixture()
    var alias = SnapshotFixture.transaction()
    alias.changes[0].fields[SyncWire.aliasField] = FieldWrite(.record(RecordName("other")), .zero, over: nil)
    let pushed = alias
    #expect(await refusal { try await fixture.push([pushed]) } == .invalid)
    try await fixture.push(6)
    try await fixture.snapshot([pushed], 6)
    #expect(try await fixture.readAll() == [pushed])
  }

  @Test("Devices send and read snapshots over HTTP, and with no retention the server deletes the old log at once")
  func http() async throws {
    var limits = SnapshotFixture.limits
    limits.retention = 0
    let parts = parts
    try await ServerFixture.with(limits: limits) { server in
      let token = try await server.token("ann")
      let pushed = (0..<6).map { SnapshotFixture.transaction("entry \($0)") }
      let body = try SyncWire.encode(PushRequest(base: 0, transactions: pushed))
      let path = "/v1/zones/private"
      let answer = try await server.send("POST", "\(path)/push?snapshot=0", token: token, body: body)
      #expect(try SyncWire.decode(PushResponse.self, from: answer.body).snapshotWanted ?? 0 > 0)
      for (index, part) in parts.enumerated() {
        let place = "\(path)/snapshot?through=6&part=\(index)&maker=phone"
        #expect(try await server.send("PUT", place, token: token, body: part.encoded).status == 200)
      }
      let bad = "\(path)/snapshot?through=6&part=0&maker=phone"
      #expect(try await server.send("PUT", bad, token: token, body: Data("no".utf8)).failure?.code == .invalid)
      #expect(try await server.send("PUT", "\(path)/snapshot", token: token, body: Data()).failure?.code == .invalid)
      let request = try SyncWire.encode(SnapshotRequest(through: 6, parts: 3, rules: "rules"))
      let finished = try await server.send("POST", "\(path)/snapshot?maker=phone", token: token, body: request)
      #expect(finished.status == 200)
      while try await server.send("GET", "\(path)/changes?after=0", token: token).status != 410 {
        try await Task.sleep(for: .milliseconds(50))
      }
      #expect(try await server.send("GET", "\(path)/changes?after=0", token: token).failure?.code == .compacted)
      let read = try await server.send("GET", "\(path)/changes?after=0&snapshot=0", token: token)
      let response = try SyncWire.decode(ChangesResponse.self, from: read.body)
      #expect(response.entries.map(\.transaction) == parts && response.compacted == 6)
    }
  }
}
