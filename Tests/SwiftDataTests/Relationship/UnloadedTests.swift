import Foundation
import Testing

@testable import SwiftData

private enum Unloaded {
  enum State: String, Codable { case open, closed }

  @Model final class Denying {
    @Relationship(deleteRule: .deny, inverse: \Guest.host) var guests: [Guest] = []
    init() {}
  }

  @Model final class Guest {
    var name: String
    var state = State.open
    var host: Denying?
    init(_ name: String, host: Denying) { (self.name, self.host) = (name, host) }
  }

  @Model final class Box {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Thing.box) var things: [Thing] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Thing {
    var name: String
    var state = State.open
    var box: Box?
    init(_ name: String, box: Box) { (self.name, self.box) = (name, box) }
  }

  @Model final class Badge {
    var title: String
    var owner: Owner
    init(_ title: String, owner: Owner) { (self.title, self.owner) = (title, owner) }
  }

  @Model final class Owner {
    var name: String
    var state = State.open
    init(_ name: String) { self.name = name }
  }
}

/// A row with a value that this version of the program does not know keeps a relationship from being loaded, until it is repaired.
@Suite("A relationship that cannot be loaded") struct UnloadedTests {
  private typealias Denying = Unloaded.Denying
  private typealias Guest = Unloaded.Guest
  private typealias Box = Unloaded.Box
  private typealias Thing = Unloaded.Thing
  private typealias Badge = Unloaded.Badge
  private typealias Owner = Unloaded.Owner

