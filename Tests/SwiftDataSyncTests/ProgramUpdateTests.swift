#if Sync
import Foundation
import SwiftData
import Testing

@testable import SwiftDataSync

/// Replicas of an older program, which lacks properties, relationships and classes, before and after its update.
@Suite("The update of a program")
struct ProgramUpdateTests {
  private let server = ZoneServer()

  private func nodes(_ program: SimulatedProgram = .old) throws -> [ZoneNode] {
    try (0..<3).map { try ZoneNode($0, server, program: $0 == 2 ? program : .current, seed: UInt64($0)) }
  }

  private func save(_ node: ZoneNode, _ body: (ModelContext) throws -> Void) throws {
    server.now += 1000
    let context = ModelContext(node.container)
    try body(context)
    try context.save()
  }

  private func settle(_ nodes: [ZoneNode]) throws {
    for _ in 0..<2 { for node in nodes { try node.settle() } }
  }

  private func expectEqual(_ nodes: [ZoneNode]) throws {
    let first = try ZoneContents(nodes[0])
    for node in nodes { #expect(try ZoneContents(node).differences(from: first) == []) }
  }

  private func saveProject(_ node: ZoneNode) throws {
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

  /// Saves something that the replica cannot find in the history any more, so that it compares all objects.
  private func expireHistory(_ node: ZoneNode) throws {
    try save(node) { $0.insert(SimulationOld.SimProject(title: "later")) }
    try ModelContext(node.container).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
  }

  @Test("A comparison of all objects after an update writes none of the values that did not change")
  func comparison() throws {
    let nodes = try nodes()
    try saveProject(nodes[0])
    try settle(nodes)
    try save(nodes[0]) { try $0.fetch(FetchDescriptor<SimProject>())[0].title = "new" }
    try nodes[0].settle()
    try expireHistory(nodes[2])
    try nodes[2].upgrade()
    try settle(nodes)
    for node in nodes {
      #expect(
        try ModelContext(node.container).fetch(FetchDescriptor<SimProject>()).map(\.title).sorted() == ["later", "new"])
    }
    try expectEqual(nodes)
  }

  @Test(
    "A comparison of all objects leaves alone what the program has no value for, and takes what the program wrote instead"
  )
  func standIn() throws {
    let nodes = try nodes()
    try save(nodes[0]) { context in
      for title in ["a", "b"] {
        let task = SimTask(title: title)
        context.insert(task)
        task.priority = .urgent
      }
    }
    try settle(nodes)
    func priorities() throws -> [SimPriority] {
      try ModelContext(nodes[0].container).fetch(FetchDescriptor<SimTask>(sortBy: [SortDescriptor(\.title)])).map(
        \.priority)
    }
    try save(nodes[2]) { context in
      let tasks = try context.fetch(FetchDescriptor<SimulationOld.SimTask>(sortBy: [SortDescriptor(\.title)]))
      #expect(tasks.map(\.priority) == [.low, .low])
      tasks[1].priority = .high
    }
    try expireHistory(nodes[2])
    try settle(nodes)
    #expect(try priorities() == [.urgent, .high])
  }

  @Test("A program shows its default where it has no value, whether the object is new to it or changed")
  func changedToUnknownCase() throws {
    let nodes = try nodes()
    try save(nodes[0]) { context in
      let task = SimTask(title: "a")
      context.insert(task)
      task.priority = .high
    }
    try settle(nodes)
    try save(nodes[0]) { try $0.fetch(FetchDescriptor<SimTask>())[0].priority = .urgent }
    try settle(nodes)
    #expect(
      try ModelContext(nodes[2].container).fetch(FetchDescriptor<SimulationOld.SimTask>()).map(\.priority) == [.low])
    #expect(try ModelContext(nodes[0].container).fetch(FetchDescriptor<SimTask>()).map(\.priority) == [.urgent])
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
}
#endif
