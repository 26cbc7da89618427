import Foundation
import SwiftData
import Testing

/// Contexts of one container with unsaved changes of the same objects, without a reference: whatever came of the conflicts, a context without
/// unsaved changes shows what the store has, both sides of each relationship agree, and a refused save changes nothing. A save is refused with
/// `staleObject` if and only if another save deleted an object that the program edited, and then the edits stay.
@Suite struct MeanwhileLawTests {
  @Test("Contexts that change, relate and delete the same objects show what the store has once nothing is unsaved")
  func conflicts() {
    var failures = [String]()
    for seed in LawSettings.seeds(default: 200) {
      do {
        try MeanwhileRun(seed: seed).run()
      } catch {
        failures.append("\(error)")
      }
    }
    // The shortest says most.
    failures.sort { $0.utf8.count < $1.utf8.count }
    if let first = failures.first { Issue.record("\(failures.count) sequences failed, one of them: \(first)") }
  }
}

private final class MeanwhileRun {
  private let seed: UInt64
  private var random: LawRandom
  private let container: ModelContainer
  private var contexts: [ModelContext]
  private var held: [[any LawObject]]
  /// The stored objects that the program changed since the last save or rollback, by identifier.
  private var edited: [[PersistentIdentifier: any LawObject]] = [[:], [:]]
  private var nextTag = 1
  private var log: [String] = []

  init(seed: UInt64) throws {
    self.seed = seed
    random = LawRandom(seed: seed)
    let schema = Schema([Law.Hub.self, Law.Node.self])
    var configuration = ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
    configuration.uniquenessPolicy = random.chance(50) ? .upsert : .reject
    container = try ModelContainer(for: schema, configurations: configuration)
    contexts = [ModelContext(container), ModelContext(container)]
    held = [[], []]
    if random.chance(30) { for context in contexts { context.state.tuning = .smallest } }
  }

  private func fail(_ text: String) -> LawFailure { LawFailure(description: text) }

  func run() throws {
    do {
      for _ in 0..<6 { try create(0) }
      try save(0)
      for _ in 0..<(4 + random.below(30)) { try step(random.below(2)) }
      for index in contexts.indices { try save(index) }
      for index in contexts.indices { try compare(index) }
    } catch {
      throw LawFailure(description: "seed \(seed): \(error)\n" + log.joined(separator: "\n"))
    }
  }

  private func note(_ index: Int, _ text: String) { log.append("\(log.count + 1). [\(index)] \(text)") }

  private func step(_ index: Int) throws {
    switch random.below(100) {
    case 0..<12: try create(index)
    case 12..<24: try setValue(index)
    case 24..<40: try setToOne(index)
    case 40..<58: try editToMany(index)
    case 58..<70: try delete(index)
    case 70..<84: try save(index)
    case 84..<88: rollback(index)
    case 88..<94:
      note(index, "takes in saves")
      contexts[index].state.takeInSaves()
      try compare(index)
    case 94..<97:
      note(index, "releases")
      held[index].removeAll { _ in random.chance(50) }
    default: try compare(index)
    }
    if let problem = ContextInvariants(of: contexts[index].state).violations().first { throw fail(problem) }
  }

  // MARK: - Choosing

  private func all(_ kind: LawKind, _ context: ModelContext) throws -> [any LawObject] {
    func fetch<M: LawObject>(_: M.Type) throws -> [any LawObject] {
      try context.fetch(FetchDescriptor<M>(sortBy: [SortDescriptor(\.tag)]))
    }
    return try fetch(kind.type)
  }

  private func any(_ kind: LawKind, _ index: Int) throws -> (any LawObject)? {
    // An object that the program holds may be older than the other context's saves.
    let own = held[index].filter { object in
      type(of: object) == kind.type && object.modelContext != nil && !object.isDeleted
    }
    if random.chance(50), let object = own.randomElement(using: &random) { return object }
    guard let object = try all(kind, contexts[index]).randomElement(using: &random) else { return nil }
    held[index].append(object)
    return object
  }

  // MARK: - Changes

  private func create(_ index: Int) throws {
    let kind = LawKind.allCases.randomElement(using: &random)!
    var hub: Law.Hub?
    if kind == .part {
      hub = try any(.hub, index) as? Law.Hub
      if hub == nil { return }
    }
    let object = kind.make(tag: nextTag, hub: hub)
    nextTag += 1
    if random.chance(30) { object.number = random.below(3) }
    note(index, "create \(kind) \(object.tag), number \(object.number as Any), hub \(hub?.tag as Any)")
    contexts[index].insert(object)
    held[index].append(object)
  }

  private func noteEdit(of object: any LawObject, _ index: Int) {
    guard !contexts[index].insertedModelsArray.contains(where: { $0 === object.__resolved }) else { return }
    edited[index][object.persistentModelID] = object
  }

  private func setValue(_ index: Int) throws {
    let kind = LawKind.allCases.randomElement(using: &random)!
    guard let object = try any(kind, index) else { return }
    noteEdit(of: object, index)
    if random.chance(30) {
      let number = random.chance(40) ? nil : random.below(3)
      note(index, "number of \(object.tag) = \(number as Any)")
      object.number = number
    } else {
      let text = ["a", "b", "c"].randomElement(using: &random)!
      note(index, "text of \(object.tag) = \(text)")
      object.text = text
    }
  }

