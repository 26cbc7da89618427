import Foundation
import SwiftData
import Testing

/// The models of the tests of upserts onto objects of the context.
enum UpsertModels {
  @Model final class Shop {
    @Attribute(.unique) var name: String
    var rank = 0
    @Attribute(.ephemeral) var draft = ""
    /// How often `size` changed.
    @Transient var changes = 0
    var size = 0 { didSet { changes += 1 } }
    @Relationship(deleteRule: .cascade, inverse: \Offer.shop) var offers: [Offer] = []
    @Relationship(inverse: \Owner.shop) var owner: Owner?
    /// Nothing leads back.
    var partner: Shop?
    init(_ name: String, rank: Int = 0) { (self.name, self.rank) = (name, rank) }
  }

  @Model final class Offer {
    var title: String
    var shop: Shop
    init(_ title: String, _ shop: Shop) { (self.title, self.shop) = (title, shop) }
  }

  @Model final class Owner {
    var name: String
    var shop: Shop?
    init(_ name: String) { self.name = name }
  }

  @Model final class Street {
    var shops: [Shop] = []
    var main: Shop?
    init(_ shops: [Shop] = [], main: Shop? = nil) { (self.shops, self.main) = (shops, main) }
  }
}

/// A context that has an object of a row, and another object that was inserted with the row's unique value and saved.
struct UpsertedShops {
  let store: TemporaryStore
  let container: ModelContainer
  let context: ModelContext
  let known: UpsertModels.Shop
  let new: UpsertModels.Shop

  init(isInMemory: Bool = true, before: (UpsertModels.Shop, UpsertModels.Shop) -> Void = { _, _ in }) throws {
    store = try TemporaryStore()
    let schema = Schema([UpsertModels.Shop.self, UpsertModels.Street.self])
    let configuration =
      isInMemory
      ? ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
      : ModelConfiguration(schema: schema, url: store.url)
    container = try ModelContainer(for: schema, configurations: configuration)
    context = ModelContext(container)
    known = UpsertModels.Shop("a", rank: 1)
    context.insert(known)
    context.insert(UpsertModels.Shop("b", rank: 2))
    try context.save()
    new = UpsertModels.Shop("a", rank: 10)
    context.insert(new)
    before(known, new)
    try context.save()
    try check()
  }

  func check() throws { #expect(ContextInvariants(of: context.state).violations() == []) }

  func stored<M: PersistentModel>(_ type: M.Type) throws -> [M] {
    try ModelContext(container).fetch(FetchDescriptor<M>())
  }
}
