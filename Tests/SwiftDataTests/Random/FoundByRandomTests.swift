import Foundation
import SwiftData
import Testing

/// What the random sequences of ``RandomSequenceTests`` found once, made small.
@Suite struct FoundByRandomTests {
  @Test("Seed 5669: undoing the deletion and insertion of a new object leaves it related to itself")
  func undoOfSelfReference() throws {
    let context = try memoryContext(Law.Node.self)
    let undo = UndoManager()
    undo.groupsByEvent = false
    context.undoManager = undo
    let node = Law.Node(tag: 1)
    context.insert(node)
    node.children = [node]
    undo.beginUndoGrouping()
    context.delete(node)
    context.insert(node)
    undo.endUndoGrouping()
    undo.undo()
    #expect(node.parent === node)
    #expect(node.children == [node])
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Law.Node>()).first?.parent?.tag == 1)
  }
}

extension FoundByRandomTests {
  @Test("Seed 102600: a row that a new object is written over leaves the array of the owner that it had")
  func upsertMovesToAnotherOwner() throws {
    let context = try memoryContext(Law.Hub.self)
    let (first, second) = (Law.Hub(tag: 1), Law.Hub(tag: 2))
    for (index, hub) in [first, second].enumerated() {
      let part = Law.Part(tag: 3 + index, hub: hub)
      part.number = 1
      context.insert(part)
    }
    try context.save()
    #expect(first.parts.isEmpty)
    #expect(second.parts.map(\.tag) == [4])
  }

  @Test("Seeds 3007566, 3035502, 3048674: who named new objects that are written over each other names the row, once")
  func upsertAmongNewObjects() throws {
    let context = try memoryContext(Law.Hub.self)
    let items = (1...3).map { Law.Item(tag: $0) }
    for item in items {
      item.number = 1
      context.insert(item)
    }
    let (hub, other) = (Law.Hub(tag: 4), Law.Hub(tag: 5))
    context.insert(hub)
    context.insert(other)
    hub.likes = Array(items[0...1])
    hub.pick = items[1]
    other.pick = items[0]
    try context.save()
    #expect(hub.likes.map(\.tag) == [3])
    #expect(hub.pick?.tag == 3)
    #expect(other.pick?.tag == 3)
    #expect(hub.pick === hub.likes.first)
    #expect(try context.fetchCount(FetchDescriptor<Law.Item>()) == 1)
  }

  @Test("Seeds 103240, 104470: undoing a deletion and insertion keeps what was deleted and inserted along")
  func undoOfCascade() throws {
    let context = try memoryContext(Law.Hub.self)
    let undo = UndoManager()
    undo.groupsByEvent = false
    context.undoManager = undo
    let hub = Law.Hub(tag: 1)
    context.insert(Law.Part(tag: 2, hub: hub))
    try context.save()
    undo.removeAllActions()
    undo.beginUndoGrouping()
    context.delete(hub)
    context.insert(hub)
    undo.endUndoGrouping()
    undo.undo()
    #expect(hub.parts.map(\.tag) == [2])
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Law.Hub>()).first?.parts.map(\.tag) == [2])
    undo.redo()
    undo.undo()
    try context.save()
    #expect(hub.parts.map(\.tag) == [2])
  }
}

extension FoundByRandomTests {
  @Test("Seed 204458: undoing a deletion brings back what was deleted and not what it points at")
  func undoBringsBackOne() throws {
    let context = try memoryContext(Law.Hub.self)
    let undo = UndoManager()
    undo.groupsByEvent = false
    context.undoManager = undo
    let (hub, lock) = (Law.Hub(tag: 1), Law.Lock(tag: 2))
    context.insert(hub)
    context.insert(lock)
    hub.locks = [lock]
    undo.beginUndoGrouping()
    context.delete(hub)
    undo.endUndoGrouping()
    undo.beginUndoGrouping()
    context.delete(lock)
    undo.endUndoGrouping()
    undo.undo()
    #expect(try context.fetchCount(FetchDescriptor<Law.Hub>()) == 0)
    #expect(try context.fetch(FetchDescriptor<Law.Lock>()) == [lock])
    undo.undo()
    #expect(try context.fetch(FetchDescriptor<Law.Hub>()) == [hub])
    #expect(hub.locks == [lock])
  }

