import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

private typealias Shop = UpsertModels.Shop
private typealias Offer = UpsertModels.Offer
private typealias Owner = UpsertModels.Owner
private typealias Street = UpsertModels.Street

@Suite("After an upsert of an object that the context has, both objects are one") struct UpsertAliasTests {
  @Test("A change of either one changes both, is saved, and can be rolled back", arguments: [false, true])
  func attributes(isInMemory: Bool) throws {
    let joined = try UpsertedShops(isInMemory: isInMemory)
    let (context, known, new) = (joined.context, joined.known, joined.new)
    #expect(known.rank == 10 && new.rank == 10)
    #expect(new.persistentModelID == known.persistentModelID && new.modelContext == context)
    new.rank += 1
    #expect(known.rank == 11 && new.rank == 11)
    #expect(
      known.hasChanges && new.hasChanges && context.changedModelsArray.map(ObjectIdentifier.init) == [.init(known)])
    known.rank += 1
    #expect(new.rank == 12)
    new.rank *= 2
    try context.save()
    #expect(known.rank == 24 && !new.hasChanges)
    #expect(try joined.stored(Shop.self).map(\.rank).sorted() == [2, 24])
    new.rank = 7
    context.rollback()
    #expect(known.rank == 24 && new.rank == 24 && !context.hasChanges)
    let other = ModelContext(joined.container)
    try other.fetch(FetchDescriptor<Shop>(predicate: #Predicate { $0.name == "a" }))[0].rank = 30
    try other.save()
    context.state.takeInSaves()
    #expect(known.rank == 30 && new.rank == 30)
    try joined.check()
  }

  @Test("A fetch returns one object, whichever has the unsaved change", arguments: [false, true])
  func fetches(changesNew: Bool) throws {
    let joined = try UpsertedShops()
    let (context, known, new) = (joined.context, joined.known, joined.new)
    let results = try ResultsObserver<Shop, Never>(sortBy: [SortDescriptor(\.name)], modelContext: context)
    for _ in 0..<2 {
      (changesNew ? new : known).rank = 5
      let all = try context.fetch(FetchDescriptor<Shop>(sortBy: [SortDescriptor(\.name)]))
      #expect(all.map(\.rank) == [5, 2] && all[0] === known)
      let five = FetchDescriptor<Shop>(predicate: #Predicate { $0.rank == 5 })
      #expect(try context.fetch(five) == [known])
      #expect(try context.fetchCount(five) == 1)
      #expect(try context.fetchIdentifiers(five) == [known.persistentModelID])
      #expect(context.model(for: new.persistentModelID) === known)
      #expect(results.results.map(\.rank) == [5, 2] && results.results[0] === known)
      try context.save()
    }
    let later = try context.fetch(FetchDescriptor<Shop>(sortBy: [SortDescriptor(\.name)]), after: new)
    #expect(later.map(\.name) == ["b"])
  }

  @Test("A result that showed the inserted object shows the context's object after the save")
  func liveResults() throws {
    var observer: ResultsObserver<Shop, Never>?
    let joined = try UpsertedShops { known, _ in
      observer = known.modelContext.flatMap {
        try? ResultsObserver<Shop, Never>(sortBy: [SortDescriptor(\.rank)], modelContext: $0)
      }
      #expect(observer?.results.map(\.rank) == [1, 2, 10])
    }
    #expect(observer?.results.map(\.rank) == [2, 10])
    #expect(observer?.results[1] === joined.known)
    joined.new.rank = 0
    #expect(observer?.results.map(\.rank) == [0, 2])
    #expect(observer?.results[0] === joined.known)
  }

  @Test("Lists and to-ones of either one are those of both", arguments: [false, true])
  func relationships(isInMemory: Bool) throws {
    let joined = try UpsertedShops(isInMemory: isInMemory) { known, new in
      known.owner = Owner("first")
      new.offers = [Offer("1", new)]
    }
    let (context, known, new) = (joined.context, joined.known, joined.new)
    #expect(known.owner?.name == "first" && new.owner === known.owner)
    #expect(known.offers.map(\.title) == ["1"] && new.offers == known.offers)
    #expect(known.offers[0].shop === known)
    let second = Offer("2", new)
    context.insert(second)
    #expect(second.shop === known && known.offers.map(\.title) == ["1", "2"])
    new.offers.append(Offer("3", known))
    #expect(known.offers.map(\.title) == ["1", "2", "3"] && known.offers[2].shop === known)
    new.offers.swapAt(0, 2)
    let owner = Owner("second")
    new.owner = owner
    #expect(owner.shop === known && known.owner === owner)
    new.partner = new
    #expect(known.partner === known && new.partner === known)
    try joined.check()
    try context.save()
    #expect(known.offers.map(\.title) == ["3", "2", "1"] && new.offers == known.offers)
    let stored = try #require(try joined.stored(Shop.self).first { $0.name == "a" })
    #expect(stored.offers.map(\.title) == ["3", "2", "1"] && stored.owner?.name == "second")
    #expect(stored.partner === stored)
    new.owner = nil
    #expect(known.owner == nil && owner.shop == nil)
    new.offers.removeAll { $0.title == "2" }
    #expect(known.offers.map(\.title) == ["3", "1"])
    context.rollback()
    #expect(new.owner === owner && owner.shop === known && new.offers.count == 3)
    try joined.check()
  }

  @Test("What is related to the inserted object is related to the context's object", arguments: [false, true])
  func targets(isInMemory: Bool) throws {
    let joined = try UpsertedShops(isInMemory: isInMemory)
    let (context, known, new) = (joined.context, joined.known, joined.new)
    let other = try #require(try context.fetch(FetchDescriptor<Shop>(predicate: #Predicate { $0.name == "b" })).first)
    let streets = [Street(), Street([new, other, known], main: new), Street()]
    for street in streets { context.insert(street) }
    streets[0].main = new
    streets[0].shops = [other, new]
    streets[2].shops.append(known)
    streets[2].shops.append(new)
    // A new object that is inserted later.
    let late = Street()
    late.main = new
    late.shops = [known]
    late.shops = [new]
    context.insert(late)
    #expect(
      streets[0].main === known
        && streets[0].shops.map(ObjectIdentifier.init) == [other, known].map(ObjectIdentifier.init))
    #expect(
      streets[1].main === known
        && streets[1].shops.map(ObjectIdentifier.init) == [known, other].map(ObjectIdentifier.init))
    #expect(streets[2].shops.count == 1 && streets[2].shops[0] === known)
    #expect(late.main === known && late.shops.count == 1 && late.shops[0] === known)
    try joined.check()
    let id = new.persistentModelID
    func count() throws -> Int {
      #expect(
        try context.fetchCount(FetchDescriptor<Street>(predicate: #Predicate { $0.main?.persistentModelID == id })) == 3
      )
      return try context.fetchCount(FetchDescriptor<Street>(predicate: #Predicate { $0.main == new }))
    }
    #expect(try count() == 3)
    try context.save()
    #expect(try count() == 3)
    let lists = try joined.stored(Street.self).map { $0.shops.map(\.name) }
    // The second street was inserted first, because its initializer related it to a shop of the context.
    #expect(lists == [["a", "b"], ["b", "a"], ["a"], ["a"]])
    streets[0].main = other
    streets[0].main = new
    #expect(streets[0].main === known)
  }

  @Test(
    "Deleting either one deletes the row with what belongs to it, and inserting either one takes it back",
    arguments: [false, true])
  func deletion(deletesNew: Bool) throws {
    let joined = try UpsertedShops { _, new in new.offers = [Offer("1", new)] }
    let (context, known, new) = (joined.context, joined.known, joined.new)
    let offer = try #require(known.offers.first)
    context.delete(deletesNew ? new : known)
    #expect(known.isDeleted && new.isDeleted && offer.isDeleted)
    #expect(try context.fetch(FetchDescriptor<Shop>()).map(\.name) == ["b"])
    context.insert(deletesNew ? new : known)
    #expect(!known.isDeleted && !new.isDeleted && !offer.isDeleted)
    #expect(try context.fetchCount(FetchDescriptor<Shop>()) == 2)
    context.delete(deletesNew ? new : known)
    try context.save()
    #expect(try joined.stored(Shop.self).map(\.name) == ["b"] && joined.stored(Offer.self).isEmpty)
    #expect(known.modelContext == nil && new.modelContext == nil && !new.isDeleted)
    #expect(new.rank == 10 && new.persistentModelID == known.persistentModelID)
    context.insert(deletesNew ? known : new)
    #expect(new.hasChanges && context.insertedModelsArray.count == 2)
    try context.save()
    #expect(try joined.stored(Shop.self).map(\.name) == ["b", "a"])
    new.rank = 3
    try context.save()
    #expect(try joined.stored(Shop.self).map(\.rank) == [2, 3])
    try joined.check()
  }

  @Test("Undo and redo of a change of either one change both")
  func undo() throws {
    let joined = try UpsertedShops()
    let (context, known, new) = (joined.context, joined.known, joined.new)
    let (street, undo) = (Street(), UndoManager())
    context.insert(street)
    try context.save()
    undo.groupsByEvent = false
    context.undoManager = undo
    undo.beginUndoGrouping()
    new.rank = 20
    street.main = new
    new.offers = [Offer("1", known)]
    undo.endUndoGrouping()
    for _ in 0..<2 {
      undo.undo()
      #expect(known.rank == 10 && new.rank == 10 && street.main == nil && new.offers.isEmpty)
      undo.redo()
      #expect(known.rank == 20 && new.rank == 20 && street.main === known && new.offers.map(\.title) == ["1"])
      try joined.check()
    }
    undo.beginUndoGrouping()
    context.delete(new)
    undo.endUndoGrouping()
    undo.undo()
    #expect(!known.isDeleted && new.offers.map(\.title) == ["1"])
    try context.save()
    #expect(try joined.stored(Shop.self).map(\.rank).sorted() == [2, 20])
  }

  @Test("An undo from before the save that gives back the inserted object gives back the context's object")
  func undoFromBefore() throws {
    let undo = UndoManager()
    undo.groupsByEvent = false
    let street = Street()
    let joined = try UpsertedShops { known, new in
      let context = known.modelContext
      context?.insert(street)
      street.main = new
      street.shops = [new]
      context?.undoManager = undo
      undo.beginUndoGrouping()
      new.rank = 50
      (street.main, street.shops) = (nil, [])
      undo.endUndoGrouping()
    }
    undo.undo()
    #expect(street.main === joined.known && street.shops.count == 1 && street.shops[0] === joined.known)
    #expect(joined.known.rank == 10)
    try joined.check()
    try joined.context.save()
    #expect(try joined.stored(Street.self).map(\.main?.rank) == [10])
  }

  @Test("Observers of either one hear of a change of either one, also those from before the save")
  func observation() throws {
    let heard = Mutex<[String]>([])
    func observe(_ name: String, _ read: () -> Void) {
      withObservationTracking(read) { heard.withLock { $0.append(name) } }
    }
    func take() -> [String] {
      heard.withLock { names in
        defer { names = [] }
        return names.sorted()
      }
    }
    let joined = try UpsertedShops { known, new in
      observe("known") { _ = known.rank }
      observe("new") { _ = new.rank }
    }
    let (known, new) = (joined.known, joined.new)
    #expect(take() == ["known", "new"])
    for object in [known, new] {
      observe("known") { _ = known.rank }
      observe("new") { _ = new.rank }
      observe("list") { _ = new.offers }
      object.rank += 1
      #expect(take() == ["known", "new"])
      object.offers.append(Offer("o", object))
      #expect(take() == ["list"])
    }
  }

  @Test("A property's own observer runs once, and values that are not stored are kept")
  func propertyObservers() throws {
    let joined = try UpsertedShops { _, new in new.draft = "draft" }
    let (known, new) = (joined.known, joined.new)
    #expect(known.draft == "draft" && new.draft == "draft")
    new.size = 3
    #expect(known.size == 3)
    #expect(new.changes == 1 && known.changes == 0)
  }

  @Test("Several upserts of one row leave one object")
  func several() throws {
    let joined = try UpsertedShops()
    let (context, known) = (joined.context, joined.known)
    var all = [known, joined.new]
    for rank in 20..<23 {
      let more = [
        Shop("a", rank: rank), Shop("a", rank: rank + 100), Shop("c", rank: rank), Shop("c", rank: rank + 100),
      ]
      for shop in more { context.insert(shop) }
      try context.save()
      all += more[..<2]
      for (index, shop) in all.enumerated() { shop.size = index }
      #expect(all.allSatisfy { $0.size == all.count - 1 && $0.rank == rank + 100 })
      #expect(context.changedModelsArray.count == 1)
      more[2].rank = 0
      #expect(more[3].rank == 0)
      try joined.check()
    }
    #expect(try context.fetchCount(FetchDescriptor<Shop>()) == 3)
    context.rollback()
    #expect(all.allSatisfy { $0.rank == 122 })
  }

  @Test("An alias moves to another context with the context's object, after their context is gone")
  func anotherContext() throws {
    let schema = Schema([Shop.self, Street.self])
    let container = try ModelContainer(
      for: schema, configurations: ModelConfiguration(schema: schema, isStoredInMemoryOnly: true))
    func make() throws -> (known: Shop, new: Shop) {
      let context = ModelContext(container)
      let (known, new) = (Shop("a", rank: 1), Shop("a", rank: 10))
      context.insert(known)
      try context.save()
      context.insert(new)
      try context.save()
      return (known, new)
    }
    let (known, new) = try make()
    #expect(new.modelContext == nil && new.rank == 10)
    let context = ModelContext(container)
    context.insert(new)
    new.rank = 11
    #expect(known.rank == 11 && known.modelContext == context && new.modelContext == context)
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Shop>()).map(\.rank) == [11])
  }

  @Test("An object whose context is gone becomes an alias of the object that the other context has")
  func adoption() throws {
    let container = try UpsertedShops().container
    func orphan() throws -> Shop {
      let context = ModelContext(container)
      return try context.fetch(FetchDescriptor<Shop>(predicate: #Predicate { $0.name == "a" }))[0]
    }
    let shop = try orphan()
    let context = ModelContext(container)
    let known = try context.fetch(FetchDescriptor<Shop>(predicate: #Predicate { $0.name == "a" }))[0]
    shop.rank = 40
    context.insert(shop)
    #expect(known.rank == 40 && shop.rank == 40)
    known.rank = 41
    #expect(shop.rank == 41)
    shop.rank = 42
    #expect(try context.fetch(FetchDescriptor<Shop>(predicate: #Predicate { $0.rank == 42 })).count == 1)
    let offer = Offer("1", shop)
    context.insert(offer)
    #expect(offer.shop === known && known.offers == [offer])
    #expect(ContextInvariants(of: context.state).violations() == [])
    context.delete(shop)
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Shop>()).map(\.name) == ["b"])
  }
}
