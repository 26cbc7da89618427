import SwiftData
import Testing

// Foundation comes with `import SwiftData`, as from Apple's module.

@Model private final class City {
  var name: String
  init(name: String) { self.name = name }
}

@Model private final class Note {
  @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var words: [String]
  init(words: [String]) { self.words = words }
}

private struct Place {
  let name: String
}

@Suite("What Foundation on Linux lacks")
struct PolyfillTests {
  private let names = ["a10", "A2", "b1", "a1"]
  private let sorted = ["a1", "A2", "a10", "b1"]

  @Test("a comparator of texts as a locale has them sorts models, values and texts")
  func comparators() throws {
    let context = ModelContext(
      try ModelContainer(for: City.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for name in names { context.insert(City(name: name)) }
    let descriptor = FetchDescriptor<City>(sortBy: [SortDescriptor(\.name, comparator: .localizedStandard)])
    #expect(try context.fetch(descriptor).map(\.name) == sorted)
    try context.save()
    #expect(try context.fetch(descriptor).map(\.name) == sorted)
    let places = names.map(Place.init(name:))
    #expect(places.sorted(using: SortDescriptor(\.name, comparator: .localizedStandard)).map(\.name) == sorted)
    #expect(
      places.sorted(using: SortDescriptor(\.name, comparator: .localizedStandard, order: .reverse)).map(\.name)
        == sorted.reversed())
    #expect(places.sorted(using: KeyPathComparator(\.name, comparator: .localizedStandard)).map(\.name) == sorted)
    #expect(names.sorted(using: .localizedStandard) == sorted)
    #expect(names.sorted(using: String.StandardComparator.localizedStandard) == sorted)
    #expect(["b", "a"].sorted(using: .localized) == ["a", "b"])
    #expect(
      places.sorted(using: SortDescriptor(\.name, comparator: .lexical)).map(\.name) == ["A2", "a1", "a10", "b1"])
  }

  @Test("notifications are awaited by name and object, and those between two waits are kept")
  @MainActor func notifications() async throws {
    let center = NotificationCenter()
    let name = Notification.Name("Polyfill")
    let (one, other) = (NSObject(), NSObject())
    var iterator = center.notifications(named: name, object: one).makeAsyncIterator()
    for (number, object) in [(1, one), (2, other), (3, one)] {
      center.post(name: name, object: object, userInfo: ["number": number])
    }
    center.post(name: Notification.Name("another"), object: one)
    #expect(await iterator.next()?.userInfo?["number"] as? Int == 1)
    #expect(await iterator.next()?.userInfo?["number"] as? Int == 3)
    let task = Task { @MainActor in
      var count = 0
      for await _ in center.notifications(named: name) { count += 1 }
      return count
    }
    await Task.yield()
    task.cancel()
    #expect(await task.value == 0)
  }

  @Test("the didSave of a context is awaited")
  @MainActor func didSave() async throws {
    let context = ModelContext(
      try ModelContainer(for: City.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    var iterator = NotificationCenter.default.notifications(named: ModelContext.didSave, object: context)
      .makeAsyncIterator()
    context.insert(City(name: "a"))
    try context.save()
    #expect(await iterator.next()?.object as? ModelContext === context)
  }

  @Test("Core Data's name for remote changes tells of the container's own saves and of those of others")
  func remoteChange() async {
    // In a process of its own, because reading the name makes all containers of a process watch their stores.
    await #expect(processExitsWith: .success) {
      // Ends the process if it hangs.
      alarm(600)
      try await PolyfillTests.awaitRemoteChanges()
    }
  }

  private static func awaitRemoteChanges() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let configuration = ModelConfiguration(url: folder.appendingPathComponent("cities.store"))
    let container = try ModelContainer(for: City.self, configurations: configuration)
    let other = try ModelContainer(for: City.self, configurations: configuration)
    var iterator = NotificationCenter.default.notifications(named: .NSPersistentStoreRemoteChange, object: container)
      .makeAsyncIterator()
    for saving in [container, other] {
      let context = ModelContext(saving)
      context.insert(City(name: "a"))
      try context.save()
      #expect(await iterator.next()?.userInfo?["storeIdentifier"] is String)
    }
  }

  @Test("a predicate over plain values is evaluated")
  func predicates() throws {
    let isLong = #Predicate<Place> { $0.name.count > 2 }
    #expect(try names.map(Place.init(name:)).filter { try isLong.evaluate($0) }.map(\.name) == ["a10"])
  }

  @Test(
    "the transformer of archives is found by Apple's name and by its class's",
    arguments: ["NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer"])
  func archives(name: String) throws {
    #expect(ValueTransformer(forName: NSValueTransformerName(name)) is NSSecureUnarchiveFromDataTransformer)
    let context = ModelContext(
      try ModelContainer(for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    context.insert(Note(words: ["a", "b"]))
    try context.save()
    let read = ModelContext(context.container)
    #expect(try read.fetch(FetchDescriptor<Note>()).map(\.words) == [["a", "b"]])
  }

  @Test("the directories of the user are where FileManager finds them")
  func directories() {
    let documents: URL = .documentsDirectory.appending(path: "books.store")
    let found = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]
    #expect(ModelConfiguration(url: documents).url.path == found.path + "/books.store")
    #expect(URL.applicationSupportDirectory.hasDirectoryPath && URL.cachesDirectory.hasDirectoryPath)
    #expect(URL.applicationSupportDirectory != URL.cachesDirectory)
  }
}
