import Foundation
import SwiftData
import Testing

/// Texts that byte-wise comparison, LIKE, C strings and SQL quoting get wrong.
let nastyTexts = [
  "", "a", "A", "ab", "abc", "b", "e\u{301}", "\u{E9}", "e", "\u{212A}", "K", "k", "it's", "\"", "100%", "a_b", "a\0b",
  "\0", "\u{1F469}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{1F600}", "\u{FF5E}", "\r\n", "\n", "a\r", "a\r\nb",
  "\u{1E9B}\u{323}",
  "\u{AC00}", "\u{1100}\u{1161}", "caf\u{E9}", "cafe\u{301}", "cafe", "z", "\u{FB01}n", "null", "nan", "[]", "\\",
  "\u{301}",
]

/// A context that holds `objects`, saved.
func context(saving objects: [any PersistentModel]) throws -> ModelContext {
  let context = try memoryContext(Specimen.self, Drawer.self, StrongBox.self, Cabinet.self, Sticker.self)
  for object in objects { context.insert(object) }
  try context.save()
  return context
}

/// Expects a fetch to find what `evaluate` finds; an object for which that throws is no match.
func expectAgreement(
  _ predicate: Predicate<Specimen>,
  in context: ModelContext,
  _ note: String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let all = try context.fetch(FetchDescriptor<Specimen>())
  let expected = all.filter { (try? predicate.evaluate($0)) ?? false }.map(\.serial).sorted()
  let found = try context.fetch(FetchDescriptor<Specimen>(predicate: predicate)).map(\.serial).sorted()
  #expect(found == expected, "\(note) \(predicate)", sourceLocation: sourceLocation)
}
