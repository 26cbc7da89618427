import Foundation
import SwiftData
import Testing

@Suite("A value transformer")
struct TransformerTests {
  private func property(_ name: String, of type: any PersistentModel.Type) throws -> __Property {
    try #require(type.__entity.property(named: name))
  }

  @Test("makes what is stored and turns it back")
  func roundTrip() throws {
    let badge = try property("badge", of: Agency.Client.self)
    let stored = try badge.transform("abc" as String? as Any)
    #expect(stored == Data("ABC".utf8))
    #expect(try badge.reverseTransform(stored, in: Agency.Client.__entity) as? String == "ABC")
  }

  @Test("is not asked about nil")
  func nothing() throws {
    let badge = try property("badge", of: Agency.Client.self)
    #expect(try badge.transform(String?.none as Any) == nil)
    #expect(try badge.reverseTransform(nil, in: Agency.Client.__entity) == nil)
  }

  @Test("is found under its name, once registered")
  func registration() {
    let name = NSValueTransformerName("TransformerTests.registration")
    #expect(CapitalTransformer(forName: name) == nil)
    let transformer = CapitalTransformer()
    ValueTransformer.setValueTransformer(transformer, forName: name)
    #expect(ValueTransformer(forName: name) === transformer)
    #expect(CapitalTransformer(forName: name) === transformer)
    #expect(Broken.Wrong(forName: name) == nil)
    #expect(ValueTransformer.valueTransformerNames().contains(name))
    ValueTransformer.setValueTransformer(nil, forName: name)
    #expect(ValueTransformer(forName: name) == nil)
  }

  @Test("that nobody registered is an error with the name, the property and what to do")
  func missing() throws {
    let text = try property("unregistered", of: Broken.self)
    let error = try #require(throws: SwiftDataError.self) { try text.transform("x") }
    #expect(error == .unwritableValue)
    #expect(error.entity == "Broken")
    #expect(error.property == "unregistered")
    #expect(error.description.contains("NobodyTransformer"))
    #expect(error.description.contains("setValueTransformer"))
    #expect(throws: SwiftDataError.unreadableValue) { try text.reverseTransform(Data(), in: Broken.__entity) }
  }

  @Test("that makes no data is an error that says what it made")
  func wrongResult() throws {
    let text = try property("wrong", of: Broken.self)
    let error = try #require(throws: SwiftDataError.self) { try text.transform("x") }
    #expect(error.description.contains("Wrong made a Int of a String"))
    let reading = try #require(throws: SwiftDataError.self) {
      try text.reverseTransform(Data([1]), in: Broken.__entity)
    }
    #expect(reading.description.contains("does not allow the reverse"))
  }

  @Test("of archives is used backwards, as Core Data does")
  func archives() throws {
    let list = try property("archived", of: Broken.self)
    let stored = try #require(try list.transform(["a", "b"] as NSArray))
    let read = try list.reverseTransform(stored, in: Broken.__entity)
    #expect((read as? NSArray)?.count == 2)
    #expect(try list.reverseTransform(Data([1, 2, 3]), in: Broken.__entity) == nil)
  }

  @Test("stores a property of a saved model")
  func saving() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Agency.Client.self))
    let client = Agency.Client(name: "ACME", since: .distantPast)
    client.badge = "gold"
    context.insert(client)
    context.insert(Agency.Client(name: "None", since: .distantPast))
    try context.save()
    let other = ModelContext(try store.container(Agency.Client.self))
    let read = try other.fetch(FetchDescriptor<Agency.Client>(sortBy: [SortDescriptor(\.name)]))
    #expect(read.map(\.badge) == ["GOLD", nil])
  }
}

@Model
private final class Broken {
  @Attribute(.transformable(by: "NobodyTransformer")) var unregistered: String?
  @Attribute(.transformable(by: Wrong.self)) var wrong: String?
  @Attribute(.transformable(by: "NSSecureUnarchiveFromDataTransformer")) var archived: NSArray?

  init() {}

  final class Wrong: ValueTransformer {
    override class func allowsReverseTransformation() -> Bool { false }
    override func transformedValue(_ value: Any?) -> Any? { 1 }
  }
}
