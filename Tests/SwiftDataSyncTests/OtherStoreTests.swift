#if Sync
import AppleStoreTemplates
import Foundation
import SwiftData
import SwiftDataAppleStore
import SwiftDataPostgres
import Testing

@testable import SwiftDataSync

@Model private final class OtherAlbum {
  @Attribute(.unique) var id: String = ""
  var title: String = ""
  @Relationship(deleteRule: .cascade, inverse: \OtherSong.album) var songs: [OtherSong] = []
  init(id: String, title: String) { (self.id, self.title) = (id, title) }
}
@Model private final class OtherSong {
  @Attribute(.unique) var id: String = ""
  var title: String = ""
  var album: OtherAlbum?
  init(id: String, title: String, album: OtherAlbum?) { (self.id, self.title, self.album) = (id, title, album) }
}

@Suite("Stores other than SQLite that sync", .serialized, .timeLimit(.minutes(20)))
final class OtherStoreTests {
  private static let server = ProcessInfo.processInfo.environment["POSTGRES_URL"] ?? ""
  private let transport = LoopTransport()
  private let database = "iCloud.com.example.\(UUID().uuidString)"
  private let namespace = "sync_" + UUID().uuidString.lowercased().replacing("-", with: "")
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("other-\(UUID().uuidString)")
  private let models: [any PersistentModel.Type] = [OtherAlbum.self, OtherSong.self]

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    SyncRemote.register(
      database, transport: transport, credentials: SyncCredentials(token: "t"), servesAutomatic: false)
  }

  deinit {
    SyncRemote.unregister(database)
    try? FileManager.default.removeItem(at: folder)
    guard !Self.server.isEmpty else { return }
    _ = try? PostgresConnection(url: Self.server, namespace: "public")
      .run("DROP SCHEMA IF EXISTS \"\(namespace)\" CASCADE")
  }

  private func sqlite() throws -> ModelContainer {
    try ModelContainer(
      for: Schema(models),
      configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .private(database)))
  }

  private func postgres() throws -> ModelContainer {
    try ModelContainer(
      for: Schema(models), configurations: PostgresConfiguration(url: Self.server, namespace: namespace))
  }

  private func custom(_ name: String = "apple") throws -> ModelContainer {
    let file = folder.appendingPathComponent("\(name).store")
    if !FileManager.default.fileExists(atPath: file.path) { try AppleStoreTemplate(for: models).make(at: file) }
    return try ModelContainer(
      for: Schema(models), configurations: AppleStoreConfiguration(name, url: file, allowsSave: true))
  }

  private func bookkeeping(_ name: String) -> URL { folder.appendingPathComponent("\(name).sync") }

  private func contents(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<OtherAlbum>(sortBy: [SortDescriptor(\.id)])).map { album in
      "\(album.title): " + album.songs.map(\.title).sorted().joined(separator: ", ")
    }
  }

  /// Exchanges all changes until neither side has news for the other.
  private func exchange(_ engines: SyncEngine...) async throws {
    for _ in 0..<2 { for engine in engines { try await engine.syncNow() } }
  }

  /// Checks both directions, deletion, equal unique values, and that a new start sends nothing again.
  private func check(_ name: String, _ open: () throws -> ModelContainer) async throws {
    let local = try sqlite()
    let localEngine = try #require(local.syncEngines.first)
    var other = try open()
    // What is there before the first sync travels too.
    let before = ModelContext(other)
    let album = OtherAlbum(id: "1", title: "Blue")
    before.insert(album)
    before.insert(OtherSong(id: "1.1", title: "Carey", album: album))
    try before.save()
    let mine = ModelContext(local)
    mine.insert(OtherSong(id: "1.2", title: "River", album: nil))
    mine.insert(OtherAlbum(id: "2", title: "Hejira"))
    try mine.save()
    let engine = try other.sync(configuration: name, with: database, bookkeeping: bookkeeping(name))
    #expect(other.syncEngines.count == 1)
    try await exchange(engine, localEngine)
    var found = [try contents(local), try contents(other)]
    #expect(found == Array(repeating: ["Blue: Carey", "Hejira: "], count: 2))

    let links = ModelContext(local)
    let song = try #require(
      try links.fetch(FetchDescriptor<OtherSong>(predicate: #Predicate { $0.id == "1.2" })).first)
    song.album = try links.fetch(FetchDescriptor<OtherAlbum>(predicate: #Predicate { $0.id == "1" })).first
    try links.save()
    let edits = ModelContext(other)
    try edits.delete(model: OtherAlbum.self, where: #Predicate { $0.id == "2" })
    edits.insert(OtherAlbum(id: "3", title: "Mingus"))
    try edits.save()
    try await exchange(engine, localEngine)
    found = [try contents(local), try contents(other)]
    #expect(found == Array(repeating: ["Blue: Carey, River", "Mingus: "], count: 2))

    // A program that starts again goes on where it was.
    await engine.stop()
    let log = transport.log.count
    other = try open()
    let again = try other.sync(configuration: name, with: database, bookkeeping: bookkeeping(name))
    try await exchange(again, localEngine)
    #expect(transport.log.count == log)
    #expect(try contents(other) == ["Blue: Carey, River", "Mingus: "])
    await again.stop()
    await localEngine.stop()
  }

  @Test(
    "A store in PostgreSQL syncs",
    .enabled(if: !server.isEmpty, "no server: run `make test`, or `scripts/postgres swift test --traits Sync`"))
  func postgresStore() async throws { try await check("postgres") { try postgres() } }

  @Test("A custom DataStore without a numbered history syncs")
  func customStore() async throws { try await check("apple") { try custom() } }

  @Test("An object that the program deletes between the scan and the writing of the rows stays deleted")
  func deletedMeanwhile() throws {
    let container = try custom()
    let (context, server) = (ModelContext(container), ZoneServer())
    for id in ["1", "2"] { context.insert(OtherAlbum(id: id, title: id)) }
    try context.save()
    var isArmed = false
    let replica = try ZoneReplica(
      user: UserStore(container), database: SyncDatabase(at: bookkeeping("apple")), secrets: try Secrets(),
      now: { server.now }, random: SeededGenerator(seed: 1)
    ) { checkpoint in
      guard isArmed, case .writing = checkpoint else { return }
      isArmed = false
      let other = ModelContext(container)
      try other.delete(model: OtherAlbum.self, where: #Predicate { $0.id == "2" })
      try other.save()
    }
    try replica.sync(with: server)
    let count = server.log.count
    context.insert(OtherAlbum(id: "3", title: "3"))
    try context.save()
    isArmed = true
    try replica.capture()
    #expect(!isArmed)
    for _ in 0..<2 {
      #expect(try contents(container) == ["1: ", "3: "])
      try replica.sync(with: server)
    }
    // The insertion and the deletion.
    #expect(server.log.count == count + 2)
  }

  @Test("Two stores that do not keep the order of lists do not contest it")
  func orderOfLists() throws {
    let server = ZoneServer()
    let containers = [try custom("one"), try custom("other"), try sqlite()]
    let replicas = try containers.enumerated().map { index, container in
      try ZoneReplica(
        user: UserStore(container), database: SyncDatabase(at: bookkeeping("\(index)")), secrets: try Secrets(),
        now: { server.now }, random: SeededGenerator(seed: UInt64(index)))
    }
    func exchange() throws { for _ in 0..<2 { for replica in replicas { try replica.sync(with: server) } } }
    func edit(_ container: ModelContainer, _ body: (ModelContext) throws -> Void) throws {
      let context = ModelContext(container)
      try body(context)
      try context.save()
    }
    // Each store has another song first.
    for (container, title) in zip(containers, ["a", "b"]) {
      try edit(container) { context in context.insert(OtherSong(id: title, title: title, album: nil)) }
    }
    try exchange()
    try edit(containers[2]) { context in
      let songs = try context.fetch(FetchDescriptor<OtherSong>(sortBy: [SortDescriptor(\.title, order: .reverse)]))
      let album = OtherAlbum(id: "1", title: "1")
      context.insert(album)
      album.songs = songs
    }
    try exchange()
    let count = server.log.count
    try exchange()
    #expect(server.log.count == count)
    #expect(
      try ModelContext(containers[2]).fetch(FetchDescriptor<OtherAlbum>()).map { $0.songs.map(\.title) } == [
        ["b", "a"]
      ])
    for container in containers { #expect(try contents(container) == ["1: a, b"]) }
  }

  @Test("A configuration that is not there, a database without a server, and a second sync are errors with a remedy")
  func refusals() async throws {
    let container = try custom()
    func message(_ configuration: String, _ database: String) -> String {
      let error = #expect(throws: SwiftDataError.self) {
        try container.sync(configuration: configuration, with: database, bookkeeping: bookkeeping("x"))
      }
      return error?.description ?? ""
    }
    #expect(message("nowhere", database).contains("\"apple\""))
    #expect(message("apple", "iCloud.unknown").contains("SyncRemote.register"))
    let engine = try container.sync(configuration: "apple", with: database, bookkeeping: bookkeeping("apple"))
    #expect(message("apple", database).contains("syncs already"))
    await engine.stop()
  }
}
#endif
