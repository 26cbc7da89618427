import Foundation
import SwiftData
import Testing

@Suite struct AggregateTests {
  private let context: ModelContext

  init() throws {
    let drawers = [Drawer(name: "left", size: 3), Drawer(name: "right")]
    let items = (0..<6).map { index in
      let item = Specimen(serial: index)
      item.title = ["caf\u{E9}", "cafe\u{301}", "tea"][index % 3]
      item.number = index
      item.maybe = index < 2 ? nil : index
      item.real = Double(index) / 2
      item.price = Decimal(string: "0.1")!
      item.tiny = 60
      item.level = Rank.allCases[index % 3]
      item.weight = Weight(grams: 100 - index)
      item.address.city = index < 3 ? "Bonn" : "Ulm"
      item.drawer = index == 5 ? nil : drawers[index % 2]
      return item
    }
    context = ModelContext(try SwiftDataTests.context(saving: drawers + items).container)
  }

  private let all = FetchDescriptor<Specimen>()

  @Test("One aggregate is its value, several are a tuple, each of the type that its expression has")
  func types() throws {
    let count: Int = try context.fetch(all, computing: .count)
    let sum: Int = try context.fetch(all, computing: .sum(\.number))
    let (average, least, most): (Double?, Int?, Weight?) = try context.fetch(
      all, computing: .average(\.number), .minimum(\.maybe), .maximum(\.weight))
    #expect(count == 6 && sum == 15 && average == 2.5 && least == 2 && most == Weight(grams: 100))
    #expect(try context.fetch(all, computing: .sum(\.price)) == Decimal(string: "0.6")!)
    #expect(try context.fetch(all, computing: .average(\.price)) == Decimal(string: "0.1")!)
    #expect(
      try context.fetch(all, computing: .sum(\.maybe)) == 14 && context.fetch(all, computing: .average(\.maybe)) == 3.5)
    #expect(
      try context.fetch(all, computing: .sum(\.real)) == 7.5 && context.fetch(all, computing: .average(\.real)) == 1.25)
    #expect(
      try context.fetch(all, computing: .maximum(\.title)) == "tea"
        && context.fetch(all, computing: .minimum(\.title)) == "cafe\u{301}")
    #expect(
      try context.fetch(all, computing: .minimum(\.level)) == .low
        && context.fetch(all, computing: .maximum(\.level)) == .high)
  }

  @Test("Paths lead through to-one relationships and into structs, and expressions compute")
  func paths() throws {
    #expect(try context.fetch(all, computing: .sum(\.drawer?.size)) == 9)
    #expect(try context.fetch(all, computing: .maximum(\.address.city)) == "Ulm")
    #expect(try context.fetch(all, computing: .sum(#Expression<Specimen, Int> { $0.number * 2 + 1 })) == 36)
    #expect(try context.fetch(all, computing: .maximum(#Expression<Specimen, Int> { $0.title.count })) == 4)
    #expect(try context.fetch(all, computing: .average(#Expression<Specimen, Int?> { $0.maybe })) == 3.5)
    #expect(try context.fetch(all, computing: .sum(#Expression<Specimen, Int> { $0.drawer?.size ?? 1 })) == 12)
  }

  @Test("Of nothing, a sum is 0, a count is 0 and the rest is nil")
  func empty() throws {
    let none = FetchDescriptor<Specimen>(predicate: #Predicate { $0.number > 100 })
    let (count, whole, real, price) = try context.fetch(
      none, computing: .count, .sum(\.number), .sum(\.real), .sum(\.price))
    #expect(count == 0 && whole == 0 && real == 0 && price == 0)
    let (average, mean, least, most) = try context.fetch(
      none, computing: .average(\.number), .average(\.price), .minimum(\.title), .maximum(\.level))
    #expect(average == nil && mean == nil && least == nil && most == nil)
    #expect(try context.fetch(none, groupedBy: \.title, computing: .count).isEmpty)
  }

  @Test("A sum that its type cannot hold is an error, also where only the sum of a greater type can; no partial sum is")
  func overflow() throws {
    let error = #expect(throws: SwiftDataError.self) { try context.fetch(all, computing: .sum(\.tiny)) }
    #expect(error?.code == SwiftDataError.unreadableValue.code && error?.message?.contains("360") == true)
    #expect(try context.fetch(all, computing: .average(\.tiny)) == 60)
    let items = try context.fetch(FetchDescriptor<Specimen>(sortBy: [SortDescriptor(\.serial)]))
    items[0].number = .max
    items[1].number = .max
    items[2].number = -.max
    items[0].huge = .max
    items[1].huge = 5
    try context.save()
    #expect(throws: SwiftDataError.unreadableValue) { try context.fetch(all, computing: .sum(\.number)) }
    #expect(throws: SwiftDataError.unreadableValue) { try context.fetch(all, computing: .sum(\.huge)) }
    items[3].number = -20
    try context.save()
    #expect(try context.fetch(all, computing: .sum(\.number)) == .max - 11)
    #expect(try context.fetch(all, computing: .maximum(\.huge)) == .max)
    #expect(throws: SwiftDataError.unreadableValue) {
      try context.fetch(all, computing: .sum(#Expression<Specimen, Int> { $0.number + $0.number }))
    }
  }

  @Test("A model for which an expression has no value is an error, in the store and in memory")
  func failing() throws {
    let expression = #Expression<Specimen, Int> { $0.maybe! }
    #expect(throws: SwiftDataError.unreadableValue) { try context.fetch(all, computing: .sum(expression)) }
    #expect(throws: SwiftDataError.unreadableValue) { try context.fetch(all, computing: .minimum(expression)) }
    context.insert(Specimen(serial: 99))
    #expect(throws: SwiftDataError.unreadableValue) { try context.fetch(all, computing: .sum(expression)) }
    context.rollback()
    let some = FetchDescriptor<Specimen>(predicate: #Predicate { $0.maybe != nil })
    #expect(try context.fetch(some, computing: .sum(expression)) == 14)
  }

  @Test("NaN makes a sum NaN; minimum and maximum pass over it")
  func notANumber() throws {
    let items = try context.fetch(FetchDescriptor<Specimen>(sortBy: [SortDescriptor(\.serial)]))
    items[5].real = .nan
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      #expect(try context.fetch(all, computing: .sum(\.real)).isNaN)
      #expect(
        try context.fetch(all, computing: .maximum(\.real)) == 2 && context.fetch(all, computing: .minimum(\.real)) == 0
      )
      let last = FetchDescriptor<Specimen>(predicate: #Predicate { $0.serial == 5 })
      #expect(try context.fetch(last, computing: .maximum(\.real))?.isNaN == true)
      #expect(try context.fetch(last, computing: .minimum(\.real))?.isNaN == true)
    }
    items[5].real = .infinity
    items[4].real = -.infinity
    try context.save()
    #expect(try context.fetch(all, computing: .sum(\.real)).isNaN)
    #expect(try context.fetch(all, computing: .maximum(\.real)) == .infinity)
  }

  @Test("Groups come in the order of their first models; equal texts are one group, nil is one")
  func groups() throws {
    let groups = try context.fetch(all, groupedBy: \.title, computing: .count, .sum(\.number))
    #expect(groups.map(\.0) == ["cafe\u{301}", "tea"])
    #expect(groups.map(\.1) == [4, 2] && groups.map(\.2) == [8, 7])
    var sorted = FetchDescriptor<Specimen>(sortBy: [SortDescriptor(\.number, order: .reverse)])
    #expect(try context.fetch(sorted, groupedBy: \.title, computing: .count).map(\.0) == ["tea", "caf\u{E9}"])
    let names = try context.fetch(sorted, groupedBy: \.drawer?.name, computing: .count)
    #expect(names.map(\.0) == [nil, "left", "right"] && names.map(\.1) == [1, 3, 2])
    sorted.fetchOffset = 1
    sorted.fetchLimit = 3
    #expect(try context.fetch(sorted, groupedBy: \.drawer?.name, computing: .count).map(\.1) == [2, 1])
    #expect(try context.fetch(sorted, computing: .count, .sum(\.number)) == (3, 9))
    for (city, level, count) in try context.fetch(all, groupedBy: \.address.city, \.level, computing: .count) {
      #expect(["Bonn", "Ulm"].contains(city) && count == 1, "\(level)")
    }
  }

  @Test("A relationship groups by its identifier")
  func identifiers() throws {
    let drawers = try context.fetch(FetchDescriptor<Drawer>(sortBy: [SortDescriptor(\.name)]))
    let groups = try context.fetch(all, groupedBy: \.drawer?.persistentModelID, computing: .count)
    #expect(groups.map(\.0) == [drawers[0].persistentModelID, drawers[1].persistentModelID, nil])
    #expect(try context.fetch(all, groupedBy: \.persistentModelID, computing: .count).count == 6)
  }

  @Test("Aggregates are one statement that makes no models")
  func statements() throws {
    let (_, statements) = try SQLTrace.record {
      let fresh = ModelContext(context.container)
      _ = try fresh.fetch(all, computing: .count, .sum(\.number), .average(\.real), .maximum(\.stamp))
      _ = try fresh.fetch(all, groupedBy: \.title, computing: .count)
    }
    #expect(statements.count == 2)
    #expect(statements.allSatisfy { !$0.contains("\"words\"") })
  }

  @Test("What the store cannot compute is an error that names it")
  func unsupported() throws {
    let members = #expect(throws: SwiftDataError.self) {
      try context.fetch(all, groupedBy: \.address, computing: .count)
    }
    #expect(members?.property == "address" && members?.message?.contains("group by a member") == true)
    #expect(throws: SwiftDataError.transientProperty) { try context.fetch(all, groupedBy: \.isOpen, computing: .count) }
    #expect(throws: SwiftDataError.transientProperty) { try context.fetch(all, computing: .maximum(\.upperTitle)) }
    let related = #expect(throws: SwiftDataError.self) {
      try context.fetch(all, groupedBy: \.drawer, computing: .count)
    }
    #expect(related?.message?.contains("persistentModelID") == true)
  }
}