  private func setToOne(_ index: Int) throws {
    let relation = LawRelation.shared.filter { !$0.isToMany }.randomElement(using: &random)!
    guard let owner = try any(relation.source, index) else { return }
    let target = random.chance(20) && !relation.isRequired ? nil : try any(relation.destination, index)
    if target == nil, relation.isRequired { return }
    note(index, "\(relation.name) of \(owner.tag) = \(target?.tag as Any)")
    noteEdit(of: owner, index)
    relation.write(owner, target.map { [$0] } ?? [])
  }

  private func editToMany(_ index: Int) throws {
    let relation = LawRelation.shared.filter(\.isToMany).randomElement(using: &random)!
    guard let owner = try any(relation.source, index) else { return }
    var targets = relation.read(owner)
    if random.chance(65), let target = try any(relation.destination, index) {
      if !targets.contains(where: { $0 === target }) { targets.append(target) }
    } else if !targets.isEmpty, random.chance(70) {
      targets.remove(at: random.below(targets.count))
    } else {
      targets.reverse()
    }
    note(index, "\(relation.name) of \(owner.tag) = \(targets.map(\.tag))")
    noteEdit(of: owner, index)
    relation.write(owner, targets)
  }

  private func delete(_ index: Int) throws {
    let kind = LawKind.allCases.randomElement(using: &random)!
    guard let object = try any(kind, index) else { return }
    try delete(object, index)
  }

  private func delete(_ object: any LawObject, _ index: Int) throws {
    note(index, "delete \(type(of: object)) \(object.tag)")
    try checkEdits(index)
    contexts[index].delete(object)
    // With what its cascades delete.
    edited[index] = edited[index].filter { $0.value.modelContext != nil && !$0.value.isDeleted }
  }

  /// An edited object stays in its context.
  private func checkEdits(_ index: Int) throws {
    for object in edited[index].values where object.modelContext != contexts[index] {
      throw fail("[\(index)] lost the edits of \(type(of: object)) \(object.tag)")
    }
  }

  /// The edited objects that have no row any more.
  private func lost(_ index: Int) throws -> [any LawObject] {
    let fresh = ModelContext(container)
    let stored = Set(try LawKind.allCases.flatMap { try all($0, fresh).map(\.persistentModelID) })
    return edited[index].filter { !stored.contains($0.key) }.map(\.value)
  }

  // MARK: - Saving

  private func save(_ index: Int) throws {
    let before = try dump(ModelContext(container))
    try checkEdits(index)
    let lost = try lost(index)
    let values = lost.map { "\($0.number as Any) \($0.text)" }
    do {
      try contexts[index].save()
      note(index, "save")
    } catch let error as SwiftDataError {
      note(index, "save is refused: \(error)")
      let codes: [SwiftDataError] = [.deleteDenied, .modelValidationFailure, .uniquenessViolation, .staleObject]
      guard codes.contains(error) else { throw fail("refused otherwise: \(error)") }
      let after = try dump(ModelContext(container))
      guard before == after else { throw fail("a refused save changed\n\(before)\nto\n\(after)") }
      if let problem = ContextInvariants(of: contexts[index].state).violations().first { throw fail(problem) }
      guard (error == .staleObject) == !lost.isEmpty else { throw fail("\(error) with \(lost.count) lost objects") }
      guard values == lost.map({ "\($0.number as Any) \($0.text)" }) else { throw fail("the edits are gone") }
      try checkEdits(index)
      if !lost.isEmpty, random.chance(50) {
        for object in lost { try delete(object, index) }
        return try save(index)
      }
      rollback(index)
      guard lost.allSatisfy({ $0.modelContext == nil }) else { throw fail("a rollback kept a deleted object") }
      return
    }
    guard lost.isEmpty else { throw fail("saved without the edits of \(lost.map(\.tag))") }
    edited[index] = [:]
    if contexts[index].hasChanges { throw fail("unsaved changes after a save") }
    try compare(index)
  }

  private func rollback(_ index: Int) {
    note(index, "rollback")
    contexts[index].rollback()
    edited[index] = [:]
  }

  // MARK: - Comparing

  private func dump(_ context: ModelContext) throws -> [String] {
    try LawKind.allCases.flatMap { kind in
      try all(kind, context).map { object in
        let links = LawRelation.shared.filter { $0.source == kind }.map { relation in
          "\(relation.name.split(separator: ".")[1]) \(relation.read(object).map(\.tag))"
        }
        return "\(kind) \(object.tag) \(object.number as Any) \(object.text) \(links.joined(separator: " "))"
      }
    }
  }

  /// With nothing unsaved, a context shows the store, and both sides of a relationship agree.
  private func compare(_ index: Int) throws {
    guard !contexts[index].hasChanges else { return }
    contexts[index].state.takeInSaves()
    let (own, stored) = (try dump(contexts[index]), try dump(ModelContext(container)))
    if own != stored {
      let (left, right) = (own.filter { !stored.contains($0) }, stored.filter { !own.contains($0) })
      throw fail("[\(index)] shows\n\(left.joined(separator: "\n"))\nstored\n\(right.joined(separator: "\n"))")
    }
    let fresh = ModelContext(container)
    for relation in LawRelation.shared {
      guard let inverse = relation.inverse.flatMap({ name in LawRelation.shared.first { $0.name == name } }) else {
        continue
      }
      for object in try all(relation.source, fresh) {
        for target in relation.read(object) where !inverse.read(target).contains(where: { $0 === object }) {
          throw fail("\(relation.name) of \(object.tag) has \(target.tag), whose \(inverse.name) does not")
        }
      }
    }
  }
}
