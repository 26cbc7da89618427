import Foundation
import SwiftData

// What is compared with the reference.

extension LawRun {
  /// One relationship of one object of the active context.
  func compare(_ tag: Int, _ relation: LawRelation) throws {
    try compare(try object(tag), relation, world)
  }

  private func compare(_ object: any LawObject, _ relation: LawRelation, _ world: LawWorld) throws {
    // An object that is gone is nobody's target, also where no inverse could tell.
    let found = relation.read(object).map(\.tag).filter { world.isAlive($0) }
    if Set(found).count != found.count {
      throw LawFailure(description: "\(relation.name) of \(object.tag) repeats itself: \(found)")
    }
    if world.broken.contains(object.tag), relation.isRequired { return }
    let expected = world.links(object.tag, relation.name)
    let isOrdered = relation.isToMany && world.isOrdered(object.tag, relation.name)
    guard isOrdered ? found == expected : Set(found) == Set(expected) else {
      throw LawFailure(description: "\(relation.name) of \(object.tag) is \(found), not \(expected)")
    }
  }

  private func compare(_ object: any LawObject, _ world: LawWorld) throws {
    let expected = world.things[object.tag]!
    guard object.number == expected.number, object.text == expected.text else {
      throw LawFailure(
        description: "\(object.tag) is (\(object.number as Any), \(object.text)), not"
          + " (\(expected.number as Any), \(expected.text))")
    }
    for relation in world.relations(of: expected.kind) { try compare(object, relation, world) }
  }

  /// Objects of the active context: all of them, or some, so that others stay faults.
  func compareMemory() throws {
    note("compare memory")
    let share = random.chance(40) ? 100 : 20
    for tag in world.order where random.chance(share) { try compare(try object(tag), world) }
  }

  /// What a new context reads from the store.
  func compareStore() throws {
    note("compare store")
    let fresh = ModelContext(container)
    for kind in LawKind.allCases {
      let objects = try Self.all(kind.type, fresh)
      guard objects.map(\.tag) == stored.tags(of: kind) else {
        throw LawFailure(description: "stored \(kind): \(objects.map(\.tag)), not \(stored.tags(of: kind))")
      }
      for object in objects { try compare(object, stored) }
    }
  }

  /// With nothing unsaved: memory and store, whose relationships are the same in the same order.
  func compareEverything(_ moment: String) throws {
    guard !actor.context.hasChanges else { return }
    do {
      try compareMemory()
      try compareStore()
      let fresh = ModelContext(container)
      for kind in LawKind.allCases {
        for other in try Self.all(kind.type, fresh) {
          let own = try object(other.tag)
          for relation in world.relations(of: kind) {
            let (memory, store) = (relation.read(own).map(\.tag), relation.read(other).map(\.tag))
            if memory != store {
              throw LawFailure(description: "\(relation.name) of \(own.tag) is \(memory), stored \(store)")
            }
          }
        }
      }
    } catch let failure as LawFailure {
      throw LawFailure(description: "\(moment): \(failure)")
    }
  }

  private static func all<M: LawObject>(_ type: M.Type, _ context: ModelContext) throws -> [any LawObject] {
    try context.fetch(FetchDescriptor<M>())
  }

  // MARK: - Fetching

  func checkFetch() throws {
    let kind = LawKind.allCases.randomElement(using: &random)!
    try checkFetch(kind.type, kind)
    if random.chance(40) { try checkRelationshipFetches() }
  }

  private func checkFetch<M: LawObject>(_ type: M.Type, _ kind: LawKind) throws {
    var descriptor = FetchDescriptor<M>()
    descriptor.includePendingChanges = !random.chance(30)
    let base = descriptor.includePendingChanges ? world : stored
    var expected = base.tags(of: kind)
    if random.chance(50) {
      let bound = random.below(6)
      descriptor.predicate = #Predicate { ($0.number ?? 0) >= bound }
      expected = expected.filter { (base.things[$0]!.number ?? 0) >= bound }
    }
    var isSorted = !base.agesAreLoose
    if random.chance(50) {
      let order: SortOrder = random.chance(50) ? .forward : .reverse
      descriptor.sortBy = [SortDescriptor(\.tag, order: order)]
      expected.sort { order == .forward ? $0 < $1 : $0 > $1 }
      isSorted = true
    }
    if isSorted {
      if random.chance(30) { descriptor.fetchOffset = random.below(4) }
      if random.chance(30) { descriptor.fetchLimit = random.below(6) }
      expected = Array(expected.dropFirst(descriptor.fetchOffset ?? 0).prefix(descriptor.fetchLimit ?? .max))
    }
    note(
      "fetch \(kind), pending \(descriptor.includePendingChanges), offset \(descriptor.fetchOffset ?? 0), limit"
        + " \(descriptor.fetchLimit ?? -1), \(descriptor.predicate == nil ? "" : "filtered,")"
        + " \(descriptor.sortBy.isEmpty ? "by age" : "sorted")")
    let found = try actor.context.fetch(descriptor)
    let tags = found.map(\.tag)
    guard isSorted ? tags == expected : Set(tags) == Set(expected) && tags.count == expected.count else {
      throw LawFailure(description: "fetched \(tags), not \(expected)")
    }
    let count = try actor.context.fetchCount(descriptor)
    guard count == expected.count else { throw LawFailure(description: "counted \(count), not \(expected.count)") }
    let identifiers = try actor.context.fetchIdentifiers(descriptor)
    guard identifiers == found.map(\.persistentModelID) else {
      throw LawFailure(description: "the identifiers are not those of the objects")
    }
    for object in found where random.chance(20) && world.isAlive(object.tag) { actor.held[object.tag] = object }
  }

  /// Predicates that read other rows than those they fetch.
  private func checkRelationshipFetches() throws {
    let text = ["", "a", "b"].randomElement(using: &random)!
    note("fetch by relationships, text \(text)")
    let items = try actor.context.fetch(FetchDescriptor<Law.Item>(predicate: #Predicate { $0.hub?.text == text }))
    try expect(items.map(\.tag), .item) { tag in
      world.links(tag, "Item.hub").first.map { world.things[$0]!.text == text } ?? false
    }
    let hubs = try actor.context.fetch(
      FetchDescriptor<Law.Hub>(predicate: #Predicate { hub in hub.labels.contains { $0.text == text } }))
    try expect(hubs.map(\.tag), .hub) { tag in
      world.links(tag, "Hub.labels").contains { world.things[$0]!.text == text }
    }
    let parents = try actor.context.fetch(FetchDescriptor<Law.Node>(predicate: #Predicate { $0.children.isEmpty }))
    try expect(parents.map(\.tag), .node) { world.links($0, "Node.children").isEmpty }
  }

  private func expect(_ found: [Int], _ kind: LawKind, _ matches: (Int) -> Bool) throws {
    let expected = world.tags(of: kind).filter(matches)
    guard world.agesAreLoose ? Set(found) == Set(expected) : found == expected else {
      throw LawFailure(description: "fetched \(kind) \(found), not \(expected)")
    }
  }
}
