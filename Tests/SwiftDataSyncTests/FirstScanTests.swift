#if Sync
import Foundation
import SyncCore
import Testing

@testable import SwiftData
@testable import SwiftDataSync

/// Replicas whose stores had objects before they synced. Each exchange does what a session does.
@Suite("The first send of a large store") struct FirstScanTests {
  private let server = ZoneServer()

  private final class Device {
    let container: ModelContainer
    private let server: ZoneServer
    private(set) var replica: ZoneReplica!
    var checkpoint: (ZoneReplica.Checkpoint) throws -> Void = { _ in }

    init(_ server: ZoneServer, _ save: (ModelContext) throws -> Void = { _ in }) throws {
      self.server = server
      container = try ModelContainer(
        for: GrowthItem.self, CellOwner.self, CellUnique.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .none))
      let context = ModelContext(container)
      try save(context)
      try context.save()
      try start()
    }

    func start() throws {
      replica = try ZoneReplica(
        user: UserStore(container),
        now: { [server] in
          server.now += 1
          return server.now
        }, random: SeededGenerator(seed: UInt64.random(in: 0...UInt64.max)),
        checkpoint: { [unowned self] in try checkpoint($0) })
    }

    /// - Parameter afterPush: called when the server took something.
    func sync(afterPush: () throws -> Void = {}) throws {
      try replica.capturePart()
      try replica.exchange(with: server, afterPush: afterPush)
    }

    func all<M: PersistentModel>(_ type: M.Type) throws -> [M] {
      try ModelContext(container).fetch(FetchDescriptor<M>())
    }
  }

  private func items(_ numbers: Range<Int>) -> (ModelContext) -> Void {
    { context in for number in numbers { context.insert(GrowthItem("\(number)")) } }
  }

  @Test("A replica holds one part of the store, whatever its size")
  func flatMemory() throws {
    func most(_ count: Int) throws -> Int {
      let (server, device) = try { ($0, try Device($0, items(0..<count))) }(ZoneServer())
      // The server names the account with the first answer.
      try device.replica.pull(from: server)
      var most = 0
      device.checkpoint = { [unowned device] _ in
        most = max(most, device.replica.outbox.transactions.reduce(0) { $0 + $1.changes.count })
      }
      try device.sync()
      let reader = try Device(server)
      try reader.sync()
      #expect(try Set(reader.all(GrowthItem.self).map(\.name)).count == count)
      return most
    }
    let (small, large) = (try most(2000), try most(6000))
    #expect(small == large)
    #expect(large < 5000)
  }

  @Test("A replica that was killed between two parts goes on with the next one, and sends each object once")
  func resumes() throws {
    func countParts(of device: Device, killedAfter pushes: Int?) throws -> Int {
      var (parts, sent) = (0, 0)
      var last: PersistentIdentifier?
      device.checkpoint = { [unowned device] checkpoint in
        guard checkpoint == .committed, let position = device.replica?.store.replica.firstScan?.last, position != last
        else { return }
        last = position
        parts += 1
      }
      do {
        try device.sync {
          sent += 1
          if sent == pushes { throw SimulatedCrash() }
        }
        #expect(pushes == nil)
      } catch is SimulatedCrash {
        try device.start()
        try device.sync()
      }
      return parts
    }
    let whole = try countParts(of: Device(ZoneServer(), items(0..<3500)), killedAfter: nil)
    // One that begins again with the first part would send nothing twice, because it knows what it sent.
    #expect(try countParts(of: Device(server, items(0..<3500)), killedAfter: 2) == whole)
    var names: [RecordName] = []
    for case .change(let records) in server.log.flatMap(\.parts.values) { names += records.keys }
    #expect(names.count == 3500 && Set(names).count == 3500)
  }

  @Test("What the program saves, changes and deletes between two parts arrives")
  func changesBetweenParts() throws {
    let device = try Device(server, items(0..<2500))
    var pushes = 0
    try device.sync {
      pushes += 1
      guard pushes == 1 else { return }
      let context = ModelContext(device.container)
      let items = try context.fetch(FetchDescriptor<GrowthItem>())
      for name in ["10", "2400"] { items.first { $0.name == name }?.name = "changed \(name)" }
      for name in ["20", "2450"] { context.delete(try #require(items.first { $0.name == name })) }
      context.insert(GrowthItem("new"))
      try context.save()
    }
    let reader = try Device(server)
    for device in [device, reader] { try device.sync() }
    let names = try Set(reader.all(GrowthItem.self).map(\.name))
    #expect(names.count == 2499 && names.isSuperset(of: ["changed 10", "changed 2400", "new"]))
    #expect(names == Set(try device.all(GrowthItem.self).map(\.name)))
  }

  @Test("A list whose members are in several parts has its order on other replicas")
  func lists() throws {
    let order = (0..<2500).shuffled().map { "\($0)" }
    let device = try Device(server) { context in
      let owner = CellOwner("owner")
      context.insert(owner)
      let parts = (0..<2500).map { CellPart("\($0)") }
      for part in parts { context.insert(part) }
      owner.parts = order.map { parts[Int($0)!] }
      owner.notes = (0..<1500).reversed().map { CellNote("\($0)") }
    }
    let reader = try Device(server)
    for device in [device, reader] { try device.sync() }
    for device in [device, reader] {
      let owner = try #require(try device.all(CellOwner.self).first)
      #expect(owner.parts.map(\.name) == order)
      #expect(owner.notes.map(\.name) == (0..<1500).reversed().map { "\($0)" })
    }
  }

  @Test("A list has its order on other replicas if a member was saved before the store was looked at (seed 720270)")
  func savedMember() throws {
    let order = (0..<6).shuffled().map { "\($0)" }
    let device = try Device(server) { context in
      let owner = CellOwner("owner")
      context.insert(owner)
      owner.parts = order.map { CellPart($0) }
    }
    try device.replica.captureSaves()
    for name in [order[0], order[2]] {
      let context = ModelContext(device.container)
      let part = try #require(try context.fetch(FetchDescriptor<CellPart>()).first { $0.name == name })
      part.owner?.name = "changed \(name)"
      part.name += " changed"
      try context.save()
      try device.replica.captureSaves()
    }
    let reader = try Device(server)
    for device in [device, reader, device] { try device.sync() }
    for device in [device, reader] {
      let owner = try #require(try device.all(CellOwner.self).first)
      #expect(owner.parts.map { $0.name.prefix(1) } == order.map { $0.prefix(1) })
    }
  }

  @Test("An object that was not looked at yet becomes one with another replica's object of the same unique value")
  func unique() throws {
    let other = try Device(server)
    try other.sync()
    let device = try Device(server) { context in
      for number in 0..<3500 {
        let object = CellUnique("\(number)")
        object.left = "local"
        context.insert(object)
      }
    }
    var pushes = 0
    try device.sync {
      pushes += 1
      guard pushes == 1 else { return }
      let context = ModelContext(other.container)
      context.insert(CellUnique("3499"))
      try context.save()
      try other.sync()
    }
    for device in [device, other, device] { try device.sync() }
    for device in [device, other] {
      let objects = try device.all(CellUnique.self)
      // The other replica wrote its value while it synced, and the local one is from before.
      #expect(objects.count == 3500)
      #expect(objects.filter { $0.left != "local" }.map(\.code) == ["3499"])
    }
  }
}
#endif
