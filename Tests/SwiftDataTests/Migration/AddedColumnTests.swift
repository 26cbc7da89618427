import Foundation
import SwiftData
import SwiftDataRecovery
import Synchronization
import Testing

private enum Before {
  @Model final class Card {
    var text: String
    var deck: Deck?
    init(text: String) { self.text = text }
  }

  @Model final class Deck {
    var name: String
    @Relationship(inverse: \Card.deck) var cards: [Card] = []
    init(name: String) { self.name = name }
  }
}

/// The models with properties behind those that were there.
private enum After {
  enum Size: String, Codable { case small, large }
  struct Place: Codable, Equatable { var x = 1 }

  @Model final class Card {
    #Index<Card>([\.count])
    var text: String
    var deck: Deck?
    var count = 3
    var note = "it's cafe\u{301}"
    var ratio = -0.75
    var year = 2026.0
    var date = Date(timeIntervalSinceReferenceDate: 86_400)
    var size = Size.large
    var isNew: Bool? = true
    var bytes = Data([0, 0x27, 0xFF])
    var place = Place()
    var extra: String?
    var owner: Deck?
    init(text: String) { self.text = text }
  }

  @Model final class Deck {
    var name: String
    @Relationship(inverse: \Card.deck) var cards: [Card] = []
    init(name: String) { self.name = name }
  }
}

/// Properties whose rows must be copied.
private enum EachRow {
  @Model final class Card {
    var text: String
    var deck: Deck?
    var id = UUID()
    init(text: String) { self.text = text }
  }

  @Model final class Deck {
    var name: String
    @Relationship(inverse: \Card.deck) var cards: [Card] = []
    init(name: String) { self.name = name }
  }
}

private enum InFront {
  @Model final class Card {
    var count = 3
    var text: String
    var deck: Deck?
    init(text: String) { self.text = text }
  }

  @Model final class Deck {
    var name: String
    @Relationship(inverse: \Card.deck) var cards: [Card] = []
    init(name: String) { self.name = name }
  }
}

private enum Rounded {
  @Model final class Card {
    var text: String
    var deck: Deck?
    var ratio = 0.1
    init(text: String) { self.text = text }
  }

  @Model final class Deck {
    var name: String
    @Relationship(inverse: \Card.deck) var cards: [Card] = []
    init(name: String) { self.name = name }
  }
}

@Suite("Properties that are new in a later version") struct AddedColumnTests {
  private let store: TemporaryStore
  private static let count = 300

  init() throws {
    store = try TemporaryStore()
    let context = ModelContext(try store.container(Before.Deck.self))
    let deck = Before.Deck(name: "d")
    context.insert(deck)
    for number in 0..<Self.count {
      let card = Before.Card(text: "card \(number)")
      context.insert(card)
      card.deck = deck
    }
    try context.save()
  }

  /// A context of a later version, and the number of rows that opening it copied.
  private func opened(_ type: any PersistentModel.Type) throws -> (context: ModelContext, copied: Int) {
    let copied = Mutex(0)
    let container = try store.container(type) {
      $0.migrationProgress = { progress in copied.withLock { $0 = max($0, progress.completedRows) } }
    }
    return (ModelContext(container), copied.withLock { $0 })
  }

  /// - Parameter deck: nil if it may be lost.
  private func expectDefaults(_ cards: [After.Card], in deck: String? = "d") {
    for card in cards {
      #expect(card.count == 3 && card.note == "it's café" && card.ratio == -0.75 && card.year == 2026)
      #expect(card.date == Date(timeIntervalSinceReferenceDate: 86_400) && card.size == .large && card.isNew == true)
      #expect(card.bytes == Data([0, 0x27, 0xFF]) && card.place == After.Place() && card.extra == nil)
      #expect(card.owner == nil && (deck == nil || card.deck?.name == deck))
    }
  }

