import Foundation
import SwiftData
import Testing

// Changes of the superclasses and subclasses of models whose rows are stored.

private enum Flat {
  @Model class Trip {
    var name: String
    @Relationship(deleteRule: .nullify) var car: Car?
    init(name: String, car: Car?) {
      self.name = name
      self.car = car
    }
  }

  @Model class Car {
    @Attribute(.unique, .preserveValueOnDeletion) var plate: String
    @Attribute(.externalStorage) var photo: Data?
    @Relationship(inverse: \Trip.car) var trips: [Trip] = []
    init(plate: String) { self.plate = plate }
  }

  @Model class Bike {
    var gears: Int
    init(gears: Int) { self.gears = gears }
  }
}

private enum Extended {
  @Model class Trip {
    var name: String
    @Relationship(deleteRule: .nullify) var car: Car?
    init(name: String) { self.name = name }
  }

  @Model final class BusinessTrip: Trip {
    var allowance: Double
    init(name: String, allowance: Double) {
      self.allowance = allowance
      super.init(name: name)
    }
  }

  @Model class Car {
    @Attribute(.unique, .preserveValueOnDeletion) var plate: String
    @Attribute(.externalStorage) var photo: Data?
    @Relationship(inverse: \Trip.car) var trips: [Trip] = []
    init(plate: String) { self.plate = plate }
  }
}

private enum Raised: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, Vehicle.self, Car.self, Boat.self] }

  @Model class Trip {
    var name: String
    @Relationship(deleteRule: .nullify) var car: Car?
    init(name: String, car: Car?) {
      self.name = name
      self.car = car
    }
  }

  @Model class Vehicle {
    var wheels: Int = 4
    init(wheels: Int) { self.wheels = wheels }
  }

  @Model class Car: Vehicle {
    @Attribute(.unique, .preserveValueOnDeletion) var plate: String
    @Attribute(.externalStorage) var photo: Data?
    @Relationship(inverse: \Trip.car) var trips: [Trip] = []
    init(plate: String) {
      self.plate = plate
      super.init(wheels: 4)
    }
  }

  @Model class Boat: Vehicle {
    var sails: Int
    init(sails: Int) {
      self.sails = sails
      super.init(wheels: 0)
    }
  }
}

private enum Joined {
  @Model class Vehicle {
    var wheels: Int = 4
    init(wheels: Int) { self.wheels = wheels }
  }

  @Model class Car: Vehicle {
    var plate: String = ""
    init(plate: String) {
      self.plate = plate
      super.init(wheels: 4)
    }
  }

  @Model class Bike: Vehicle {
    var gears: Int = 1
    init(gears: Int) {
      self.gears = gears
      super.init(wheels: 2)
    }
  }
}

private enum FlatVersion: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Flat.Trip.self, Flat.Car.self] }
}

private enum RaisingPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [FlatVersion.self, Raised.self] }
  static var stages: [MigrationStage] { [.lightweight(fromVersion: FlatVersion.self, toVersion: Raised.self)] }
}

@Suite("A migration of a class hierarchy") struct HierarchyMigrationTests {
  private static let photo = Data(repeating: 7, count: 200_000)
  private let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  private func fill() throws -> [PersistentIdentifier] {
    let context = ModelContext(try store.container(Flat.Trip.self, Flat.Car.self))
    let cars = ["A", "B"].map { Flat.Car(plate: $0) }
    cars[0].photo = Self.photo
    cars.forEach { context.insert($0) }
    context.insert(Flat.Trip(name: "T", car: cars[1]))
    try context.save()
    return cars.map(\.persistentModelID)
  }

  @Test("adds a subclass with a required property, which rows of the superclass do not have")
  func subclass() throws {
    _ = try fill()
    let context = ModelContext(try store.container(Extended.Trip.self, Extended.BusinessTrip.self))
    context.insert(Extended.BusinessTrip(name: "U", allowance: 3))
    try context.save()
    let trips = try context.fetch(FetchDescriptor<Extended.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["T", "U"])
    #expect(trips.map { ($0 as? Extended.BusinessTrip)?.allowance } == [nil, 3])
    #expect(trips[0].car?.plate == "B")
  }

