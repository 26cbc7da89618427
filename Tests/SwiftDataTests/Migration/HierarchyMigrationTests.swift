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
}
