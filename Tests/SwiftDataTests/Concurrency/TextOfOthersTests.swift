import Foundation
import SwiftData
import Testing

private enum Shared {
  @Model final class Cafe {
    var name: String
    var visits = 0
    init(_ name: String) { self.name = name }
  }
  @Model final class Inn {
    @Attribute(.unique) var name: String
    init(_ name: String) { self.name = name }
  }
}

@Suite("The first text outside normal form C that another process stores")
struct TextOfOthersTests {
  private let store: TemporaryStore
  private let context: ModelContext

  /// A context that has fetched, and a row that another container stored afterwards.
  init() throws {
    store = try TemporaryStore()
    context = ModelContext(try store.container(Shared.Cafe.self))
    context.insert(Shared.Cafe("Tea"))
    try context.save()
    #expect(try context.fetch(Self.cafes).isEmpty)
    #expect(try context.fetchCount(Self.cafes) == 0)
    let other = ModelContext(try store.container(Shared.Cafe.self))
    other.insert(Shared.Cafe("Cafe\u{301}"))
    try other.save()
  }

  private static let cafes = FetchDescriptor<Shared.Cafe>(predicate: #Predicate { $0.name == "Caf\u{e9}" })

  @Test("is found by a fetch")
  func fetched() throws { #expect(try context.fetch(Self.cafes).count == 1) }

  @Test("is counted")
  func counted() throws { #expect(try context.fetchCount(Self.cafes) == 1) }

  @Test("is among the identifiers")
  func identified() throws { #expect(try context.fetchIdentifiers(Self.cafes).count == 1) }

  @Test("is in a sum")
  func summed() throws { #expect(try context.fetch(Self.cafes, computing: .count) == 1) }

  @Test("is found beside unsaved objects")
  func besideUnsaved() throws {
    context.insert(Shared.Cafe("Caf\u{e9}"))
    #expect(try context.fetch(Self.cafes).count == 2)
  }

  @Test("is deleted by a predicate, and no other row")
  func deleted() throws {
    try context.delete(model: Shared.Cafe.self, where: #Predicate { $0.name == "Caf\u{e9}" })
    try context.save()
    #expect(try store.shell("SELECT group_concat(name) FROM Cafe") == "Tea")
  }

  @Test("is changed by a batch update, and no other row")
  func updated() throws {
    try context.update(
      model: Shared.Cafe.self, where: #Predicate { $0.name == "Caf\u{e9}" }, set: .assign(\.visits, 7))
    #expect(try store.shell("SELECT visits FROM Cafe ORDER BY visits") == "0\n7")
  }

  @Test("is met by a save with the equal unique text, and later objects have keys of their own")
  func saved() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Shared.Inn.self))
    context.insert(Shared.Inn("Tea"))
    try context.save()
    let other = ModelContext(try store.container(Shared.Inn.self))
    other.insert(Shared.Inn("Cafe\u{301}"))
    try other.save()
    // The save finds out when it has written, rolls back and begins again.
    context.insert(Shared.Inn("Caf\u{e9}"))
    context.insert(Shared.Inn("Bar"))
    try context.save()
    for name in ["Inn", "Pub"] {
      context.insert(Shared.Inn(name))
      try context.save()
    }
    other.insert(Shared.Inn("Hut"))
    try other.save()
    let names = try ModelContext(context.container).fetch(FetchDescriptor<Shared.Inn>()).map(\.name)
    #expect(Set(names) == ["Tea", "Caf\u{e9}", "Bar", "Inn", "Pub", "Hut"])
    #expect(names.count == 6)
  }
}
