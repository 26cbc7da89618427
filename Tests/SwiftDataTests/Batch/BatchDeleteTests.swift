import Foundation
import SwiftData
import Synchronization
import Testing

enum Deletions {
  @Model final class House {
    var number: Int
    @Relationship(deleteRule: .cascade, inverse: \Room.house) var rooms: [Room] = []
    @Relationship(deleteRule: .deny, inverse: \Tenant.house) var tenants: [Tenant] = []
    @Relationship(deleteRule: .cascade) var sign: Plate?
    var friends: [Person] = []

    init(_ number: Int) { self.number = number }
  }

  @Model final class Room {
    var number: Int
    var house: House?
    @Relationship(deleteRule: .nullify, inverse: \Lamp.room) var lamps: [Lamp] = []
    @Relationship(deleteRule: .cascade, inverse: \Person.rooms) var people: [Person] = []

    init(_ number: Int, house: House? = nil) {
      self.number = number
      self.house = house
    }
  }

  @Model final class Lamp {
    var number: Int
    var room: Room?
    @Relationship(inverse: \Bulb.lamp) var bulbs: [Bulb] = []
    init(_ number: Int, room: Room? = nil) {
      self.number = number
      self.room = room
    }
  }

  @Model final class Bulb {
    var number: Int
    var lamp: Lamp
    init(_ number: Int, lamp: Lamp) {
      self.number = number
      self.lamp = lamp
    }
  }

  @Model final class Person {
    var number: Int
    var rooms: [Room] = []
    init(_ number: Int) { self.number = number }
  }

  @Model final class Tenant {
    var number: Int
    var house: House?
    init(_ number: Int, house: House? = nil) {
      self.number = number
      self.house = house
    }
  }

  @Model final class Plate {
    @Attribute(.preserveValueOnDeletion) var number: Int
    @Attribute(.externalStorage) var picture: Data?
    init(_ number: Int) { self.number = number }
  }
}

@Suite struct BatchDeleteTests {
  private let container: ModelContainer

  init() throws {
    container = try memoryContext(
      Deletions.House.self, Deletions.Lamp.self, Deletions.Bulb.self, Deletions.Tenant.self, Deletions.Person.self
    ).container
    let context = ModelContext(container)
    for number in 0..<4 {
      let house = Deletions.House(number)
      context.insert(house)
      house.sign = Deletions.Plate(number)
      house.rooms = (0..<3).map { Deletions.Room(number * 10 + $0) }
      for room in house.rooms { room.lamps = [Deletions.Lamp(room.number)] }
    }
    try context.save()
  }

  private func count<M: PersistentModel>(_: M.Type, _ context: ModelContext? = nil) throws -> Int {
    try (context ?? ModelContext(container)).fetchCount(FetchDescriptor<M>())
  }

  @Test("Rows that nobody loaded are found in one statement and deleted in one")
  func statements() throws {
    let context = ModelContext(container)
    let (_, found) = try SQLTrace.record {
      try context.delete(model: Deletions.Plate.self, where: #Predicate { $0.number > 1 })
    }
    #expect(found.count == 1 && context.hasChanges)
    let (_, saved) = try SQLTrace.record { try context.save() }
    #expect(saved.filter { $0.hasPrefix("DELETE") }.count == 1)
    #expect(
      saved.filter { !$0.contains("_swiftdata_") }.count == 4,
      "the houses that it is the sign of, its files, the values that the history keeps, the deletion")
    #expect(!context.hasChanges)
    #expect(try count(Deletions.Plate.self) == 2)
  }

