#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import Testing

@testable import SwiftDataSync

@Model final class PartBox {
  var number: Int
  @Relationship(inverse: \PartItem.box) var items: [PartItem] = []
  init(_ number: Int) { self.number = number }
}

@Model final class PartItem {
  var number: Int
  var box: PartBox?
  init(_ number: Int) { self.number = number }
}

@Model final class PartFile {
  var number: Int
  /// It makes records large enough for several parts of about 1,000.
  var text: String = String(repeating: "x", count: 200)
  @Attribute(.externalStorage) var bytes: Data?
  init(_ number: Int) { self.number = number }
}

@Suite("Zones that come in parts")
struct ZonePartTests {
  private static let count = 1500

  /// A device with many objects, and a new one.
  private func makeGroup() throws -> ZoneGroup {
    let group = try ZoneGroup([PartBox.self, PartItem.self])
    try group.save(0) { context in
      let boxes = (0..<10).map(PartBox.init)
      for box in boxes { context.insert(box) }
      for number in 0..<Self.count {
        let item = PartItem(number)
        context.insert(item)
        item.box = boxes[number % 10]
      }
    }
    try group.sync(0)
    return group
  }

  private func check(_ group: ZoneGroup, _ index: Int) throws {
    let items = try group.all(PartItem.self, index)
    #expect(items.count == Self.count && items.allSatisfy { $0.box?.number == $0.number % 10 })
    let boxes = try group.all(PartBox.self, index).sorted { $0.number < $1.number }
    #expect(boxes.map { $0.items.map(\.number) } == (0..<10).map { Array(stride(from: $0, to: Self.count, by: 10)) })
    #expect(try group.replicas[index].store.kept(of: .account("ann"), after: nil, limit: 1).isEmpty)
  }

  @Test("A new device shows a large zone when all parts are here, and asks for the rest after a start")
  func parts() throws {
    let group = try makeGroup()
    try group.pull(1, limit: 50, answers: 4)
    #expect(try group.all(PartItem.self, 1).isEmpty)
    #expect(group.replicas[1].pullRequest().loading.count == 1)
    let position = group.replicas[1].pullRequest().loading
    try group.restart(1)
    #expect(group.replicas[1].pullRequest().loading == position)
    try group.pull(1, limit: 50)
    try check(group, 1)
  }

