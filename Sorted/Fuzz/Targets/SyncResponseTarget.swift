import Foundation
import SwiftData
import SwiftDataSync
import SyncProtocol
import Synchronization
@_spi(Wire) import SyncServer

/// An object with a property of each kind.
@Model final class FuzzNote {
  enum Mood: String, Codable { case calm, loud }
  struct Place: Codable { var x = 0, y = 0.0 }

  @Attribute(.unique) var title: String = ""
  var small: Int8 = 0
  var large: UInt64 = 0
  var number: Int?
  var real: Float = 0
  var price: Decimal = 0
  var date: Date = Date(timeIntervalSince1970: 0)
  var isRead: Bool = false
  var identifier: UUID?
  var link: URL?
  var mood: Mood = FuzzNote.Mood.calm
  var place: Place?
  var tags: [String] = []
  @Attribute(.externalStorage) var cover: Data?
  @Attribute(.allowsCloudEncryption) var secret: String = ""
  var owner: FuzzNote?
  @Relationship(deleteRule: .cascade, inverse: \FuzzNote.owner) var parts: [FuzzNote] = []
  init(_ title: String) { self.title = title }
}

/// An answer that the sync client reads: a line says which, the rest is the body.
///
/// The first line is a status and a text of the path: `200 /changes`. The server answers all other requests. `entry` and `part` in
/// place of a status say that the rest is a transaction, which the log or the snapshot of the private zone has.
enum SyncResponseTarget {
  private static let server = Task { try await SyncRequestTarget.Server.make() }
  private static let accounts = Mutex(0)

  static func run(_ bytes: Data) async throws {
    let (head, body) = bytes.headAndBody
    let words = head.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard words.count == 2, !words[1].isEmpty else { throw SyncRequestTarget.Refused() }
    let server = try await server.value
    let number = accounts.withLock { count in
      count += 1
      return count
    }
    let account = "account-\(number)"
    let transport = Transport(server: server.service, status: words[0], path: words[1], body: body)
    let token = try await server.token(account)
    SwiftDataSync.SyncServer.register(
      account, transport: transport, credentials: SyncCredentials(token: token, encryptionSecret: "secret"))
    defer { SwiftDataSync.SyncServer.unregister(account) }
    let container = try ModelContainer(
      for: FuzzNote.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .private(account)))
    guard let engine = container.syncEngines.first else { broken("no engine") }
    await engine.pause()
    do {
      try await use(engine, container, transport, isListening: words[1].contains("wait"))
    } catch {
      await engine.stop()
      throw error
    }
    await engine.stop()
  }

  /// What a program does with an engine.
  private static func use(
    _ engine: SyncEngine, _ container: ModelContainer, _ transport: Transport, isListening: Bool
  ) async throws {
    let context = ModelContext(container)
    let note = FuzzNote("a")
    (note.secret, note.cover) = ("secret", Data(repeating: 7, count: 70_000))
    note.parts = [FuzzNote("b")]
    context.insert(note)
    try context.save()
    var errors: [any Error] = []
    func attempt(_ body: () async throws -> Void) async { do { try await body() } catch { errors.append(error) } }
    await attempt { try await engine.syncNow() }
    await attempt { try await engine.syncNow() }
    await attempt {
      let share = try await engine.share(note.persistentModelID, title: "share")
      try await engine.invite("other", to: share.id, permission: .readWrite)
      _ = try await engine.accept(link: try await engine.makeLink(to: share.id))
      try await engine.revoke("other", from: share.id)
      _ = try await engine.accept(share.id)
    }
    await attempt { _ = try await engine.shares() }
    if isListening {
      await engine.resume()
      for _ in 0..<20 where transport.waits < 3 { try await Task.sleep(for: .milliseconds(10)) }
    }
    // What came is in the store.
    for note in try ModelContext(container).fetch(FetchDescriptor<FuzzNote>()) {
      _ = (note.title, note.small, note.large, note.price, note.date, note.mood, note.place?.x, note.tags)
      _ = (note.cover?.count, note.secret, note.owner?.title, note.parts.count)
    }
    _ = try await engine.conflicts()
    if let error = errors.first { throw error }
  }

  /// A server in this process, one of whose answers is the input.
  private final class Transport: SyncTransport {
    private let server: SyncService
    private let status: String
    private let path: String
    private let body: Data
    private let count = Mutex(0)

    init(server: SyncService, status: String, path: String, body: Data) {
      (self.server, self.status, self.path, self.body) = (server, status, path, body)
    }

    /// How many requests for news came.
    var waits: Int { count.withLock { $0 } }

    func send(_ request: SyncRequest) async throws -> SyncReply {
      if request.path.contains("/wait") { count.withLock { $0 += 1 } }
      try Task.checkCancellation()
      if request.path.contains(path), let reply = try altered(request) { return reply }
      let (status, body) = await server.answer(
        request.method, request.path, headers: request.headers, body: request.body ?? Data())
      return SyncReply(status: status, body: body)
    }

    private func altered(_ request: SyncRequest) throws -> SyncReply? {
      guard status == "entry" || status == "part" else { return SyncReply(status: Int(status) ?? 200, body: body) }
      // The log ends with the transaction.
      guard request.path.contains("after=0") else { return nil }
      let json = """
        {"compacted":0,"entries":[{"account":"other","sequence":1,"transaction":"\(body.base64EncodedString())"}],
        "latest":1,"time":\(Int64(Date().timeIntervalSince1970 * 1000))
        \(status == "part" ? #","isSnapshot":true,"snapshot":{"through":1,"rules":"other"}"# : "")}
        """
      return SyncReply(status: 200, body: Data(json.utf8))
    }
  }
}
