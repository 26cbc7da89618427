import Foundation
import SwiftData
import Testing

private enum TextModels {
  @Model final class Note {
    var place: Int
    var text: String
    var other: String?
    @Attribute(.unique) var code: String
    var parts: [String]
    init(_ place: Int, _ text: String, other: String? = nil, code: String? = nil) {
      self.place = place
      self.text = text
      self.other = other
      self.code = code ?? "\(place)"
      self.parts = [text]
    }
  }
}
private typealias Note = TextModels.Note

/// Texts that a database may take for others than Swift does.
private let odd = [
  "", "a", "A", "b", "é", "e\u{301}", "e", "\u{0}", "\u{1}", "\u{2}", "\u{1}\u{1}", "\u{0}\u{2}", "a\u{0}b", "a\u{1}b",
  "\r\n", "\n", "\r", "a\r\nb", "🇩🇪🇫🇷", "🇪🇫", "🇩🇪", "👨‍👩‍👧", "👨", "👍", "👍🏽", "한글", "\u{1112}\u{1161}\u{11AB}글", "각", "가",
  "Å", "\u{212B}", "K", "\u{212A}", ";", "\u{37E}", "ﬁ", "fi", "ß", "ss", "hello 😀 world", "hello", "нет", "日本語", "日本",
  "%", "_", "\\", "'", "\"", "?", "$1", "a?b", "\u{FFFF}", "\u{10FFFF}", "\u{E000}", "z", "ä", "a\u{308}\u{323}",
  "a\u{323}\u{308}",
]

@Suite("Text in PostgreSQL", .enabled(if: PostgresServer.isThere, PostgresServer.reason)) struct PostgresTextTests {
  private func filled() throws -> (TestStore, ModelContainer) {
    let store = TestStore()
    let container = try store.open(Note.self)
    let context = ModelContext(container)
    for (place, text) in odd.enumerated() { context.insert(Note(place, text, other: place % 3 == 0 ? nil : text)) }
    try context.save()
    return (store, container)
  }

  @Test("comes back scalar by scalar")
  func comesBack() throws {
    let (store, container) = try filled()
    let notes = try ModelContext(container).fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.place)]))
    #expect(notes.count == odd.count)
    for (note, text) in zip(notes, odd) {
      #expect(note.text.unicodeScalars.elementsEqual(text.unicodeScalars))
      #expect(note.parts == [text])
      #expect(note.parts[0].unicodeScalars.elementsEqual(text.unicodeScalars))
    }
    withExtendedLifetime(store) {}
  }

  @Test("is copied by an update scalar by scalar")
  func copied() throws {
    let (store, container) = try filled()
    let context = ModelContext(container)
    let text = #Expression<Note, String> { $0.text }
    #expect(try context.update(model: Note.self, set: .assign(\.other, text)) == odd.count)
    try context.save()
    let notes = try ModelContext(container).fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.place)]))
    for (note, text) in zip(notes, odd) {
      #expect(note.other?.unicodeScalars.elementsEqual(text.unicodeScalars) == true, "\(note.place)")
    }
    withExtendedLifetime(store) {}
  }

  @Test("is copied scalar by scalar by an update that also replaces the original")
  func replaced() throws {
    let (store, container) = try filled()
    let context = ModelContext(container)
    let text = #Expression<Note, String> { $0.text }
    let count = try context.update(
      model: Note.self, set: .assign(\.other, text), .assign(\.text, "new"), .assign(\.parts, ["new"]))
    #expect(count == odd.count)
    try context.save()
    let notes = try ModelContext(container).fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.place)]))
    #expect(notes.allSatisfy { $0.text == "new" && $0.parts == ["new"] })
    for (note, text) in zip(notes, odd) {
      #expect(note.other?.unicodeScalars.elementsEqual(text.unicodeScalars) == true, "\(note.place)")
    }
    withExtendedLifetime(store) {}
  }

  @Test("is compared, searched and sorted as Swift does")
  func compared() throws {
    let (store, container) = try filled()
    let all = try ModelContext(container).fetch(FetchDescriptor<Note>())
    for text in odd {
      let predicates: [Predicate<Note>] = [
        #Predicate { $0.text == text }, #Predicate { $0.text != text }, #Predicate { $0.text < text },
        #Predicate { $0.text >= text }, #Predicate { $0.text.contains(text) },
        #Predicate { $0.text.starts(with: text) },
        #Predicate { $0.other == text }, #Predicate { $0.other != text }, #Predicate { !$0.text.contains(text) },
      ]
      for (number, predicate) in predicates.enumerated() {
        let expected = try all.filter { try predicate.evaluate($0) }.map(\.place).sorted()
        let found = try ModelContext(container).fetch(
          FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.place)]))
        #expect(found.map(\.place) == expected, "predicate \(number) of \(text.debugDescription)")
      }
    }
    let lists = [["a", "é", "\u{0}", "\u{1}", "z", "日本"], ["e\u{301}"], []]
    for list in lists {
      let expected = all.filter { list.contains($0.text) }.map(\.place).sorted()
      let found = try ModelContext(container).fetch(
        FetchDescriptor<Note>(predicate: #Predicate { list.contains($0.text) }, sortBy: [SortDescriptor(\.place)]))
      #expect(found.map(\.place) == expected)
    }
    for order in [SortOrder.forward, .reverse] {
      let sort = [
        SortDescriptor(\Note.other, order: order), SortDescriptor(\.text, order: order), SortDescriptor(\.place),
      ]
      let found = try ModelContext(container).fetch(FetchDescriptor<Note>(sortBy: sort))
      #expect(found.map(\.place) == all.sorted(using: sort).map(\.place))
    }
    withExtendedLifetime(store) {}
  }

  @Test("that is canonically equivalent is one unique value")
  func unique() throws {
    let store = TestStore()
    let container = try store.open(Note.self)
    let context = ModelContext(container)
    context.insert(Note(1, "first", code: "é"))
    try context.save()
    context.insert(Note(2, "second", code: "e\u{301}"))
    try context.save()
    let notes = try ModelContext(container).fetch(FetchDescriptor<Note>())
    #expect(notes.map(\.text) == ["second"])
    #expect(notes[0].code.unicodeScalars.elementsEqual("e\u{301}".unicodeScalars))
  }

  @Test("that was odd and is plain now has nothing left beside it")
  func becomesPlain() throws {
    let store = TestStore()
    let container = try store.open(Note.self)
    let context = ModelContext(container)
    let note = Note(1, "e\u{301}", other: "a\u{0}")
    context.insert(note)
    try context.save()
    note.text = "plain"
    try context.save()
    let again = try #require(try ModelContext(container).fetch(FetchDescriptor<Note>()).first)
    #expect(again.text == "plain")
    #expect(again.other == "a\u{0}")
    note.other = nil
    note.parts = []
    try context.save()
    #expect(try store.sql("SELECT 1 FROM \"Note\" WHERE _given IS NOT NULL").count == 0)
  }
}
