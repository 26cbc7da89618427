import Foundation
import SwiftData

// What is compared with the reference.

extension RandomRun {
  func check(after index: Int) throws {
    if world.differs(from: stored), !context.hasChanges {
      throw fail("there are unsaved changes, and hasChanges is false")
    }
    if let problem = ContextInvariants(of: context.state).violations().first { throw fail(problem) }
    if sequence.isWatched {
      try compareMemory()
    } else {
      // One kind a step, and no relationship: faults stay faults.
      let kind = LawKind.allCases[index % LawKind.allCases.count]
      try compareAttributes(kind.type, kind)
    }
  }

  private func compareAttributes<M: LawObject>(_ type: M.Type, _ kind: LawKind) throws {
    let objects = try context.fetch(FetchDescriptor<M>())
    guard objects.map(\.tag).sorted() == world.tags(of: kind).sorted() else {
      throw fail("\(kind) are \(objects.map(\.tag)), not \(world.tags(of: kind))")
    }
    for object in objects { try compareAttributes(object, world) }
  }

  private func compareAttributes(_ object: any LawObject, _ world: LawWorld) throws {
    let expected = world.things[object.tag]!
    guard object.number == expected.number, object.text == expected.text else {
      throw fail(
        "\(object.tag) is (\(object.number as Any), \(object.text)), not"
          + " (\(expected.number as Any), \(expected.text))")
    }
  }

  func compare(_ tag: Int, _ relation: LawRelation) throws {
    // What is gone and unsaved may still be seen where no inverse could tell.
    for object in try objects(tag) { try compare(object, relation, world) { self.world.isAlive($0) } }
  }

  private func compare(
    _ object: any LawObject, _ relation: LawRelation, _ world: LawWorld, where isSeen: (Int) -> Bool
  ) throws {
    if world.broken.contains(object.tag), relation.isRequired { return }
    let found = relation.read(object).map(\.tag).filter(isSeen)
    let expected = world.links(object.tag, relation.name)
    let isOrdered = relation.isToMany && world.isOrdered(object.tag, relation.name)
    guard isOrdered ? found == expected : found.sorted() == expected.sorted() else {
      throw fail("\(relation.name) of \(object.tag) is \(found), not \(expected)")
    }
  }

  /// Every living object of the context, with its relationships and its identity.
  func compareMemory() throws {
    for tag in world.order {
      for object in try objects(tag) { try compareState(object, tag) }
      for relation in world.relations(of: world.things[tag]!.kind) { try compare(tag, relation) }
    }
  }

  private func compareState(_ object: any LawObject, _ tag: Int) throws {
    try compareAttributes(object, world)
    guard object.modelContext == context, !object.isDeleted else { throw fail("\(tag) is not in its context") }
    if let identifier = identifiers[tag], stored.isAlive(tag), !world.agesAreLoose {
      guard object.persistentModelID == identifier, context.model(for: identifier) === object.__resolved else {
        throw fail("\(tag) has another identifier than it had")
      }
    }
  }

  /// What a new context reads from the store.
  func compareStore() throws {
    let fresh = ModelContext(container)
    for kind in LawKind.allCases { try compareStored(kind.type, kind, fresh) }
  }

  private func compareStored<M: LawObject>(_ type: M.Type, _ kind: LawKind, _ fresh: ModelContext) throws {
    let objects = try fresh.fetch(FetchDescriptor<M>())
    guard objects.map(\.tag) == stored.tags(of: kind) else {
      throw fail("stored \(kind): \(objects.map(\.tag)), not \(stored.tags(of: kind))")
    }
    for object in objects {
      try compareAttributes(object, stored)
      for relation in stored.relations(of: kind) { try compare(object, relation, stored) { _ in true } }
    }
  }

  // MARK: - Fetching

  func fetch(_ step: RandomStep) throws {
    let kind = LawKind.allCases[step.a % LawKind.allCases.count]
    try fetch(kind.type, kind, step)
  }

