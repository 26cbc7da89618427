import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

private enum ValueModels {
  @Model final class Sale {
    @Attribute(.unique) var number: Int
    var city: String
    var amount: Double?
    var price: Decimal
    var big: UInt64
    var day: Date
    var isPaid: Bool
    var code: UUID
    var note: String?
    @Attribute(.spotlight) var remark: String
    var shop: Shop?
    init(_ number: Int, _ shop: Shop?) {
      self.number = number
      city = ["Bonn", "Köln", "Ko\u{308}ln", "a\u{0}b", ""][number % 5]
      amount = number % 6 == 0 ? nil : Double(number) / 4
      price = Decimal(number) / 100
      big = UInt64.max / 2 + UInt64(number)
      day = Date(timeIntervalSinceReferenceDate: Double(number / 4) * 86_400)
      isPaid = number % 2 == 0
      code = UUID(uuid: (UInt8(truncatingIfNeeded: number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
      note = number % 3 == 0 ? nil : "note \(number % 4)"
      remark = "remark \(number)"
      self.shop = shop
    }
  }

  @Model final class Shop {
    var name: String
    @Relationship(inverse: \Sale.shop) var sales: [Sale] = []
    init(_ name: String) { self.name = name }
  }
}
private typealias Sale = ValueModels.Sale
private typealias Shop = ValueModels.Shop

@Suite("Values that PostgreSQL computes", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct PostgresValueTests {
  private let store = TestStore()

  private func fill(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    let shops = [Shop("A"), Shop("B")]
    for number in 1...50 { context.insert(Sale(number, number % 3 == 2 ? nil : shops[number % 3])) }
    try context.save()
  }

  /// The server's, and the default store with the same models.
  private func both() throws -> (server: ModelContainer, file: ModelContainer) {
    let schema = Schema([Sale.self, Shop.self])
    let file = try ModelContainer(for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let server = try store.open(Sale.self, Shop.self)
    try fill(server)
    try fill(file)
    return (server, file)
  }

  private let paid = #Predicate<Sale> { $0.isPaid && $0.number > 3 }

  @Test("are those of the default store: counts, sums, averages and extremes, in one statement")
  func aggregates() throws {
    let (server, file) = try both()
    func values(_ context: ModelContext, _ descriptor: FetchDescriptor<Sale>) throws -> String {
      let first = try context.fetch(
        descriptor, computing: .count, .sum(\.number), .sum(\.amount), .sum(\.price), .average(\.number),
        .average(\.amount))
      let second = try context.fetch(
        descriptor, computing: .minimum(\.amount), .maximum(\.amount), .minimum(\.day), .maximum(\.number),
        .minimum(\.city))
      return "\(first) \(second)"
    }
    var limited = FetchDescriptor<Sale>(predicate: paid, sortBy: [SortDescriptor(\.amount, order: .reverse)])
    (limited.fetchLimit, limited.fetchOffset) = (7, 2)
    let none = FetchDescriptor<Sale>(predicate: #Predicate { $0.number > 1_000 })
    for descriptor in [FetchDescriptor<Sale>(), FetchDescriptor(predicate: paid), limited, none] {
      let expected = try values(ModelContext(file), descriptor)
      let found = try SQLTrace.record { try values(ModelContext(server), descriptor) }
      #expect(found.result == expected)
      #expect(found.statements.count == 2)
    }
  }

  @Test("are Swift's where the server has no such value: UInt64, NaN, expressions that fail")
  func odd() throws {
    let (server, file) = try both()
    let all = FetchDescriptor<Sale>()
    #expect(
      try ModelContext(server).fetch(all, computing: .maximum(\.big))
        == ModelContext(file).fetch(all, computing: .maximum(\.big)))
    #expect(throws: SwiftDataError.unreadableValue) { try ModelContext(server).fetch(all, computing: .sum(\.big)) }
    #expect(
      try ModelContext(server).fetch(all, computing: .maximum(\.price))
        == ModelContext(file).fetch(all, computing: .maximum(\.price)))
    let divided = #Expression<Sale, Int> { 100 / ($0.number - 7) }
    #expect(throws: SwiftDataError.unreadableValue) { try ModelContext(server).fetch(all, computing: .sum(divided)) }
    let doubled = #Expression<Sale, Int> { $0.number * 2 }
    #expect(try ModelContext(server).fetch(all, computing: .sum(doubled)) == 2 * 1275)
    let context = ModelContext(server)
    try #require(try context.fetch(FetchDescriptor<Sale>()).first).amount = .nan
    try context.save()
    #expect(try ModelContext(server).fetch(all, computing: .sum(\.amount)).isNaN)
    #expect(try ModelContext(server).fetch(all, computing: .maximum(\.amount)) == 12.5)
  }

  @Test("come for each group, in the order of the fetch, in one statement")
  func groups() throws {
    let (server, file) = try both()
    let sorted = FetchDescriptor<Sale>(sortBy: [SortDescriptor(\.note), SortDescriptor(\.number, order: .reverse)])
    func groups(_ context: ModelContext) throws -> [String] {
      var lines = [String]()
      for (city, count) in try context.fetch(sorted, groupedBy: \.city, computing: .count) {
        lines.append("\(city) \(count)")
      }
      for (note, sum) in try context.fetch(sorted, groupedBy: \.note, computing: .sum(\.number)) {
        lines.append("\(note ?? "-") \(sum)")
      }
      for (paid, day, most) in try context.fetch(
        FetchDescriptor(predicate: paid), groupedBy: \.isPaid, \.day, computing: .maximum(\.amount))
      { lines.append("\(paid) \(day) \(most ?? -1)") }
      for (name, count) in try context.fetch(sorted, groupedBy: \.shop?.name, computing: .count) {
        lines.append("\(name ?? "-") \(count)")
      }
      return lines
    }
    let expected = try groups(ModelContext(file))
    let found = try SQLTrace.record { try groups(ModelContext(server)) }
    #expect(found.result == expected)
    #expect(found.statements.count == 4)
    #expect(expected.count > 15)
    let context = ModelContext(server)
    let byShop = try context.fetch(FetchDescriptor<Sale>(), groupedBy: \.shop?.persistentModelID, computing: .count)
    #expect(byShop.map(\.1).sorted() == [16, 17, 17])
    #expect(byShop.compactMap(\.0).allSatisfy { context.model(for: $0) is Shop })
  }

  @Test("make sections whose models are loaded when they are touched")
  func sections() throws {
    let (server, file) = try both()
    var limited = FetchDescriptor<Sale>(sortBy: [SortDescriptor(\.note), SortDescriptor(\.number)])
    func numbers(_ context: ModelContext) throws -> [[Int]] {
      try context.fetch(limited, sectionBy: \.note).map { $0.map(\.number) }
    }
    for limit in [nil, 20] {
      limited.fetchLimit = limit
      #expect(try numbers(ModelContext(server)) == numbers(ModelContext(file)))
    }
    let (sections, statements) = try SQLTrace.record { try ModelContext(server).fetch(limited, sectionBy: \.note) }
    #expect(sections.map(\.count).reduce(0, +) == 20)
    #expect(statements.count == 1)
  }

  @Test("count unsaved changes, and are the server's where these do not matter")
  func unsaved() throws {
    let server = try both().server
    let context = ModelContext(server)
    let sale = Sale(100, nil)
    context.insert(sale)
    #expect(try context.fetch(FetchDescriptor<Sale>(), computing: .count) == 51)
    #expect(try context.fetch(FetchDescriptor<Sale>(), computing: .maximum(\.number)) == 100)
    let (count, statements) = try SQLTrace.record { try context.fetch(FetchDescriptor<Shop>(), computing: .count) }
    #expect(count == 2)
    #expect(statements.count == 1)
  }

  // MARK: - Updates

  @Test("are written by one statement, and whoever has the models sees them")
  func update() throws {
    let server = try both().server
    let (context, other) = (ModelContext(server), ModelContext(server))
    let seen = try other.fetch(FetchDescriptor<Sale>(sortBy: [SortDescriptor(\.number)]))
    let (count, statements) = try SQLTrace.record {
      try context.update(
        model: Sale.self, where: paid, set: .assign(\.amount, #Expression<Sale, Double> { ($0.amount ?? 0) + 1 }),
        .assign(\.note, "e\u{301}"), .assign(\.remark, "bargain"), .assign(\.isPaid, false))
    }
    #expect(count == 24)
    #expect(statements.count { $0.contains("UPDATE \"Sale\"") } == 1)
    #expect(!statements.contains { $0.hasPrefix("SELECT") && $0.contains("\"Sale\"") })
    other.state.takeInSaves()
    #expect(seen[3].note == "e\u{301}")
    #expect(seen[3].note?.unicodeScalars.count == 2)
    #expect(seen[3].amount == 2)
    #expect(seen[5].amount == 1)
    #expect(seen[4].amount == 1.25)
    #expect(!seen.contains { $0.number > 3 && $0.isPaid })
    #expect(try context.search(Sale.self, matching: "bargain").count == 24)
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.count == 2)
    #expect(history.last?.changes.count == 24)
  }

  @Test("are refused whole where two models would have one value, or a model has none")
  func refused() throws {
    let server = try both().server
    let context = ModelContext(server)
    #expect(throws: SwiftDataError.uniquenessViolation) {
      try context.update(model: Sale.self, where: paid, set: .assign(\.number, 1))
    }
    let divided = #Expression<Sale, Int> { 100 / ($0.number - 8) }
    #expect(throws: SwiftDataError.unreadableValue) {
      try context.update(model: Sale.self, where: paid, set: .assign(\.number, divided))
    }
    #expect(try context.fetch(FetchDescriptor<Sale>(), computing: .sum(\.number)) == 1275)
    // Unique values may move from model to model.
    let next = #Expression<Sale, Int> { $0.number + 1 }
    #expect(try context.update(model: Sale.self, set: .assign(\.number, next)) == 50)
    #expect(try context.fetch(FetchDescriptor<Sale>(), computing: .sum(\.number)) == 1325)
  }

  @Test("give models with unsaved changes their values in memory")
  func updateUnsaved() throws {
    let server = try both().server
    let context = ModelContext(server)
    let sale = try #require(try context.fetch(FetchDescriptor<Sale>(predicate: #Predicate { $0.number == 10 })).first)
    sale.isPaid = false
    let new = Sale(200, nil)
    context.insert(new)
    #expect(try context.update(model: Sale.self, where: paid, set: .assign(\.note, "x")) == 24)
    #expect(sale.note != "x")
    #expect(new.note == "x")
    let stored = try ModelContext(server).fetchCount(FetchDescriptor<Sale>(predicate: #Predicate { $0.note == "x" }))
    #expect(stored == 23)
    try context.save()
    #expect(
      try ModelContext(server).fetchCount(FetchDescriptor<Sale>(predicate: #Predicate { $0.note == "x" })) == 24)
  }

  // MARK: - Unsaved changes

  @Test("with unsaved changes a fetch reads what matches and a few more, not the class")
  func overlay() throws {
    let server = try both().server
    let context = ModelContext(server)
    let by = [SortDescriptor(\Sale.number)]
    let sale = try #require(try context.fetch(FetchDescriptor<Sale>(predicate: #Predicate { $0.number == 9 })).first)
    sale.number = 90
    context.insert(Sale(5_000, nil))
    let gone = try #require(try context.fetch(FetchDescriptor<Sale>(predicate: #Predicate { $0.number == 12 })).first)
    context.delete(gone)
    var page = FetchDescriptor<Sale>(predicate: #Predicate { $0.number > 8 }, sortBy: by)
    page.fetchLimit = 4
    let (found, statements) = try SQLTrace.record { try context.fetch(page) }
    #expect(found.map(\.number) == [10, 11, 13, 14])
    #expect(statements.count == 1)
    #expect(statements.first?.contains("LIMIT $") == true)
    page.fetchOffset = 37
    #expect(try context.fetch(page).map(\.number) == [48, 49, 50, 90])
    page.fetchLimit = nil
    #expect(try context.fetch(page).map(\.number) == [48, 49, 50, 90, 5_000])
    #expect(try context.fetchCount(FetchDescriptor<Sale>(predicate: #Predicate { $0.number > 8 })) == 42)
    // The class is not read for an unsaved change of another.
    let shops = try SQLTrace.record { try context.fetchCount(FetchDescriptor<Shop>()) }
    #expect(shops.statements.count == 1 && shops.statements[0].contains("count(*)"))
    // A condition on the other class sees what is unsaved there.
    let shop = try #require(try context.fetch(FetchDescriptor<Shop>(predicate: #Predicate { $0.name == "A" })).first)
    shop.name = "Z"
    #expect(try context.fetch(FetchDescriptor<Sale>(predicate: #Predicate { $0.shop?.name == "A" })).isEmpty)
    #expect(
      try !context.fetch(FetchDescriptor<Sale>(predicate: #Predicate { $0.shop?.name == "Z" })).isEmpty)
  }
}