  @Test(
    "gives rows a superclass and keeps their identifiers, relationships, files and history", arguments: [false, true])
  func superclass(isPlanned: Bool) throws {
    let identifiers = try fill()
    let container =
      try isPlanned
      ? ModelContainer(
        for: Schema(versionedSchema: Raised.self), migrationPlan: RaisingPlan.self,
        configurations: ModelConfiguration(url: store.url))
      : store.container(Raised.Trip.self, Raised.Car.self, Raised.Boat.self)
    let changes = try #require(container.migrations.first?.steps.first).changes
    #expect(!changes.contains { $0.kind == .removed })
    let context = ModelContext(container)
    let cars = try context.fetch(FetchDescriptor<Raised.Car>(sortBy: [SortDescriptor(\.plate)]))
    #expect(cars.map(\.plate) == ["A", "B"])
    #expect(cars.map(\.persistentModelID) == identifiers)
    #expect(cars.map(\.wheels) == [4, 4])
    #expect(cars[0].photo == Self.photo)
    #expect(cars[1].trips.map(\.name) == ["T"])
    #expect(try context.fetchCount(FetchDescriptor<Raised.Vehicle>()) == 2)
    #expect(try store.shell(#"SELECT count(*) FROM Vehicle WHERE "Boat.sails" IS NOT NULL"#) == "0")

    context.insert(Raised.Boat(sails: 2))
    context.insert(Raised.Car(plate: "C"))
    context.delete(cars[0])
    try context.save()
    #expect(Set(try context.fetchIdentifiers(FetchDescriptor<Raised.Vehicle>())).isDisjoint(with: [identifiers[0]]))
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.first?.changes.map(\.changedPersistentIdentifier).contains(identifiers[0]) == true)
    let tombstones = history.flatMap(\.changes).compactMap { change -> (any Sendable)? in
      guard case .delete(let delete as DefaultHistoryDelete<Raised.Car>) = change else { return nil }
      return delete.tombstone[\.plate]
    }
    #expect(tombstones as? [String] == ["A"])
    #expect(try store.shell("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
  }

  @Test("lets subclasses go separate ways where their superclass goes")
  func separated() throws {
    let context = ModelContext(try store.container(Joined.Car.self, Joined.Bike.self))
    context.insert(Joined.Car(plate: "A"))
    context.insert(Joined.Bike(gears: 3))
    context.insert(Joined.Car(plate: "B"))
    try context.save()
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Joined.Bike>())

    let container = try store.container(Flat.Trip.self, Flat.Car.self, Flat.Bike.self)
    let removed = try #require(container.migrations.first?.steps.first).changes.filter { $0.kind == .removed }
    #expect(removed.filter { $0.property == nil }.map(\.entity) == ["Vehicle"])
    #expect(Set(removed.compactMap(\.property)) == ["wheels"])
    let after = ModelContext(container)
    #expect(try after.fetch(FetchDescriptor<Flat.Car>(sortBy: [SortDescriptor(\.plate)])).map(\.plate) == ["A", "B"])
    #expect(try after.fetch(FetchDescriptor<Flat.Bike>()).map(\.gears) == [3])
    #expect(try after.fetchIdentifiers(FetchDescriptor<Flat.Bike>()) == identifiers)
  }

  @Test("refuses to join two hierarchies, and names the class that would join")
  func joined() throws {
    let context = ModelContext(try store.container(Flat.Trip.self, Flat.Car.self, Flat.Bike.self))
    context.insert(Flat.Car(plate: "A"))
    context.insert(Flat.Bike(gears: 3))
    try context.save()
    let error = #expect(throws: SwiftDataError.unknownDataStoreSchema) {
      try store.container(Joined.Car.self, Joined.Bike.self)
    }
    #expect(error?.entity == "Bike")
    #expect(try store.shell("SELECT count(*) FROM Car; SELECT count(*) FROM Bike") == "1\n1")
  }
}
