#if Sync
import Foundation
import SyncProtocol
import Testing

@testable import SwiftData
@testable import SwiftDataSync

@Suite("The bookkeeping of a former version of sync", .serialized)
struct FormerBookkeepingTests {
  private let transport = LoopTransport()
  private let database = "iCloud.com.example.\(UUID().uuidString)"
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("former-\(UUID().uuidString)")
  private var store: URL { folder.appendingPathComponent("user.store") }

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  /// A store with an object, and its engine, which exchanges changes only when the test asks for it.
  private func open() async throws -> (ModelContainer, SyncEngine) {
    let gate = Gate(transport)
    SyncRemote.register(database, transport: gate, credentials: SyncCredentials(token: "t"), servesAutomatic: false)
    defer { SyncRemote.unregister(database) }
    let container = try ModelContainer(
      for: EngineTrack.self, configurations: ModelConfiguration(url: store, cloudKitDatabase: .private(database)))
    return (container, try await gate.pausedEngine(of: container))
  }

  /// Checks that the sync is refused with a remedy, that the objects stay, and that they join after the remedy.
  private func expectRefusal(_ word: String, remedy: () throws -> Void) async throws {
    let (container, engine) = try await open()
    let context = ModelContext(container)
    context.insert(EngineTrack(id: "a", title: "a"))
    try context.save()
    let error = await #expect(throws: SyncError.self) { try await engine.syncNow() }
    #expect(error?.code == .store && error?.message.contains(word) == true, "\(error?.message ?? "")")
    #expect(transport.log.isEmpty)
    await engine.stop()
    try remedy()
    await engine.start()
    try await engine.syncNow()
    #expect(transport.log.count == 1)
    #expect(try ModelContext(container).fetch(FetchDescriptor<EngineTrack>()).map(\.title) == ["a"])
    await engine.stop()
    try FileManager.default.removeItem(at: folder)
  }

  @Test("in a file of its own is refused: the file has to go")
  func file() async throws {
    let url = store.appendingPathExtension("sync")
    let file = try SQLiteDatabase(url.path)
    try file.execute("CREATE TABLE LedgerReplica (state BLOB)")
    try file.close()
    try await expectRefusal(url.path) { try FileManager.default.removeItem(at: url) }
  }

  @Test("in the store is refused: its tables have to go")
  func tables() async throws {
    let (container, engine) = try await open()
    await engine.stop()
    _ = container
    let file = try SQLiteDatabase(store.path)
    try file.execute("CREATE TABLE _swiftdata_sync_replica (id INTEGER, state BLOB)")
    try file.close()
    try await expectRefusal("_swiftdata_sync_") {
      let file = try SQLiteDatabase(store.path)
      try file.execute("DROP TABLE _swiftdata_sync_replica")
      try file.close()
    }
  }

  @Test("A server of a former version is refused, and the objects stay")
  func server() async throws {
    let (container, engine) = try await open()
    let context = ModelContext(container)
    context.insert(EngineTrack(id: "a", title: "a"))
    try context.save()
    transport.refuse(SyncFailure(.wrongVersion, "the client uses version 2 of the protocol, and this server 1"))
    let error = await #expect(throws: SyncError.self) { try await engine.syncNow() }
    #expect(error?.code == .refused && error?.message.contains("version") == true)
    transport.refuse(nil)
    try await engine.syncNow()
    #expect(transport.log.count == 1)
    await engine.stop()
    try FileManager.default.removeItem(at: folder)
  }
}
#endif
