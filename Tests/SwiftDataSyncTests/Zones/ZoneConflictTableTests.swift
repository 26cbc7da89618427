#if Sync
import Foundation
import SwiftData
import SyncProtocol
import Testing

@testable import SwiftDataSync

/// One test for each cell of the table in Documentation/sync-guarantees.md.
@Suite("The conflict table of zones")
struct ZoneConflictTableTests {
  private let group: ZoneGroup

  init() throws {
    group = try ZoneGroup([CellOwner.self, CellUnique.self])
  }

  private func owner(_ index: Int, _ body: (CellOwner, ModelContext) throws -> Void) throws {
    try group.save(index) { try body(try group.first(CellOwner.self, $0), $0) }
  }

  private func begin() throws {
    try group.save(0) { $0.insert(CellOwner("o")) }
    try group.syncAll()
  }

  private func deleteOwner(_ index: Int) throws { try owner(index) { $1.delete($0) } }

  @Test("Different fields: both writes stay")
  func differentFields() throws {
    try group.save(0) { $0.insert(CellUnique("k")) }
    try group.syncAll()
    try group.save(0) { try group.first(CellUnique.self, $0).left = "a" }
    try group.save(1) { try group.first(CellUnique.self, $0).right = "b" }
    try group.syncAll()
    for index in 0...1 {
      let object = try group.all(CellUnique.self, index)[0]
      #expect(object.left == "a" && object.right == "b")
    }
  }

