import Foundation
import SwiftData
import Testing

@Suite("Subclasses as real code declares them")
struct InheritanceFormsTests {
  private func store() throws -> FormsStore {
    try FormsStore(
      Journey.self,
      BusinessJourney.self,
      AuditedJourney.self,
      PersonalJourney.self,
      BareJourney.self,
      OnPlainBase.self,
      OpenJourney.self,
      PublicJourney.self
    )
  }

  @Test("Properties of all levels come back in their own classes")
  func levels() throws {
    let store = try store()
    let audited = AuditedJourney(code: "a", auditor: "Ann")
    audited.destination = "Rome"
    audited.budget = 12.5
    audited.findings = ["late"]
    audited.client = Client()
    audited.legs = [Leg(), Leg()]
    try store.save(audited, BareJourney(code: "b"), Journey(code: "c"), BusinessJourney(code: "d", budget: 3))
    let (context, found) = try store.read(Journey.self)
    let journeys = found.sorted { $0.code < $1.code }
    #expect(journeys.map { "\(type(of: $0))" } == ["AuditedJourney", "BareJourney", "Journey", "BusinessJourney"])
    let copy = try #require(journeys.first as? AuditedJourney)
    #expect((copy.destination, copy.budget, copy.auditor, copy.findings) == ("Rome", 12.5, "Ann", ["late"]))
    #expect(copy.legs.count == 2)
    #expect(copy.legs.first?.journey === copy)
    #expect(copy.client?.journeys.first === copy)
    #expect(copy.summary() == "a to Rome for 12.5")
    #expect(try context.fetch(FetchDescriptor<BusinessJourney>()).count == 2)
  }

  @Test("An observer of a subclass may change what it inherits")
  func observers() throws {
    let store = try store()
    let journey = PersonalJourney(name: "p")
    journey.mood = .busy
    #expect(journey.destination == "!")
    try store.save(journey)
    let (context, found) = try store.read(PersonalJourney.self)
    #expect(found.first?.destination == "!")
    #expect(found.first?.mood == .busy)
    _ = context
  }

  @Test("A model on a class that is no model keeps its own properties only")
  func plainSuperclass() throws {
    let store = try store()
    let object = OnPlainBase(name: "n")
    object.plain = 9
    try store.save(object)
    let (context, found) = try store.read(OnPlainBase.self)
    #expect(found.first?.name == "n")
    #expect(found.first?.plain == 1)
    _ = context
  }

  @Test("A subclass is made of its own backing data")
  func backingData() {
    let original = BusinessJourney(code: "x", budget: 4)
    let copy = BusinessJourney(backingData: original.persistentBackingData)
    #expect((copy.code, copy.budget) == ("x", 4))
    let created = PublicJourney(backingData: PublicJourney.createBackingData())
    #expect((created.name, created.score) == ("", 0))
  }
}
