import Foundation
import SwiftData
import Testing

@Suite("Backing data")
struct BackingDataTests {
  private let start = Date(timeIntervalSinceReferenceDate: 1000)

  @Test("of a model to come has the defaults of the declaration")
  func defaults() {
    let data: some BackingData<Agency.Trip> = Agency.Trip.createBackingData()
    #expect(data.getValue(forKey: \.price) == 9.5)
    #expect(data.getValue(forKey: \.note) == nil)
    #expect(data.getValue(forKey: \.stops).isEmpty)
    #expect(data.persistentModelID == nil)
    #expect((data.metadata as? Schema.Entity)?.name == "Trip")
  }

  @Test("makes a model of the values that were set")
  func making() {
    let data: some BackingData<Agency.Trip> = Agency.Trip.createBackingData()
    let stop = Agency.Stop(city: "Rome", days: 2)
    data.setValue(forKey: \.name, to: "Italy")
    data.setValue(forKey: \.start, to: start)
    data.setValue(forKey: \.note, to: "pack")
    data.setValue(forKey: \.stops, to: [stop])
    let trip = Agency.Trip(backingData: data)
    #expect(trip.name == "Italy")
    #expect(trip.start == start)
    #expect(trip.price == 9.5)
    #expect(trip.note == "pack")
    #expect(trip.stops.first === stop)
  }

  @Test("of a model is a view: what one changes the other sees")
  func view() {
    let trip = Agency.Trip(code: "1", name: "Italy", start: start)
    let data = trip.persistentBackingData
    data.setValue(forKey: \.name, to: "Spain")
    #expect(trip.name == "Spain")
    trip.price = 3
    #expect(data.getValue(forKey: \.price) == 3)
    #expect(data.persistentModelID == trip.persistentModelID)
  }

  @Test("assigned to a model copies its values, inherited ones too, and keeps both ends of relationships right")
  func assigning() {
    let first = Agency.BusinessTrip(code: "1", name: "Italy", start: start, company: "ACME")
    let stop = Agency.Stop(city: "Rome", days: 2)
    first.stops = [stop]
    let second = Agency.BusinessTrip(code: "2", name: "Spain", start: .distantPast, company: "Other")
    let trip: Agency.Trip = second
    trip.persistentBackingData = first.persistentBackingData
    #expect(second.name == "Italy")
    #expect(second.start == start)
    #expect(second.stops.first === stop)
    #expect(stop.trip === second)
  }

  @Test("of a parent makes a child with the parent's values")
  func subclass() {
    let trip = Agency.Trip(code: "1", name: "Italy", start: start)
    let child = Agency.BusinessTrip(backingData: trip.persistentBackingData)
    #expect(child.name == "Italy")
    #expect(child.client == nil)
  }

  @Test("is reached from a model by key path")
  func keyPaths() {
    let trip = Agency.Trip(code: "1", name: "Italy", start: start)
    let stop = Agency.Stop(city: "Rome", days: 2)
    trip.setValue(forKey: \.name, to: "Spain")
    trip.setValue(forKey: \.stops, to: [stop])
    #expect(trip.getValue(forKey: \.name) == "Spain")
    #expect(trip.getValue(forKey: \.stops).count == 1)
    #expect(stop.getValue(forKey: \.trip) === trip)
    stop.setValue(forKey: \.trip, to: nil)
    #expect(trip.stops.isEmpty)
  }

  @Test("gives a constant its value when the model is made, and never again")
  func constants() {
    let data: some BackingData<Agency.Client> = Agency.Client.createBackingData()
    data.setValue(forKey: \.since, to: start)
    let client = Agency.Client(backingData: data)
    #expect(client.since == start)
    client.setValue(forKey: \.since, to: .distantPast)
    #expect(client.since == start)
    client.setTransformableValue(forKey: \.badge, to: "b")
    #expect(client.getTransformableValue(forKey: \.badge) == "b")
  }

  @Test("may leave out a required relationship, to be assigned later")
  func requiredRelationship() {
    let child = Leaf(backingData: Leaf.createBackingData())
    let tree = Tree()
    child.tree = tree
    #expect(child.tree === tree)
    #expect(tree.leaves.first === child)
  }

  @Test("holds optional to-many relationships")
  func optionalToMany() {
    let branch = Branch()
    let data: some BackingData<Branch> = Branch.createBackingData()
    #expect(data.getValue(forKey: \.twigs) == nil)
    data.setValue(forKey: \.twigs, to: [branch])
    let root = Branch(backingData: data)
    #expect(root.getValue(forKey: \.twigs) == [branch])
    root.setValue(forKey: \.twigs, to: nil)
    #expect(root.twigs?.isEmpty != false)
    #expect(branch.parent == nil)
  }

  @Test("that somebody else wrote makes a model through its key paths")
  func foreign() {
    let stop = Agency.Stop(backingData: FixedStop(for: Agency.Stop.self))
    #expect(stop.city == "Oslo")
    #expect(stop.days == 7)
    #expect(stop.trip == nil)
  }
}

@Model
private final class Tree {
  @Relationship(inverse: \Leaf.tree) var leaves: [Leaf] = []
  init() {}
}

@Model
private final class Branch {
  var parent: Branch?
  @Relationship(inverse: \Branch.parent) var twigs: [Branch]?
  init() {}
}

@Model
private final class Leaf {
  var tree: Tree
  init(tree: Tree) { self.tree = tree }
}

/// Backing data that keeps its values its own way.
private struct FixedStop: BackingData {
  typealias Model = Agency.Stop
  var persistentModelID: PersistentIdentifier?
  var metadata: Any { "fixed" }
  init(for modelType: Agency.Stop.Type) {}

  func getValue<Value: Decodable>(forKey: KeyPath<Model, Value>) -> Value {
    forKey == \.city ? "Oslo" as! Value : 7 as! Value
  }
  func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>) -> Value { fatalError("none") }
  func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>) -> Value? { nil }
  func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement { fatalError("none") }
  func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value { fatalError("none") }
  func setValue<Value: Encodable>(forKey: KeyPath<Model, Value>, to newValue: Value) {}
  func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>, to newValue: Value) {}
  func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>, to newValue: Value?) {}
  func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement {}
  func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) {}
}
