#if Sync
import Foundation
import SwiftDataPostgres
import Synchronization
import Testing

@testable import SwiftData

@Model private final class TransactionNote {
  @Attribute(.unique) var code: String
  var text: String
  @Attribute(.externalStorage) var bytes: Data?
  var next: TransactionNote?
  init(_ code: String, _ text: String = "") { (self.code, self.text) = (code, text) }
}

private struct Cancelled: Error {}

@Suite("A transaction that several contexts of a thread share", .serialized)
final class TransactionStoreTests {
  enum Place: CaseIterable {
    case memory, file, postgres

    static let there = allCases.filter { $0 != .postgres || ProcessInfo.processInfo.environment["POSTGRES_URL"] != nil }
  }

  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("shared-\(UUID().uuidString)")
  private let namespace = "shared_" + UUID().uuidString.lowercased().replacing("-", with: "")
  private var server: String { ProcessInfo.processInfo.environment["POSTGRES_URL"] ?? "" }
  private var usesServer = false

  deinit {
    try? FileManager.default.removeItem(at: folder)
    guard usesServer else { return }
    _ = try? PostgresConnection(url: server, namespace: "public")
      .run("DROP SCHEMA IF EXISTS \"\(namespace)\" CASCADE")
  }

  private func open(_ place: Place) throws -> (container: ModelContainer, store: any TransactionStore) {
    let schema = Schema([TransactionNote.self])
    let container: ModelContainer
    switch place {
    case .memory:
      container = try ModelContainer(
        for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .none))
    case .file:
      container = try ModelContainer(
        for: schema,
        configurations: ModelConfiguration(
          schema: schema, url: folder.appendingPathComponent("a.store"), cloudKitDatabase: .none))
    case .postgres:
      usesServer = true
      container = try ModelContainer(
        for: schema, configurations: PostgresConfiguration(url: server, namespace: namespace))
    }
    let store = try #require(container.core.stores[0] as? any TransactionStore)
    let types = store.tableTypes
    try store.execute("CREATE TABLE IF NOT EXISTS _swiftdata_test (number \(types.integer), bytes \(types.bytes))", [])
    return (container, store)
  }

  private func codes(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<TransactionNote>(sortBy: [SortDescriptor(\.code)])).map(\.code)
  }

  private func insert(_ code: String, _ container: ModelContainer, bytes: Data? = nil) throws {
    let context = ModelContext(container)
    let note = TransactionNote(code)
    note.bytes = bytes
    context.insert(note)
    try context.save()
  }

  @Test("writes objects and other rows together, and reads what it wrote", arguments: Place.there)
  func together(_ place: Place) throws {
    let (container, store) = try open(place)
    let large = Data(repeating: 7, count: 300_000)
    try store.transaction {
      try insert("a", container, bytes: large)
      try store.execute("INSERT INTO _swiftdata_test VALUES (?, ?)", [.integer(1), .blob(Data([1, 2]))])
      try store.transaction { try insert("b", container) }
      #expect(try codes(container) == ["a", "b"])
      #expect(try store.newestTransaction() == 2)
      #expect(try store.rows("SELECT number, bytes FROM _swiftdata_test", []) == [[.integer(1), .blob(Data([1, 2]))]])
    }
    #expect(try codes(container) == ["a", "b"])
    let stored = try ModelContext(container).fetch(FetchDescriptor<TransactionNote>(sortBy: [SortDescriptor(\.code)]))
    #expect(stored[0].bytes == large)
    #expect(try store.rows("SELECT count(*) FROM _swiftdata_test", []) == [[.integer(1)]])
    // The numbers of the history go on.
    try insert("c", container)
    #expect(try store.newestTransaction() == 3)
  }

  @Test("leaves nothing if it fails", arguments: Place.there)
  func failed(_ place: Place) throws {
    let (container, store) = try open(place)
    try insert("a", container)
    #expect(throws: Cancelled.self) {
      try store.transaction {
        try insert("b", container, bytes: Data(repeating: 7, count: 300_000))
        try store.execute("INSERT INTO _swiftdata_test VALUES (?, ?)", [.integer(1), .null])
        throw Cancelled()
      }
    }
    #expect(try codes(container) == ["a"])
    #expect(try store.rows("SELECT number FROM _swiftdata_test", []).isEmpty)
    #expect(try store.newestTransaction() == 1)
    if place == .file {
      let external = folder.appendingPathComponent(".a.store_external").path
      #expect(try FileManager.default.contentsOfDirectory(atPath: external).isEmpty)
    }
    try insert("c", container)
    #expect(try codes(container) == ["a", "c"])
  }

  @Test("goes on after a save in it that fails", arguments: Place.there)
  func failedSave(_ place: Place) throws {
    let (container, store) = try open(place)
    try insert("a", container)
    try store.transaction {
      try insert("b", container)
      let context = ModelContext(container)
      let notes = try context.fetch(FetchDescriptor<TransactionNote>(sortBy: [SortDescriptor(\.code)]))
      notes[1].code = "a"
      #expect(throws: SwiftDataError.self) { try context.save() }
      try insert("c", container)
    }
    #expect(try codes(container) == ["a", "b", "c"])
  }

  @Test("tells other contexts and observers of its saves after the commit", arguments: Place.there)
  func announcements(_ place: Place) throws {
    let (container, store) = try open(place)
    try insert("a", container)
    let observer = ModelContext(container)
    let note = try #require(try observer.fetch(FetchDescriptor<TransactionNote>()).first)
    let saves = Mutex(0)
    let identifier = store.identifier
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: nil, queue: nil) {
      posted in
      let context = posted.object as? ModelContext
      if context?.container.core.stores[0].identifier == identifier { saves.withLock { $0 += 1 } }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try store.transaction {
      let context = ModelContext(container)
      try context.fetch(FetchDescriptor<TransactionNote>())[0].text = "new"
      try context.save()
      #expect(saves.withLock { $0 } == 0)
    }
    #expect(saves.withLock { $0 } == 1)
    observer.state.takeInSaves()
    #expect(note.text == "new")
  }

  @Test("keeps the saves of other threads out", arguments: Place.there)
  func exclusive(_ place: Place) async throws {
    let (container, store) = try open(place)
    let (began, begin) = AsyncStream.makeStream(of: Void.self)
    let other = Task.detached {
      for await _ in began { break }
      let context = ModelContext(container)
      context.insert(TransactionNote("other"))
      try context.save()
    }
    try await Task.detached {
      try store.transaction {
        let before = try store.newestTransaction()
        begin.yield()
        // The other save would come now.
        Thread.sleep(forTimeInterval: 0.1)
        #expect(try store.newestTransaction() == before)
        let context = ModelContext(container)
        context.insert(TransactionNote("own"))
        try context.save()
        #expect(try store.newestTransaction() == (before ?? 0) + 1)
      }
    }.value
    try await other.value
    #expect(try codes(container) == ["other", "own"])
  }
}
#endif
