import Foundation
import SwiftData
import Testing

@Suite("Composite values and constraints over several properties")
struct CompositeTests {
  typealias Place = Mapped.Place
  private let context: ModelContext

  init() throws { context = try memoryContext(Place.self, Mapped.Region.self) }

  private static func address(
    _ city: String, _ number: Int, built: Date? = nil, position: Mapped.Position? = nil
  ) -> Mapped.Address {
    Mapped.Address(city: city, number: number, built: built, position: position)
  }

  /// A fetch and what Swift makes of all objects in memory.
  private func check(_ predicate: Predicate<Place>, _ sort: [SortDescriptor<Place>] = []) throws -> [String] {
    let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: sort))
    let all = try context.fetch(FetchDescriptor<Place>())
    let expected = try all.filter { try predicate.evaluate($0) }.sorted(using: sort)
    #expect(found.map(\.name) == expected.map(\.name))
    return found.map(\.name)
  }

  @Test("Members of composite values filter and sort, nested and optional ones too")
  func members() throws {
    let early = Date(timeIntervalSinceReferenceDate: 10)
    context.insert(Place("a", Self.address("B\u{E9}rn", 3, built: early, position: .init(latitude: 1.5, longitude: 2))))
    context.insert(Place("b", Self.address("Be\u{301}rn", 2, position: .init(latitude: -1, longitude: 2, level: 4))))
    context.insert(Place("c", Self.address("Basel", 1)))
    try context.save()
    #expect(try check(#Predicate { $0.address.city == "B\u{E9}rn" }) == ["a", "b"])
    #expect(try check(#Predicate { $0.address.city == "Bern" }) == [])
    #expect(try check(#Predicate { $0.address.number > 1 }, [SortDescriptor(\.address.number)]) == ["b", "a"])
    #expect(try check(#Predicate { $0.address.built == early }) == ["a"])
    #expect(try check(#Predicate { $0.address.built == nil }, [SortDescriptor(\.address.city)]) == ["c", "b"])
    #expect(try check(#Predicate { ($0.address.position?.latitude ?? 0) < 1 }).count == 2)
    #expect(try check(#Predicate { $0.address.position?.level == 4 }) == ["b"])
    #expect(try check(#Predicate { $0.address.position == nil }) == ["c"])
  }

  @Test("Equivalent texts of a member are one to predicates and to constraints")
  func equivalence() throws {
    let region = Mapped.Region("r")
    context.insert(Place("a", Self.address("caf\u{E9}", 1), region: region))
    try context.save()
    #expect(try check(#Predicate { $0.address.city == "cafe\u{301}" }) == ["a"])
    context.insert(Place("b", Self.address("cafe\u{301}", 1), region: region))
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Place>()).map(\.name) == ["b"])
  }

  @Test("Objects with equal values for all properties of a constraint are one, others are not")
  func uniqueness() throws {
    let (one, two) = (Mapped.Region("one"), Mapped.Region("two"))
    context.insert(Place("a", Self.address("x", 1), region: one))
    context.insert(Place("b", Self.address("x", 2), region: one))
    context.insert(Place("c", Self.address("x", 1), region: two))
    context.insert(Place("d", Self.address("x", 1)))
    context.insert(Place("e", Self.address("x", 1)))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Place>()) == 5)
    context.insert(Place("new", Self.address("x", 1), region: one))
    try context.save()
    let names = try context.fetch(FetchDescriptor<Place>(sortBy: [SortDescriptor(\.name)])).map(\.name)
    #expect(names == ["b", "c", "d", "e", "new"])
  }

  @Test("A collision throws where the configuration says so, and says of which properties")
  func thrown() throws {
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.uniquenessPolicy = .reject
    let context = ModelContext(
      try ModelContainer(for: Schema([Place.self, Mapped.Region.self]), configurations: configuration))
    let region = Mapped.Region("r")
    context.insert(Place("a", Self.address("x", 1), region: region))
    context.insert(Place("b", Self.address("x", 1), region: region))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.code == .uniquenessViolation)
    #expect(error?.description.contains("Place") == true && error?.description.contains("address.city") == true)
  }

  @Test("Members of composite values can change hands in one save")
  func swap() throws {
    let region = Mapped.Region("r")
    let (one, two) = (
      Place("a", Self.address("x", 1), region: region), Place("b", Self.address("x", 2), region: region)
    )
    context.insert(one)
    context.insert(two)
    try context.save()
    (one.address, two.address) = (two.address, one.address)
    try context.save()
    #expect(try check(#Predicate { $0.address.number == 1 }) == ["b"])
    #expect(try context.fetchCount(FetchDescriptor<Place>()) == 2)
  }

  @Test("Coding keys of their own, and several properties, are what the indices are over")
  func indices() throws {
    let city = try context.explain(
      FetchDescriptor<Place>(predicate: #Predicate { $0.address.city == "x" && $0.address.number == 3 }))
    #expect(
      city.plan.contains { $0.detail.contains("INDEX Place#address@city,address@number#index (<expr>=? AND <expr>=?)") }
    )
    let region: PersistentIdentifier? = Mapped.Region("r").persistentModelID
    let name = try context.explain(
      FetchDescriptor<Place>(predicate: #Predicate { $0.region?.persistentModelID == region && $0.name == "x" }))
    #expect(name.plan.contains { $0.detail.contains("INDEX Place#region,name#index (region=? AND name=?)") })
  }

  @Test("The schema names members with a dot")
  func schema() throws {
    let entity = try #require(Schema([Place.self]).entitiesByName["Place"])
    #expect(entity.uniquenessConstraints == [["region", "address.city", "address.number"]])
    #expect(entity.indices == [["binary", "address.city", "address.number"], ["binary", "region", "name"]])
  }

  @Test("A key path through a relationship is refused with what to name instead")
  func through() throws {
    let error = #expect(throws: SwiftDataError.self) { try memoryContext(WrongIndices.Through.self) }
    #expect(error?.code == .unsupportedKeyPath)
    #expect(error?.description.contains("#Index") == true && error?.description.contains("to-one") == true)
  }
}
