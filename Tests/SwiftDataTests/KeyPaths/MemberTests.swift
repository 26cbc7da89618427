import Foundation
import SwiftData
import Testing

@Suite("A member of a Codable struct is what the decoded value has")
struct MemberTests {
  private func check<M: PersistentModel>(
    _ predicate: Predicate<M>, in context: ModelContext, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let all = try context.fetch(FetchDescriptor<M>())
    let found = try context.fetch(FetchDescriptor(predicate: predicate))
    let expected = try all.filter { try predicate.evaluate($0) }
    #expect(found == expected, sourceLocation: sourceLocation)
  }

  private func check<M: PersistentModel>(
    _ sort: SortDescriptor<M>, in context: ModelContext, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let all = try context.fetch(FetchDescriptor<M>())
    let order = [sort, SortDescriptor(\M.persistentModelID)]
    let found = try context.fetch(FetchDescriptor(sortBy: order))
    #expect(found == all.sorted(using: order), sourceLocation: sourceLocation)
  }

  @Test("Members that a decoder adds to old data are read, ordered, added up and deleted by as in memory")
  func defaults() throws {
    let file = try TemporaryStore()
    do {
      let context = ModelContext(try file.container(Members.Old.User.self))
      context.insert(Members.Old.User("old"))
      try context.save()
    }
    let context = ModelContext(try file.container(Members.User.self))
    context.insert(Members.User("small", 8))
    context.insert(Members.User("large", 20))
    try context.save()
    try check(#Predicate<Members.User> { $0.look.size == 12 }, in: context)
    try check(#Predicate<Members.User> { $0.look.size > 10 }, in: context)
    try check(#Predicate<Members.User> { $0.look.size != 8 }, in: context)
    try check(SortDescriptor(\Members.User.look.size), in: context)
    let all = FetchDescriptor<Members.User>(sortBy: [SortDescriptor(\.name)])
    let sum: Int = try context.fetch(all, computing: .sum(\.look.size))
    #expect(sum == 40)
    #expect(try context.fetch(all, selecting: \.look.size) == [20, 12, 8])
    #expect(try context.fetch(all, groupedBy: \.look.size, computing: .count).map { $0.0 } == [20, 12, 8])
    let findings = try context.explain(
      FetchDescriptor<Members.User>(predicate: #Predicate { $0.look.size == 12 })
    ).findings
    #expect(findings.contains { $0.description.contains("@Composite") })
    try context.delete(model: Members.User.self, where: #Predicate { !($0.look.size == 12) })
    try context.save()
    #expect(try context.fetch(all).map(\.name) == ["old"])
  }

  @Test("Computed members are computed by Swift")
  func computed() throws {
    let context = try memoryContext(Members.Person.self)
    typealias Person = Members.Person
    context.insert(
      Person(1, .init(name: "Zoe", nick: "ann", phone: 7, prices: ["full": 50], home: .init(city: "Rome", zip: 3))))
    context.insert(Person(2, .init(name: "bob", home: nil)))
    context.insert(Person(3, .init(name: "", nick: "cat", phone: 9, home: nil)))
    try context.save()
    try check(#Predicate<Person> { $0.contact.display == "bob" }, in: context)
    try check(#Predicate<Person> { $0.contact.number == 0 }, in: context)
    try check(#Predicate<Person> { $0.contact.price > 60 }, in: context)
    try check(#Predicate<Person> { $0.contact.city == "nowhere" }, in: context)
    try check(#Predicate<Person> { $0.contact.shown == "anonymous" }, in: context)
    try check(#Predicate<Person> { $0.contact.area > 5 }, in: context)
    try check(#Predicate<Person> { $0.contact.home?.city == "Rome" }, in: context)
    try check(SortDescriptor(\Person.contact.display), in: context)
    try check(SortDescriptor(\Person.contact.number, order: .reverse), in: context)
    try check(SortDescriptor(\Person.contact.price), in: context)
    try check(SortDescriptor(\Person.contact.city), in: context)
    try check(SortDescriptor(\Person.contact.shown, order: .reverse), in: context)
    try check(SortDescriptor(\Person.contact.area), in: context)
    try check(SortDescriptor(\Person.contact.home?.city), in: context)
  }

  @Test("A constraint or an index over a member that only Swift knows is refused when the store opens, with the remedy")
  func refusal() {
    for type in [Members.Friend.self, Members.Guest.self] as [any PersistentModel.Type] {
      let error = #expect(throws: SwiftDataError.self) {
        try ModelContainer(for: Schema([type]), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      }
      #expect(error?.code == .unsupportedKeyPath)
      #expect(error?.description.contains("@Composite") == true)
    }
  }

  @Test("The store reads the members of a struct with @Composite, whatever else the class has")
  func composite() throws {
    typealias Tagged = Members.Tagged
    let context = try memoryContext(Tagged.self)
    for number in 0..<6 {
      let inner = number % 3 == 0 ? nil : Members.Inner(city: "c\(number % 2)", zip: number, kind: .high)
      context.insert(Tagged(Members.Plain(number, number % 2 == 0 ? .high : .low, inner: inner), "\(number)"))
    }
    try context.save()
    let statements = try SQLTrace.record {
      try check(#Predicate<Tagged> { $0.plain.number > 2 }, in: context)
      try check(#Predicate<Tagged> { $0.plain.observed == 3 }, in: context)
      try check(#Predicate<Tagged> { $0.plain.default == 0.5 }, in: context)
      try check(#Predicate<Tagged> { $0.plain.inner?.city == "c1" }, in: context)
      try check(#Predicate<Tagged> { $0.plain.inner?.zip == nil }, in: context)
      let high = Members.Level.high
      try check(#Predicate<Tagged> { $0.plain.level == high }, in: context)
      try check(#Predicate<Tagged> { $0.plain.inner?.kind == high }, in: context)
      try check(#Predicate<Tagged> { $0.plain.list.isEmpty }, in: context)
      try check(SortDescriptor(\Tagged.plain.number, order: .reverse), in: context)
      try check(SortDescriptor(\Tagged.plain.inner?.city), in: context)
      let sum: Int = try context.fetch(FetchDescriptor<Tagged>(), computing: .sum(\.plain.number))
      #expect(sum == 15)
    }.statements
    #expect(statements.allSatisfy { !$0.contains("swift_value(") })
    try check(#Predicate<Tagged> { $0.plain.doubled == 4 }, in: context)
    try check(SortDescriptor(\Tagged.plain.doubled), in: context)
    try check(#Predicate<Tagged> { $0.plain.constant == 5 }, in: context)
    let plan = try context.explain(FetchDescriptor<Tagged>(predicate: #Predicate { $0.plain.number == 3 })).plan
    #expect(plan.contains { $0.detail.contains("Tagged#plain@number#unique") })
    context.insert(Tagged(Members.Plain(3), "again"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Tagged>()) == 6)
  }

  @Test("The coding of a struct with @Composite is the compiler's, with an enum by its raw value")
  func coding() throws {
    let value = Members.Plain(1, .high, inner: .init(city: "x", zip: nil, kind: .low))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let json = try encoder.encode(value)
    #expect(
      String(decoding: json, as: UTF8.self)
        == #"{"default":0.5,"inner":{"kind":"low","town":"x"},"level":"high","list":[],"number":1,"observed":2}"#)
    #expect(try JSONDecoder().decode(Members.Plain.self, from: json) == value)
    let wrong = Data(#"{"town":"x","kind":"middle"}"#.utf8)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Members.Inner.self, from: wrong) }
  }
}
