import Foundation
import SwiftData
import Testing

// Real programs say so to get over Swift 6's errors. It holds for this whole module.
extension KeyPath: @unchecked @retroactive Sendable {}

@Model private final class Entry {
  var n: Int
  var optional: Int?
  var name: String
  var isRead = false
  init(n: Int, name: String) {
    self.n = n
    self.name = name
  }
}

@MainActor @Model private final class MainEntry {
  var n: Int
  var name: String?
  init(n: Int) { self.n = n }
}

@Suite("Where a program makes key paths Sendable")
struct SendableKeyPathTests {
  private func context() throws -> ModelContext {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let context = ModelContext(try ModelContainer(for: Entry.self, configurations: configuration))
    for (n, name) in [(2, "b"), (3, "a"), (1, "c")] { context.insert(Entry(n: n, name: name)) }
    try context.save()
    return context
  }

  @Test("every form of a sort descriptor compiles and sorts")
  func sorts() throws {
    let context = try context()
    let plain = SortDescriptor(\Entry.n)
    #expect(try context.fetch(FetchDescriptor(sortBy: [plain])).map(\.n) == [1, 2, 3])
    #expect(
      try context.fetch(FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.n, order: .reverse)])).map(\.n) == [3, 2, 1])
    #expect(try context.fetch(FetchDescriptor<Entry>(sortBy: [.init(\.name)])).map(\.n) == [3, 2, 1])
    let many: [SortDescriptor<Entry>] = [
      SortDescriptor(\.isRead), SortDescriptor(\.optional), SortDescriptor(\.name, comparator: .lexical),
      SortDescriptor(\.n, order: .forward),
    ]
    #expect(try context.fetch(FetchDescriptor(sortBy: many)).map(\.n) == [3, 2, 1])
  }

  @Test("so does one whose key path is handed in")
  func handedIn() throws {
    func descriptor<V: Comparable>(_ path: KeyPath<Entry, V>) -> SortDescriptor<Entry> { SortDescriptor(path) }
    #expect(try context().fetch(FetchDescriptor(sortBy: [descriptor(\.name)])).map(\.n) == [3, 2, 1])
  }

  @Test("and those of a model of the main actor")
  @MainActor func ofTheMainActor() throws {
    let container = try ModelContainer(
      for: MainEntry.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    for n in [2, 3, 1] { container.mainContext.insert(MainEntry(n: n)) }
    let sort: [SortDescriptor<MainEntry>] = [SortDescriptor(\.name), SortDescriptor(\.n)]
    #expect(try container.mainContext.fetch(FetchDescriptor(sortBy: sort)).map(\.n) == [1, 2, 3])
  }
}
