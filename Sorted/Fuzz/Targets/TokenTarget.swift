import Foundation
import SwiftData

/// Identifiers and tokens come back from preferences, messages and other untrusted places.
enum TokenTarget {
  private static let container: ModelContainer? = try? ModelContainer(
    for: FuzzItem.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))

  static func run(_ bytes: Data) throws {
    guard let container else { broken("no store") }
    let context = ModelContext(container)
    if try context.fetchCount(FetchDescriptor<FuzzItem>()) == 0 {
      context.insert(FuzzItem("a", 1))
      try context.save()
    }
    var refusal: (any Error)?
    do {
      try use(try JSONDecoder().decode(PersistentIdentifier.self, from: bytes), in: context)
    } catch { refusal = error }
    do {
      try use(try JSONDecoder().decode(DefaultHistoryToken.self, from: bytes), in: context)
    } catch { refusal = error }
    if let refusal { throw refusal }
  }

  private static func use(_ identifier: PersistentIdentifier, in context: ModelContext) throws {
    let again = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(identifier))
    if again != identifier || again < identifier { broken("\(identifier) is another one when it is decoded") }
    let registered: FuzzItem? = context.registeredModel(for: identifier)
    _ = registered?.title
    let model = context.model(for: identifier)
    if let item = model as? FuzzItem { _ = (item.title, item.owner?.title, item.items.count) }
    _ = try context.fetch(FetchDescriptor<FuzzItem>(predicate: #Predicate { $0.persistentModelID == identifier }))
  }

  private static func use(_ token: DefaultHistoryToken, in context: ModelContext) throws {
    _ = token < token
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    descriptor.predicate = #Predicate { $0.token > token }
    let transactions = try context.fetchHistory(descriptor)
    for transaction in transactions { _ = transaction.changes.count }
  }
}
