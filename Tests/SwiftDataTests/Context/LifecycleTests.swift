import Foundation
import SwiftData
import Testing

private enum Life {
  @Model final class House {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Room.house) var rooms: [Room] = []
    var owner: Person?
    init(name: String) { self.name = name }
  }

  @Model final class Room {
    var name: String
    var house: House?
    init(name: String, house: House? = nil) { (self.name, self.house) = (name, house) }
  }

  /// Nothing leads back from a person to houses.
  @Model final class Person {
    var name: String
    init(name: String) { self.name = name }
  }

  @Model final class Stranger {
    var name = ""
    init() {}
  }
}

/// What becomes of one object: inserted, deleted, inserted again, saved twice, looked for, and so on.
@Suite struct LifecycleTests {
  private let store: TemporaryStore
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    container = try store.container(Life.House.self)
    context = ModelContext(container)
  }

  private func names() throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Life.House>()).map(\.name)
  }

  @Test("hasChanges follows an object and its context through its life")
  func hasChanges() throws {
    let house = Life.House(name: "a")
    #expect(!house.hasChanges && house.modelContext == nil && !house.isDeleted)
    context.insert(house)
    #expect(house.hasChanges && context.hasChanges && house.modelContext == context)
    try context.save()
    #expect(!house.hasChanges && !context.hasChanges)
    house.name = "b"
    #expect(house.hasChanges && context.changedModelsArray.count == 1)
    try context.save()
    #expect(!house.hasChanges && context.changedModelsArray.isEmpty)
    context.delete(house)
    #expect(context.hasChanges && house.isDeleted)
    try context.save()
    #expect(!context.hasChanges && !house.isDeleted && house.modelContext == nil)
  }

  @Test("Saving twice, and saving nothing, is fine")
  func savingTwice() throws {
    try context.save()
    context.insert(Life.House(name: "a"))
    try context.save()
    try context.save()
    #expect(try names() == ["a"])
  }

  @Test("Inserting an object twice inserts it once")
  func insertingTwice() throws {
    let house = Life.House(name: "a")
    context.insert(house)
    context.insert(house)
    #expect(context.insertedModelsArray.count == 1)
    try context.save()
    context.insert(house)
    #expect(!context.hasChanges)
    #expect(try names() == ["a"])
  }

  @Test("Deleting an unsaved object forgets it, also when it never was in a context")
  func deletingUnsaved() throws {
    let house = Life.House(name: "a")
    context.delete(house)
    #expect(!house.isDeleted && !context.hasChanges)
    context.insert(house)
    house.rooms = [Life.Room(name: "r")]
    context.delete(house)
    #expect(!context.hasChanges && house.modelContext == nil && !house.isDeleted)
    try context.save()
    #expect(try names() == [])
    #expect(try store.shell("SELECT count(*) FROM Room") == "0")
  }

  @Test("Insert, delete, insert again, before and after saves")
  func reinserting() throws {
    let house = Life.House(name: "a")
    context.insert(house)
    context.delete(house)
    context.insert(house)
    try context.save()
    #expect(try names() == ["a"])
    context.delete(house)
    context.insert(house)
    #expect(!house.isDeleted)
    try context.save()
    #expect(try names() == ["a"])
    let former = house.persistentModelID
    context.delete(house)
    try context.save()
    context.insert(house)
    house.name = "again"
    #expect(house.persistentModelID.isTemporary)
    try context.save()
    #expect(try names() == ["again"])
    #expect(house.persistentModelID != former)
    #expect(house.modelContext == context)
  }

  @Test("Deleting twice, and deleting what is gone already, is fine")
  func deletingTwice() throws {
    let house = Life.House(name: "a")
    context.insert(house)
    try context.save()
    context.delete(house)
    context.delete(house)
    #expect(context.deletedModelsArray.count == 1)
    try context.save()
    context.delete(house)
    #expect(!context.hasChanges)
    try context.save()
  }

  @Test("A deleted object keeps the identifier of its row, whatever else was deleted, and gets that of a new row")
  func identifierOfDeleted() throws {
    let house = Life.House(name: "a")
    let room = Life.Room(name: "b", house: house)
    context.insert(house)
    try context.save()
    let second = try TemporaryStore()
    var elsewhere: ModelContext? = ModelContext(try second.container(Life.House.self))
    let other = Life.House(name: "c")
    elsewhere!.insert(other)
    try elsewhere!.save()
    let identifiers = [house, other].map(\.persistentModelID) + [room.persistentModelID]
    #expect(Set(identifiers).count == 3 && !identifiers.contains(where: \.isTemporary))
    context.delete(house)
    elsewhere!.delete(other)
    try context.save()
    try elsewhere!.save()
    elsewhere = nil
    #expect([house, other].map(\.persistentModelID) + [room.persistentModelID] == identifiers)
    context.insert(house)
    #expect(house.persistentModelID.isTemporary)
    try context.save()
    let again = house.persistentModelID
    #expect(again == (try context.fetchIdentifiers(FetchDescriptor<Life.House>()).first))
    context.delete(house)
    try context.save()
    #expect(house.persistentModelID == again && house.modelContext == nil)
  }

  @Test("Deleted objects of one context keep the identifiers of their own stores")
  func identifiersOfTwoStores() throws {
    let (houses, strangers) = (Schema([Life.House.self]), Schema([Life.Stranger.self]))
    let both = try ModelContainer(
      for: Schema([Life.House.self, Life.Stranger.self]),
      configurations: [
        ModelConfiguration("houses", schema: houses, isStoredInMemoryOnly: true),
        ModelConfiguration("strangers", schema: strangers, isStoredInMemoryOnly: true),
      ])
    let context = ModelContext(both)
    let objects: [any PersistentModel] = [
      Life.House(name: "a"), Life.Stranger(), Life.House(name: "b"), Life.Stranger(),
    ]
    for object in objects { context.insert(object) }
    try context.save()
    let identifiers = objects.map(\.persistentModelID)
    #expect(Set(identifiers.map(\.storeIdentifier)).count == 2)
    for object in objects { context.delete(object) }
    try context.save()
    #expect(objects.map(\.persistentModelID) == identifiers)
  }

  @Test("An object that was changed and then deleted is deleted by the save")
  func changedAndDeleted() throws {
    let house = Life.House(name: "a")
    context.insert(house)
    try context.save()
    house.name = "b"
    context.delete(house)
    house.name = "c"
    try context.save()
    #expect(try names() == [])
    #expect(house.name == "c")
  }

  @Test("A deleted object gives its values and relationships back on rollback, whatever was set meanwhile")
  func rollbackOfDeleted() throws {
    let house = Life.House(name: "a")
    house.rooms = [Life.Room(name: "r")]
    house.owner = Life.Person(name: "p")
    context.insert(house)
    try context.save()
    context.delete(house)
    house.name = "b"
    house.owner = nil
    context.rollback()
    #expect(house.name == "a" && house.owner?.name == "p" && house.rooms.map(\.name) == ["r"])
    #expect(!house.rooms[0].isDeleted)
  }

  @Test("An object inserted into two contexts stays in the first, and the second one's save says so")
  func twoContexts() throws {
    let other = ModelContext(container)
    let house = Life.House(name: "a")
    context.insert(house)
    other.insert(house)
    #expect(house.modelContext == context)
    let error = #expect(throws: SwiftDataError.relationshipAcrossContexts) { try other.save() }
    #expect(error?.entity == "House")
    try other.save()
    try context.save()
    #expect(try names() == ["a"])
    other.delete(house)
    #expect(throws: SwiftDataError.relationshipAcrossContexts) { try other.save() }
    #expect(try names() == ["a"])
  }

  @Test("A graph that reaches an object of another context is refused as a whole")
  func graphOfTwoContexts() throws {
    let other = ModelContext(container)
    let owner = Life.Person(name: "p")
    other.insert(owner)
    try other.save()
    let house = Life.House(name: "a")
    house.owner = owner
    // The relationship took the house into the owner's context.
    #expect(house.modelContext == other)
    context.insert(house)
    let error = #expect(throws: SwiftDataError.relationshipAcrossContexts) { try context.save() }
    #expect(error?.entity == "House")
    #expect(try names() == [])
  }

  @Test("A relationship to an object whose deletion was saved never points at a row that is gone")
  func relationToDeleted() throws {
    let (house, owner) = (Life.House(name: "a"), Life.Person(name: "p"))
    house.owner = owner
    context.insert(house)
    try context.save()
    context.delete(owner)
    try context.save()
    #expect(house.owner == nil)
    #expect(try store.shell("SELECT owner FROM House") == "")
    #expect(try store.shell("PRAGMA foreign_key_check") == "")
  }

  @Test("A relationship set to an object that goes in the same save is nil afterwards")
  func relationToDying() throws {
    let (house, owner) = (Life.House(name: "a"), Life.Person(name: "p"))
    context.insert(house)
    context.insert(owner)
    try context.save()
    context.delete(owner)
    house.owner = owner
    try context.save()
    #expect(house.owner == nil)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Life.House>()).first?.owner == nil)
    #expect(try store.shell("PRAGMA foreign_key_check") == "")
  }

  @Test("model(for:) of identifiers that nothing has returns an object without a context, and nothing traps")
  func unknownIdentifiers() throws {
    let house = Life.House(name: "a")
    context.insert(house)
    try context.save()
    let id = house.persistentModelID
    let storeID = try #require(id.storeIdentifier)
    let identifiers = try [
      PersistentIdentifier.identifier(for: storeID, entityName: "House", primaryKey: 999),
      PersistentIdentifier.identifier(for: storeID, entityName: "House", primaryKey: -1),
      PersistentIdentifier.identifier(for: storeID, entityName: "House", primaryKey: "text"),
      PersistentIdentifier.identifier(for: "another store", entityName: "House", primaryKey: 1),
      PersistentIdentifier.identifier(for: storeID, entityName: "Room", primaryKey: 1),
      PersistentIdentifier.identifier(for: storeID, entityName: "Castle", primaryKey: 1),
      Life.House(name: "temporary").persistentModelID,
      Life.Stranger().persistentModelID,
    ]
    for identifier in identifiers {
      #expect(context.model(for: identifier).modelContext == nil)
      let registered: Life.House? = context.registeredModel(for: identifier)
      #expect(registered == nil)
    }
    #expect((context.model(for: id) as? Life.House) === house)
    try context.save()
  }

  @Test("An object that nobody holds is let go, and one with unsaved changes is not")
  func weakness() throws {
    context.insert(Life.House(name: "a"))
    try context.save()
    weak var fetched: Life.House?
    weak var changed: Life.House?
    try {
      let house = try #require(try context.fetch(FetchDescriptor<Life.House>()).first)
      fetched = house
    }()
    #expect(fetched == nil)
    try {
      let house = try #require(try context.fetch(FetchDescriptor<Life.House>()).first)
      house.name = "b"
      changed = house
    }()
    #expect(changed != nil)
    try context.save()
    #expect(changed == nil)
    #expect(try names() == ["b"])
  }

  @Test("A temporary identifier finds its object until the save, and a permanent one afterwards")
  func temporaryIdentifiers() throws {
    let house = Life.House(name: "a")
    context.insert(house)
    let temporary = house.persistentModelID
    #expect((context.model(for: temporary) as? Life.House) === house)
    let registered: Life.House? = context.registeredModel(for: temporary)
    #expect(registered === house)
    try context.save()
    #expect((context.model(for: house.persistentModelID) as? Life.House) === house)
    #expect(house.persistentModelID != temporary)
  }

  @Test("An object of a model that the container does not know is refused by the save, by name")
  func unknownModel() throws {
    context.insert(Life.Stranger())
    let error = #expect(throws: SwiftDataError.unknownSchema) { try context.save() }
    #expect(error?.entity == "Stranger")
    #expect(throws: SwiftDataError.unknownSchema) { try context.fetch(FetchDescriptor<Life.Stranger>()) }
    #expect(throws: SwiftDataError.unknownSchema) { try context.delete(model: Life.Stranger.self) }
    try context.save()
  }
}
