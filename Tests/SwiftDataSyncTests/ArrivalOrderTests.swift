#if Sync
import Foundation
import SwiftData
import Testing

@testable import SwiftDataSync

/// What the simulator found about the order of lists and about unique values, as steps of two replicas.
@Suite("What arrives in one batch")
struct ArrivalOrderTests {
  private func group() throws -> ZoneGroup {
    let group = try ZoneGroup(simulationModels)
    try group.save(0) { $0.insert(SimProject(title: "p")) }
    return group
  }

  private func tasks(_ group: ZoneGroup, _ index: Int) throws -> [String] {
    try group.first(SimProject.self, ModelContext(group.containers[index])).tasks.map(\.title)
  }

  @Test(
    "A task that moves into a list has the list's place, also if it is older than the others (seed 700591)")
  func movedMember() throws {
    let group = try group()
    try group.save(0) { $0.insert(SimTask(title: "old")) }
    try group.save(0) { context in
      let task = SimTask(title: "young")
      context.insert(task)
      task.project = try group.first(SimProject.self, context)
    }
    try group.syncAll()
    try group.save(0) { context in
      let old = try context.fetch(FetchDescriptor<SimTask>(predicate: #Predicate { $0.title == "old" }))
      try group.first(SimProject.self, context).tasks.append(old[0])
    }
    try group.syncAll()
    #expect(try tasks(group, 0) == ["young", "old"])
    #expect(try tasks(group, 1) == ["young", "old"])
  }

  @Test("A list that shows arriving members in the right order already keeps this order in the store (seed 451)")
  func knownAndNewMember() throws {
    let group = try group()
    try group.save(0) { $0.insert(SimPerson(email: "known")) }
    try group.syncAll()
    try group.save(0) { context in
      try group.first(SimPerson.self, context).projects = [try group.first(SimProject.self, context)]
    }
    try group.save(0) { context in
      let person = SimPerson(email: "new")
      context.insert(person)
      person.projects = [try group.first(SimProject.self, context)]
    }
    try group.syncAll()
    for index in 0...1 {
      let project = try group.first(SimProject.self, ModelContext(group.containers[index]))
      #expect(project.people.map(\.email) == ["known", "new"], "replica \(index)")
    }
  }

  @Test("Objects that several saves add to a list, the older one last, come in the order of the store (seed 849)")
  func addedBySeveralSaves() throws {
    let group = try group()
    try group.save(0) { $0.insert(SimPerson(email: "known")) }
    try group.syncAll()
    let context = ModelContext(group.containers[0])
    let (project, known) = (try group.first(SimProject.self, context), try group.first(SimPerson.self, context))
    // Both saves change this one, so that they travel together.
    known.name = "a"
    known.projects.append(project)
    try context.save()
    let new = SimPerson(email: "new")
    context.insert(new)
    new.projects.append(project)
    known.name = "b"
    try context.save()
    try group.syncAll()
    let orders = try (0...1).map { index in
      try group.first(SimProject.self, ModelContext(group.containers[index])).people.map(\.email)
    }
    #expect(orders[0] == ["known", "new"])
    #expect(orders[1] == orders[0])
  }

  @Test("A task that left a list and came back before a scan is at its end everywhere (seed 10636)")
  func leftAndCameBack() throws {
    let group = try group()
    try group.save(0) { context in
      let project = try group.first(SimProject.self, context)
      project.tasks = [SimTask(title: "1"), SimTask(title: "2")]
    }
    try group.save(0) { try group.first(SimProject.self, $0).tasks.reverse() }
    try group.syncAll()
    func setProject(_ project: (ModelContext) throws -> SimProject?) throws {
      try group.save(0) { context in
        let second = try context.fetch(FetchDescriptor<SimTask>(predicate: #Predicate { $0.title == "2" }))[0]
        second.project = try project(context)
      }
    }
    try setProject { _ in nil }
    try setProject { try group.first(SimProject.self, $0) }
    try group.syncAll()
    #expect(try tasks(group, 0) == tasks(group, 1))
    #expect(try Set(tasks(group, 0)) == ["1", "2"])
  }

  @Test("New objects of several classes come into a list in the order of their insertion (seed 288)")
  func severalClasses() throws {
    let group = try group()
    try group.syncAll()
    try group.save(0) { context in
      let project = try group.first(SimProject.self, context)
      for task in [SimTask(title: "1"), SimBug(title: "2"), SimTask(title: "3")] {
        context.insert(task)
        task.project = project
      }
    }
    try group.syncAll()
    #expect(try tasks(group, 0) == ["1", "2", "3"])
    #expect(try tasks(group, 1) == ["1", "2", "3"])
  }

  @Test("A save that hands a unique value over to a new object deletes the old one only (seeds 431, 700904)")
  func uniqueValueHandedOver() throws {
    let group = try group()
    try group.save(0) { $0.insert(SimPerson(email: "a")) }
    try group.syncAll()
    try group.save(0) { context in
      context.delete(try group.first(SimPerson.self, context))
      let person = SimPerson(email: "a")
      person.name = "new"
      context.insert(person)
    }
    try group.syncAll()
    for index in 0...1 { #expect(try group.all(SimPerson.self, index).map(\.name) == ["new"], "replica \(index)") }
  }

  private func badge(_ number: Int, _ context: ModelContext) throws -> SimBadge {
    try context.fetch(FetchDescriptor<SimBadge>(predicate: #Predicate { $0.number == number }))[0]
  }

  @Test("A badge that lost its person to another badge does not get the person back when that one is gone (seed 2632)")
  func lostTarget() throws {
    for isConcurrent in [false, true] {
      let group = try group()
      try group.save(0) { context in
        for object in [SimPerson(email: "a"), SimBadge(number: 1), SimBadge(number: 2)] as [any PersistentModel] {
          context.insert(object)
        }
      }
      try group.syncAll()
      try group.save(0) { try badge(1, $0).person = try group.first(SimPerson.self, $0) }
      if !isConcurrent { try group.syncAll() }
      try group.save(1) { try badge(2, $0).person = try group.first(SimPerson.self, $0) }
      try group.syncAll()
      let winner = try #require(try group.all(SimPerson.self, 0)[0].badge?.number)
      try group.save(0) { $0.delete(try badge(winner, $0)) }
      try group.syncAll()
      for index in 0...1 { #expect(try group.all(SimPerson.self, index)[0].badge == nil, "replica \(index)") }
    }
  }
}
#endif