  @Test("The same field: the later write stays on both, and the other one is in the conflict log")
  func sameField() throws {
    try begin()
    try owner(0) { owner, _ in owner.name = "first" }
    try group.replicas[0].capture()
    try owner(1) { owner, _ in owner.name = "second" }
    try group.syncAll()
    for index in 0...1 { #expect(try group.all(CellOwner.self, index).map(\.name) == ["second"]) }
    let lost = try group.replicas.flatMap { try $0.conflicts() }
    #expect(lost.map(\.lost) == ["first"] && lost.map(\.kept) == ["second"])
  }

  @Test("A to-one that both changed: the conflict log names the object and both of its targets")
  func sameReference() throws {
    try group.save(0) { context in
      for name in ["a", "b"] { context.insert(CellOwner(name)) }
      context.insert(CellPart("part"))
    }
    try group.syncAll()
    for (index, name) in ["a", "b"].enumerated() {
      try group.save(index) { context in
        let owner = try context.fetch(FetchDescriptor<CellOwner>()).first { $0.name == name }
        try group.first(CellPart.self, context).owner = owner
      }
      try group.replicas[index].capture()
    }
    try group.syncAll()
    // The second device had not sent its change when that of the first one came.
    let owners = try group.all(CellOwner.self, 1)
    let identifiers = Dictionary(uniqueKeysWithValues: owners.map { ($0.name, $0.persistentModelID) })
    let part = try group.all(CellPart.self, 1)[0]
    let conflict = try #require(try group.replicas[1].conflicts().first { $0.property == "owner" })
    #expect(conflict.object == part.persistentModelID && part.owner?.name == "b")
    #expect(conflict.lostObject == identifiers["a"] && conflict.keptObject == identifiers["b"])
    try group.save(1) { $0.delete(try group.first(CellPart.self, $0)) }
    try group.syncAll()
    #expect(try group.replicas[1].conflicts().allSatisfy { $0.object == nil })
  }

  /// Whether a conflict log has a value that a deletion took along.
  private func expectLost(_ name: String) throws {
    let lost = try group.replicas.flatMap { try $0.conflicts() }.filter { $0.lost == name }
    #expect(lost.map(\.property) == ["name"] && lost.map(\.kept) == ["nil"] && lost.map(\.object) == [nil])
  }

  @Test("Deletion against a change of a field: the deletion stays, and the value is in the conflict log")
  func deleteAgainstUpdate() throws {
    try begin()
    try deleteOwner(0)
    try owner(1) { owner, _ in owner.name = "changed" }
    try group.syncAll()
    for index in 0...1 { #expect(try group.all(CellOwner.self, index).isEmpty) }
    try expectLost("changed")
  }

  @Test("A deletion that comes late against a later change of a field: the same")
  func deleteBeforeUpdate() throws {
    try begin()
    try deleteOwner(0)
    try group.replicas[0].capture()
    try owner(1) { owner, _ in owner.name = "changed" }
    try group.sync(1)
    try group.syncAll()
    for index in 0...1 { #expect(try group.all(CellOwner.self, index).isEmpty) }
    try expectLost("changed")
  }

  @Test("A deletion at a later time than a change of a field that its replica had not seen: the same")
  func deleteAfterUpdate() throws {
    try begin()
    try owner(1) { owner, _ in owner.name = "changed" }
    try group.sync(1)
    try deleteOwner(0)
    try group.syncAll()
    for index in 0...1 { #expect(try group.all(CellOwner.self, index).isEmpty) }
    try expectLost("changed")
  }

  @Test("A deletion whose replica saw all values leaves nothing in the conflict log")
  func deleteSeen() throws {
    try begin()
    try owner(1) { owner, _ in
      owner.name = "changed"
      owner.parts.append(CellPart("new"))
    }
    try group.syncAll()
    try deleteOwner(0)
    try group.syncAll()
    for replica in group.replicas { #expect(try replica.conflicts() == []) }
  }

  @Test("Cascade: what another replica added to a deleted owner goes with it", arguments: [0, 1])
  func cascade(_ first: Int) throws {
    try begin()
    try deleteOwner(0)
    try group.replicas[0].capture()
    try owner(1) { owner, _ in owner.parts.append(CellPart("new")) }
    try group.sync(first)
    try group.syncAll()
    for index in 0...1 { #expect(try group.all(CellPart.self, index).isEmpty) }
    try expectLost("new")
  }

  @Test("Cascade without an inverse: what another replica added goes too", arguments: [0, 1])
  func cascadeOneSided(_ first: Int) throws {
    try begin()
    try deleteOwner(0)
    try group.replicas[0].capture()
    try owner(1) { owner, _ in owner.notes.append(CellNote("new")) }
    try group.sync(first)
    try group.syncAll()
    for index in 0...1 { #expect(try group.all(CellNote.self, index).isEmpty) }
    try expectLost("new")
  }

  @Test("Nullify: what another replica added stays, without an owner", arguments: [0, 1])
  func nullify(_ first: Int) throws {
    try begin()
    try deleteOwner(0)
    try owner(1) { owner, context in
      owner.guests.append(CellGuest("new"))
      owner.links.append(CellLink("linked"))
    }
    try group.sync(first)
    try group.syncAll()
    for index in 0...1 {
      let guests = try group.all(CellGuest.self, index)
      #expect(guests.map(\.name) == ["new"] && guests[0].owner == nil)
      #expect(try group.all(CellLink.self, index).map(\.name) == ["linked"])
    }
  }

  @Test("Deny: the deletion stays where the replica knew of no object, and what another replica added loses its owner")
  func deny() throws {
    try begin()
    try deleteOwner(0)
    try owner(1) { owner, _ in owner.tenants.append(CellTenant("new")) }
    try group.syncAll()
    for index in 0...1 {
      let tenants = try group.all(CellTenant.self, index)
      #expect(tenants.map(\.name) == ["new"] && tenants[0].owner == nil)
      #expect(try group.all(CellOwner.self, index).isEmpty)
    }
  }

  @Test("A target that another replica deleted: the relationship is nil")
  func deletedTarget() throws {
    try begin()
    try group.save(0) { $0.insert(CellGuest("g")) }
    try group.syncAll()
    try deleteOwner(0)
    try group.save(1) { context in
      try group.first(CellGuest.self, context).owner = try group.first(CellOwner.self, context)
    }
    try group.syncAll()
    for index in 0...1 { #expect(try group.all(CellGuest.self, index).map { $0.owner == nil } == [true]) }
  }

  @Test("A to-one set by two replicas: the later write stays, and both lists agree")
  func toOne() throws {
    try group.save(0) { context in
      context.insert(CellOwner("a"))
      context.insert(CellOwner("b"))
      context.insert(CellPart("p"))
    }
    try group.syncAll()
    func move(_ index: Int, to name: String) throws {
      try group.save(index) { context in
        let part = try group.first(CellPart.self, context)
        part.owner = try context.fetch(FetchDescriptor<CellOwner>(predicate: #Predicate { $0.name == name }))[0]
      }
      try group.replicas[index].capture()
    }
    try move(0, to: "a")
    try move(1, to: "b")
    try group.syncAll()
    for index in 0...1 {
      let owners = try group.all(CellOwner.self, index).sorted { $0.name < $1.name }
      #expect(owners.map(\.parts.count) == [0, 1])
    }
  }

  @Test("Added by both: the list has both, in one order everywhere")
  func bothAdd() throws {
    try begin()
    try owner(0) { owner, _ in owner.parts.append(CellPart("a")) }
    try owner(1) { owner, _ in owner.parts.append(CellPart("b")) }
    try group.syncAll()
    let lists = try (0...1).map { try group.all(CellOwner.self, $0)[0].parts.map(\.name) }
    #expect(lists[0] == lists[1] && Set(lists[0]) == ["a", "b"])
  }

  @Test("Moved by both: both moves stay")
  func bothMove() throws {
    try begin()
    try owner(0) { owner, _ in owner.parts = "abcdef".map { CellPart(String($0)) } }
    try group.syncAll()
    try owner(0) { owner, _ in owner.parts.insert(owner.parts.removeLast(), at: 0) }
    try owner(1) { owner, _ in
      let part = owner.parts.remove(at: 1)
      owner.parts.append(part)
    }
    try group.syncAll()
    for index in 0...1 {
      let names = try group.all(CellOwner.self, index)[0].parts.map(\.name).joined()
      #expect(names.hasPrefix("fa") && names.hasSuffix("b"), "\(names)")
    }
  }

  @Test("Removed by one and added again by the other: the member stays")
  func addWins() throws {
    try begin()
    try owner(0) { owner, _ in owner.links.append(CellLink("l")) }
    try group.syncAll()
    try owner(0) { owner, _ in owner.links = [] }
    try owner(1) { owner, _ in owner.links = [] }
    try group.replicas[1].capture()
    try group.save(1) { context in
      try group.first(CellOwner.self, context).links = [try group.first(CellLink.self, context)]
    }
    try group.syncAll()
    for index in 0...1 { #expect(try group.all(CellOwner.self, index)[0].links.map(\.name) == ["l"]) }
  }

  @Test("One unique value inserted by both: one object, with the later fields and the relationships of both")
  func unique() throws {
    for index in 0...1 {
      try group.save(index) { context in
        let object = CellUnique("k")
        object.left = "left \(index)"
        if index == 1 { object.right = "right" }
        context.insert(object)
        object.items.append(CellItem("item \(index)"))
      }
      try group.replicas[index].capture()
    }
    try group.syncAll()
    for index in 0...1 {
      let objects = try group.all(CellUnique.self, index)
      #expect(objects.count == 1)
      #expect(objects[0].left == "left 1" && objects[0].right == "right")
      #expect(Set(objects[0].items.map(\.name)) == ["item 0", "item 1"])
      #expect(try group.replicas[index].conflicts().contains { $0.lost == "left 0" && $0.property == "left" })
    }
    try group.save(0) { try group.first(CellUnique.self, $0).right = "later" }
    try group.syncAll()
    #expect(try group.all(CellUnique.self, 1).map(\.right) == ["later"])
  }

  @Test("Relationships of several entities whose inverses have one name keep their own members")
  func oneNameForSeveralInverses() throws {
    try begin()
    try owner(0) { owner, _ in
      owner.parts = [CellPart("part")]
      owner.guests = [CellGuest("guest")]
      owner.tenants = [CellTenant("tenant")]
    }
    try group.syncAll()
    try owner(1) { owner, _ in owner.guests.append(CellGuest("second")) }
    try group.syncAll()
    for index in 0...1 {
      let owner = try group.all(CellOwner.self, index)[0]
      #expect(owner.parts.map(\.name) == ["part"] && owner.tenants.map(\.name) == ["tenant"])
      #expect(owner.guests.map(\.name) == ["guest", "second"])
    }
  }

  @Test("A unique value that one replica changed to what another one inserted: one object")
  func uniqueUpdate() throws {
    try group.save(0) { $0.insert(CellUnique("a")) }
    try group.syncAll()
    try group.save(0) { try group.first(CellUnique.self, $0).code = "b" }
    try group.save(1) { $0.insert(CellUnique("b")) }
    try group.syncAll()
    for index in 0...1 { #expect(try group.all(CellUnique.self, index).map(\.code) == ["b"]) }
  }
}
#endif