  private let store: TemporaryStore
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    container = try store.container(Denying.self, Box.self, Badge.self)
    context = ModelContext(container)
  }

  /// Makes a row unreadable, or readable again.
  private func set(_ state: String, _ table: String, _ name: String) throws {
    #expect(try store.shell("UPDATE \"\(table)\" SET state = '\(state)' WHERE name = '\(name)'") == "")
  }

  private func saved(_ models: any PersistentModel...) throws {
    let context = ModelContext(container)
    for model in models { context.insert(model) }
    try context.save()
  }

  @Test("denies the deletion that it may have to deny")
  func deny() throws {
    let host = Denying()
    try saved(Guest("a", host: host), Guest("b", host: host))
    try set("archived", "Guest", "b")
    context.delete(try #require(try context.fetch(FetchDescriptor<Denying>()).first))
    #expect(throws: SwiftDataError.unreadableValue) { try context.save() }
    #expect(throws: SwiftDataError.unreadableValue) { try context.save() }
    #expect(try store.shell("SELECT count(*), (SELECT count(host) FROM Guest) FROM Denying") == "1|2")
    try set("open", "Guest", "b")
    #expect(throws: SwiftDataError.deleteDenied) { try context.save() }
  }

  @Test("keeps an object from being deleted without the objects that its cascade deletes, until it can be loaded")
  func cascade() throws {
    try saved(Thing("a", box: Box("box")))
    try set("archived", "Thing", "a")
    context.delete(try #require(try context.fetch(FetchDescriptor<Box>()).first))
    #expect(throws: SwiftDataError.unreadableValue) { try context.save() }
    #expect(throws: SwiftDataError.unreadableValue) { try context.save() }
    #expect(try store.shell("SELECT count(*), (SELECT count(box) FROM Thing) FROM Box") == "1|1")
    try set("open", "Thing", "a")
    try context.save()
    #expect(try store.shell("SELECT count(*), (SELECT count(*) FROM Thing) FROM Box") == "0|0")
  }

  @Test("makes no autosave follow the one that failed") @MainActor
  func autosaved() throws {
    try saved(Thing("a", box: Box("box")))
    let context = container.mainContext
    var changes = 0
    // Each call begins an autosave.
    context.state.changeHandler = { changes += 1 }
    try set("archived", "Thing", "a")
    context.delete(try #require(try context.fetch(FetchDescriptor<Box>()).first))
    #expect(changes == 1)
    #expect(throws: SwiftDataError.unreadableValue) { try context.save() }
    #expect(changes == 1)
  }

  @Test("makes a fetch throw whose answer Swift computes with it")
  func evaluated() throws {
    try saved(Thing("a", box: Box("box")))
    let box = try #require(try context.fetch(FetchDescriptor<Box>()).first)
    box.name = "changed"
    try set("archived", "Thing", "a")
    let empty = FetchDescriptor<Box>(predicate: #Predicate { $0.things.isEmpty })
    #expect(throws: SwiftDataError.unreadableValue) { try context.fetch(empty) }
    #expect(throws: SwiftDataError.unreadableValue) { try context.fetchCount(empty) }
    try set("open", "Thing", "a")
    #expect(try context.fetchCount(empty) == 0)
    try context.save()
    #expect(try store.shell("SELECT name FROM Box") == "changed")
  }

  @Test("is not an empty list for what syncs")
  func synced() throws {
    try saved(Thing("a", box: Box("box")))
    let box = try #require(try context.fetch(FetchDescriptor<Box>()).first)
    let property = try #require(Box.__entity.property(named: "things"))
    try set("archived", "Thing", "a")
    for _ in 0..<2 {
      #expect(throws: SwiftDataError.unreadableValue) { try ModelCells.targets(of: box, property) }
    }
    try set("open", "Thing", "a")
    #expect(try ModelCells.targets(of: box, property).count == 1)
    box.name = "changed"
    try context.save()
  }

  @Test("that is required keeps its target")
  func required() throws {
    try saved(Badge("x", owner: Owner("a")))
    try set("archived", "Owner", "a")
    let badge = try #require(try context.fetch(FetchDescriptor<Badge>()).first)
    #expect(badge.owner.name == "")
    badge.title = "y"
    #expect(throws: SwiftDataError.unreadableValue) { try context.save() }
    try context.save()
    #expect(try store.shell("SELECT title, name FROM Badge JOIN Owner ON Owner._pk = owner") == "y|a")
    try set("open", "Owner", "a")
    #expect(badge.owner.name == "a")
  }

  @Test("that a program changes is not written, and a rollback gives it back")
  func changed() throws {
    try saved(Thing("a", box: Box("box")))
    try set("archived", "Thing", "a")
    let box = try #require(try context.fetch(FetchDescriptor<Box>()).first)
    box.things = []
    #expect(throws: SwiftDataError.unreadableValue) { try context.save() }
    let error = #expect(throws: SwiftDataError.unreadableValue) { try context.save() }
    #expect(error?.entity == "Box" && error?.property == "things")
    try set("open", "Thing", "a")
    context.rollback()
    #expect(box.things.map(\.name) == ["a"])
    try context.save()
  }

  @Test("with one target can be given another, and a rollback gives back the stored one")
  func reassigned() throws {
    try saved(Badge("x", owner: Owner("a")), Owner("b"))
    try set("archived", "Owner", "a")
    let badge = try #require(try context.fetch(FetchDescriptor<Badge>()).first)
    let other = try #require(
      try context.fetch(FetchDescriptor<Owner>(predicate: #Predicate { $0.name == "b" })).first)
    badge.owner = other
    #expect(throws: SwiftDataError.unreadableValue) { try context.save() }
    context.rollback()
    try set("open", "Owner", "a")
    #expect(badge.owner.name == "a")
    try set("archived", "Owner", "a")
    let fresh = ModelContext(container)
    let again = try #require(try fresh.fetch(FetchDescriptor<Badge>()).first)
    again.owner = try #require(
      try fresh.fetch(FetchDescriptor<Owner>(predicate: #Predicate { $0.name == "b" })).first)
    #expect(throws: SwiftDataError.unreadableValue) { try fresh.save() }
    try fresh.save()
    #expect(try store.shell("SELECT name FROM Badge JOIN Owner ON Owner._pk = owner") == "b")
  }
}
