import Foundation
import SwiftData
import Testing

@Suite("Article: History")
struct History {
  @Model
  final class Order {
    @Attribute(.unique, .preserveValueOnDeletion) var number: Int
    var status: String = "new"

    init(number: Int) { self.number = number }
  }

  func export(after saved: Data?, from context: ModelContext) throws -> (lines: [String], token: Data?) {
    var new = HistoryDescriptor<DefaultHistoryTransaction>()
    if let saved {
      let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: saved)
      new.predicate = #Predicate { $0.token > token }
    }
    var lines: [String] = []
    let transactions = try context.fetchHistory(new)
    for transaction in transactions {
      for change in transaction.changes {
        switch change {
        case .insert(let insert as DefaultHistoryInsert<Order>):
          let order = context.model(for: insert.changedPersistentIdentifier) as? Order
          lines.append("new \(order?.number ?? 0)")
        case .update(let update as DefaultHistoryUpdate<Order>):
          lines.append("changed \(update.updatedPropertyNames)")
        case .delete(let delete as DefaultHistoryDelete<Order>):
          lines.append("deleted \(delete.tombstone[\.number] as? Int ?? 0)")
        default: break
        }
      }
    }
    return (lines, try transactions.last.map { try JSONEncoder().encode($0.token) } ?? saved)
  }

  private let folder: TemporaryFolder
  private var file: URL { folder.file("orders.store") }

  init() throws { folder = try TemporaryFolder() }

  @Test("An export continues from its token, in another container too")
  func tokens() throws {
    let context = ModelContext(try ModelContainer(for: Order.self, configurations: ModelConfiguration(url: file)))
    let order = Order(number: 1)
    context.insert(order)
    try context.save()
    let first = try export(after: nil, from: context)
    #expect(first.lines == ["new 1"])

    order.status = "paid"
    try context.save()
    context.delete(order)
    try context.save()
    let other = ModelContext(try ModelContainer(for: Order.self, configurations: ModelConfiguration(url: file)))
    let second = try export(after: first.token, from: other)
    #expect(second.lines == ["changed [\"status\"]", "deleted 1"])
    #expect(try export(after: second.token, from: other).lines.isEmpty)
  }

  @Test("The author tells the saves of an import apart")
  func author() throws {
    let context = ModelContext(try memoryContainer(Order.self))
    context.insert(Order(number: 1))
    try context.save()

    context.author = "import"
    context.insert(Order(number: 7))
    try context.save()
    let imports = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "import" })
    print(try context.fetchHistory(imports).count)

    #expect(try context.fetchHistory(imports).count == 1)
  }

  @Test("A retention is an option of the configuration, and a token whose successors are gone has expired")
  func retention() throws {
    var configuration = ModelConfiguration(url: file)
    configuration.historyRetention = .seconds(30 * 86_400)
    let container = try ModelContainer(for: Order.self, configurations: configuration)

    let context = ModelContext(container)
    context.insert(Order(number: 1))
    try context.save()
    let token = try export(after: nil, from: context).token
    context.insert(Order(number: 2))
    try context.save()
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(throws: SwiftDataError.historyTokenExpired) { try export(after: token, from: context) }

    do {
      _ = try export(after: token, from: context)
    } catch SwiftDataError.historyTokenExpired {
      for order in try context.fetch(FetchDescriptor<Order>()) { print(order.number) }
    }
  }
}