  @Test("What cascades goes along, what is nullified stays, and no object is made")
  func cascades() throws {
    let context = ModelContext(container)
    let (_, statements) = try SQLTrace.record {
      try context.delete(model: Deletions.House.self, where: #Predicate { $0.number < 2 })
      try context.save()
    }
    #expect(!statements.contains { $0.contains("\"friends\"") || $0.hasPrefix("UPDATE") })
    #expect(statements.filter { $0.hasPrefix("DELETE") }.count == 3, "houses, signs, rooms")
    #expect(try count(Deletions.House.self) == 2 && count(Deletions.Room.self) == 6)
    #expect(try count(Deletions.Plate.self) == 2 && count(Deletions.Lamp.self) == 12)
    let lamps = try ModelContext(container).fetch(FetchDescriptor<Deletions.Lamp>(sortBy: [SortDescriptor(\.number)]))
    #expect(lamps.map { $0.room?.number } == Array(repeating: nil, count: 6) + [20, 21, 22, 30, 31, 32])
  }

  @Test("Until the save everything sees the deletion: fetches, counts, relationships, arrays of the context")
  func pending() throws {
    let context = ModelContext(container)
    let houses = try context.fetch(FetchDescriptor<Deletions.House>(sortBy: [SortDescriptor(\.number)]))
    let lamps = try context.fetch(FetchDescriptor<Deletions.Lamp>(sortBy: [SortDescriptor(\.number)]))
    try context.delete(model: Deletions.Room.self, where: #Predicate { $0.number < 20 })
    #expect(try count(Deletions.Room.self, context) == 6 && count(Deletions.Room.self) == 12)
    #expect(try context.fetch(FetchDescriptor<Deletions.Room>()).map(\.number) == [20, 21, 22, 30, 31, 32])
    #expect(try context.fetchIdentifiers(FetchDescriptor<Deletions.Room>()).count == 6)
    let (top, left) = try context.fetch(FetchDescriptor<Deletions.Room>(), computing: .maximum(\.number), .count)
    #expect(top == 32 && left == 6)
    let empty = FetchDescriptor<Deletions.House>(predicate: #Predicate { $0.rooms.isEmpty })
    #expect(try context.fetchCount(empty) == 2)
    #expect(houses[0].rooms.isEmpty && houses[2].rooms.count == 3)
    #expect(lamps[0].room == nil && lamps[11].room?.number == 32)
    #expect(context.deletedModelsArray.count == 6 && context.deletedModelsArray.allSatisfy { $0.isDeleted })
    var stored = FetchDescriptor<Deletions.Room>()
    stored.includePendingChanges = false
    #expect(try context.fetch(stored).count == 12)
    try context.save()
    #expect(try count(Deletions.Room.self) == 6 && lamps[0].room == nil)
  }

  @Test("A rollback forgets the deletion, whether somebody looked or not", arguments: [false, true])
  func rollback(looks: Bool) throws {
    let context = ModelContext(container)
    let lamps = try context.fetch(FetchDescriptor<Deletions.Lamp>(sortBy: [SortDescriptor(\.number)]))
    try context.delete(model: Deletions.House.self)
    if looks { #expect(lamps[0].room == nil && context.deletedModelsArray.count == 20) }
    context.rollback()
    #expect(!context.hasChanges && lamps[0].room?.house?.number == 0)
    try context.save()
    #expect(try count(Deletions.House.self) == 4 && count(Deletions.Room.self) == 12)
  }

  @Test("A denied object refuses the save, those beside it do not")
  func deny() throws {
    let context = ModelContext(container)
    let writer = ModelContext(container)
    let houses = try writer.fetch(FetchDescriptor<Deletions.House>(sortBy: [SortDescriptor(\.number)]))
    writer.insert(Deletions.Tenant(1, house: houses[2]))
    try writer.save()
    try context.delete(model: Deletions.House.self)
    #expect(throws: SwiftDataError.deleteDenied) { try context.save() }
    #expect(try count(Deletions.House.self) == 4)
    context.rollback()
    try context.delete(model: Deletions.House.self, where: #Predicate { $0.tenants.isEmpty })
    try context.save()
    #expect(try count(Deletions.House.self) == 1)
    try context.delete(model: Deletions.House.self)
    try context.delete(model: Deletions.Tenant.self)
    try context.save()
    #expect(try count(Deletions.House.self) == 0 && count(Deletions.Room.self) == 0)
  }

  @Test("A target that another context saved meanwhile denies too")
  func denyAfterwards() throws {
    let context = ModelContext(container)
    try context.delete(model: Deletions.House.self)
    let writer = ModelContext(container)
    let house = try #require(try writer.fetch(FetchDescriptor<Deletions.House>()).first)
    writer.insert(Deletions.Tenant(1, house: house))
    try writer.save()
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.code == SwiftDataError.deleteDenied.code && error?.property == "tenants")
    #expect(try count(Deletions.House.self) == 4 && context.hasChanges)
  }

  @Test("An object that others require is not deleted under them")
  func required() throws {
    let writer = ModelContext(container)
    let lamps = try writer.fetch(FetchDescriptor<Deletions.Lamp>(sortBy: [SortDescriptor(\.number)]))
    writer.insert(Deletions.Bulb(1, lamp: lamps[3]))
    try writer.save()
    let context = ModelContext(container)
    try context.delete(model: Deletions.Lamp.self)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    context.rollback()
    try context.delete(model: Deletions.Lamp.self)
    try context.delete(model: Deletions.Bulb.self)
    try context.save()
    #expect(try count(Deletions.Lamp.self) == 0)
  }

  @Test("The notification and other contexts hear of what went, and of what lost its target")
  func notifications() throws {
    let context = ModelContext(container)
    let other = ModelContext(container)
    let rooms = try other.fetch(FetchDescriptor<Deletions.Room>(sortBy: [SortDescriptor(\.number)]))
    let lamp = try #require(rooms[0].lamps.first)
    #expect(lamp.room === rooms[0])
    let received = Mutex<[String: [String]]>([:])
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      note in
      for key in [ModelContext.NotificationKey.deletedIdentifiers, .updatedIdentifiers] {
        let ids = note.userInfo?[key.rawValue] as? [PersistentIdentifier] ?? []
        received.withLock { $0[key.rawValue] = ids.map(\.entityName).sorted() }
      }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.delete(model: Deletions.House.self, where: #Predicate { $0.number == 0 })
    try context.save()
    #expect(received.withLock { $0["deleted"] } == ["House", "Plate", "Room", "Room", "Room"])
    #expect(received.withLock { $0["updated"] } == ["Lamp", "Lamp", "Lamp"])
    other.state.takeInSaves()
    #expect(rooms[0].modelContext == nil && lamp.room == nil && rooms[3].modelContext != nil)
  }

  @Test("The history has each deletion with what is kept of it, and what lost its target, once")
  func history() throws {
    let context = ModelContext(container)
    let lamps = try context.fetch(FetchDescriptor<Deletions.Lamp>(sortBy: [SortDescriptor(\.number)]))
    lamps[0].number = 100
    try context.delete(model: Deletions.House.self, where: #Predicate { $0.number == 0 })
    try context.save()
    let last = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
    let deleted = last.changes.compactMap {
      if case .delete = $0 { $0.changedPersistentIdentifier.entityName } else { nil }
    }
    #expect(deleted.sorted() == ["House", "Plate", "Room", "Room", "Room"])
    let updates = last.changes.compactMap { if case .update(let update) = $0 { update } else { nil } }
      .compactMap { $0 as? DefaultHistoryUpdate<Deletions.Lamp> }
    #expect(updates.map(\.updatedAttributes.count).sorted() == [1, 1, 2])
    #expect(updates.allSatisfy { $0.updatedAttributes.contains(\.room) })
    for change in last.changes {
      guard case .delete(let delete as DefaultHistoryDelete<Deletions.Plate>) = change else { continue }
      #expect(delete.tombstone[\.number] as? Int == 0)
    }
  }

  @Test("A new object may take the unique value of one that goes in the same save")
  func uniqueness() throws {
    let context = try memoryContext(Artist.self)
    context.insert(Artist(name: "A", country: "x"))
    try context.save()
    let fresh = ModelContext(context.container)
    try fresh.delete(model: Artist.self)
    fresh.insert(Artist(name: "A"))
    try fresh.save()
    let artists = try ModelContext(context.container).fetch(FetchDescriptor<Artist>())
    #expect(artists.count == 1 && artists[0].country == nil)
  }

  @Test("External files go with their rows")
  func files() throws {
    let store = try TemporaryStore()
    let writer = ModelContext(try store.container(Deletions.Plate.self))
    for number in 0..<4 {
      let plate = Deletions.Plate(number)
      plate.picture = Data(repeating: UInt8(number), count: 200_000)
      writer.insert(plate)
    }
    try writer.save()
    let folder = store.folder.appendingPathComponent(".test.store_external")
    func files() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: folder.path).count }
    #expect(try files() == 4)
    let context = ModelContext(writer.container)
    try context.delete(model: Deletions.Plate.self, where: #Predicate { $0.number < 3 })
    try context.save()
    #expect(try files() == 1)
    #expect(try context.fetch(FetchDescriptor<Deletions.Plate>()).first?.picture?.first == 3)
  }

  @Test("What a batch delete leaves is what deleting each object leaves", arguments: UInt64(1)...24)
  func law(seed: UInt64) throws {
    var left = [[String]]()
    for isBatch in [true, false] {
      var random = RandomSource(seed: seed)
      let context = try DeletionWorld.make(&random)
      for round in 0..<4 {
        let bound = random.int(0..<12)
        let (kind, registers) = (random.int(0..<4), random.int(0..<3) == 0)
        if registers { _ = try context.fetch(FetchDescriptor<Deletions.Room>()).map(\.house?.number) }
        let kept = registers ? try context.fetch(FetchDescriptor<Deletions.Lamp>()) : []
        try DeletionWorld.delete(kind, below: bound, isBatch, context)
        if round % 2 == 1 { #expect(kept.allSatisfy { $0.room?.isDeleted != true }) }
        let state = try DeletionWorld.describe(context)
        do {
          try context.save()
        } catch let error as SwiftDataError {
          left.append(["refused \(error.code)"])
          context.rollback()
        }
        left.append(state)
        left.append(try DeletionWorld.describe(ModelContext(context.container)))
      }
    }
    #expect(left.prefix(left.count / 2).elementsEqual(left.suffix(left.count / 2)), "seed \(seed)")
  }
}

private enum DeletionWorld {
  static func make(_ random: inout RandomSource) throws -> ModelContext {
    let context = try memoryContext(
      Deletions.House.self, Deletions.Lamp.self, Deletions.Bulb.self, Deletions.Tenant.self, Deletions.Person.self)
    let houses = (0..<6).map { Deletions.House($0) }
    let people = (0..<6).map { Deletions.Person($0) }
    context.insert(contentsOf: houses)
    context.insert(contentsOf: people)
    for house in houses {
      if random.chance(1, in: 2) { house.sign = Deletions.Plate(house.number) }
      house.friends = people.filter { _ in random.chance(1, in: 3) }
    }
    for number in 0..<12 {
      let room = Deletions.Room(number, house: random.chance(1, in: 4) ? nil : random.pick(houses))
      context.insert(room)
      room.people = people.filter { _ in random.chance(1, in: 5) }
      let lamp = Deletions.Lamp(number, room: random.chance(1, in: 4) ? nil : room)
      context.insert(lamp)
      if random.chance(1, in: 4) { context.insert(Deletions.Bulb(number, lamp: lamp)) }
      if random.chance(1, in: 6) { context.insert(Deletions.Tenant(number, house: random.pick(houses))) }
    }
    try context.save()
    return ModelContext(context.container)
  }

  static func delete(_ kind: Int, below bound: Int, _ isBatch: Bool, _ context: ModelContext) throws {
    switch kind {
    case 0: try delete(#Predicate<Deletions.House> { $0.number < bound / 2 }, isBatch, context)
    case 1: try delete(#Predicate<Deletions.Room> { $0.number < bound }, isBatch, context)
    case 2: try delete(#Predicate<Deletions.Lamp> { $0.number < bound }, isBatch, context)
    default: try delete(#Predicate<Deletions.Person> { $0.number < bound / 2 }, isBatch, context)
    }
  }

  private static func delete<M: PersistentModel>(
    _ predicate: Predicate<M>, _ isBatch: Bool, _ context: ModelContext
  ) throws {
    if isBatch { return try context.delete(model: M.self, where: predicate) }
    for object in try context.fetch(FetchDescriptor(predicate: predicate)) { context.delete(object) }
  }

  static func describe(_ context: ModelContext) throws -> [String] {
    let houses = try context.fetch(FetchDescriptor<Deletions.House>()).map { house in
      "house \(house.number) \(house.rooms.map(\.number)) \(house.tenants.map(\.number)) \(house.friends.map(\.number))"
        + " \(house.sign?.number as Any)"
    }
    let rooms = try context.fetch(FetchDescriptor<Deletions.Room>()).map { room in
      "room \(room.number) \(room.house?.number as Any) \(room.lamps.map(\.number)) \(room.people.map(\.number))"
    }
    let lamps = try context.fetch(FetchDescriptor<Deletions.Lamp>()).map { lamp in
      "lamp \(lamp.number) \(lamp.room?.number as Any) \(lamp.bulbs.map(\.number))"
    }
    let people = try context.fetch(FetchDescriptor<Deletions.Person>()).map { person in
      "person \(person.number) \(person.rooms.map(\.number).sorted())"
    }
    let counts = "\(try context.fetchCount(FetchDescriptor<Deletions.Plate>()))"
    return houses + rooms + lamps + people + [counts]
  }
}
