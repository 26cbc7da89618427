// Full-text search: attributes with `.spotlight` have an index, in SQLite and in PostgreSQL.
import Foundation
import SwiftData

@Model
final class Recipe {
  @Attribute(.spotlight) var title: String
  @Attribute(.spotlight) var steps: String
  init(_ title: String, _ steps: String) {
    self.title = title
    self.steps = steps
  }
}

let container = try ModelContainer(for: Recipe.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
let context = ModelContext(container)
context.insert(contentsOf: [
  Recipe("Lemon cake", "Beat butter and sugar, add eggs, flour and lemon zest. Bake for forty minutes."),
  Recipe("Lemonade", "Stir the juice of six lemons into cold water with sugar."),
  Recipe("Potato soup", "Boil potatoes with leeks. Add a little lemon juice before serving."),
])
try context.save()

// All words in any order, "exact phrases" and prefix*. Better hits come first.
for query in ["lemon", "\"lemon zest\"", "sugar lem*"] {
  print(query)
  for hit in try context.search(Recipe.self, matching: query) {
    print("  \(hit.model.title): \(hit.snippets.map(\.description).joined(separator: " / "))")
  }
}