  private func fetch<M: LawObject>(_ type: M.Type, _ kind: LawKind, _ step: RandomStep) throws {
    var descriptor = FetchDescriptor<M>()
    descriptor.includePendingChanges = step.c % 4 != 3
    let base = descriptor.includePendingChanges ? world : stored
    var expected = base.tags(of: kind)
    if step.b % 3 != 0 {
      let (bound, text) = (step.b % 5, Self.texts[step.c % 5])
      descriptor.predicate = #Predicate { ($0.number ?? 0) >= bound || $0.text == text }
      expected = expected.filter { (base.things[$0]!.number ?? 0) >= bound || base.things[$0]!.text == text }
    }
    if step.b % 2 == 0 {
      descriptor.sortBy = [SortDescriptor(\.number, order: .reverse), SortDescriptor(\.tag)]
      // No number comes before any number.
      func place(_ tag: Int) -> (Int, Int) { (-(base.things[tag]!.number ?? -1), tag) }
      expected.sort { place($0) < place($1) }
    } else if base.agesAreLoose {
      descriptor.sortBy = [SortDescriptor(\.tag)]
      expected.sort()
    }
    if step.c % 5 == 1 { descriptor.fetchOffset = step.a % 3 }
    if step.c % 3 == 1 { descriptor.fetchLimit = step.b % 4 }
    expected = Array(expected.dropFirst(descriptor.fetchOffset ?? 0).prefix(descriptor.fetchLimit ?? .max))
    note(
      "fetch \(kind), pending \(descriptor.includePendingChanges), filtered \(descriptor.predicate != nil), sorted"
        + " \(descriptor.sortBy.count), offset \(descriptor.fetchOffset ?? 0), limit \(descriptor.fetchLimit ?? -1)")
    try expect(descriptor, expected)
  }

  private func expect<M: LawObject>(_ descriptor: FetchDescriptor<M>, _ expected: [Int]) throws {
    let found = try context.fetch(descriptor)
    guard found.map(\.tag) == expected else { throw fail("fetched \(found.map(\.tag)), not \(expected)") }
    let count = try context.fetchCount(descriptor)
    guard count == expected.count else { throw fail("counted \(count), not \(expected.count)") }
    guard try context.fetchIdentifiers(descriptor) == found.map(\.persistentModelID) else {
      throw fail("the identifiers are not those of the objects")
    }
    for object in found {
      if held[object.tag]?.contains(where: { $0.__resolved !== object }) == true {
        throw fail("two objects for \(object.tag)")
      }
    }
  }

