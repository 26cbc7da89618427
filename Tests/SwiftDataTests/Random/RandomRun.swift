import Foundation
import SwiftData

/// Containers that many sequences use one after the other: opening one costs more than a sequence.
final class RandomStage {
  private var containers: [Bool: ModelContainer] = [:]

  /// An empty container.
  func container(isUpserting: Bool) throws -> ModelContainer {
    if let container = containers[isUpserting] {
      try Self.clear(container)
      return container
    }
    let schema = Schema([Law.Hub.self, Law.Node.self])
    var configuration = ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
    configuration.uniquenessPolicy = isUpserting ? .upsert : .reject
    let container = try ModelContainer(for: schema, configurations: configuration)
    containers[isUpserting] = container
    return container
  }

  /// What a failed sequence left is not worth clearing.
  func forget() { containers = [:] }

  private static func clear(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    // What denies its hub's deletion goes first.
    for kind in [LawKind.lock, .part, .hub, .item, .note, .label, .badge, .node] { try delete(kind.type, context) }
    try context.save()
  }

  private static func delete<M: LawObject>(_ type: M.Type, _ context: ModelContext) throws {
    try context.delete(model: type)
  }
}

/// Runs one sequence on the engine and on the reference, and compares them after every step.
final class RandomRun {
  let sequence: RandomSequence
  let container: ModelContainer
  let context: ModelContext
  let undo = UndoManager()
  /// The objects that the program has of each thing: several after an upsert.
  var held: [Int: [any LawObject]] = [:]
  var world: LawWorld
  /// What the store has.
  var stored: LawWorld
  /// Things that this context may have unsaved changes of: others leave them alone.
  var touched: Set<Int> = []
  /// Of stored things, for ever.
  var identifiers: [Int: PersistentIdentifier] = [:]
  var nextTag = 1
  /// Chooses among the objects of a thing.
  private var choice = 0
  var log: [String] = []

  init(_ sequence: RandomSequence, _ stage: RandomStage) throws {
    self.sequence = sequence
    container = try stage.container(isUpserting: sequence.isUpserting)
    context = ModelContext(container)
    undo.groupsByEvent = false
    if sequence.hasUndo { context.undoManager = undo }
    if sequence.isIndexed { context.state.tuning = .smallest }
    world = LawWorld(relations: LawRelation.shared)
    stored = world
  }

  /// - Returns: what is wrong, with the steps that led there; nil where all is right.
  static func failure(of sequence: RandomSequence, _ stage: RandomStage) -> String? {
    var run: RandomRun?
    do {
      run = try RandomRun(sequence, stage)
      try run?.run()
      return nil
    } catch {
      stage.forget()
      let options =
        "upserting \(sequence.isUpserting), undo \(sequence.hasUndo), watched \(sequence.isWatched), indexed"
        + " \(sequence.isIndexed)"
      return "seed \(sequence.seed) (\(options)): \(error)\n" + (run?.log ?? []).joined(separator: "\n")
    }
  }

  private func run() throws {
    for (index, step) in sequence.steps.enumerated() {
      try perform(step)
      try check(after: index)
    }
    try save()
    if !world.hasNothingDoomed || context.hasChanges { rollback() }
    try compareStore()
    try compareMemory()
  }

  func note(_ text: String) { log.append("\(log.count + 1). \(text)") }

  func fail(_ text: String) -> LawFailure { LawFailure(description: text) }

  private func perform(_ step: RandomStep) throws {
    switch step.kind {
    case .create: try change { try create(step) }
    case .number: try change { try setNumber(step) }
    case .text: try change { try setText(step) }
    case .toOne: try change { try setToOne(step) }
    case .toMany: try change { try editToMany(step) }
    case .delete: try change { try delete(step) }
    case .undelete: try change { try undelete(step) }
    case .batchDelete: try change { try batchDelete(step) }
    case .batchUpdate: try batchUpdate(step)
    case .save: try save()
    case .rollback: rollback()
    case .undo: goBack("undo") { if undo.canUndo { undo.undo() } }
    case .redo: goBack("redo") { if undo.canRedo { undo.redo() } }
    case .fetch: try fetch(step)
    case .related: try fetchByRelationships(step)
    case .compare: try compareMemory()
    case .release: release(step)
    case .otherChanges: try otherChanges(step)
    case .otherInserts: try otherInserts(step)
    case .otherDeletes: try otherDeletes(step)
    }
  }

  // MARK: - Choosing

  func tag(of kind: LawKind, _ number: Int) -> Int? {
    let tags = world.tags(of: kind)
    return tags.isEmpty ? nil : tags[number % tags.count]
  }

  func anyTag(_ number: Int) -> Int? { world.order.isEmpty ? nil : world.order[number % world.order.count] }

