import Foundation
import SwiftData
import Testing

/// What the random sequences found once, made small.
@Suite struct FoundByLawTests {
  private let store: TemporaryStore
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    container = try store.container(Law.Hub.self, Law.Node.self) { $0.uniquenessPolicy = .reject }
    context = ModelContext(container)
  }

  private func insert<each M: PersistentModel>(_ models: repeat each M) throws {
    repeat context.insert(each models)
    try context.save()
  }

  private func fresh<M: PersistentModel>(_ type: M.Type) throws -> [M] {
    try ModelContext(container).fetch(FetchDescriptor<M>())
  }

  @Test("Seeds 7, 104: an object deleted and inserted before the save is related as it was, to itself too")
  func undelete() throws {
    let (hub, node) = (Law.Hub(tag: 1), Law.Node(tag: 2))
    let part = Law.Part(tag: 3, hub: hub)
    try insert(hub, part, node)
    node.followers.append(node)
    try context.save()
    context.delete(part)
    context.delete(node)
    context.insert(part)
    context.insert(node)
    #expect(hub.parts == [part])
    #expect(node.followers == [node])
    try context.save()
    #expect(try fresh(Law.Hub.self).first?.parts.count == 1)
    #expect(try fresh(Law.Node.self).first?.followers.count == 1)
  }

  @Test("Inserting a deleted object brings back what was deleted with it")
  func undeleteCascade() throws {
    let hub = Law.Hub(tag: 1)
    let part = Law.Part(tag: 2, hub: hub)
    try insert(hub, part)
    context.delete(hub)
    #expect(part.isDeleted)
    context.insert(hub)
    #expect(!part.isDeleted)
    try context.save()
    #expect(try fresh(Law.Part.self).count == 1)
  }

  @Test("An object that was changed and then deleted is deleted, and rollback gives its values back")
  func changedAndDeleted() throws {
    let item = Law.Item(tag: 1)
    try insert(item)
    item.text = "changed"
    context.delete(item)
    context.rollback()
    #expect(item.text == "")
    item.text = "changed"
    context.delete(item)
    try context.save()
    #expect(try fresh(Law.Item.self).isEmpty)
  }

  @Test("Rollback clears an array that was loaded while something was unsaved")
  func rollbackOfLoadedArray() throws {
    try insert(Law.Hub(tag: 1), Law.Item(tag: 2))
    let other = ModelContext(container)
    let hub = try #require(try other.fetch(FetchDescriptor<Law.Hub>()).first)
    let item = try #require(try other.fetch(FetchDescriptor<Law.Item>()).first)
    item.hub = hub
    #expect(hub.items == [item])
    other.rollback()
    #expect(hub.items.isEmpty)
  }

  @Test("Seed 510: taking the target of a one-to-one clears its former owner, loaded or not")
  func oneToOne() throws {
    let (first, second, badge) = (Law.Hub(tag: 1), Law.Hub(tag: 2), Law.Badge(tag: 3))
    try insert(first, second, badge)
    first.badge = badge
    try context.save()
    let other = ModelContext(container)
    let hub = try #require(try other.fetch(FetchDescriptor<Law.Hub>(predicate: #Predicate { $0.tag == 2 })).first)
    hub.badge = try other.fetch(FetchDescriptor<Law.Badge>()).first
    try other.save()
    #expect(try fresh(Law.Hub.self).map { $0.badge?.tag } == [nil, 3])
    #expect(try fresh(Law.Badge.self).first?.hub?.tag == 2)
  }

  @Test("A part that its hub lets go of refuses the save until it has a hub again")
  func orphan() throws {
    let hub = Law.Hub(tag: 1)
    let part = Law.Part(tag: 2, hub: hub)
    try insert(hub, part)
    hub.parts = []
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    part.hub = hub
    #expect(hub.parts == [part])
    try context.save()
    #expect(try fresh(Law.Hub.self).first?.parts.count == 1)
  }

  @Test("An object that moves to another owner leaves its place in the former array behind")
  func positions() throws {
    let (first, second) = (Law.Hub(tag: 1), Law.Hub(tag: 2))
    let items = (0..<4).map { Law.Item(tag: 10 + $0) }
    try insert(first, second, items[0], items[1], items[2], items[3])
    first.items = [items[3], items[0]]
    second.items = [items[2], items[1]]
    try context.save()
    let other = ModelContext(container)
    let moving = try #require(try other.fetch(FetchDescriptor<Law.Item>(predicate: #Predicate { $0.tag == 13 })).first)
    moving.hub = try other.fetch(FetchDescriptor<Law.Hub>(predicate: #Predicate { $0.tag == 2 })).first
    try other.save()
    #expect(try fresh(Law.Hub.self).map { $0.items.map(\.tag) } == [[10], [12, 11, 13]])
  }

  @Test("Seed 682: an array keeps its order where both sides wrote its pairs")
  func pairsFromBothSides() throws {
    let (label, hub) = (Law.Label(tag: 1), Law.Hub(tag: 2))
    try insert(label, hub)
    let other = ModelContext(container)
    let own = try #require(try other.fetch(FetchDescriptor<Law.Label>()).first)
    let stored = try #require(try other.fetch(FetchDescriptor<Law.Hub>()).first)
    stored.labels.append(own)
    own.hubs = [stored, Law.Hub(tag: 3)]
    try other.save()
    #expect(own.hubs.map(\.tag) == [2, 3])
    #expect(try fresh(Law.Label.self).first?.hubs.map(\.tag) == [2, 3])
  }

  @Test("Seeds 950, 685: what is gone is nobody's target in memory either, and nothing brings it back")
  func dangling() throws {
    let (hub, note) = (Law.Hub(tag: 1), Law.Note(tag: 2))
    try insert(hub, note)
    note.hub = hub
    try context.save()
    context.delete(hub)
    try context.save()
    #expect(note.hub == nil)
    context.delete(note)
    context.insert(note)
    try context.save()
    #expect(try fresh(Law.Hub.self).isEmpty)
  }

  @Test("Seed 257: a new object that is deleted before the save leaves nothing behind")
  func forgotten() throws {
    let hub = Law.Hub(tag: 1)
    try insert(hub)
    let (item, lock) = (Law.Item(tag: 2), Law.Lock(tag: 3))
    let new = Law.Hub(tag: 4)
    hub.likes.append(item)
    hub.pick = item
    new.locks.append(lock)
    context.insert(new)
    context.delete(item)
    context.delete(new)
    try context.save()
    #expect(hub.likes.isEmpty)
    #expect(hub.pick == nil)
    #expect(lock.hub == nil)
    #expect(try fresh(Law.Lock.self).map { $0.hub == nil } == [true])
  }

  @Test("Seeds 340, 479: another context sees pairs that came, with and without an inverse")
  func pairsElsewhere() throws {
    let (hub, item, label) = (Law.Hub(tag: 1), Law.Item(tag: 2), Law.Label(tag: 3))
    try insert(hub, item, label)
    #expect(hub.likes.isEmpty && label.hubs.isEmpty && hub.labels.isEmpty)
    let other = ModelContext(container)
    let theirs = try #require(try other.fetch(FetchDescriptor<Law.Hub>()).first)
    theirs.likes.append(try #require(try other.fetch(FetchDescriptor<Law.Item>()).first))
    try other.fetch(FetchDescriptor<Law.Label>()).first?.hubs.append(theirs)
    try other.save()
    context.state.takeInSaves()
    #expect(hub.likes == [item])
    #expect(label.hubs == [hub])
    #expect(hub.labels == [label])
  }

  @Test("Seeds 6, 21: an unsaved array takes in what another context saved, and keeps its own changes")
  func mergedArray() throws {
    let hub = Law.Hub(tag: 1)
    let items = (0..<4).map { Law.Item(tag: 10 + $0) }
    try insert(hub, items[0], items[1], items[2], items[3])
    hub.items = [items[0], items[1]]
    try context.save()
    hub.items = [items[1], items[2]]
    let other = ModelContext(container)
    let theirs = try other.fetch(FetchDescriptor<Law.Item>(sortBy: [SortDescriptor(\.tag)]))
    let owner = try #require(theirs[0].hub)
    owner.items.append(theirs[3])
    try other.save()
    context.state.takeInSaves()
    #expect(hub.items.map(\.tag) == [11, 12, 13])
    theirs[3].hub = nil
    try other.save()
    context.state.takeInSaves()
    #expect(hub.items.map(\.tag) == [11, 12])
    try context.save()
    #expect(try fresh(Law.Hub.self).first?.items.map(\.tag) == [11, 12])
  }

  @Test("A rollback gives the value that another context saved meanwhile")
  func rollbackToTheirs() throws {
    let item = Law.Item(tag: 1)
    try insert(item)
    item.text = "mine"
    let other = ModelContext(container)
    try other.fetch(FetchDescriptor<Law.Item>()).first?.text = "theirs"
    try other.save()
    context.state.takeInSaves()
    #expect(item.text == "mine")
    context.rollback()
    #expect(item.text == "theirs")
  }

  @Test("Unique values change hands in one save: swapped, and given to a new object")
  func uniqueValuesMove() throws {
    let (first, second) = (Law.Item(tag: 1), Law.Item(tag: 2))
    first.number = 1
    second.number = 2
    try insert(first, second)
    (first.number, second.number) = (2, 1)
    try context.save()
    first.number = nil
    let third = Law.Item(tag: 3)
    third.number = 2
    try insert(third)
    #expect(try fresh(Law.Item.self).map(\.number) == [nil, 1, 2])
  }
}
