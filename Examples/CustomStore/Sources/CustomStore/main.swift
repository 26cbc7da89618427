// A `DataStore` of our own: models live in a JSON file that people can read.
import Foundation
import SwiftData

@Model
final class Setting {
  @Attribute(.unique) var key: String
  var value: String
  init(key: String, value: String) {
    self.key = key
    self.value = value
  }
}

let url = FileManager.default.temporaryDirectory.appendingPathComponent("settings-\(UUID()).json")
defer { try? FileManager.default.removeItem(at: url) }
let configuration = JSONFileConfiguration(name: "settings", url: url)

let context = ModelContext(try ModelContainer(for: Setting.self, configurations: configuration))
context.insert(Setting(key: "theme", value: "dark"))
context.insert(Setting(key: "language", value: "en"))
try context.save()

// The context filters and sorts in memory what the store refuses.
let other = ModelContext(try ModelContainer(for: Setting.self, configurations: configuration))
let settings = FetchDescriptor<Setting>(predicate: #Predicate { $0.value != "en" }, sortBy: [SortDescriptor(\.key)])
for setting in try other.fetch(settings) { print("\(setting.key) = \(setting.value)") }
print("\(try other.fetchCount(FetchDescriptor<Setting>())) settings in the file")