  /// One of the objects of a thing.
  func object(_ tag: Int) throws -> any LawObject {
    let objects = try objects(tag)
    choice += 1
    return objects[choice % objects.count]
  }

  func objects(_ tag: Int) throws -> [any LawObject] {
    if let objects = held[tag] { return objects }
    guard let object = try Self.find(world.things[tag]!.kind.type, tag, context) else { throw fail("no object \(tag)") }
    held[tag] = [object]
    return [object]
  }

  static func find<M: LawObject>(_ type: M.Type, _ tag: Int, _ context: ModelContext) throws -> (any LawObject)? {
    let found = try context.fetch(FetchDescriptor<M>(predicate: #Predicate { $0.tag == tag }))
    if found.count > 1 { throw LawFailure(description: "\(found.count) objects with tag \(tag)") }
    return found.first
  }

  // MARK: - Undo

  /// A change that is one group of the undo stack, whose undoing gives the reference its former world too.
  private func change(_ body: () throws -> Void) rethrows {
    guard sequence.hasUndo else { return try body() }
    undo.beginUndoGrouping()
    mark(world)
    try body()
    undo.endUndoGrouping()
  }

  private func mark(_ before: LawWorld) {
    undo.registerUndo(withTarget: self) { run in
      let now = run.world
      run.world = before
      // What comes back comes back, but not to its place.
      run.world.loosenAfterUndelete()
      run.mark(now)
    }
  }

  private func goBack(_ name: String, _ body: () -> Void) {
    note(name)
    body()
    touched = Set(world.order)
    forgetTheDead()
  }

  // MARK: - Whole contexts

  func forgetTheDead() { for tag in held.keys where !world.isAlive(tag) { held[tag] = nil } }

  private func release(_ step: RandomStep) {
    note("release \(step.a % 3 == 0 ? "all" : "some")")
    for (tag, objects) in held where step.a % 3 == 0 || (tag + step.b) % 2 == 0 {
      // The program may keep the registered object, or an alias alone.
      held[tag] = objects.count == 1 ? nil : [objects[step.b % objects.count]]
    }
  }

  func rollback() {
    note("rollback")
    context.rollback()
    world = stored
    settle()
    forgetTheDead()
  }

  /// Nothing is unsaved.
  private func settle() {
    touched = []
    undo.removeAllActions()
  }

  func save() throws {
    let upserts: [LawWorld.Upsert]
    switch sequence.isUpserting ? world.upserts(stored: stored, touched: touched) : .merges([]) {
    case .merges(let merges): upserts = merges
    case .refused: return try refusedSave("unique values of two stored objects")
    case .unclear: return rollback()
    }
    if let refusal = sequence.isUpserting ? world.refusalButUnique : world.refusal { return try refusedSave(refusal) }
    note("save" + upserts.map { ", \($0.new) over \($0.old)" }.joined())
    let written = upserts.flatMap { held[$0.new, default: []] + held[$0.old, default: []] }
    try context.save()
    if context.hasChanges { throw fail("unsaved changes after a save") }
    for upsert in upserts { world.merge(upsert) }
    world.save()
    try adoptOrder()
    stored = world
    settle()
    for upsert in upserts {
      if let old = held.removeValue(forKey: upsert.old) { held[upsert.new, default: []] += old }
      identifiers[upsert.new] = nil
    }
    forgetTheDead()
    for tag in world.order where identifiers[tag] == nil { identifiers[tag] = try object(tag).persistentModelID }
    for object in written where !world.isAlive(object.tag) || object.persistentModelID != identifiers[object.tag] {
      throw fail("an object that was written over a row is \(object.tag), and has another identifier")
    }
  }

  private func refusedSave(_ reason: String) throws {
    note("save is refused: \(reason)")
    do {
      try context.save()
    } catch let error as SwiftDataError {
      let codes: [SwiftDataError] = [.deleteDenied, .modelValidationFailure, .uniquenessViolation]
      guard codes.contains(error) else { throw fail("refused otherwise: \(error)") }
      try compareStore()
      return try compareMemory()
    }
    throw fail("the save should have been refused: \(reason)")
  }

  /// Things that came back are younger than they were; their keys say by how much.
  private func adoptOrder() throws {
    guard world.agesAreLoose else { return }
    let fresh = ModelContext(container)
    let order = try LawKind.allCases.flatMap { try Self.tags($0.type, fresh) }
    guard order.sorted() == world.order.sorted() else { throw fail("stored are \(order), not \(world.order)") }
    world.adopt(order: order)
  }

  static func tags<M: LawObject>(_ type: M.Type, _ context: ModelContext) throws -> [Int] {
    try context.fetch(FetchDescriptor<M>()).map(\.tag)
  }
}
