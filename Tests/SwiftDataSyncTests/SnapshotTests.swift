#if Sync
import Foundation
import SwiftData
import SyncProtocol
import Testing

@testable import SwiftDataSync

/// Snapshots that stand for a log, and replicas that lack what the server deleted of the log.
@Suite("Snapshots of a zone")
struct SnapshotTests {
  private let server = SimulatedService()
  private let zone = SyncWire.privateZone

  private func node(_ index: Int, _ program: SimulatedProgram = .current) throws -> SimulatedNode {
    try SimulatedNode(index, server, skew: 0, program: program, seed: UInt64(index))
  }

  private func save(_ node: SimulatedNode, _ body: (ModelContext) throws -> Void) throws {
    server.now += 1000
    let context = ModelContext(node.container)
    try body(context)
    try context.save()
  }

  private func settle(_ nodes: SimulatedNode...) throws {
    for _ in 0..<2 { for node in nodes { try node.settle() } }
  }

  private func first<M: PersistentModel>(_ type: M.Type, _ context: ModelContext) throws -> M {
    try #require(try context.fetch(FetchDescriptor<M>()).first)
  }

  private func count<M: PersistentModel>(_ type: M.Type, _ node: SimulatedNode) throws -> Int {
    try ModelContext(node.container).fetchCount(FetchDescriptor<M>())
  }

