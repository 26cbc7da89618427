import Foundation
import SwiftData
import Testing

@Suite("Article: Search")
struct Search {
  @Model
  final class Recipe {
    @Attribute(.spotlight) var title: String
    @Attribute(.spotlight) var steps: String
    var minutes: Int

    init(_ title: String, minutes: Int, steps: String) {
      self.title = title
      self.minutes = minutes
      self.steps = steps
    }
  }

  private let context: ModelContext

  init() throws {
    context = ModelContext(try memoryContainer(Recipe.self))
    context.insert(Recipe("Lemon cake", minutes: 60, steps: "Beat butter and sugar, add flour and lemon zest."))
    context.insert(Recipe("Lemonade", minutes: 5, steps: "Stir the juice of six lemons into cold water."))
    context.insert(Recipe("Potato soup", minutes: 30, steps: "Boil potatoes. Add a little lemon juice."))
    try context.save()
  }

  @Test("Words, phrases and prefixes are found, with snippets")
  func words() throws {
    for hit in try context.search(Recipe.self, matching: "lemon zest", limit: 20) {
      print(hit.model.title, hit.score)
      for snippet in hit.snippets { print(snippet.property, snippet.description) }
    }

    func titles(_ text: String) throws -> Set<String> {
      Set(try context.search(Recipe.self, matching: text).map(\.model.title))
    }
    #expect(try titles("zest lemon") == ["Lemon cake"])
    #expect(try titles("\"lemon zest\"") == ["Lemon cake"])
    #expect(try titles("\"lemon ju\"*") == ["Potato soup"])
    #expect(try titles("lem*") == ["Lemon cake", "Lemonade", "Potato soup"])
    #expect(try titles("...").isEmpty)
  }

  @Test("Hits have the order, the predicate and the limit of a descriptor")
  func sorted() throws {
    var quick = FetchDescriptor<Recipe>(
      predicate: #Predicate { $0.minutes <= 30 }, sortBy: [SortDescriptor(\.title)])
    quick.fetchLimit = 20
    let page = try context.fetch(quick, matching: "lemon")
    let count = try context.fetchCount(quick, matching: "lemon")

    #expect(page.map(\.title) == ["Potato soup"] && count == 1)
    #expect(try context.fetch(quick, matching: "lem*").map(\.title) == ["Lemonade", "Potato soup"])
  }
}
