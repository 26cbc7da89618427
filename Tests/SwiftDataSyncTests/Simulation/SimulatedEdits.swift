#if Sync
import Foundation
import SwiftData
import SyncProtocol

/// A device with a program that saves.
protocol EditedNode: AnyObject {
  var container: ModelContainer! { get }
  var program: SimulatedProgram { get }
}

/// Random edits of a program that uses the store of a node. Each call is one save.
struct SimulatedEdits {
  /// What the text of a label begins with that nothing changes or deletes, but the deletion of its project.
  static let keepsake = "keepsake "

  let node: any EditedNode
  var random: SeededGenerator
  /// What decides on large values; nil for edits without any. It is a generator of its own, so that the other edits of a seed are
  /// the same.
  var assets: SeededGenerator?

  private mutating func pick<T>(_ all: [T]) -> T? { all.randomElement(using: &random) }
  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
  private mutating func word() -> String { pick(["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen"])! }
  private mutating func uuid() -> UUID {
    var bytes = (random.next(), random.next())
    return UUID(uuid: withUnsafeBytes(of: &bytes) { $0.loadUnaligned(as: uuid_t.self) })
  }

  /// - Parameter marks: gets the identity of each mark that was saved.
  mutating func run(_ marks: inout Set<UUID>) throws {
    let context = ModelContext(node.container)
    var made: UUID?
    switch node.program {
    case .old: try old(context, &made)
    case .former: try former(context, &made)
    case .current: try new(context, &made)
    }
    if node.program == .current, var assets {
      try attach(context, &assets)
      self.assets = assets
    }
    try context.save()
    if let made { marks.insert(made) }
  }

  /// Adds a label to a project. Nothing but the deletion of the project deletes it.
  mutating func keep() throws {
    let context = ModelContext(node.container)
    let label = SimLabel(text: Self.keepsake + uuid().uuidString)
    if node.program == .former {
      pick(try all(SimulationFormer.SimProject.self, context))?.tags.append(label)
    } else {
      pick(try all(SimProject.self, context))?.labels.append(label)
    }
    try context.save()
  }

  private func all<M: PersistentModel>(_ type: M.Type, _ context: ModelContext) throws -> [M] {
    // In an order that does not depend on the machine.
    try context.fetch(FetchDescriptor<M>()).sorted { $0.persistentModelID < $1.persistentModelID }
  }