  private func expectEqual(_ nodes: SimulatedNode...) throws {
    let first = try SimulatedContents(nodes[0])
    for node in nodes { #expect(try SimulatedContents(node).differences(from: first) == []) }
  }

  /// A project with five labels in an order of their own, of which one is gone.
  private func saveProject(_ node: SimulatedNode) throws {
    try save(node) { context in
      let project = SimProject(title: "p")
      context.insert(project)
      project.labels = "abcde".map { SimLabel(text: String($0)) }
    }
    try node.settle()
    try save(node) { context in
      let project = try first(SimProject.self, context)
      project.labels.swapAt(0, 3)
      context.delete(project.labels[1])
    }
    try node.settle()
  }

  @Test("A new device has from the snapshot what it would have from the log, which is gone")
  func newDevice() throws {
    let old = try node(0)
    try saveProject(old)
    try save(old) { $0.insert(SimPerson(email: "a")) }
    try old.settle()
    try old.makeSnapshot(zone, limit: 1000, deletes: true)
    try save(old) { try first(SimPerson.self, $0).name = "Ann" }
    try old.settle()
    #expect(throws: SyncFailure.self) { try server.changes(after: 1, limit: 9, zone: zone, account: "a", replica: 0) }
    let new = try node(1)
    try settle(new)
    try expectEqual(old, new)
    #expect(try first(SimProject.self, ModelContext(new.container)).labels.map(\.text) == ["d", "c", "a", "e"])
    #expect(try first(SimPerson.self, ModelContext(new.container)).name == "Ann")
    // Both go on.
    try save(new) { try first(SimProject.self, $0).labels.removeLast() }
    try settle(new, old)
    try expectEqual(old, new)
  }

  @Test("A write to a record that became one with another one finds it behind a snapshot, too")
  func merged() throws {
    let (one, other) = (try node(0), try node(1))
    for node in [one, other] {
      try save(node) { context in
        context.insert(SimPerson(email: "a"))
        context.insert(SimBadge(number: node.index))
      }
    }
    try settle(one, other)
    #expect(try count(SimPerson.self, one) == 1)
    try one.makeSnapshot(zone, limit: 1000, deletes: true)
    let new = try node(2)
    try settle(new)
    // A device that does not know yet that the two are one writes to the name that is gone.
    let aliases = one.replica.ledger.aliases
    let gone = try #require(aliases.keys.first)
    #expect(new.replica.ledger.aliases == aliases)
    var change = RecordChange(gone, "SimPerson")
    server.now += 1000
    change.fields["name"] = FieldWrite(
      .text("late"), HybridTime(milliseconds: server.now, counter: 0, replica: 77), over: nil)
    let transaction = SyncTransaction(id: UUID(), replica: 77, changes: [change])
    _ = try server.push(
      PushRequest(base: one.replica.position(zone), transactions: [transaction]), zone: zone, account: "a")
    try settle(one, new)
    for node in [one, new] { #expect(try first(SimPerson.self, ModelContext(node.container)).name == "late") }
    try expectEqual(one, new)
  }

  @Test("A first sync goes on after a kill between two parts, and begins again if the snapshot was replaced meanwhile")
  func parts() throws {
    let old = try node(0)
    for index in 0..<4 { try save(old) { $0.insert(SimLabel(text: "\(index)")) } }
    for index in 0..<4 {
      try save(old) { for label in try $0.fetch(FetchDescriptor<SimLabel>()) { label.text += "\(index)" } }
      try old.settle()
    }
    try old.makeSnapshot(zone, limit: 1, deletes: true)
    let new = try node(1)
    func read() throws { _ = try new.take(answer(new, limit: 2), zone) }
    try read()
    try new.start()
    #expect(
      try new.replica.ledger.places.unfinishedSnapshot(zone) == old.replica.position(zone)
        && count(SimLabel.self, new) == 2)
    #expect(try new.replica.beginSnapshot(zone: zone) == nil)
    // A late answer from the log has numbers that would fit.
    let late = server.log(zone, "a").changes(after: new.replica.position(zone), limit: 1, replica: 1)
    _ = try new.take(late, zone)
    #expect(try count(SimLabel.self, new) == 2)
    try save(old) { context in
      for label in try context.fetch(FetchDescriptor<SimLabel>()).dropFirst() { context.delete(label) }
    }
    try old.settle()
    try old.makeSnapshot(zone, limit: 1, deletes: true)
    try settle(new)
    #expect(try count(SimLabel.self, new) == 1)
    try expectEqual(old, new)
  }

  private func answer(_ node: SimulatedNode, limit: Int) throws -> ChangesResponse {
    try server.changes(
      after: node.replica.position(zone), snapshot: node.replica.ledger.places.unfinishedSnapshot(zone) ?? 0,
      limit: limit, zone: zone, account: "a", replica: node.index)
  }

  @Test(
    "A replica that lacks what was deleted of the log keeps its unsent changes, and what others removed stays removed")
  func behind() throws {
    let (old, late) = (try node(0), try node(1))
    try saveProject(old)
    try settle(old, late)
    try save(late) { context in
      let project = try first(SimProject.self, context)
      project.title = "late"
      project.labels.append(SimLabel(text: "late"))
    }
    try save(old) { context in
      let project = try first(SimProject.self, context)
      project.labels.removeFirst()
      context.insert(SimPerson(email: "b"))
    }
    try old.settle()
    try old.makeSnapshot(zone, limit: 1000, deletes: true)
    try settle(late, old)
    for node in [old, late] {
      let project = try first(SimProject.self, ModelContext(node.container))
      #expect(project.title == "late" && project.labels.map(\.text) == ["c", "a", "e", "late"])
      #expect(try count(SimPerson.self, node) == 1)
    }
    try expectEqual(old, late)
  }

  @Test(
    "A transaction whose answer was lost is not sent again after its place in the log was deleted",
    arguments: [false, true])
  func lostAnswer(hasRead: Bool) throws {
    let (old, late) = (try node(0), try node(1))
    if hasRead { try save(old) { $0.insert(SimBadge(number: 1)) } }
    try settle(old, late)
    try save(late) { $0.insert(SimLabel(text: "late")) }
    try late.replica.scan()
    let request = try #require(late.replica.nextPush(zone: zone))
    _ = try server.push(request, zone: zone, account: "a")
    try old.settle()
    try save(old) { $0.delete(try first(SimLabel.self, $0)) }
    try old.settle()
    try old.makeSnapshot(zone, limit: 1000, deletes: true)
    let length = server.log(zone, "a").log.count
    try settle(late, old)
    #expect(late.replica.pendingCount == 0 && server.log(zone, "a").log.count == length)
    for node in [old, late] { #expect(try count(SimLabel.self, node) == 0) }
  }

  @Test("A replica with other rules folds the log again from the snapshot, so that all with its rules are equal")
  func otherRules() throws {
    let (current, old) = (try node(0), try node(1, .old))
    try saveProject(current)
    try settle(current, old)
    // The old program does not know that a project owns labels, so that its snapshot has them.
    try save(old) { context in
      for project in try context.fetch(FetchDescriptor<SimulationOld.SimProject>()) { context.delete(project) }
    }
    try settle(old, current)
    #expect(try count(SimLabel.self, current) == 0)
    try old.makeSnapshot(zone, limit: 1000, deletes: true)
    let new = try node(2)
    try settle(new, current)
    #expect(current.replica.ledger.places.snapshots[zone]?.compared == old.replica.position(zone))
    try expectEqual(current, new)
    try old.upgrade()
    try settle(old)
    try expectEqual(current, new, old)
  }

  @Test("A program with former names of properties has their values from the snapshot of one with the current names")
  func formerNames() throws {
    let current = try node(0)
    try saveProject(current)
    try save(current) { context in
      let person = SimPerson(email: "a")
      context.insert(person)
      person.projects = [try first(SimProject.self, context)]
    }
    try current.settle()
    try current.makeSnapshot(zone, limit: 1000, deletes: true)
    let former = try node(1, .former)
    try settle(former)
    let project = try first(SimulationFormer.SimProject.self, ModelContext(former.container))
    #expect(project.tags.map(\.text) == ["d", "c", "a", "e"] && project.people.map(\.address) == ["a"])
    try former.upgrade()
    try settle(former)
    try expectEqual(current, former)
  }

  /// A device of each of two accounts. One shares a project with the other.
  private func shared() throws -> (ann: SimulatedNode, bob: SimulatedNode, share: String) {
    let (ann, bob) = (try node(0), try SimulatedNode(1, server, account: "b", skew: 0, program: .current, seed: 1))
    try saveProject(ann)
    let project = try #require(try ann.replica.ledger.recordNames(zone: zone).first)
    let share = server.share(project, of: "a")
    try ann.settle()
    try ann.replica.startShare(project, zone: share)
    server.invite("b", to: share, isWritable: true)
    server.accept(share, "b")
    try settle(ann, bob, ann)
    return (ann, bob, share)
  }

  @Test(
    "A device makes no snapshot while it has unsent changes, and none of a share of another account")
  func refused() throws {
    let (ann, bob, share) = try shared()
    #expect(try ann.replica.beginSnapshot(zone: share) != nil)
    #expect(try bob.replica.beginSnapshot(zone: share) == nil)
    try save(ann) { $0.insert(SimLabel(text: "unsent")) }
    try ann.replica.scan()
    #expect(try ann.replica.beginSnapshot(zone: share) == nil)
  }

  @Test(
    "A zone with a record that became one with a record of another zone has no snapshot: participants do not know of it"
  )
  func mergedAcrossZones() throws {
    let (ann, bob, share) = try shared()
    let log = server.log(share, "a")
    var change = RecordChange(RecordName("ffffffff-ffff-7fff-bfff-ffffffffffff"), "SimPerson")
    server.now += 1000
    let time = HybridTime(milliseconds: server.now, counter: 0, replica: 77)
    change.fields["email"] = FieldWrite(.text("same"), time, over: nil)
    _ = try log.push(
      PushRequest(base: 0, transactions: [SyncTransaction(id: UUID(), replica: 77, changes: [change])]), account: "b")
    try save(ann) { $0.insert(SimPerson(email: "same")) }
    try settle(ann, bob, ann)
    #expect(try count(SimPerson.self, ann) == 1)
    for name in [zone, share] { #expect(try ann.replica.beginSnapshot(zone: name) == nil) }
  }
}
#endif
