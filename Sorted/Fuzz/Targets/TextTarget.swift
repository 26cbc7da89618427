import Foundation
import SwiftData

@Model final class FuzzItem {
  @Attribute(.spotlight) var title: String
  var number: Int?
  var tags: [String]
  var owner: FuzzItem?
  @Relationship(inverse: \FuzzItem.owner) var items: [FuzzItem] = []

  init(_ title: String, _ number: Int?) {
    self.title = title
    self.number = number
    tags = [title]
  }
}

/// A user's search text. It is stored, queried with every string method and compared with Swift, and searched by words.
enum TextTarget {
  private static let container: ModelContainer? = try? ModelContainer(
    for: FuzzItem.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))

  static func run(_ bytes: Data) throws {
    guard let container else { broken("no store") }
    let context = ModelContext(container)
    try context.delete(model: FuzzItem.self)
    let text = String(decoding: bytes, as: UTF8.self)
    // Split by scalars, because in the middle of a character strings and bytes differ most.
    let half = String(String.UnicodeScalarView(text.unicodeScalars.prefix(text.unicodeScalars.count / 2)))
    for title in [text, half, "x" + text, text + text, text.lowercased(), "", "plain words"] {
      context.insert(FuzzItem(title, title.count))
    }
    try context.save()
    try ask(text, half, ModelContext(container))
  }

  private static func ask(_ text: String, _ half: String, _ context: ModelContext) throws {
    let all = try context.fetch(FetchDescriptor<FuzzItem>())
    if all[0].title.unicodeScalars.elementsEqual(text.unicodeScalars) == false {
      broken("a text is not what was saved")
    }
    let predicates: [Predicate<FuzzItem>] = [
      #Predicate { $0.title == text }, #Predicate { $0.title.contains(text) }, #Predicate { $0.title.contains(half) },
      #Predicate { $0.title.hasPrefix(half) },
      #Predicate { $0.title.hasSuffix(half) }, #Predicate { $0.title.localizedStandardContains(half) },
      #Predicate { $0.tags.contains(text) }, #Predicate { $0.title.lowercased() == half },
      #Predicate { $0.title < text },
      #Predicate { $0.title.caseInsensitiveCompare(text) == .orderedSame },
    ]
    for (index, predicate) in predicates.enumerated() {
      let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.title)
      let expected = all.filter { (try? predicate.evaluate($0)) == true }.map(\.title)
      if found != expected { broken("question \(index) finds \(found), not \(expected)") }
    }
    _ = try context.search(FuzzItem.self, matching: text)
  }
}
