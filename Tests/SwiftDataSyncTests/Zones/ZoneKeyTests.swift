#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import Testing
import UntrustedInput

@testable import SwiftDataSync

@Suite("Keys of shares on replicas of zones")
struct ZoneKeyTests {
  private func makeGroup(_ accounts: [String]) throws -> ZoneGroup {
    let group = try ZoneGroup([ZoneSecret.self], accounts: accounts, hasSecret: true)
    try group.save(0) { $0.insert(ZoneSecret("first")) }
    return group
  }

  private func exchange(_ group: ZoneGroup, _ indices: [Int]) throws {
    for _ in 0..<3 {
      for index in indices {
        try group.sync(index)
        try group.exchangeKeys(index)
        try group.sync(index)
      }
    }
  }

  private func texts(_ group: ZoneGroup, _ index: Int) throws -> [String] {
    try group.all(ZoneSecret.self, index).map(\.text)
  }

  /// The values of a zone as the server has them.
  private func sealed(_ group: ZoneGroup, _ zone: ZoneName) throws -> [Data] {
    try group.server.state(of: zone).records.values.compactMap { $0.fields["text"]?.value }.map { value in
      guard case .sealed(let data) = value else { throw ReplicaError(description: "\(value) is not encrypted") }
      return data
    }
  }

  @Test(
    "A participant reads encrypted attributes once the owner's device has wrapped the key, and what it writes is encrypted"
  )
  func participant() throws {
    let group = try makeGroup(["ann", "bob"])
    let zone = try group.share(ZoneSecret.self, of: 0, with: ["bob": true])
    // The key is not there yet, so that the share waits.
    #expect(try group.replicas[0].shareWithoutKey() == zone)
    try group.exchangeKeys(0)
    try group.sync(0)
    try group.sync(1)
    #expect(try texts(group, 1) == [""])
    try exchange(group, [1, 0, 1])
    #expect(try texts(group, 1) == ["first"])
    try group.save(1) { try group.first(ZoneSecret.self, $0).text = "second" }
    try exchange(group, [1, 0])
    #expect(try texts(group, 0) == ["second"])
    #expect(try sealed(group, zone).count == 1)
  }

  @Test("A replica that starts again has its keys")
  func restart() throws {
    let group = try makeGroup(["ann", "bob"])
    let zone = try group.share(ZoneSecret.self, of: 0, with: ["bob": true])
    try exchange(group, [0, 1])
    try group.restart(1)
    #expect(group.replicas[1].keyGeneration(zone) == 1 && group.replicas[1].sharesThatNeedKeys.isEmpty)
    try group.save(0) { try group.first(ZoneSecret.self, $0).text = "second" }
    try exchange(group, [0, 1])
    #expect(try texts(group, 1) == ["second"])
  }

  @Test("An account that was removed cannot read what is written afterwards, and the others read all of it")
  func revoke() throws {
    let group = try makeGroup(["ann", "bob", "eve"])
    let zone = try group.share(ZoneSecret.self, of: 0, with: ["bob": true, "eve": true])
    try exchange(group, [0, 1, 2])
    #expect(try texts(group, 2) == ["first"])
    let eve = try #require(group.replicas[2].keyring)
    let record = try #require(group.server.state(of: zone).records.keys.first)
    let place = Sealing.place(record, "text")
    #expect(try eve.open(try sealed(group, zone)[0], place) == .text("first"))
    try group.replicas[0].distrust("eve", zone: zone)
    group.server.shares[zone]?.members["eve"] = nil
    try exchange(group, [0, 1])
    #expect(group.replicas[0].keyGeneration(zone) == 2 && group.replicas[1].keyGeneration(zone) == 2)
    try group.save(0) { try group.first(ZoneSecret.self, $0).text = "second" }
    try exchange(group, [0, 1, 2])
    #expect(try texts(group, 1) == ["second"] && texts(group, 2).isEmpty)
    #expect(throws: (any Error).self) { try eve.open(try sealed(group, zone)[0], place) }
    #expect(group.replicas[2].keyGeneration(zone) == 0)
    // Who is invited again gets all keys.
    try group.replicas[0].admit("eve", zone: zone)
    group.server.shares[zone]?.members["eve"] = true
    try exchange(group, [2, 0, 1])
    #expect(try texts(group, 2) == ["second"])
  }

