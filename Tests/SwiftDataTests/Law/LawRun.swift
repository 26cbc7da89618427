import Foundation
import SwiftData

/// One context of a run, and the objects that the run holds for it.
final class LawActor {
  let context: ModelContext
  var held: [Int: any LawObject] = [:]

  init(_ container: ModelContainer) { context = ModelContext(container) }

  /// The object of a tag: one that is held, or fetched.
  func object(_ tag: Int, _ kind: LawKind) throws -> any LawObject {
    if let object = held[tag] { return object }
    guard let object = try find(kind.type, tag) else { throw LawFailure(description: "no \(kind) \(tag)") }
    held[tag] = object
    return object
  }

  private func find<M: LawObject>(_ type: M.Type, _ tag: Int) throws -> (any LawObject)? {
    let found = try context.fetch(FetchDescriptor<M>(predicate: #Predicate { $0.tag == tag }))
    if found.count > 1 { throw LawFailure(description: "\(found.count) objects with tag \(tag)") }
    return found.first
  }
}

/// One random sequence of operations, done to the engine and to the reference.
final class LawRun {
  let seed: UInt64
  let steps: Int
  var random: LawRandom
  let store: TemporaryStore
  let relations = LawRelation.all()
  var container: ModelContainer
  var actors: [LawActor]
  var active = 0
  var world: LawWorld
  var stored: LawWorld
  var nextTag = 1
  var log: [String] = []

  var actor: LawActor { actors[active] }

  init(seed: UInt64, steps: Int) throws {
    self.seed = seed
    self.steps = steps
    self.random = LawRandom(seed: seed)
    self.store = try TemporaryStore()
    self.container = try Self.open(store)
    self.actors = [LawActor(container), LawActor(container)]
    self.world = LawWorld(relations: relations)
    self.stored = world
  }

  private static func open(_ store: TemporaryStore) throws -> ModelContainer {
    try store.container(Law.Hub.self, Law.Node.self) { $0.uniquenessPolicy = .reject }
  }

  /// - Throws: a ``LawFailure`` that carries the seed and the steps so far.
  func run() throws {
    do {
      for kind in [LawKind.hub, .hub, .item, .node, .node] where random.chance(80) { try create(kind) }
      for _ in 0..<steps { try step() }
      try save()
      try compareEverything("end")
      let checks = try store.shell("PRAGMA integrity_check; PRAGMA foreign_key_check")
      if checks != "ok" { throw LawFailure(description: checks) }
    } catch {
      throw LawFailure(
        description: "seed \(seed), step \(log.count): \(error)\n" + log.suffix(60).joined(separator: "\n"))
    }
  }

  func note(_ text: String) { log.append("\(log.count + 1). [\(active)] \(text)") }

  private func step() throws {
    switch random.below(100) {
    case 0..<14: try create(LawKind.allCases.randomElement(using: &random)!)
    case 14..<26: try setAttributes()
    case 26..<40: try setToOne()
    case 40..<62: try editToMany()
    case 62..<67: try delete()
    case 67..<69: try undelete()
    case 69..<79: try save()
    case 79..<82: try rollback()
    case 82..<90: try checkFetch()
    case 90..<94: release()
    case 94..<95: try reopen()
    case 95..<97: try switchActor()
    default: try compareMemory()
    }
  }

  // MARK: - Choosing

  func anyTag(of kind: LawKind) -> Int? { world.tags(of: kind).randomElement(using: &random) }

  func anyTag() -> Int? { world.order.randomElement(using: &random) }

  func kind(_ tag: Int) -> LawKind { world.things[tag]!.kind }

  func object(_ tag: Int) throws -> any LawObject { try actor.object(tag, kind(tag)) }

  // MARK: - Whole contexts

  private func release() {
    note("release")
    if random.chance(50) {
      actor.held = [:]
    } else {
      for tag in actor.held.keys.sorted() where random.chance(50) { actor.held[tag] = nil }
    }
  }

  private func reopen() throws {
    note("reopen")
    world = stored
    actors = []
    container = try Self.open(store)
    actors = [LawActor(container), LawActor(container)]
  }

  /// The other context goes on; unsaved changes stay behind only in one of the two.
  private func switchActor() throws {
    try save()
    if actor.context.hasChanges { try rollback() }
    active = 1 - active
    note("the other context")
    actor.context.state.takeInSaves()
    for tag in actor.held.keys where !world.isAlive(tag) { actor.held[tag] = nil }
  }

  // MARK: - Saving

  func save() throws {
    let refusal = world.refusal
    note("save" + (refusal.map { " is refused: \($0)" } ?? ""))
    do {
      try actor.context.save()
    } catch let error as SwiftDataError {
      guard refusal != nil else { throw LawFailure(description: "save failed: \(error)") }
      let codes: [SwiftDataError] = [.deleteDenied, .modelValidationFailure, .uniquenessViolation]
      guard codes.contains(error) else { throw LawFailure(description: "refused otherwise: \(error)") }
      try compareMemory()
      if random.chance(30) { try compareStore() }
      if random.chance(70) { try rollback() }
      return
    }
    if let refusal { throw LawFailure(description: "save should have been refused: \(refusal)") }
    if actor.context.hasChanges { throw LawFailure(description: "unsaved changes after a save") }
    world.save()
    if world.agesAreLoose {
      let order = try tagsByKey()
      guard order.sorted() == world.order.sorted() else {
        throw LawFailure(description: "stored are \(order), not \(world.order)")
      }
      world.adopt(order: order)
    }
    stored = world
    for tag in actor.held.keys where !world.isAlive(tag) { actor.held[tag] = nil }
    if random.chance(40) { try compareEverything("saved") }
  }

  func rollback() throws {
    note("rollback")
    actor.context.rollback()
    if actor.context.hasChanges { throw LawFailure(description: "unsaved changes after a rollback") }
    world = stored
    for tag in actor.held.keys where !world.isAlive(tag) { actor.held[tag] = nil }
    if random.chance(60) { try compareEverything("rolled back") }
  }

  private func tagsByKey() throws -> [Int] {
    let fresh = ModelContext(container)
    return try LawKind.allCases.flatMap { try Self.tags($0.type, fresh) }
  }

  static func tags<M: LawObject>(_ type: M.Type, _ context: ModelContext) throws -> [Int] {
    try context.fetch(FetchDescriptor<M>()).map(\.tag)
  }
}
