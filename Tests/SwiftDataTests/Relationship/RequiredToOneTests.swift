import Foundation
import SwiftData
import Testing

private enum Required {
  /// Two classes that require each other.
  @Model final class Husband {
    var name: String
    @Relationship(inverse: \Wife.husband) var wife: Wife
    init(name: String, wife: Wife) { (self.name, self.wife) = (name, wife) }
  }

  @Model final class Wife {
    var name: String
    var husband: Husband?
    init(name: String) { self.name = name }
  }

  @Model final class Ring {
    var next: Link
    init(next: Link) { self.next = next }
  }

  @Model final class Link {
    var ring: Ring?
    var owner: Owner
    init(owner: Owner) { self.owner = owner }
  }

  @Model final class Owner {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Link.owner) var links: [Link] = []
    init(name: String) { self.name = name }
  }

  /// A class that requires an object of its own class, and one that nothing can make up.
  @Model final class Node {
    var name: String
    var root: Node!
    init(name: String) { self.name = name }
  }

  @Model class Base {
    var owner: Owner
    init(owner: Owner) { self.owner = owner }
  }

  @Model final class Derived: Base {
    var second: Owner
    var price: Int = 0
    var double: Int { price * 2 }
    init(owner: Owner, second: Owner) {
      self.second = second
      super.init(owner: owner)
    }
  }
}

@Suite struct RequiredToOneTests {
  @Test("Classes that require each other open, save, fetch, sort and filter")
  func mutual() throws {
    let store = try TemporaryStore()
    let container = try store.container(Required.Husband.self, Required.Ring.self)
    let context = ModelContext(container)
    let wife = Required.Wife(name: "w")
    context.insert(Required.Husband(name: "h", wife: wife))
    let owner = Required.Owner(name: "o")
    context.insert(Required.Ring(next: Required.Link(owner: owner)))
    try context.save()
    let reader = ModelContext(container)
    let husbands = try reader.fetch(
      FetchDescriptor<Required.Husband>(
        predicate: #Predicate { $0.wife.name == "w" }, sortBy: [SortDescriptor(\.wife.name)]))
    #expect(husbands.map(\.wife.name) == ["w"])
    #expect(husbands.first?.wife.husband === husbands.first)
    let rings = try reader.fetch(
      FetchDescriptor<Required.Ring>(
        predicate: #Predicate { $0.next.owner.name == "o" }, sortBy: [SortDescriptor(\.next.owner.name)]))
    #expect(rings.map(\.next.owner.name) == ["o"])
    #expect(rings.first?.next.owner.links.count == 1)
  }

  @Test("An implicitly unwrapped target of the same class is required no more than an optional one")
  func ownClass() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Required.Node.self))
    let (root, leaf) = (Required.Node(name: "root"), Required.Node(name: "leaf"))
    leaf.root = root
    context.insert(leaf)
    try context.save()
    let nodes = try ModelContext(context.container).fetch(
      FetchDescriptor<Required.Node>(sortBy: [SortDescriptor(\.name)]))
    #expect(nodes.map(\.name) == ["leaf", "root"])
    #expect(nodes[0].root === nodes[1])
    #expect(nodes[1].root == nil)
  }

  @Test("Required targets of a class and of its subclass; a computed property that could overflow is refused, not run")
  func inheritance() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Required.Base.self, Required.Derived.self))
    let (one, two) = (Required.Owner(name: "1"), Required.Owner(name: "2"))
    context.insert(Required.Derived(owner: one, second: two))
    context.insert(Required.Base(owner: two))
    try context.save()
    let reader = ModelContext(context.container)
    let all = try reader.fetch(FetchDescriptor<Required.Base>(sortBy: [SortDescriptor(\.owner.name, order: .reverse)]))
    #expect(all.map(\.owner.name) == ["2", "1"])
    #expect((all[1] as? Required.Derived)?.second.name == "2")
    #expect(throws: SwiftDataError.transientProperty) {
      try reader.fetch(FetchDescriptor<Required.Derived>(sortBy: [SortDescriptor(\.double)]))
    }
  }

  @Test("Saving without the required target is an error, and so is deleting it")
  func missing() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Required.Husband.self))
    let husband = Required.Husband(name: "h", wife: Required.Wife(name: "w"))
    context.insert(husband)
    try context.save()
    context.delete(husband.wife)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.property == "wife")
    context.rollback()
    husband.wife = Required.Wife(name: "second")
    try context.save()
    #expect(try store.shell("SELECT w.name FROM Husband h JOIN Wife w ON w._pk = h.wife") == "second")
  }
}
