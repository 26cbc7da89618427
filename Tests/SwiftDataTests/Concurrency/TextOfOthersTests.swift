import Foundation
import SwiftData
import Testing

private enum Shared {
  @Model final class Cafe {
    var name: String
    var visits = 0
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
  func summed() throws { #expect(try context.fetch(Self.cafes, .count) == 1) }

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
}