  @Test("What a device sent stays in its rows while the zone comes again in parts (seed 10278)")
  func sentBeforeParts() throws {
    let group = try ZoneGroup([PartBox.self, PartItem.self])
    try group.syncAll()
    for number in 0..<2 {
      try group.save(0) { context in for item in 0..<100 { context.insert(PartItem(number * 100 + item)) } }
      try group.replicas[0].capture()
    }
    try group.push(0)
    // The log is folded beyond what the device has seen, so that the zone comes as it is.
    group.server.compact(.account("ann"), upTo: 1, floor: 1)
    for _ in 0..<60 {
      try group.pull(0, limit: 1, answers: 1)
      #expect(try group.all(PartItem.self, 0).count == 200)
    }
    try group.syncAll()
    #expect(group.replicas[0].pendingCount == 0)
    for index in 0...1 { #expect(try group.all(PartItem.self, index).count == 200) }
  }

  @Test("A device that is killed while it shows the parts goes on with the rest", arguments: 0...3)
  func crash(_ commit: Int) throws {
    let group = try makeGroup()
    try group.pull(1, limit: 50, answers: 7)
    // The last answer is taken in, and then the parts are shown.
    group.crashesAt = .commit(commit)
    #expect(throws: SimulatedCrash.self) { try group.pull(1, limit: 50) }
    try group.restart(1)
    try group.save(1) { $0.insert(PartBox(100)) }
    try group.replicas[1].catchUp()
    try group.syncAll()
    let added = try group.all(PartBox.self, 0).filter { $0.number == 100 }
    #expect(added.count == 1)
    for index in 0...1 {
      try group.save(index) { context in
        for box in try context.fetch(FetchDescriptor<PartBox>()) where box.number == 100 { context.delete(box) }
      }
      try group.syncAll()
      try check(group, index)
    }
  }

  @Test(
    "A zone that comes whole again keeps the objects, their changes that were not sent, and deletes what others deleted"
  )
  func again() throws {
    let group = try makeGroup()
    try group.sync(1)
    let known = try Dictionary(
      uniqueKeysWithValues: group.all(PartItem.self, 1).map { ($0.number, $0.persistentModelID) })
    try group.save(0) { context in
      for item in try context.fetch(FetchDescriptor<PartItem>()) where item.number % 3 == 0 { context.delete(item) }
      for number in Self.count..<Self.count + 10 { context.insert(PartItem(number)) }
    }
    try group.sync(0)
    try group.save(1) { context in
      for item in try context.fetch(FetchDescriptor<PartItem>()) where item.number == 1 { item.number = -1 }
    }
    // The log is folded beyond what the device has seen.
    group.server.compact(.account("ann"), upTo: group.server.commit, floor: group.server.commit)
    try group.pull(1, limit: 50, answers: 2)
    #expect(try group.all(PartItem.self, 1).count == Self.count)
    try group.restart(1)
    try group.pull(1, limit: 50)
    try group.syncAll()
    for index in 0...1 {
      let numbers = try Set(group.all(PartItem.self, index).map(\.number))
      let expected = Set((0..<Self.count + 10).filter { $0 % 3 != 0 || $0 >= Self.count }).subtracting([1]).union([-1])
      #expect(numbers == expected)
    }
    for item in try group.all(PartItem.self, 1) where item.number < Self.count && item.number > 0 {
      #expect(item.persistentModelID == known[item.number])
    }
  }

  /// The statements by which a device takes in a new or a deleted member of a list of so many members.
  private func statements(_ count: Int, isDeletion: Bool) throws -> [String] {
    let group = try ZoneGroup([PartBox.self, PartItem.self])
    try group.save(0) { context in
      let box = PartBox(0)
      context.insert(box)
      for number in 0..<count {
        let item = PartItem(number)
        context.insert(item)
        item.box = box
      }
    }
    try group.syncAll()
    try group.save(0) { context in
      if isDeletion {
        let last = try context.fetch(FetchDescriptor<PartItem>()).max { $0.number < $1.number }
        context.delete(try #require(last))
      } else {
        let item = PartItem(count)
        context.insert(item)
        item.box = try group.first(PartBox.self, context)
      }
    }
    try group.sync(0)
    let statements = try SQLTrace.record { try group.sync(1) }.statements
    let expected = (0..<count + (isDeletion ? 0 : 1)).dropLast(isDeletion ? 1 : 0)
    #expect(try group.all(PartBox.self, 1)[0].items.map(\.number) == Array(expected))
    return statements
  }

  @Test(
    "A member that comes to the end of a list, or is deleted, costs the same whatever the length of the list",
    arguments: [false, true])
  func member(isDeletion: Bool) throws {
    // Both lists are longer than a page of records, so that the owner is in another page than the last member.
    #expect(try statements(400, isDeletion: isDeletion) == statements(1500, isDeletion: isDeletion))
  }

  @Test("A save that is larger than a request is sent in several transactions, and one with large values as assets")
  func largeSaves() throws {
    let names = (0..<5).map { RecordKey(.account("ann"), RecordName("\($0)")) }
    func changes(_ text: RegisterValue) -> [RecordKey: Registers] {
      Dictionary(
        uniqueKeysWithValues: names.map { key in
          var registers = Registers()
          registers.fields["text"] = Stamped(.zero, text)
          return (key, registers)
        })
    }
    let text = RegisterValue.text(ExactText(String(repeating: "x", count: 1000)))
    #expect(TransactionSize.parts(of: changes(text), bytes: 2500).map(\.count) == [2, 2, 1])
    #expect(TransactionSize.parts(of: changes(text), records: 3).map(\.count) == [3, 2])
    #expect(TransactionSize.parts(of: changes(text)).map(\.count) == [5])
    // A cascade is not divided, and what the program kept leaves its owner before.
    var deletions = changes(text)
    for number in 0..<3 {
      deletions[RecordKey(.account("ann"), RecordName("\(number)"))] = Registers()
      deletions[RecordKey(.account("ann"), RecordName("\(number)"))]?.dead = .zero
    }
    let divided = TransactionSize.parts(of: deletions, records: 1)
    #expect(divided.map(\.count) == [1, 1, 3] && divided[2].values.allSatisfy { $0.dead != nil })
    let group = try ZoneGroup([PartBox.self])
    try group.syncAll()
    let data = RegisterValue.data(Data(repeating: 1, count: 1 << 20))
    let parts = try group.replicas[0].transaction { try group.replicas[0].parts(ofSave: changes(data)) }
    #expect(parts.count == 1)
    #expect(parts[0].values.allSatisfy { if case .asset? = $0.fields["text"]?.value { true } else { false } })
  }

  @Test("A zone that is replaced, and a store that is compared, ask for the bytes of all parts at once")
  func missingBytes() throws {
    let group = try ZoneGroup([PartFile.self], count: 3)
    try group.save(0) { context in for number in 0..<2500 { context.insert(PartFile(number)) } }
    for index in [0, 1] { try group.sync(index) }
    var bytes: [String: Data] = [:]
    try group.save(0) { context in
      for file in try context.fetch(FetchDescriptor<PartFile>()) where file.number % 1200 == 0 {
        let data = Data(repeating: UInt8(file.number / 1200), count: SyncWire.assetThreshold + 1)
        bytes[UserStore.sha256(data)] = data
        file.bytes = data
      }
    }
    for (sha256, data) in bytes { try group.server.put(sha256, data, zone: .account("ann"), account: "ann") }
    try group.sync(0)
    group.server.compact(.account("ann"), upTo: group.server.commit, floor: group.server.commit)
    /// Does a step that lacks all bytes, and then none.
    func expectMissing(_ index: Int, _ step: () throws -> Void) throws {
      let missing = try #require(#expect(throws: MissingAssets.self) { try step() })
      #expect(Set(missing.assets.map(\.sha256)) == Set(bytes.keys))
      for (sha256, data) in bytes { try group.replicas[index].keepFetched(sha256, data) }
      try step()
      let files = try group.all(PartFile.self, index)
      #expect(files.count == 2500 && Set(files.compactMap(\.bytes)) == Set(bytes.values))
    }
    try expectMissing(1) { try group.pull(1) }
    // A device that got the bytes of no zone.
    group.replicas[2].unavailable = Set(bytes.keys)
    try group.pull(2)
    #expect(try group.all(PartFile.self, 2).allSatisfy { $0.bytes == nil })
    try group.restart(2)
    try expectMissing(2) { try group.replicas[2].transaction { try group.replicas[2].showAll() } }
  }
}
#endif