  @Test("Seed 207153: a new object that is deleted before the save denies nobody's deletion")
  func forgottenDeniesNothing() throws {
    let context = try memoryContext(Law.Hub.self)
    let hub = Law.Hub(tag: 1)
    context.insert(hub)
    try context.save()
    let lock = Law.Lock(tag: 2)
    context.insert(lock)
    lock.hub = hub
    _ = hub.locks
    context.delete(hub)
    context.delete(lock)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Law.Hub>()) == 0)
  }
}

extension FoundByRandomTests {
  @Test("Seed 107412: undoing that a part got its hub back leaves it without, and the save refused")
  func undoOfReattachment() throws {
    let context = try memoryContext(Law.Hub.self)
    let undo = UndoManager()
    undo.groupsByEvent = false
    let hub = Law.Hub(tag: 1)
    let part = Law.Part(tag: 2, hub: hub)
    context.insert(part)
    hub.parts = []
    context.undoManager = undo
    undo.beginUndoGrouping()
    part.hub = hub
    undo.endUndoGrouping()
    undo.undo()
    #expect(hub.parts.isEmpty)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    undo.redo()
    try context.save()
    #expect(hub.parts == [part])
  }
}

extension FoundByRandomTests {
  @Test("Seed 1004170: undoing the deletion and insertion of new objects leaves them related to each other")
  func undoOfNewCascade() throws {
    let context = try memoryContext(Law.Node.self)
    let undo = UndoManager()
    undo.groupsByEvent = false
    context.undoManager = undo
    let (parent, child) = (Law.Node(tag: 1), Law.Node(tag: 2))
    context.insert(parent)
    parent.children = [child]
    undo.beginUndoGrouping()
    context.delete(parent)
    context.insert(parent)
    undo.endUndoGrouping()
    undo.undo()
    #expect(parent.children == [child])
    #expect(child.parent === parent)
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Law.Node>()).count == 2)
  }
}

extension FoundByRandomTests {
  @Test("Seed 7022442: redoing the deletion and insertion of a new object keeps what refers to it in its list")
  func redoOfNewDeletion() throws {
    let context = try memoryContext(Law.Hub.self)
    let undo = UndoManager()
    undo.groupsByEvent = false
    context.undoManager = undo
    let (lock, hub) = (Law.Lock(tag: 1), Law.Hub(tag: 4))
    context.insert(lock)
    context.insert(hub)
    lock.hub = hub
    undo.beginUndoGrouping()
    context.delete(hub)
    context.insert(hub)
    undo.endUndoGrouping()
    undo.undo()
    undo.redo()
    try context.save()
    #expect(hub.locks == [lock])
    #expect(lock.hub === hub)
  }
}

extension FoundByRandomTests {
  @Test("Seed 8013992: undoing a deletion puts the object into the lists that were loaded without it")
  func undoAfterLoad() throws {
    let container = try memoryContext(Law.Hub.self).container
    let context = ModelContext(container)
    let (hub, item) = (Law.Hub(tag: 1), Law.Item(tag: 2))
    context.insert(hub)
    hub.items = [item]
    try context.save()
    let other = ModelContext(container)
    let undo = UndoManager()
    undo.groupsByEvent = false
    other.undoManager = undo
    let stored = try #require(try other.fetch(FetchDescriptor<Law.Item>()).first)
    let owner = try #require(try other.fetch(FetchDescriptor<Law.Hub>()).first)
    undo.beginUndoGrouping()
    other.delete(stored)
    undo.endUndoGrouping()
    #expect(owner.items.isEmpty)
    undo.undo()
    #expect(owner.items == [stored])
    #expect(stored.hub === owner)
  }
}