  @Test("Properties with constant defaults behind the others copy no row")
  func constant() throws {
    let rows = "SELECT rootpage FROM sqlite_master WHERE name = 'Card'"
    let page = try store.shell(rows)
    let (context, copied) = try opened(After.Deck.self)
    #expect(copied == 0)
    #expect(try store.shell(rows) == page)
    let cards = try context.fetch(
      FetchDescriptor<After.Card>(predicate: #Predicate { $0.count == 3 && $0.deck != nil }))
    #expect(cards.count == Self.count)
    expectDefaults(cards)
    #expect(
      try context.fetchCount(FetchDescriptor<After.Card>(predicate: #Predicate { $0.note == "it's café" }))
        == Self.count)
    // A saved object has the same cells.
    let new = After.Card(text: "new")
    context.insert(new)
    try context.save()
    let columns = try store.shell(
      "SELECT group_concat(name) FROM pragma_table_info('Card') WHERE name NOT IN ('_pk', 'text', 'deck', 'deck#position')"
    )
    let cells = columns.split(separator: ",").map { "quote(\($0)), typeof(\($0))" }.joined(separator: ", ")
    let kinds = try store.shell("SELECT DISTINCT \(cells) FROM Card")
    #expect(kinds.split(separator: "\n").count == 1, "\(kinds)")
    #expect(try store.shell("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
    // The present rows take new values like others.
    cards[7].count = 8
    cards[7].owner = cards[7].deck
    try context.save()
    let other = ModelContext(try store.container(After.Deck.self))
    #expect(
      try other.fetchCount(FetchDescriptor<After.Card>(predicate: #Predicate { $0.count == 8 && $0.owner != nil })) == 1
    )
  }

  @Test("The former version takes the properties away again")
  func backward() throws {
    _ = try opened(After.Deck.self)
    let former = try opened(Before.Deck.self)
    #expect(try former.context.fetch(FetchDescriptor<Before.Deck>())[0].cards.count == Self.count)
    #expect(former.copied == Self.count)
    expectDefaults(try opened(After.Deck.self).context.fetch(FetchDescriptor<After.Card>()))
  }

  @Test("Other new properties copy the rows: one value for each, in front of others, a number that SQL rounds")
  func copied() throws {
    let each = try opened(EachRow.Deck.self)
    #expect(each.copied == Self.count)
    #expect(Set(try each.context.fetch(FetchDescriptor<EachRow.Card>()).map(\.id)).count == Self.count)
    let front = try opened(InFront.Deck.self)
    #expect(front.copied == Self.count)
    #expect(try front.context.fetch(FetchDescriptor<InFront.Card>()).allSatisfy { $0.count == 3 })
    _ = try opened(Before.Deck.self)
    let rounded = try opened(Rounded.Deck.self)
    #expect(rounded.copied == Self.count)
    #expect(try rounded.context.fetch(FetchDescriptor<Rounded.Card>()).allSatisfy { $0.ratio == 0.1 })
  }

  @Test(
    "A recovery gives rows the defaults of added properties, also without the description of the tables",
    arguments: [false, true])
  func recovery(isSchemaLost: Bool) throws {
    do { _ = try opened(After.Deck.self) }
    _ = try store.shell("PRAGMA wal_checkpoint(TRUNCATE)")
    if isSchemaLost {
      var data = try Data(contentsOf: store.url)
      data.replaceSubrange(100..<4096, with: Data(count: 3996))
      try data.write(to: store.url)
    }
    let new = store.folder.appendingPathComponent("new.store")
    let schema = Schema([After.Deck.self])
    let report = try ModelContainer.recover(from: store.url, to: new, for: schema)
    let context = ModelContext(
      try ModelContainer(for: schema, configurations: ModelConfiguration(schema: schema, url: new)))
    let cards = try context.fetch(FetchDescriptor<After.Card>())
    #expect(cards.count == Self.count, "\(report)")
    expectDefaults(cards, in: isSchemaLost ? nil : "d")
  }
}