  /// Predicates that read other rows than those they fetch.
  func fetchByRelationships(_ step: RandomStep) throws {
    let text = Self.texts[step.a % 3]
    note("fetch by relationships, text \"\(text)\"")
    func sorted<M: LawObject>(_ predicate: Predicate<M>) -> FetchDescriptor<M> {
      FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.tag)])
    }
    func tags(_ kind: LawKind, _ matches: (Int) -> Bool) -> [Int] { world.tags(of: kind).filter(matches).sorted() }
    func textOf(_ tag: Int) -> String { world.things[tag]!.text }
    try expect(
      sorted(#Predicate<Law.Item> { $0.hub?.text == text }),
      tags(.item) { world.links($0, "Item.hub").first.map(textOf) == text })
    try expect(
      sorted(#Predicate<Law.Hub> { hub in hub.labels.contains { $0.text == text } }),
      tags(.hub) { world.links($0, "Hub.labels").contains { self.world.things[$0]!.text == text } })
    try expect(
      sorted(#Predicate<Law.Hub> { $0.items.isEmpty && $0.badge == nil }),
      tags(.hub) { world.links($0, "Hub.items").isEmpty && world.links($0, "Hub.badge").isEmpty })
    try expect(
      sorted(#Predicate<Law.Node> { node in node.parent != nil || node.children.count > 1 }),
      tags(.node) { !world.links($0, "Node.parent").isEmpty || world.links($0, "Node.children").count > 1 })
    try fetchByValues(step)
    try fetchByDistantValues(step)
  }

  private func sortedByTag<M: LawObject>(_ predicate: Predicate<M>) -> FetchDescriptor<M> {
    FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.tag)])
  }

  private func tags(_ kind: LawKind, where matches: (Int, LawWorld.Thing) -> Bool) -> [Int] {
    world.tags(of: kind).filter { matches($0, world.things[$0]!) }.sorted()
  }

  /// Predicates that unsaved objects are looked up for.
  private func fetchByValues(_ step: RandomStep) throws {
    let (text, number) = (Self.texts[step.b % 5], step.c % 5)
    note("fetch by values, text \"\(text)\", number \(number)")
    try expect(
      sortedByTag(#Predicate<Law.Item> { $0.text == text && $0.tag > 0 }), tags(.item) { $1.text == text })
    try expect(
      sortedByTag(#Predicate<Law.Item> { $0.number == number || $0.number == nil }),
      tags(.item) { $1.number == number || $1.number == nil })
    let wanted = world.order.filter { $0 % 3 == number % 3 }
    try expect(
      sortedByTag(#Predicate<Law.Note> { wanted.contains($0.tag) }), tags(.note) { tag, _ in wanted.contains(tag) })
    try expect(
      sortedByTag(#Predicate<Law.Item> { $0.hub == nil }),
      tags(.item) { tag, _ in
        world.links(tag, "Item.hub").isEmpty
      })
    guard let owner = tag(of: .hub, step.a), let hub = try object(owner) as? Law.Hub else { return }
    let id = hub.persistentModelID
    try expect(
      sortedByTag(#Predicate<Law.Item> { $0.hub == hub }),
      tags(.item) { tag, _ in
        world.links(tag, "Item.hub") == [owner]
      })
    try expect(
      sortedByTag(#Predicate<Law.Badge> { $0.hub?.persistentModelID == id && $0.text == text }),
      tags(.badge) {
        world.links($0, "Badge.hub") == [owner] && $1.text == text
      })
    try expect(sortedByTag(#Predicate<Law.Hub> { $0.persistentModelID == id }), [owner])
  }

  /// Predicates and orders that what others have decides.
  private func fetchByDistantValues(_ step: RandomStep) throws {
    let (text, number) = (Self.texts[step.b % 5], step.c % 5)
    func texts(_ tag: Int, _ relation: String) -> [String] {
      world.links(tag, relation).map { world.things[$0]?.text ?? "" }
    }
    try expect(
      sortedByTag(#Predicate<Law.Hub> { hub in hub.items.contains { $0.number == number } }),
      tags(.hub) { tag, _ in world.links(tag, "Hub.items").contains { world.things[$0]?.number == number } })
    try expect(
      sortedByTag(#Predicate<Law.Label> { $0.hubs.count == 1 || $0.text == text }),
      tags(.label) { world.links($0, "Label.hubs").count == 1 || $1.text == text })
    try expect(
      sortedByTag(#Predicate<Law.Item> { $0.hub?.badge?.text == text }),
      tags(.item) { tag, _ in
        world.links(tag, "Item.hub").first.flatMap { texts($0, "Hub.badge").first } == text
      })
    // In the order of another's number, of which only the first are wanted.
    var descriptor = FetchDescriptor<Law.Item>(sortBy: [SortDescriptor(\.hub?.number), SortDescriptor(\.tag)])
    descriptor.fetchLimit = 1 + number
    func place(_ tag: Int) -> (Int, Int) {
      (world.links(tag, "Item.hub").first.flatMap { world.things[$0]?.number } ?? -1, tag)
    }
    try expect(descriptor, Array(world.tags(of: .item).sorted { place($0) < place($1) }.prefix(1 + number)))
  }
}
