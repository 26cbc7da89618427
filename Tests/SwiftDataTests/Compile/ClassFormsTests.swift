import Foundation
import SwiftData
import Testing

@Suite("Classes as real code declares them")
struct ClassFormsTests {
  /// Saves an object and reads the only one of its class back in another context.
  private func roundTrip<M: PersistentModel>(_ object: M) throws -> (ModelContext, M) {
    let store = try FormsStore(M.self)
    try store.save(object)
    let (context, found) = try store.read(M.self)
    #expect(found.count == 1)
    return (context, try #require(found.first))
  }

  @Test("A class without an initialiser is made from its defaults")
  func allDefaults() throws {
    let object = AllDefaults()
    object.count = 3
    let (context, copy) = try roundTrip(object)
    #expect((copy.name, copy.count) == ("", 3))
    _ = context
  }

  @Test("Classes of every access level are kept")
  func accessLevels() throws {
    #expect(try roundTrip(PublicModel(name: "a")).1.hidden == .a)
    #expect(try roundTrip(OpenModel(name: "b")).1.name == "b")
    #expect(try roundTrip(PackageModel(name: "c")).1.name == "c")
    #expect(try roundTrip(NonFinalModel(name: "d")).1.name == "d")
    #expect(try roundTrip(NonisolatedModel(name: "e")).1.name == "e")
    #expect(try privateForms() == ["f", "g"])
  }

  @Test("Models nested in an enumeration, an extension of it or a structure are kept under their own names")
  func nested() throws {
    let parent = FormsSchemaV1.InExtension(name: "p")
    parent.nested = [FormsSchemaV1.Nested(name: "n")]
    let (context, copy) = try roundTrip(parent)
    #expect(copy.nested.first?.kind == .small)
    #expect(copy.nested.first?.other === copy)
    #expect(copy.persistentModelID.entityName == "InExtension")
    #expect(try roundTrip(Deep.Deeper.Deepest()).1.name == "deep")
    #expect(Set(Schema(versionedSchema: FormsSchemaV1.self).entities.map(\.name)) == ["Nested", "InExtension"])
    _ = context
  }

  @Test("A class's own Codable, Comparable, description and id are its own")
  func conformances() throws {
    let (context, copy) = try roundTrip(Conforming(id: "own", name: "b"))
    #expect(copy.id == "own")
    #expect(copy.description == "Conforming(b)")
    #expect(Conforming(name: "a") < copy)
    let decoded = try JSONDecoder().decode(Conforming.self, from: JSONEncoder().encode(copy))
    #expect((decoded.id, decoded.name) == ("own", "b"))
    #expect(decoded !== copy)
    _ = context
  }

  @Test("Classes that spell a conformance or an availability themselves are kept")
  func spelled() throws {
    #expect(try roundTrip(Stacked()).1.debugDescription == "Stacked(name: s)")
    #expect(try roundTrip(SelfObservable()).1.name == "")
    #expect(try roundTrip(SendableModel()).1.name == "")
    #expect(try roundTrip(InlineSendableModel()).1.state == .idle)
    #expect(try roundTrip(AvailableBefore()).1.name == "")
    #expect(try roundTrip(AvailableAfter()).1.name == "")
    #expect(try roundTrip(NamedModel(name: "n")).1.name == "n")
  }

  @Test("Classes that spell the conformance to PersistentModel are models of their own, and can have subclasses")
  func spelledPersistentModel() throws {
    let (context, child) = try roundTrip(SelfPersistentChild(age: 3))
    #expect((child.name, child.age) == ("p", 3))
    #expect(try context.fetchCount(FetchDescriptor<SelfPersistent>()) == 1)
    #expect(try roundTrip(SelfEverything(name: "e")).1.name == "e")
    #expect(try roundTrip(SelfComposed()).1.description == "")
  }

  @Test("A class without properties, or with constants only, is kept")
  func bare() throws {
    _ = try roundTrip(Empty())
    #expect(try roundTrip(Constants(name: "c")).1.name == "c")
  }

  @Test("Failing, throwing and convenience initialisers stay what they are")
  func initializers() throws {
    #expect(WithMethods(checked: "") == nil)
    #expect(throws: CancellationError.self) { try WithMethods(throwing: "") }
    #expect(WithMethods().name == "")
    let (context, copy) = try roundTrip(WithMethods.make())
    #expect(copy[1] == "a")
    #expect(copy.inner.a == 1)
    _ = context
  }

  @Test("A model is equal to itself only, and hashes by identity")
  func identity() {
    let (one, other) = (AllDefaults(), AllDefaults())
    #expect(one != other)
    #expect(Set([one, other, one]).count == 2)
  }
}
