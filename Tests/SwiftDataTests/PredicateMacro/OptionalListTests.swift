import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

/// `?? []` after an optional to-many, as models that sync declare it.
@Suite
struct OptionalListTests {
  @Model
  final class Folder {
    var name: String
    var parent: Folder?
    @Relationship(inverse: \Item.folder) var items: [Item]?
    @Relationship(inverse: \Label.folders) var labels: [Label]?

    init(name: String) { self.name = name }
  }

  @Model
  final class Item {
    var number: Int
    var words: [String]?
    var folder: Folder?

    init(number: Int, words: [String]? = nil, folder: Folder? = nil) {
      self.number = number
      self.words = words
      self.folder = folder
    }
  }

  @Model
  final class Label {
    var text: String
    var folders: [Folder]?

    init(text: String) { self.text = text }
  }

  private static let schema = Schema([Folder.self, Item.self, Label.self])

  private static let folders: [(predicate: Predicate<Folder>, names: [String])] = [
    (#Predicate { ($0.items ?? []).isEmpty }, ["empty"]),
    (#Predicate { !($0.items ?? []).isEmpty }, ["one", "three"]),
    (#Predicate { ($0.items ?? [Item]()).count >= 2 }, ["three"]),
    (#Predicate { ($0.items ?? []).contains { $0.number == 4 } }, ["three"]),
    (#Predicate { ($0.items ?? []).allSatisfy { $0.number > 1 } }, ["empty", "three"]),
    (#Predicate { ($0.items ?? []).filter { $0.number > 2 }.count == 2 }, ["three"]),
    (#Predicate { ($0.items ?? []).first?.number == 1 }, ["one"]),
    (#Predicate { ($0.items ?? []).map(\.number).max() == 4 }, ["three"]),
    (#Predicate { ($0.labels ?? []).contains { $0.text == "red" } }, ["one"]),
    (#Predicate { ($0.labels ?? []).isEmpty && $0.name != "three" }, ["empty"]),
    (#Predicate { $0.items?.isEmpty ?? true }, ["empty"]),
    (#Predicate { $0.items == nil || $0.items!.isEmpty }, ["empty"]),
    (#Predicate { $0.items != nil && $0.items!.count > 1 }, ["three"]),
    (#Predicate { nil != $0.labels && $0.labels!.contains { $0.text == "red" } }, ["one"]),
  ]

  private static let items: [(predicate: Predicate<Item>, numbers: [Int])] = [
    (#Predicate { ($0.folder?.items ?? []).isEmpty }, [5, 6]),
    (#Predicate { ($0.folder?.items ?? []).count == 0 && $0.number > 5 }, [6]),
    (#Predicate { ($0.folder?.items ?? []).contains { $0.number == 3 } }, [2, 3, 4]),
    (#Predicate { ($0.folder?.items ?? []).allSatisfy { $0.number > 1 } }, [2, 3, 4, 5, 6]),
    (#Predicate { ($0.folder.flatMap { $0.labels } ?? []).filter { $0.text != "" }.isEmpty }, [5, 6]),
    (#Predicate { $0.folder?.items == nil }, [5, 6]),
    (#Predicate { $0.folder?.labels != nil && $0.number < 3 }, [1, 2]),
    (#Predicate { !($0.folder?.items == nil) || $0.number == 6 }, [1, 2, 3, 4, 6]),
    (#Predicate { ($0.words ?? []).isEmpty }, [3, 4, 5, 6]),
    (#Predicate { ($0.words ?? []).contains("b") }, [2]),
  ]

  private func check(_ configuration: any DataStoreConfiguration) throws {
    let container = try ModelContainer(for: Self.schema, configurations: [configuration])
    let writer = ModelContext(container)
    let (empty, one, three) = (Folder(name: "empty"), Folder(name: "one"), Folder(name: "three"))
    for folder in [empty, one, three] { writer.insert(folder) }
    for number in 1...6 {
      let words: [String]? = number == 1 ? ["a"] : number == 2 ? ["a", "b"] : number == 3 ? [] : nil
      writer.insert(Item(number: number, words: words, folder: number == 1 ? one : number < 5 ? three : nil))
    }
    (one.labels, three.labels) = ([Label(text: "red"), Label(text: "blue")], [Label(text: "blue")])
    // First in memory, because nothing is saved.
    try check(writer, "unsaved")
    try writer.save()
    try check(ModelContext(container), "saved")
  }

  private func check(_ context: ModelContext, _ state: String) throws {
    let folders = try context.fetch(FetchDescriptor<Folder>(sortBy: [SortDescriptor(\.name)]))
    let items = try context.fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.number)]))
    for (predicate, names) in Self.folders {
      let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)]))
      #expect(found.map(\.name) == names, "\(state): \(predicate)")
      #expect(try folders.filter(predicate.evaluate).map(\.name) == names, "\(state): \(predicate)")
    }
    for (predicate, numbers) in Self.items {
      let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)]))
      #expect(found.map(\.number) == numbers, "\(state): \(predicate)")
      #expect(try items.filter(predicate.evaluate).map(\.number) == numbers, "\(state): \(predicate)")
    }
  }

  @Test("SQLite and Swift find the same")
  func sqlite() throws { try check(ModelConfiguration(isStoredInMemoryOnly: true)) }

  @Test(
    "PostgreSQL finds it too",
    .enabled(
      if: ProcessInfo.processInfo.environment["POSTGRES_URL"] != nil,
      "no server: run `make test`, or `scripts/postgres swift test --traits Sync`"))
  func postgres() throws {
    let url = ProcessInfo.processInfo.environment["POSTGRES_URL"] ?? ""
    let namespace = "optional_lists_" + UUID().uuidString.lowercased()
    let configuration = PostgresConfiguration(url: url, namespace: namespace)
    try check(configuration)
    try ModelContainer(for: Self.schema, configurations: configuration).erase()
  }

  @Test("A stored to-many is never nil, and a chain that fails on the way to it matches nothing")
  func neverNil() throws {
    let writer = try memoryContext(Folder.self, Item.self, Label.self)
    let folder = Folder(name: "one")
    writer.insert(folder)
    for number in 1...2 { writer.insert(Item(number: number, folder: number == 1 ? folder : nil)) }
    try writer.save()
    let context = ModelContext(writer.container)
    #expect(try context.fetchCount(FetchDescriptor<Folder>(predicate: #Predicate { $0.labels == nil })) == 0)
    #expect(try context.fetch(FetchDescriptor<Folder>()).map(\.labels) == [[]])
    let predicates: [(Predicate<Item>, [Int])] = [
      (#Predicate { $0.folder!.items == nil }, []), (#Predicate { $0.folder!.items != nil }, [1]),
      (#Predicate { !($0.folder!.items == nil) }, [1]), (#Predicate { $0.folder!.parent?.items == nil }, [1]),
      (#Predicate { !($0.folder!.parent?.items != nil) }, [1]),
    ]
    for (predicate, numbers) in predicates {
      let items = try context.fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.number)]))
      #expect(items.filter { (try? predicate.evaluate($0)) ?? false }.map(\.number) == numbers)
      #expect(try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number) == numbers, "\(predicate)")
    }
  }

  @Test("A message names the list")
  func text() throws {
    let context = try memoryContext(Folder.self, Item.self, Label.self)
    let predicate = #Predicate<Folder> { ($0.items ?? []).description == "" }
    let error = #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.fetch(FetchDescriptor(predicate: predicate))
    }
    #expect("\(try #require(error))".contains("$0.items ?? []"))
  }
}

// In a `let` of a file, where the compiler crashed.
private let unusedFolders = #Predicate<OptionalListTests.Folder> { ($0.items ?? []).isEmpty }
