import Foundation
import SwiftData
import Synchronization
import Testing

@Suite("Article: Concurrency")
struct Concurrency {
  @Model
  final class Order {
    @Attribute(.unique) var number: Int
    var status: String = "new"
    var note: String = ""

    init(number: Int) { self.number = number }
  }

  @ModelActor
  actor Importer {
    func importOrders(_ numbers: Range<Int>) throws -> Int {
      for number in numbers { modelContext.insert(Order(number: number)) }
      try modelContext.save()
      return try modelContext.fetchCount(FetchDescriptor<Order>())
    }
  }

  @Test("A block of perform has a context of its own, off the caller's thread, and loses what it does not save")
  func perform() async throws {
    let container = try memoryContainer(Order.self)

    let id = try await container.perform { context in
      let order = Order(number: 1)
      context.insert(order)
      try context.save()
      return order.persistentModelID
    }

    try await container.perform { $0.insert(Order(number: 2)) }
    let context = ModelContext(container)

    let order = context.model(for: id) as? Order

    #expect(order?.number == 1)
    #expect(try context.fetchCount(FetchDescriptor<Order>()) == 1)
  }

  @Test("A model actor works with a context of its own")
  func actor() async throws {
    let container = try memoryContainer(Order.self)

    let importer = Importer(modelContainer: container)
    let count = try await importer.importOrders(0..<1_000)

    #expect(count == 1_000)
  }

  @Test("Two contexts that change different properties of an object both win; the later save wins a shared property")
  func conflicts() throws {
    let container = try memoryContainer(Order.self)
    let first = ModelContext(container)
    first.insert(Order(number: 1))
    try first.save()
    let second = ModelContext(container)
    let mine = try #require(try first.fetch(FetchDescriptor<Order>()).first)
    let theirs = try #require(try second.fetch(FetchDescriptor<Order>()).first)

    mine.status = "paid"
    theirs.note = "call back"
    try first.save()
    try second.save()

    let stored = try #require(try ModelContext(container).fetch(FetchDescriptor<Order>()).first)
    #expect(stored.status == "paid" && stored.note == "call back")
    mine.status = "sent"
    theirs.status = "lost"
    try first.save()
    try second.save()
    let last = try #require(try ModelContext(container).fetch(FetchDescriptor<Order>()).first)
    #expect(last.status == "lost")
    #expect(try first.fetch(FetchDescriptor<Order>()).first?.status == "lost", "the next fetch sees it")
  }

  @Test("An observer of didSave gets the identifiers of the saved objects")
  func notifications() throws {
    let container = try memoryContainer(Order.self)
    let context = ModelContext(container)
    let inserted = Mutex<[PersistentIdentifier]>([])

    let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      let ids = $0.userInfo?[key] as? [PersistentIdentifier] ?? []
      inserted.withLock { $0 += ids }
    }
    defer { NotificationCenter.default.removeObserver(token) }

    let order = Order(number: 1)
    context.insert(order)
    try context.save()
    #expect(inserted.withLock { $0 } == [order.persistentModelID])
  }
}
