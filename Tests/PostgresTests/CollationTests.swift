import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

private enum Collated {
  @Composite
  struct Address: Codable, Hashable {
    var city: String
    var street: String?
  }

  @Model final class Person {
    #Index<Person>([\.address.city])
    var number: Int
    var name: String
    var address: Address

    init(_ number: Int, _ city: String) {
      self.number = number
      name = city
      address = Address(city: city, street: number % 3 == 0 ? nil : city)
    }
  }
}

@Suite(
  "In a database that orders text as a language does", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct CollationTests {
  private static let cities = [
    "Zug", "bern", "Bern", "a", "A", "ä", "z", "Άννα", "山﨑", "É", "e", "_", "-a", "b c", "bc", "Ω", "ß", "ss", "Straße",
  ]

  @Test("properties and members of composite values are compared and sorted as Swift does")
  func order() throws {
    let store = TestStore()
    #expect(try store.sql("SELECT 1 WHERE 'a' < 'B'").count == 1, "the server's own order is not that of a language")
    let container = try store.open(Collated.Person.self)
    let context = ModelContext(container)
    for (number, city) in Self.cities.enumerated() { context.insert(Collated.Person(number, city)) }
    try context.save()

    let all = try context.fetch(FetchDescriptor<Collated.Person>())
    let orders: [SortDescriptor<Collated.Person>] = [
      SortDescriptor(\.name), SortDescriptor(\.address.city), SortDescriptor(\.address.city, order: .reverse),
      SortDescriptor(\.address.street),
    ]
    for order in orders {
      let sort = [order, SortDescriptor(\Collated.Person.number)]
      let expected = all.sorted(using: sort).map(\.number)
      var descriptor = FetchDescriptor(sortBy: sort)
      #expect(try context.fetch(descriptor).map(\.number) == expected)
      descriptor.fetchLimit = 4
      var (numbers, page) = ([Int](), try context.fetch(descriptor))
      while let last = page.last {
        numbers += page.map(\.number)
        page = try context.fetch(descriptor, after: last)
      }
      #expect(numbers == expected)
    }
    for city in Self.cities {
      let predicates: [Predicate<Collated.Person>] = [
        #Predicate { $0.address.city < city }, #Predicate { $0.address.city == city }, #Predicate { $0.name < city },
        #Predicate { $0.address.city >= city && $0.name.starts(with: "b") },
        #Predicate { ($0.address.street ?? "") > city }, #Predicate { $0.name.starts(with: city) },
        #Predicate { $0.address.city.starts(with: city) },
      ]
      for (place, predicate) in predicates.enumerated() {
        let expected = try all.filter { try predicate.evaluate($0) }.map(\.number).sorted()
        let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number).sorted()
        #expect(found == expected, "\(city), predicate \(place)")
      }
    }
    withExtendedLifetime(store) {}
  }
}