extension FoundByRandomTests {
  /// A parent that a context has deleted and inserted again, a child that follows it, and the context.
  private func revivedParent(
    lookingMeanwhile looks: Bool
  ) throws -> (context: ModelContext, parent: Law.Node, child: Law.Node) {
    let context = try memoryContext(Law.Node.self)
    let (parent, child) = (Law.Node(tag: 1), Law.Node(tag: 2))
    context.insert(parent)
    parent.children = [child]
    child.following = [parent]
    try context.save()
    context.rollback()
    context.delete(parent)
    if looks { #expect(child.following.isEmpty) }
    context.insert(parent)
    return (context, parent, child)
  }

  @Test(
    "Seed 8013340: a list that gets another order after a deletion was taken back has this order in the store",
    arguments: [false, true])
  func orderAfterRevival(looks: Bool) throws {
    let (context, parent, child) = try revivedParent(lookingMeanwhile: looks)
    child.following = [Law.Node(tag: 3), parent]
    try context.save()
    let other = ModelContext(context.container)
    let stored = try #require(try other.fetch(FetchDescriptor<Law.Node>(predicate: #Predicate { $0.tag == 2 })).first)
    #expect(stored.following.map(\.tag) == [3, 1])
  }

  @Test(
    "A list that was changed while one of its objects was deleted has the object again when its deletion is taken back")
  func changedMeanwhile() throws {
    let context = try memoryContext(Law.Node.self)
    let (node, first, second) = (Law.Node(tag: 1), Law.Node(tag: 2), Law.Node(tag: 3))
    context.insert(node)
    node.following = [first, second]
    try context.save()
    context.rollback()
    context.delete(first)
    #expect(node.following == [second])
    node.following.append(Law.Node(tag: 4))
    context.insert(first)
    #expect(Set(node.following.map(\.tag)) == [2, 3, 4])
    try context.save()
    let other = ModelContext(context.container)
    let stored = try #require(try other.fetch(FetchDescriptor<Law.Node>(predicate: #Predicate { $0.tag == 1 })).first)
    #expect(Set(stored.following.map(\.tag)) == [2, 3, 4])
    #expect(stored.following.map(\.tag) == node.following.map(\.tag))
  }
}

extension FoundByRandomTests {
  @Test("Seeds from 9010000: a new object is not taken for a removed one of another class whose address it has")
  func sameAddress() throws {
    let context = try memoryContext(Law.Hub.self)
    context.state.tuning = .smallest
    for tag in 0..<4 { context.insert(Law.Item(tag: tag)) }
    func items(_ tag: Int) throws -> [Int] {
      try context.fetch(FetchDescriptor<Law.Item>(predicate: #Predicate { $0.tag == tag })).map(\.tag)
    }
    /// Inserts an item, finds it by the index of unsaved objects, removes it and releases it.
    func removedItem(_ tag: Int) throws -> ObjectIdentifier {
      let item = Law.Item(tag: tag)
      context.insert(item)
      #expect(try items(tag) == [tag])
      context.delete(item)
      return ObjectIdentifier(item)
    }
    var reused = 0
    for tag in 10..<110 {
      let address = try removedItem(tag)
      let note = Law.Note(tag: tag)
      context.insert(note)
      if ObjectIdentifier(note) == address { reused += 1 }
      #expect(try items(tag) == [])
    }
    #expect(reused > 0, "no address was used again, so nothing was tested")
  }
}

extension FoundByRandomTests {
  @Test("Seed 9038086: redoing the deletion of a new object clears the references to it, however often it is undone")
  func redoneDeletionOfNewObject() throws {
    let context = try memoryContext(Law.Hub.self)
    let undo = UndoManager()
    undo.groupsByEvent = false
    context.undoManager = undo
    let (hub, item) = (Law.Hub(tag: 1), Law.Item(tag: 2))
    context.insert(hub)
    hub.items = [item]
    context.insert(Law.Part(tag: 3, hub: hub))
    undo.beginUndoGrouping()
    context.delete(hub)
    undo.endUndoGrouping()
    func tags<M: LawObject>(_ type: M.Type) throws -> [Int] { try context.fetch(FetchDescriptor<M>()).map(\.tag) }
    for _ in 0..<3 {
      #expect(item.hub == nil)
      #expect(try tags(Law.Hub.self) == [] && tags(Law.Part.self) == [])
      undo.undo()
      #expect(item.hub === hub && hub.items == [item] && hub.parts.map(\.tag) == [3])
      undo.redo()
    }
    // It would insert again what it leads to.
    context.delete(item)
    context.insert(item)
    #expect(try tags(Law.Hub.self) == [] && tags(Law.Part.self) == [])
    try context.save()
    #expect(try tags(Law.Item.self) == [2] && tags(Law.Hub.self) == [] && tags(Law.Part.self) == [])
  }

  @Test("Seed 9044161: undoing the deletion of a new object leaves it without an owner that had removed it")
  func undoneDeletionOfOrphan() throws {
    let context = try memoryContext(Law.Hub.self)
    let undo = UndoManager()
    undo.groupsByEvent = false
    context.undoManager = undo
    let hub = Law.Hub(tag: 1)
    let part = Law.Part(tag: 2, hub: hub)
    context.insert(part)
    hub.parts = []
    undo.beginUndoGrouping()
    context.delete(part)
    undo.endUndoGrouping()
    undo.undo()
    #expect(part.hub === hub)
    #expect(hub.parts.isEmpty)
    // As before the deletion.
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
  }
}

extension FoundByRandomTests {
  @Test("Seed 9701717: an owner that is deleted and inserted keeps its list, which was loaded beside another deletion")
  func revivedOwnerOfIncompleteList() throws {
    let context = try memoryContext(Law.Hub.self)
    let hub = Law.Hub(tag: 1)
    context.insert(hub)
    hub.items = [Law.Item(tag: 2), Law.Item(tag: 3)]
    try context.save()
    let other = ModelContext(context.container)
    let stored = try #require(try other.fetch(FetchDescriptor<Law.Hub>()).first)
    let gone = try #require(try other.fetch(FetchDescriptor<Law.Item>(predicate: #Predicate { $0.tag == 2 })).first)
    other.delete(gone)
    other.delete(stored)
    other.insert(stored)
    #expect(stored.items.map(\.tag) == [3])
    try other.save()
    #expect(stored.items.map(\.tag) == [3])
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Law.Hub>()).first?.items.map(\.tag) == [3])
  }
}

extension FoundByRandomTests {
  @Test("Seed 9758388: a released object whose unsaved target no longer matches is not found by its row")
  func releasedOwnerOfChangedTarget() throws {
    let context = try memoryContext(Law.Hub.self)
    let hub = Law.Hub(tag: 1)
    hub.items = [Law.Item(tag: 2)]
    context.insert(hub)
    try context.save()
    let other = ModelContext(context.container)
    let stored = try #require(try other.fetch(FetchDescriptor<Law.Hub>()).first)
    stored.text = "changed"
    // It failed in optimised builds only, which release an object after its last use.
    let text = ""
    #expect(try other.fetch(FetchDescriptor<Law.Item>(predicate: #Predicate { $0.hub?.text == text })).isEmpty)
  }

  @Test("Seed 9803192: undoing the deletion and insertion of an owner keeps lists that were loaded in between")
  func undoOfRevival() throws {
    let context = try memoryContext(Law.Node.self)
    let (first, second) = (Law.Node(tag: 1), Law.Node(tag: 2))
    context.insert(first)
    try context.save()
    // Its lists are not loaded.
    context.rollback()
    context.insert(second)
    second.followers = [first]
    first.parent = second
    try context.save()
    let undo = UndoManager()
    undo.groupsByEvent = false
    context.undoManager = undo
    undo.beginUndoGrouping()
    context.delete(second)
    context.insert(second)
    undo.endUndoGrouping()
    #expect(first.following == [second])
    undo.undo()
    #expect(first.following == [second] && second.followers == [first] && first.parent === second)
    try context.save()
    let other = ModelContext(context.container)
    let stored = try #require(try other.fetch(FetchDescriptor<Law.Node>(predicate: #Predicate { $0.tag == 1 })).first)
    #expect(stored.following.map(\.tag) == [2])
  }
}