  private mutating func old(_ context: ModelContext, _ made: inout UUID?) throws {
    let tasks = try all(SimulationOld.SimTask.self, context)
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      let task = SimulationOld.SimTask(title: word())
      context.insert(task)
      task.project = pick(try all(SimulationOld.SimProject.self, context))
    case 1: context.insert(SimulationOld.SimProject(title: word()))
    case 2: pick(tasks)?.title = word()
    case 3: pick(tasks)?.priority = chance(50) ? .low : .high
    case 4: if let task = pick(tasks) { context.delete(task) }
    default:
      let mark = SimulationOld.SimMark(id: uuid(), after: pick(try all(SimulationOld.SimMark.self, context))?.id)
      context.insert(mark)
      made = mark.id
    }
  }

  private mutating func former(_ context: ModelContext, _ made: inout UUID?) throws {
    let tasks = try all(SimulationFormer.SimTask.self, context)
    let projects = try all(SimulationFormer.SimProject.self, context)
    let people = try all(SimulationFormer.SimPerson.self, context)
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      let task = SimulationFormer.SimTask(title: word())
      context.insert(task)
      task.effort = Double(Int.random(in: 0..<9, using: &random)) / 4
      task.project = pick(projects)
    case 1:
      let project = SimulationFormer.SimProject(title: word())
      context.insert(project)
      for _ in 0..<2 { project.tags.append(SimLabel(text: word())) }
    case 2:
      let address = word() + "@example.com"
      guard !people.contains(where: { $0.address == address }) else { return }
      let person = SimulationFormer.SimPerson(address: address)
      context.insert(person)
      person.badge = pick(try all(SimulationFormer.SimBadge.self, context))
    case 3, 4: pick(tasks)?.effort = chance(30) ? nil : Double(Int.random(in: 0..<9, using: &random)) / 4
    case 5: pick(projects)?.tags.append(SimLabel(text: word()))
    case 6:
      let badge = SimulationFormer.SimBadge(number: Int.random(in: 0..<100, using: &random))
      context.insert(badge)
      badge.owner = pick(people)
    case 7: pick(try all(SimulationFormer.SimBadge.self, context))?.owner = chance(30) ? nil : pick(people)
    case 8: if let project = pick(projects), chance(50) { context.delete(project) }
    default:
      let mark = SimMark(id: uuid(), after: pick(try all(SimMark.self, context))?.id)
      context.insert(mark)
      made = mark.id
    }
  }

  private mutating func new(_ context: ModelContext, _ made: inout UUID?) throws {
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      switch Int.random(in: 0..<12, using: &random) {
      case 0, 1: try insertTask(context)
      case 2: try insertProject(context)
      case 3: try insertPerson(context)
      case 4, 5: try editTask(context)
      case 6: try editLists(context)
      case 7: try editPeople(context)
      case 8: try editBadges(context)
      case 9: try editTree(context)
      case 10: try deleteSomething(context)
      default: try editHalves(context)
      }
    }
    if chance(25) { try editHalves(context) }
    if chance(30) {
      let mark = SimMark(id: uuid(), after: pick(try all(SimMark.self, context))?.id)
      context.insert(mark)
      made = mark.id
    }
  }

  private mutating func insertTask(_ context: ModelContext) throws {
    let project = pick(try all(SimProject.self, context))
    let task: SimTask
    if chance(30) {
      let bug = SimBug(title: word())
      bug.severity = Int.random(in: 0..<5, using: &random)
      task = bug
    } else {
      task = SimTask(title: word())
    }
    context.insert(task)
    if let project, chance(70) {
      if chance(50) {
        task.project = project
      } else {
        project.tasks.insert(task, at: Int.random(in: 0...project.tasks.count, using: &random))
      }
    }
    if chance(10) { task.attachment = Data(repeating: UInt8.random(in: 0...255, using: &random), count: 100) }
  }

  private mutating func insertProject(_ context: ModelContext) throws {
    let project = SimProject(title: word())
    context.insert(project)
    for _ in 0..<Int.random(in: 0...2, using: &random) { project.labels.append(SimLabel(text: word())) }
    if let task = pick(try all(SimTask.self, context)), chance(50) { project.tasks.append(task) }
  }

  private mutating func insertPerson(_ context: ModelContext) throws {
    // Few addresses, so that two replicas take the same one.
    let email = word() + "@example.com"
    // A new object that takes over a stored row leaves the partner of the row's one-to-one as it was.
    guard try !all(SimPerson.self, context).contains(where: { $0.email == email }) else { return }
    let person = SimPerson(email: email)
    person.name = word()
    context.insert(person)
    if let project = pick(try all(SimProject.self, context)), chance(60) { project.people.append(person) }
  }

  private mutating func editTask(_ context: ModelContext) throws {
    guard let task = pick(try all(SimTask.self, context)) else { return }
    switch Int.random(in: 0..<7, using: &random) {
    case 0: task.title = word()
    case 1: task.priority = pick(SimPriority.allCases)!
    case 2: task.estimate = chance(30) ? nil : Double(Int.random(in: 0..<9, using: &random)) / 4
    case 3: task.due = Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0..<100, using: &random)))
    case 4: task.place = SimPlace(city: word(), floor: Int.random(in: 0..<4, using: &random))
    case 5: task.project = chance(30) ? nil : pick(try all(SimProject.self, context))
    default: (task as? SimBug)?.severity &+= 1
    }
  }

  private mutating func editLists(_ context: ModelContext) throws {
    guard let project = pick(try all(SimProject.self, context)) else { return }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: project.tasks.shuffle(using: &random)
    case 1: project.labels.append(SimLabel(text: word()))
    case 2: if project.labels.count > 1 { project.labels.swapAt(0, project.labels.count - 1) }
    case 3:
      if let label = project.labels.first(where: { !$0.text.hasPrefix(Self.keepsake) }) { context.delete(label) }
    default:
      if project.tasks.count > 1 {
        let task = project.tasks.removeLast()
        project.tasks.insert(task, at: 0)
      }
    }
  }

  private mutating func editPeople(_ context: ModelContext) throws {
    guard let project = pick(try all(SimProject.self, context)), let person = pick(try all(SimPerson.self, context))
    else { return }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: if !project.people.contains(person) { project.people.append(person) }
    case 1: project.people.removeAll { $0 === person }
    case 2: if !person.projects.contains(project) { person.projects.append(project) }
    case 3: person.projects.removeAll { $0 === project }
    default: project.people.reverse()
    }
  }

  private mutating func editBadges(_ context: ModelContext) throws {
    let person = pick(try all(SimPerson.self, context))
    if chance(40) {
      let badge = SimBadge(number: Int.random(in: 0..<100, using: &random))
      context.insert(badge)
      badge.person = person
    } else if let badge = pick(try all(SimBadge.self, context)) {
      if chance(50) { person?.badge = badge } else { badge.person = person }
    }
  }

  private mutating func editTree(_ context: ModelContext) throws {
    let tasks = try all(SimTask.self, context)
    guard let task = pick(tasks), let other = pick(tasks), task !== other else { return }
    if chance(30) { task.parent = nil } else if chance(50) { task.parent = other } else { other.subtasks.append(task) }
  }

  private mutating func deleteSomething(_ context: ModelContext) throws {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: if let project = pick(try all(SimProject.self, context)) { context.delete(project) }
    case 1: if let person = pick(try all(SimPerson.self, context)) { context.delete(person) }
    case 2: if let badge = pick(try all(SimBadge.self, context)) { context.delete(badge) }
    default: if let task = pick(try all(SimTask.self, context)) { context.delete(task) }
    }
  }

  /// Gives tasks large values. They are few, so that objects and zones share them, and some come back after they were replaced.
  private func attach(_ context: ModelContext, _ assets: inout SeededGenerator) throws {
    let tasks = try all(SimTask.self, context).filter { !$0.isDeleted }
    for _ in 0..<Int.random(in: 0...2, using: &assets) {
      guard let task = tasks.randomElement(using: &assets) else { return }
      let pattern = UInt8.random(in: 0..<6, using: &assets)
      task.attachment =
        pattern == 0 ? nil : Data(repeating: pattern, count: SyncWire.assetThreshold + Int(pattern))
    }
  }

  private mutating func editHalves(_ context: ModelContext) throws {
    let value = Int.random(in: 0..<1_000_000, using: &random)
    let halves = try all(SimHalf.self, context)
    for side in ["left", "right"] {
      if let half = halves.first(where: { $0.side == side }) {
        half.value = value
      } else {
        let half = SimHalf(side: side)
        half.value = value
        context.insert(half)
      }
    }
  }
}
#endif
