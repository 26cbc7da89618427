import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

private enum StatementModels {
  @Composite
  struct Address: Codable, Hashable {
    var city: String
    var number: Int?
    var isOld: Bool
    var size: Double
  }

  @Model final class Person {
    var name: String
    var age: Int
    var height: Double?
    var born: Date
    var key: UUID
    var isActive: Bool
    var isKnown: Bool?
    var amount: Decimal
    var big: UInt64
    var address: Address
    var employer: Firm?
    init(_ number: Int, _ employer: Firm?) {
      name = ["Ann", "bob", "Ünal", "Zoe", "日本"][number % 5] + "\(number)"
      age = number
      height = number % 4 == 0 ? nil : number % 7 == 0 ? .nan : Double(number) / 3
      born = Date(timeIntervalSinceReferenceDate: Double(number) * 1000.5)
      key = UUID(uuid: (UInt8(number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number)))
      isActive = number % 2 == 0
      isKnown = number % 3 == 0 ? nil : number % 3 == 1
      amount = Decimal(number) / 8
      big = UInt64.max - UInt64(number)
      address = Address(
        city: "City \(number % 6)", number: number % 2 == 0 ? nil : number, isOld: number % 3 == 0, size: 1)
      self.employer = employer
    }
  }

  @Model final class Firm {
    var name: String
    @Relationship(inverse: \Person.employer) var people: [Person] = []
    init(_ name: String) { self.name = name }
  }
}
private typealias Person = StatementModels.Person
private typealias Firm = StatementModels.Firm

