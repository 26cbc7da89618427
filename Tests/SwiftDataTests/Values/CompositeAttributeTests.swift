import Foundation
import SwiftData
import Testing

private struct Point: Codable {
  var x: Double
  var y: Double
}

private struct Address: Codable {
  var street: String
  var number: Int?
  var place: Point
  var tags: [String]
}

private enum Temper: Codable {
  case good(Int)
  case bad
}

@Model private final class Customer {
  var name: String
  var address: Address
  var former: Address?
  var mood: Temper
  var numbers: [Int]
  @Attribute(.codable) var opaque: Point
  init(name: String, address: Address) {
    self.name = name
    self.address = address
    mood = .bad
    numbers = []
    opaque = Point(x: 0, y: 0)
  }
}

@Suite("An attribute that is a Codable struct")
struct CompositeAttributeTests {
  private var attributes: [String: Schema.Attribute] {
    get throws { try #require(Schema([Customer.self]).entitiesByName["Customer"]).attributesByName }
  }

  @Test("is a composite one, with its members and theirs")
  func members() throws {
    for (name, type) in [("address", Address.self), ("former", Address?.self)] as [(String, any Any.Type)] {
      let composite = try #require(try attributes[name] as? Schema.CompositeAttribute)
      #expect(ObjectIdentifier(composite.valueType) == ObjectIdentifier(type))
      #expect(composite.properties.map(\.name) == ["street", "number", "place", "tags"])
      #expect(ObjectIdentifier(composite.properties[1].valueType) == ObjectIdentifier(Int?.self))
      #expect(composite.properties.map(\.isOptional) == [false, true, false, false])
      let place = try #require(composite.properties[2] as? Schema.CompositeAttribute)
      #expect(place.properties.map(\.name) == ["x", "y"])
      #expect(place.properties.allSatisfy { $0.valueType is Double.Type })
    }
  }

  @Test("of another kind is an attribute like any other")
  func others() throws {
    for name in ["name", "mood", "numbers", "opaque"] {
      #expect(try attributes[name] != nil)
      #expect(!(try attributes[name] is Schema.CompositeAttribute))
    }
  }

  @Test("keeps its members in a schema that is saved")
  func saved() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let schema = Schema([Customer.self])
    try schema.save(to: file)
    let read = try Schema.load(from: file)
    let entity = try #require(read.entitiesByName["Customer"])
    let composite = try #require(entity.attributesByName["address"] as? Schema.CompositeAttribute)
    #expect((composite.properties[2] as? Schema.CompositeAttribute)?.properties.map(\.name) == ["x", "y"])
    #expect(entity == schema.entitiesByName["Customer"])
  }

  @Test("is stored and read as before")
  func stored() throws {
    let context = try memoryContext(Customer.self)
    let address = Address(street: "s", number: nil, place: Point(x: 1, y: 2), tags: ["t"])
    context.insert(Customer(name: "c", address: address))
    try context.save()
    let found = try context.fetchCount(FetchDescriptor<Customer>(predicate: #Predicate { $0.address.place.x == 1 }))
    #expect(found == 1)
  }
}
