import Foundation
import SwiftData
import Testing

/// Relationships that lead to objects which go in the same save. After the save, the memory is the store.
///
/// `SWIFTDATA_RANDOM_RUNS` raises the number of sequences, `SWIFTDATA_RANDOM_SEED` starts at a seed.
@Suite("What goes in the same save") struct SameSaveTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let first = environment["SWIFTDATA_RANDOM_SEED"].flatMap(UInt64.init) ?? 1
  private static let runs = environment["SWIFTDATA_RANDOM_RUNS"].flatMap(UInt64.init) ?? 600

  @Test("A list, a to-one and a pair let go of an object whose deletion was pending when they took it")
  func appended() throws {
    let context = ModelContext(try RandomStage().container(isUpserting: false))
    let (hub, item, badge, label) = (Law.Hub(tag: 1), Law.Item(tag: 2), Law.Badge(tag: 3), Law.Label(tag: 4))
    let other = Law.Item(tag: 5)
    hub.items = [item, other]
    for object in [hub, badge, label] as [any PersistentModel] { context.insert(object) }
    try context.save()
    for object in [item, badge, label] as [any PersistentModel] { context.delete(object) }
    hub.items.append(item)
    hub.likes.append(item)
    hub.pick = item
    hub.badge = badge
    hub.labels.append(label)
    try context.save()
    #expect(hub.items.map(\.tag) == [5])
    #expect(hub.likes.isEmpty && hub.labels.isEmpty)
    #expect(hub.pick == nil && hub.badge == nil)
    #expect(!context.hasChanges)
  }

  @Test("Children of a parent whose deletion was pending have no parent after the save")
  func adopted() throws {
    let context = ModelContext(try RandomStage().container(isUpserting: false))
    let (parent, child, note) = (Law.Node(tag: 1), Law.Node(tag: 2), Law.Node(tag: 3))
    for object in [parent, child] { context.insert(object) }
    try context.save()
    context.delete(parent)
    child.parent = parent
    parent.children.append(note)
    try context.save()
    #expect(child.parent == nil && note.parent == nil)
    let fresh = try ModelContext(context.container).fetch(FetchDescriptor<Law.Node>(sortBy: [SortDescriptor(\.tag)]))
    #expect(fresh.map(\.tag) == [2, 3])
    #expect(fresh.allSatisfy { $0.parent == nil })
  }

  @Test("Whatever leads to whatever goes, the memory after a save is the store", arguments: 0..<2)
  func random(share: UInt64) {
    let stage = RandomStage()
    for seed in Self.first..<(Self.first + Self.runs) where seed % 2 == share {
      do {
        try SameSaveRun(seed: seed, stage).run()
      } catch {
        stage.forget()
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
  }
}

/// Changes of objects at random, whether their deletion is pending or not.
private final class SameSaveRun {
  private var random: RandomSource
  private let container: ModelContainer
  private let context: ModelContext
  private var objects: [any LawObject] = []
  private var log: [String] = []
  private var nextTag = 1

  init(seed: UInt64, _ stage: RandomStage) throws {
    random = RandomSource(seed: seed)
    container = try stage.container(isUpserting: false)
    context = ModelContext(container)
  }

  func run() throws {
    do {
      for _ in 0..<8 { create() }
      for _ in 0..<(10 + random.int(0..<30)) {
        switch random.int(0..<12) {
        case 0: create()
        case 1, 2: delete()
        case 3: try save()
        case 4: try refetch()
        default: relate()
        }
      }
      try save()
    } catch {
      throw LawFailure(description: "\(error)\n" + log.joined(separator: "\n"))
    }
  }

  private func pick(_ kind: LawKind) -> (any LawObject)? {
    let all = objects.filter { type(of: $0) == kind.type }
    return all.isEmpty ? nil : random.pick(all)
  }

  private func create() {
    let kind = random.pick(LawKind.allCases)
    let hub = pick(.hub) as? Law.Hub
    if kind == .part, hub == nil { return }
    let object = kind.make(tag: nextTag, hub: hub)
    log.append("create \(kind) \(nextTag)" + (kind == .part ? " of hub \(hub!.tag)" : ""))
    nextTag += 1
    context.insert(object)
    objects.append(object)
  }

  private func delete() {
    guard !objects.isEmpty else { return }
    let object = random.pick(objects)
    log.append("delete \(object.tag)")
    context.delete(object)
  }

  private func relate() {
    let relation = random.pick(LawRelation.shared)
    guard let owner = pick(relation.source) else { return }
    var targets = [any LawObject]()
    for _ in 0..<(relation.isToMany ? random.int(0..<3) : random.int(0..<2)) {
      if let target = pick(relation.destination) { targets.append(target) }
    }
    if relation.isRequired, targets.isEmpty { return }
    if relation.isToMany, random.chance(2, in: 3) {
      log.append("\(relation.name) of \(owner.tag) gains \(targets.map(\.tag))")
      relation.edit(owner, .append(targets))
    } else {
      log.append("\(relation.name) of \(owner.tag) = \(targets.map(\.tag))")
      relation.write(owner, targets)
    }
  }

  private func save() throws {
    do {
      try context.save()
      log.append("save")
    } catch let error as SwiftDataError {
      log.append("save is refused, rollback: \(error.code)")
      guard error.code == .deleteDenied || error.code == .modelValidationFailure else { throw error }
      context.rollback()
    }
    objects.removeAll { $0.modelContext == nil }
    if context.hasChanges { throw LawFailure(description: "unsaved changes after a save") }
    try compare()
  }

  /// Other objects of the same rows: some relationships are then faults again.
  private func refetch() throws {
    try save()
    log.append("refetch")
    objects = []
    for kind in LawKind.allCases { objects += try Self.all(kind.type, context) }
  }

  private static func all<M: LawObject>(_ type: M.Type, _ context: ModelContext) throws -> [any LawObject] {
    try context.fetch(FetchDescriptor<M>())
  }

  private func compare() throws {
    let fresh = ModelContext(container)
    var stored = [Int: any LawObject]()
    for kind in LawKind.allCases { for object in try Self.all(kind.type, fresh) { stored[object.tag] = object } }
    guard Set(stored.keys) == Set(objects.map(\.tag)) else {
      throw LawFailure(description: "stored are \(stored.keys.sorted()), in memory \(objects.map(\.tag))")
    }
    for relation in LawRelation.shared {
      for object in objects where type(of: object) == relation.source.type {
        let (own, other) = (relation.read(object).map(\.tag), relation.read(stored[object.tag]!).map(\.tag))
        if own != other {
          throw LawFailure(description: "\(relation.name) of \(object.tag): \(own) in memory, \(other) stored")
        }
      }
    }
  }
}