@Suite("Predicates in PostgreSQL", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct PostgresStatementTests {
  private let store = TestStore()

  private func filled() throws -> ModelContext {
    let container = try store.open(Person.self, Firm.self)
    let context = ModelContext(container)
    let firms = [Firm("A"), Firm("B")]
    for number in 0..<40 { context.insert(Person(number, number % 3 == 2 ? nil : firms[number % 3])) }
    try context.save()
    return ModelContext(container)
  }

  /// The server has to answer, in one statement, and what Swift would.
  private func check(
    _ predicate: Predicate<Person>?, by sort: [SortDescriptor<Person>] = [], _ context: ModelContext,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let all = try context.fetch(FetchDescriptor<Person>())
    var expected = try predicate.map { predicate in try all.filter { try predicate.evaluate($0) } } ?? all
    if !sort.isEmpty { expected.sort(using: sort) }
    var descriptor = FetchDescriptor(predicate: predicate, sortBy: sort)
    let fresh = ModelContext(context.container)
    let (found, statements) = try SQLTrace.record { try fresh.fetch(descriptor).map(\.age) }
    #expect(found == expected.map(\.age), sourceLocation: location)
    #expect(statements.count == 1, "\(statements)", sourceLocation: location)
    #expect(predicate == nil || statements.allSatisfy { $0.contains("WHERE") }, sourceLocation: location)
    #expect(try fresh.fetchCount(descriptor) == expected.count, sourceLocation: location)
    descriptor.fetchLimit = 5
    descriptor.fetchOffset = 3
    let page = try SQLTrace.record { try fresh.fetch(descriptor).map(\.age) }
    #expect(page.result == Array(expected.dropFirst(3).prefix(5)).map(\.age), sourceLocation: location)
    #expect(page.statements.allSatisfy { $0.contains(/LIMIT \$\d+ OFFSET \$\d+$/) }, sourceLocation: location)
  }

  @Test("that compare are answered by the server")
  func comparisons() throws {
    let context = try filled()
    let (name, day) = ("Ann5", Date(timeIntervalSinceReferenceDate: 20_000))
    let key = UUID(uuid: (7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7))
    try check(#Predicate { $0.name == name }, context)
    try check(#Predicate { $0.name != name && $0.age > 3 }, context)
    try check(#Predicate { $0.age < 10 || $0.age >= 30 }, context)
    try check(#Predicate { !($0.age < 10) }, context)
    try check(#Predicate { $0.born > day }, context)
    try check(#Predicate { $0.key == key }, context)
    try check(#Predicate { $0.key > key }, context)
    try check(#Predicate { $0.isActive }, context)
    try check(#Predicate { !$0.isActive && $0.isKnown == true }, context)
    try check(#Predicate { $0.isKnown != true }, context)
    try check(#Predicate { $0.isKnown == nil }, context)
    try check(#Predicate { $0.height == nil || $0.height! > 4 }, context)
    try check(#Predicate { ($0.height ?? 0) < 4 }, context)
    try check(#Predicate { $0.age + 1 == 5 }, context)
    try check(#Predicate { $0.age * 2 - 3 > 20 }, context)
    try check(#Predicate { $0.age % 5 == 2 }, context)
  }

  @Test("about texts, lists, ranges and members are answered by the server")
  func others() throws {
    let context = try filled()
    let (ages, names) = ([1, 5, 9, 11, 30, 99], ["Ann5", "bob1", "x", "y", "日本4", "Ünal2"])
    let keys = (0..<6).map { UUID(uuid: ($0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, $0)) }
    let doubles = [1.0, 2.0 / 3, 3.0, 4.0, 5.0]
    try check(#Predicate { $0.name.contains("n") }, context)
    try check(#Predicate { $0.name.starts(with: "Ann") }, context)
    try check(#Predicate { $0.name.contains("日") }, context)
    try check(#Predicate { ages.contains($0.age) }, context)
    try check(#Predicate { names.contains($0.name) }, context)
    try check(#Predicate { keys.contains($0.key) }, context)
    try check(#Predicate { doubles.contains($0.height ?? 0) }, context)
    try check(#Predicate { (3...7).contains($0.age) }, context)
    try check(#Predicate { $0.address.city == "City 3" }, context)
    try check(#Predicate { $0.address.number == nil }, context)
    try check(#Predicate { $0.address.isOld }, context)
    try check(#Predicate { $0.amount > 2 }, context)
  }

  @Test("about related models are answered by the server")
  func related() throws {
    let context = try filled()
    let firm = try #require(try context.fetch(FetchDescriptor<Firm>()).first).persistentModelID
    try check(#Predicate { $0.employer?.name == "A" }, context)
    try check(#Predicate { $0.employer == nil }, context)
    try check(#Predicate { $0.employer?.persistentModelID == firm }, context)
    let last = try context.fetchIdentifiers(FetchDescriptor<Person>())[20]
    try check(#Predicate { $0.persistentModelID > last }, context)
    try check(#Predicate { $0.persistentModelID <= last && $0.persistentModelID > firm }, context)
    try check(#Predicate { $0.employer.flatMap { $0.persistentModelID > firm } ?? true }, context)
    let (found, statements) = try SQLTrace.record {
      try ModelContext(context.container).fetch(
        FetchDescriptor<Firm>(predicate: #Predicate { $0.people.count > 13 && $0.people.contains { $0.age == 3 } }))
    }
    #expect(found.map(\.name) == ["A"])
    #expect(statements.count == 1)
  }

  @Test("and orders are answered by the server")
  func orders() throws {
    let context = try filled()
    try check(nil, by: [SortDescriptor(\.name)], context)
    try check(nil, by: [SortDescriptor(\.name, order: .reverse)], context)
    try check(nil, by: [SortDescriptor(\.isKnown, order: .reverse), SortDescriptor(\.age)], context)
    try check(nil, by: [SortDescriptor(\.isKnown), SortDescriptor(\.age, order: .reverse)], context)
    try check(nil, by: [SortDescriptor(\.key, order: .reverse)], context)
    try check(nil, by: [SortDescriptor(\.amount), SortDescriptor(\.big)], context)
    try check(nil, by: [SortDescriptor(\.big)], context)
    try check(nil, by: [SortDescriptor(\.employer?.name), SortDescriptor(\.born)], context)
    try check(
      #Predicate { $0.age > 5 }, by: [SortDescriptor(\.employer?.name, order: .reverse), SortDescriptor(\.age)], context
    )
  }

  @Test("that the server cannot answer as Swift does are answered all the same")
  func inMemory() throws {
    let context = try filled()
    let all = try context.fetch(FetchDescriptor<Person>())
    let predicates: [Predicate<Person>] = [
      #Predicate { $0.name.localizedStandardContains("UNAL") }, #Predicate { $0.big > 5 },
      #Predicate { $0.name.contains("\u{308}") }, #Predicate { $0.address.number != nil && $0.name.hasSuffix("1") },
    ]
    for predicate in predicates {
      let expected = all.filter { (try? predicate.evaluate($0)) == true }.map(\.age)
      let found = try ModelContext(context.container).fetch(FetchDescriptor(predicate: predicate))
      #expect(found.map(\.age) == expected)
    }
  }

  @Test("load relationships of many models in one statement")
  func batches() throws {
    let context = try filled()
    let (names, statements) = try SQLTrace.record {
      try context.fetch(FetchDescriptor<Person>()).compactMap { $0.employer?.name }
    }
    #expect(names.count == 27)
    #expect(statements.count == 2)
    let lists = try SQLTrace.record {
      try ModelContext(context.container).fetch(FetchDescriptor<Firm>()).map(\.people.count)
    }
    #expect(lists.result.sorted() == [13, 14])
    #expect(lists.statements.count <= 3)
  }
}
