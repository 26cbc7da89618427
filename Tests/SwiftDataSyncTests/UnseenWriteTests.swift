#if Sync
import Foundation
import SwiftData
import SyncProtocol
import Testing

@testable import SwiftDataSync

/// Three replicas. The first one deletes an owner, at a later time than what the others wrote.
@Suite("A deletion notes what its replica had not seen")
struct UnseenWriteTests {
  private let group: ReplicaGroup

  init() throws {
    group = try ReplicaGroup([CellOwner.self, CellUnique.self], count: 3)
    try group.save(0) { context in
      let owner = CellUnique("k")
      context.insert(owner)
      owner.items = [CellItem("item")]
    }
    try group.syncAll()
  }

  private func owner(_ index: Int, _ body: (CellUnique, ModelContext) throws -> Void) throws {
    try group.save(index) { try body(try group.first(CellUnique.self, $0), $0) }
  }

  private func deleteOwner() throws {
    try owner(0) { $1.delete($0) }
    try group.syncAll()
  }

  /// The attributes in the conflict logs of all replicas.
  private func lost() throws -> [[String]] {
    try group.replicas.map { try $0.conflicts().filter { $0.property != "owner" }.map(\.lost).sorted() }
  }

  @Test("also if it had seen a later write of another replica to another field")
  func earlierWrite() throws {
    try owner(1) { owner, _ in owner.left = "early" }
    try group.replicas[1].scan()
    try owner(2) { owner, _ in owner.right = "late" }
    try group.sync(2)
    try group.sync(0)
    try group.sync(1)
    try deleteOwner()
    #expect(try lost() == [["early"], ["early"], ["early"]])
  }

  @Test("of the objects that go with it: a changed value of one that it knew, and all of one that it did not know")
  func owned() throws {
    try owner(1) { owner, _ in
      owner.items[0].name = "changed"
      owner.items.append(CellItem("new"))
    }
    try group.sync(1)
    try deleteOwner()
    #expect(try lost() == [["changed", "new"], ["changed", "new"], ["changed", "new"]])
    for index in 0..<3 { #expect(try group.all(CellItem.self, index).isEmpty) }
  }

  @Test("but not its own writes, what it had seen of others, and what an object had before others replaced it")
  func seen() throws {
    try owner(1) { owner, _ in owner.left = "one" }
    try group.syncAll()
    try owner(2) { owner, _ in
      owner.left = "two"
      owner.items.append(CellItem("new"))
    }
    try group.syncAll()
    try owner(0) { owner, _ in owner.right = "own" }
    try deleteOwner()
    #expect(try lost() == [[], [], []])
  }

  @Test("A deletion that does not say what its replica had seen, or says it in bytes that are none, counts by its time")
  func olderPrograms() throws {
    let name = try #require(try group.replicas[0].ledger.records(of: ["CellUnique"]).first)
    var deletion = RecordChange(name, "CellUnique")
    #expect(deletion.seenWrites == nil)
    deletion.deleted = group.replicas[0].tick()
    #expect(deletion.seenWrites == nil)
    deletion.fields[SyncWire.seenField] = FieldWrite(.data(Data([7])), try #require(deletion.deleted), over: nil)
    #expect(deletion.seenWrites == nil)
    try owner(1) { owner, _ in owner.left = "later" }
    try group.sync(1)
    let transaction = group.replicas[0].makeTransaction([deletion])
    _ = try group.server.push(PushRequest(base: 0, transactions: [transaction]))
    try group.syncAll()
    #expect(try lost() == [["later"], ["later"], ["later"]])
  }

  @Test("What a deletion had seen travels: moments of its own replica need not be named")
  func travels() throws {
    func time(_ milliseconds: Int64, _ replica: UInt64) -> HybridTime {
      HybridTime(milliseconds: milliseconds, counter: 0, replica: replica)
    }
    let change = RecordChange(
      deleting: RecordName("r"), "E", at: time(9, 1), seen: [time(3, 2), time(5, 2), time(4, 3), time(8, 1)])
    let sent = SyncTransaction(id: UUID(), replica: 1, changes: [change])
    let seen = try #require(try SyncTransaction(encoded: sent.encoded).changes[0].seenWrites)
    #expect([time(5, 2), time(4, 2), time(4, 3), time(9, 1)].allSatisfy(seen.contains))
    #expect(![time(6, 2), time(5, 3), time(1, 4), time(10, 1)].contains(where: seen.contains))
  }
}
#endif
