#if Sync
import Foundation
import SwiftData
import SyncProtocol
import Testing

@testable import SwiftDataSync

/// Replicas of an older program, which lacks properties, relationships and classes, before and after its update.
@Suite("The update of a program")
struct ProgramUpdateTests {
  private let server = SimulatedService()

  private func nodes(_ program: SimulatedProgram = .old) throws -> [SimulatedNode] {
    try (0..<3).map { try SimulatedNode($0, server, skew: 0, program: $0 == 2 ? program : .current, seed: UInt64($0)) }
  }

  private func save(_ node: SimulatedNode, _ body: (ModelContext) throws -> Void) throws {
    server.now += 1000
    let context = ModelContext(node.container)
    try body(context)
    try context.save()
  }

  private func settle(_ nodes: [SimulatedNode]) throws {
    for _ in 0..<2 { for node in nodes { try node.settle() } }
  }

  private func expectEqual(_ nodes: [SimulatedNode]) throws {
    let first = try SimulatedContents(nodes[0])
    for node in nodes { #expect(try SimulatedContents(node).differences(from: first) == []) }
  }

  private func saveProject(_ node: SimulatedNode) throws {
    try save(node) { context in
      let project = SimProject(title: "p")
      project.labels = [SimLabel(text: "a"), SimLabel(text: "b")]
      context.insert(project)
    }
  }

  @Test("What a deletion took by a cascade that the old program did not know is gone after its update (seed 700840)")
  func unknownCascade() throws {
    let nodes = try nodes()
    try saveProject(nodes[0])
    try settle(nodes)
    try save(nodes[2]) { context in
      for project in try context.fetch(FetchDescriptor<SimulationOld.SimProject>()) { context.delete(project) }
    }
    try settle(nodes)
    try nodes[2].upgrade()
    try settle(nodes)
    for node in nodes { #expect(try ModelContext(node.container).fetchCount(FetchDescriptor<SimLabel>()) == 0) }
    try expectEqual(nodes)
  }

  @Test("An updated program that deletes an object before it has read the log again deletes what it owns (seed 20382)")
  func deletionBeforeCatchUp() throws {
    let nodes = try nodes(.former)
    try saveProject(nodes[0])
    try settle(nodes)
    try nodes[2].upgrade()
    // The store has the labels. The project does not have them yet, because the former program called them tags.
    try save(nodes[2]) { context in
      for project in try context.fetch(FetchDescriptor<SimProject>()) { context.delete(project) }
    }
    let (replica, zone) = (nodes[2].replica!, SyncWire.privateZone)
    try replica.scan()
    // The log is read again up to what the replica has of it. The deletion is sent afterwards.
    while let position = try replica.refoldPosition(zone) {
      try replica.didRefold(
        server.changes(after: position, limit: 10, zone: zone, account: nodes[2].account, replica: 0), zone: zone)
    }
    try replica.catchUp()
    try settle(nodes)
    for node in nodes { #expect(try ModelContext(node.container).fetchCount(FetchDescriptor<SimLabel>()) == 0) }
    try expectEqual(nodes)
  }

  @Test(
    "Objects of a class that the old program did not know are one object after its update if a unique value is equal")
  func unknownUniqueValue() throws {
    let nodes = try nodes()
    for node in nodes[..<2] {
      try save(node) { context in
        let person = SimPerson(email: "a")
        person.name = "\(node.index)"
        context.insert(person)
      }
    }
    try settle(nodes)
    // The two are one for ever, though they would not be by what they have now.
    try save(nodes[0]) { try $0.fetch(FetchDescriptor<SimPerson>())[0].email = "b" }
    try settle(nodes)
    try nodes[2].upgrade()
    try settle(nodes)
    for node in nodes {
      #expect(try ModelContext(node.container).fetch(FetchDescriptor<SimPerson>()).map(\.email) == ["b"])
    }
    try expectEqual(nodes)
  }

  @Test("An updated program shows the relationships between objects that it did not know, whatever their order")
  func unknownRelationships() throws {
    let nodes = try nodes()
    try save(nodes[0]) { context in
      let (badge, person, project) = (SimBadge(number: 1), SimPerson(email: "a"), SimProject(title: "p"))
      for object in [badge, person, project] as [any PersistentModel] { context.insert(object) }
      badge.person = person
      person.projects = [project]
    }
    try settle(nodes)
    try nodes[2].upgrade()
    try settle(nodes)
    try expectEqual(nodes)
  }

  @Test("An update shows also what the replica only has to send again to a server that was restored (seed 355)")
  func startedAnew() throws {
    let nodes = try nodes()
    try saveProject(nodes[0])
    try settle(nodes)
    try nodes[2].replica.startAnew(zone: SyncWire.privateZone)
    try nodes[2].upgrade()
    try settle(nodes)
    try expectEqual(nodes)
  }

  @Test("A replica reads the log again only if its models' change can change the outcome")
  func refoldsOnlyIfNecessary() throws {
    let nodes = try nodes()
    try save(nodes[2]) { $0.insert(SimulationOld.SimProject(title: "p")) }
    try settle(nodes)
    try nodes[2].upgrade()
    #expect(nodes[2].replica.refoldingZones.isEmpty)
    let other = try SimulatedNode(3, server, skew: 0, program: .old, seed: 3)
    try save(nodes[0]) { $0.insert(SimPerson(email: "a")) }
    try settle([nodes[0], other])
    try other.upgrade()
    #expect(other.replica.refoldingZones == [SyncWire.privateZone])
    // Not before the log is folded: two records may be one object.
    #expect(try ModelContext(other.container).fetchCount(FetchDescriptor<SimPerson>()) == 0)
    try other.settle()
    #expect(other.replica.refoldingZones.isEmpty)
    try expectEqual([nodes[0], other])
  }
}
#endif
