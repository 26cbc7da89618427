#if Sync
import Foundation
import SyncCore
import SyncProtocol
import UntrustedInput

@testable import SwiftDataSync

/// A participant whose program writes what it likes into the shares where it may write: all kinds of registers, of records that are
/// there, that are private to others, or that are nowhere.
struct ZoneForger {
  private let account: String
  private var random: SeededGenerator
  /// The names of the records that were written.
  private(set) var names: Set<RecordName> = []
  private let classes: [WireName: [SyncModels.Property]]

  /// - Parameter models: the models, of which halves and marks are left out, because their rules are for honest programs.
  init(_ account: String, _ models: SyncModels, seed: UInt64) {
    (self.account, random) = (account, SeededGenerator(seed: seed))
    classes = models.classes.filter { !["SimHalf", "SimMark"].contains($0.key) }
  }

  private mutating func pick<Values: Collection>(_ values: Values) -> Values.Element? {
    values.randomElement(using: &random)
  }
  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  /// Pushes a transaction. The server may refuse it.
  mutating func forge(_ server: ZoneServer) throws {
    let zones = server.shares.keys.sorted().filter { server.may(account, $0, write: true) }
    guard let zone = pick(zones), let epoch = server.epoch else { return }
    var part: [RecordName: Registers] = [:]
    for _ in 0..<Int.random(in: 1...4, using: &random) { part[name(near: zone, server)] = registers(zone, server) }
    names.formUnion(part.keys)
    let transaction = SyncLog.Transaction(id: UUID(), parts: [zone: part])
    // The bytes are what a server can be sent.
    let sent = try SyncLog.Transaction(encoded: transaction.encoded)
    _ = try server.push(
      SyncLog.PushRequest(cursor: server.commit, epoch: epoch, transactions: [sent]), from: account)
  }

  private mutating func name(near zone: ZoneName, _ server: ZoneServer) -> RecordName {
    let zones = server.zones(of: "ann") + server.zones(of: "bob")
    let other = chance(70) ? zone : pick(zones)!
    return pick(server.state(of: other).records.keys.sorted()) ?? RecordName("strange")
  }

  private mutating func time(_ server: ZoneServer) -> HybridTime {
    let distance = SyncWire.clockTolerance
    return HybridTime(
      milliseconds: max(0, server.now + Int64.random(in: -distance...distance, using: &random)),
      counter: UInt16.random(in: 0...(.max), using: &random), replica: random.next())
  }

  private mutating func registers(_ zone: ZoneName, _ server: ZoneServer) -> Registers {
    var registers = Registers()
    let entity = pick(classes.keys.sorted())!
    if chance(30) { registers.born = Stamped(time(server), chance(90) ? entity : "Unknown") }
    if chance(10) { registers.dead = time(server) }
    if chance(10) {
      let target = chance(50) ? zone : pick(server.zones(of: "ann") + [.share("nowhere"), .account("cy")])!
      registers.home = Home(moves: chance(90) ? 1 : .max, time: time(server), zone: target)
    }
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      guard let property = pick(classes[entity]!) else { break }
      if chance(20) {
        registers.fields[property.placeField] = Stamped(time(server), .text(place()))
      } else if case .members = property.kind {
        var edge = Edge(added: time(server), removed: chance(30) ? time(server) : .zero)
        let hint = chance(50) ? nil : pick(server.zones(of: "ann"))
        if chance(80) { edge.place = Stamped(time(server), Place(place(), hint: hint)) }
        registers.edges[property.wire, default: [:]][name(near: zone, server)] = edge
      } else {
        // A device that had an object of a unique value keeps it if the value becomes unreadable, and a new device makes none.
        let new = property.name == "email" ? RegisterValue.text(place()) : value(zone, server)
        registers.fields[property.wire] = Stamped(time(server), new)
      }
    }
    return registers
  }

  private mutating func place() -> ExactText { pick(["", "0", "8", "80", "ffffffff", "zz", "\u{301}e"])! }

  private mutating func value(_ zone: ZoneName, _ server: ZoneServer) -> RegisterValue {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: .null
    case 1: .integer(pick([.min, -1, 0, 7, .max])!)
    case 2: .real(pick([.nan, .infinity, -0.0, 1e300])!)
    case 3: .text(pick(["", "low", "\0", "\u{301}e", "ant@example.com"])!)
    case 4: .data(Data([0xFF]))
    case 5: .sealed(Data([1, 2, 3]))
    default:
      .reference(Reference(name(near: zone, server), hint: chance(50) ? nil : pick(server.zones(of: "ann"))))
    }
  }
}
#endif
