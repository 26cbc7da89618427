import Foundation
import SwiftData
import Testing

private typealias Claim = DeletionPrograms.Claim

/// A deletion that is saved after another program saved: the delete rules apply to what the store has then.
@Suite("A deletion and what another program saved after it") struct DeletionPlanTests {
  /// A context with a deleted hub, whose deletion is not saved.
  private func deletedHub(
    _ programs: DeletionPrograms, isBatch: Bool = false, _ body: (Law.Hub) -> Void = { _ in }
  ) throws -> ModelContext {
    let context = ModelContext(programs.container)
    let hub = Law.Hub(tag: 1)
    context.insert(hub)
    body(hub)
    try context.save()
    guard isBatch else {
      context.delete(hub)
      return context
    }
    let batch = ModelContext(programs.container)
    try batch.delete(model: Law.Hub.self)
    return batch
  }

  @Test(
    "A cascade takes along what was related since, on each level", arguments: DeletionDatabase.available, [false, true])
  func cascade(database: DeletionDatabase, isBatch: Bool) throws {
    let programs = try DeletionPrograms(database)
    let context = ModelContext(programs.container)
    let node = Law.Node(tag: 1)
    node.children = [Law.Node(tag: 2)]
    context.insert(node)
    try context.save()
    let deleting = isBatch ? ModelContext(programs.container) : context
    if isBatch {
      try deleting.delete(model: Law.Node.self, where: #Predicate { $0.tag == 1 })
    } else {
      deleting.delete(node)
    }
    try programs.other { other in
      let child = try #require(try other.tagged(2, Law.Node.self))
      child.children = [Law.Node(tag: 3)]
      child.children[0].children = [Law.Node(tag: 4)]
      other.insert(Law.Node(tag: 5))
    }
    try deleting.save()
    #expect(try programs.tags(Law.Node.self) == [5])
    #expect(try programs.newestChanges() == ["-Node", "-Node", "-Node", "-Node"])
  }

  @Test("An object of the context that a cascade takes along leaves the context", arguments: DeletionDatabase.available)
  func registered(database: DeletionDatabase) throws {
    let programs = try DeletionPrograms(database)
    let context = ModelContext(programs.container)
    let (node, free, friend) = (Law.Node(tag: 1), Law.Node(tag: 2), Law.Node(tag: 3))
    for node in [node, free, friend] { context.insert(node) }
    friend.followers = [free]
    try context.save()
    context.delete(node)
    try programs.other { other in
      try #require(try other.tagged(2, Law.Node.self)).parent = try other.tagged(1)
    }
    try context.save()
    #expect(free.modelContext == nil && friend.followers.isEmpty && !context.hasChanges)
    #expect(try context.fetch(FetchDescriptor<Law.Node>()).map(\.tag) == [3])
    #expect(try programs.tags(Law.Node.self) == [3])
  }

  @Test("Unsaved changes of an object that a cascade takes along go with it", arguments: DeletionDatabase.available)
  func changed(database: DeletionDatabase) throws {
    let programs = try DeletionPrograms(database)
    let context = ModelContext(programs.container)
    let (node, free) = (Law.Node(tag: 1), Law.Node(tag: 2))
    for node in [node, free] { context.insert(node) }
    try context.save()
    context.delete(node)
    free.text = "changed"
    try programs.other { other in
      try #require(try other.tagged(2, Law.Node.self)).parent = try other.tagged(1)
    }
    try context.save()
    #expect(free.modelContext == nil && !context.hasChanges)
    #expect(try programs.tags(Law.Node.self) == [])
    #expect(try programs.newestChanges() == ["-Node", "-Node"])
  }

  @Test(
    "A to-one that led to the deleted object since is cleared, in the history too",
    arguments: DeletionDatabase.available, [false, true])
  func nullify(database: DeletionDatabase, isBatch: Bool) throws {
    let programs = try DeletionPrograms(database)
    let context = try deletedHub(programs, isBatch: isBatch)
    let reader = ModelContext(programs.container)
    let free = FetchDescriptor<Law.Item>(predicate: #Predicate { $0.hub == nil })
    try programs.other { other in
      let item = Law.Item(tag: 2)
      other.insert(item)
      item.hub = try other.tagged(1)
    }
    let item = try #require(try reader.tagged(2, Law.Item.self))
    #expect(try item.hub?.tag == 1 && reader.fetchCount(free) == 0)
    try context.save()
    #expect(try programs.newestChanges() == ["-Hub", "~Item hub"])
    #expect(try reader.fetchCount(free) == 1)
    #expect(item.hub == nil)
  }

  @Test(
    "A to-one of the context's own object is cleared, which another context set", arguments: DeletionDatabase.available)
  func ownNullify(database: DeletionDatabase) throws {
    let programs = try DeletionPrograms(database)
    let context = ModelContext(programs.container)
    let (hub, item) = (Law.Hub(tag: 1), Law.Item(tag: 2))
    context.insert(hub)
    context.insert(item)
    try context.save()
    context.delete(hub)
    let other = ModelContext(programs.container)
    try #require(try other.tagged(2, Law.Item.self)).hub = try other.tagged(1)
    try other.save()
    try context.save()
    #expect(item.hub == nil && !context.hasChanges)
    #expect(try programs.newestChanges() == ["-Hub", "~Item hub"])
    #expect(try #require(try ModelContext(programs.elsewhere).tagged(2, Law.Item.self)).hub == nil)
  }

  @Test(
    "A rule that denies the deletion refuses the save, and nothing is written", arguments: DeletionDatabase.available,
    [false, true])
  func deny(database: DeletionDatabase, isBatch: Bool) throws {
    let programs = try DeletionPrograms(database)
    let context = try deletedHub(programs, isBatch: isBatch) { $0.items = [Law.Item(tag: 2)] }
    try programs.other { other in
      let lock = Law.Lock(tag: 3)
      other.insert(lock)
      lock.hub = try other.tagged(1)
    }
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.code == SwiftDataError.deleteDenied.code)
    #expect(error?.entity == "Hub" && error?.property == "locks")
    #expect(try programs.tags(Law.Hub.self) == [1])
    #expect(try ModelContext(programs.elsewhere).fetch(FetchDescriptor<Law.Item>()).map(\.hub?.tag) == [1])
    context.rollback()
    #expect(!context.hasChanges)
  }

  @Test("What another program released does not deny the deletion", arguments: DeletionDatabase.available)
  func released(database: DeletionDatabase) throws {
    let programs = try DeletionPrograms(database)
    let context = ModelContext(programs.container)
    let (hub, lock) = (Law.Hub(tag: 1), Law.Lock(tag: 2))
    context.insert(hub)
    hub.locks = [lock]
    try context.save()
    #expect(hub.locks.count == 1)
    context.delete(hub)
    #expect(throws: SwiftDataError.deleteDenied) { try context.save() }
    try programs.other { other in try #require(try other.tagged(2, Law.Lock.self)).hub = nil }
    try context.save()
    #expect(try programs.tags(Law.Hub.self) == [] && programs.tags(Law.Lock.self) == [2])
  }

  @Test(
    "An object that requires a deleted one refuses the save by its name", arguments: DeletionDatabase.available,
    [false, true])
  func require(database: DeletionDatabase, isBatch: Bool) throws {
    let programs = try DeletionPrograms(database)
    let context = ModelContext(programs.container)
    let item = Law.Item(tag: 1)
    context.insert(item)
    try context.save()
    let deleting = isBatch ? ModelContext(programs.container) : context
    if isBatch { try deleting.delete(model: Law.Item.self) } else { deleting.delete(item) }
    try programs.other { other in other.insert(Claim(try #require(try other.tagged(1)))) }
    let error = #expect(throws: SwiftDataError.self) { try deleting.save() }
    #expect(error?.code == SwiftDataError.modelValidationFailure.code)
    #expect(error?.entity == "Claim" && error?.property == "item")
    #expect(try programs.tags(Law.Item.self) == [1])
    try deleting.delete(model: Claim.self)
    try deleting.save()
    #expect(try programs.tags(Law.Item.self) == [])
  }

  @Test(
    "What the program moved away in the same save neither denies the deletion nor goes with it",
    arguments: DeletionDatabase.available)
  func moved(database: DeletionDatabase) throws {
    let programs = try DeletionPrograms(database)
    let context = ModelContext(programs.container)
    let (hub, keeper) = (Law.Hub(tag: 1), Law.Hub(tag: 2))
    let (lock, part) = (Law.Lock(tag: 3), Law.Part(tag: 4, hub: hub))
    for object in [hub, keeper, lock, part] as [any PersistentModel] { context.insert(object) }
    (lock.hub, hub.pick) = (hub, Law.Item(tag: 5))
    try context.save()
    (lock.hub, part.hub) = (keeper, keeper)
    context.delete(hub)
    try context.save()
    #expect(try programs.tags(Law.Hub.self) == [2] && programs.tags(Law.Lock.self) == [3])
    #expect(try ModelContext(programs.elsewhere).fetch(FetchDescriptor<Law.Part>()).map(\.hub.tag) == [2])
  }

  @Test(
    "A to-one without an inverse is cleared in the history, in results and in memory",
    arguments: DeletionDatabase.available, [false, true])
  func oneSided(database: DeletionDatabase, isBatch: Bool) throws {
    let programs = try DeletionPrograms(database)
    let context = ModelContext(programs.container)
    let (hub, item) = (Law.Hub(tag: 1), Law.Item(tag: 2))
    context.insert(hub)
    hub.pick = item
    try context.save()
    let reader = ModelContext(programs.container)
    let free = FetchDescriptor<Law.Hub>(predicate: #Predicate { $0.pick == nil })
    let results = try ResultsObserver<Law.Hub, Never>(filterBy: free.predicate, sortBy: [], modelContext: reader)
    #expect(results.results.isEmpty)
    let deleting = isBatch ? ModelContext(programs.container) : context
    if isBatch { try deleting.delete(model: Law.Item.self) } else { deleting.delete(item) }
    try deleting.save()
    #expect(try programs.newestChanges() == ["-Item", "~Hub pick"])
    context.state.takeInSaves()
    #expect(hub.pick == nil)
    #expect(try context.fetchCount(free) == 1)
    reader.state.takeInSaves()
    #expect(results.results.map(\.tag) == [1])
  }

  @Test(
    "The history of a deletion is the same whether related objects are loaded or not",
    arguments: DeletionDatabase.available)
  func history(database: DeletionDatabase) throws {
    let programs = try DeletionPrograms(database)
    func histories(_ load: (Law.Hub) -> Void) throws -> [[String]] {
      let writer = ModelContext(programs.container)
      let hub = Law.Hub(tag: 1)
      writer.insert(hub)
      (hub.items, hub.badge) = ([Law.Item(tag: 2), Law.Item(tag: 3), Law.Item(tag: 4)], Law.Badge(tag: 5))
      (hub.labels, hub.likes) = ([Law.Label(tag: 6), Law.Label(tag: 7)], [hub.items[0]])
      try writer.save()
      let context = ModelContext(programs.container)
      load(try #require(try context.tagged(1)))
      var found = [[String]]()
      func save() throws {
        try context.save()
        found.append(try programs.newestChanges())
      }
      context.delete(try #require(try context.tagged(2, Law.Item.self)))
      try save()
      context.delete(try #require(try context.tagged(6, Law.Label.self)))
      try save()
      context.delete(try #require(try context.tagged(1, Law.Hub.self)))
      try save()
      try context.delete(model: Law.Item.self)
      try context.delete(model: Law.Label.self)
      try context.save()
      return found
    }
    let unloaded = try histories { _ in }
    #expect(unloaded == [["-Item"], ["-Label"], ["-Hub", "~Badge hub", "~Item hub", "~Item hub"]])
    let loaded = try histories { hub in
      #expect(hub.items.count == 3 && hub.labels.count == 2 && hub.likes.count == 1 && hub.badge != nil)
      #expect(hub.labels.allSatisfy { $0.hubs.count == 1 })
    }
    #expect(loaded == unloaded)
  }

  @Test("The statements of a deletion do not become more with the objects")
  func statements() throws {
    let programs = try DeletionPrograms(.file)
    func count(_ hubs: Int) throws -> Int {
      let context = ModelContext(programs.container)
      for number in 0..<hubs {
        let hub = Law.Hub(tag: number)
        context.insert(hub)
        hub.items = [Law.Item(tag: number), Law.Item(tag: number)]
        context.insert(Law.Part(tag: number, hub: hub))
      }
      try context.save()
      let (_, statements) = try SQLTrace.record {
        for hub in try context.fetch(FetchDescriptor<Law.Hub>()) { context.delete(hub) }
        try context.save()
      }
      return statements.count { $0.hasPrefix("SELECT") }
    }
    let few = try count(2)
    #expect(try count(40) == few)
  }
}