  @Test("A participant with the key of a link reads without the owner's device, and so do its other devices")
  func link() throws {
    let group = try makeGroup(["ann", "bob", "bob"])
    let zone = try group.share(ZoneSecret.self, of: 0, with: [:])
    try exchange(group, [0])
    let text = try #require(group.replicas[0].linkKey(of: zone)?.text)
    group.server.shares[zone]?.members["bob"] = true
    let share = try #require(group.server.shares[zone])
    try group.replicas[1].take(
      try #require(LinkKey(text)), group.server.keys.keys(of: zone, share, for: "bob"), of: zone, owner: "ann")
    try exchange(group, [1, 2])
    #expect(try texts(group, 1) == ["first"] && texts(group, 2) == ["first"])
  }

  @Test("A server that names another key of an account than before gets nothing wrapped for that key")
  func falseKey() throws {
    let group = try makeGroup(["ann", "bob"])
    let zone = try group.share(ZoneSecret.self, of: 0, with: ["bob": true])
    try exchange(group, [0, 1])
    group.server.keys.accounts["bob"] = Keyring(secret: "another").account.publicKey.rawRepresentation
    // A participant left, so that the key is wrapped again.
    try group.replicas[0].distrust("eve", zone: zone)
    #expect(throws: SyncError.self) { try group.exchangeKeys(0) }
    let share = try #require(group.server.shares[zone])
    #expect(group.server.keys.keys(of: zone, share, for: "bob").wrappedGeneration == Untrusted(1))
    #expect(group.replicas[0].keyGeneration(zone) == 2)
  }

  @Test("A program that does not know an encrypted attribute moves its value with the key of the share")
  func unknownAttribute() throws {
    let group = try makeGroup(["ann", "bob"])
    try group.sync(0)
    let (own, keyring) = (ZoneName.account("ann"), try #require(group.replicas[0].keyring))
    let name = try #require(group.server.state(of: own).records.keys.first)
    // A newer program of Ann wrote it.
    var registers = Registers()
    let sealed = try keyring.own.seal(.text("newer"), Sealing.place(name, "note"))
    registers.fields["note"] = Stamped(group.replicas[0].tick(), .sealed(sealed))
    let request = SyncLog.PushRequest(
      cursor: group.server.commit, epoch: try #require(group.server.epoch),
      transactions: [SyncLog.Transaction(id: UUID(), parts: [own: [name: registers]])])
    #expect(try group.server.push(request, from: "ann").refusal == nil)
    let zone = try group.share(ZoneSecret.self, of: 0, with: ["bob": true])
    try exchange(group, [0, 1])
    let note = try #require(group.server.state(of: zone)[name]?.fields["note"]?.value)
    #expect(group.replicas[1].opened(note, of: name, "note") == .text("newer"))
  }

  @Test(
    "All devices have all keys after the server was restored to before the newest one was made, also if another device made one meanwhile",
    arguments: [0, 1], [false, true])
  func restoredServer(generations: Int, otherIsFirst: Bool) throws {
    let group = try makeGroup(["ann", "ann", "bob"])
    let zone = try group.share(ZoneSecret.self, of: 0, with: ["bob": true])
    if generations > 0 { try exchange(group, [0, 1, 2]) }
    let copy = group.server.copy()
    if generations == 0 { try exchange(group, [0, 1, 2]) }
    // Each of these makes a new key.
    try group.replicas[0].distrust("eve", zone: zone)
    try exchange(group, [0, 2])
    try group.save(0) { try group.first(ZoneSecret.self, $0).text = "second" }
    try exchange(group, [0, 2])
    group.server.restore(copy)
    if otherIsFirst {
      try group.replicas[1].distrust("eve", zone: zone)
      try exchange(group, [1])
    }
    try exchange(group, [0, 1, 2])
    let newest = try #require(group.replicas[0].keyring?.newest(zone)?.identifier)
    for index in 0...2 {
      #expect(try texts(group, index) == ["second"])
      #expect(group.replicas[index].keyring?.newest(zone)?.identifier == newest)
      #expect(group.replicas[index].sharesThatNeedKeys.isEmpty)
    }
    if otherIsFirst {
      // An account that was removed may know one of the two keys that were made apart.
      #expect(group.replicas[0].keyGeneration(zone) == 4)
    }
    for index in 0...2 {
      try group.save(index) { try group.first(ZoneSecret.self, $0).text = "of \(index)" }
      try exchange(group, [index, 0, 1, 2])
      for other in 0...2 { #expect(try texts(group, other) == ["of \(index)"]) }
    }
    try group.restart(1)
    #expect(group.replicas[1].keyring?.newest(zone)?.identifier == group.replicas[0].keyring?.newest(zone)?.identifier)
  }

  @Test(
    "The owner's other device and a participant who was invited again read the values of a share that a restored server lost"
  )
  func lostShare() throws {
    let group = try makeGroup(["ann", "ann", "bob"])
    try exchange(group, [0, 1, 2])
    let copy = group.server.copy()
    _ = try group.share(ZoneSecret.self, of: 0, with: ["bob": true])
    try exchange(group, [0, 1, 2])
    try group.save(2) { try group.first(ZoneSecret.self, $0).text = "Bob's" }
    try exchange(group, [2, 0])
    group.server.restore(copy)
    try exchange(group, [0, 1, 2])
    #expect(try texts(group, 0) == ["Bob's"] && texts(group, 1) == ["Bob's"] && texts(group, 2).isEmpty)
    _ = try group.share(ZoneSecret.self, of: 1, with: ["bob": true])
    try exchange(group, [1, 0, 2])
    #expect(try texts(group, 2) == ["Bob's"])
  }
}
#endif
