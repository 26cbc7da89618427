import Foundation
import SwiftData
import SwiftDataSync
import Synchronization
@_spi(Wire) import SyncServer

/// Answers that the sync client reads, with a line `----` between two of them. The first line of each says which one, the rest is the
/// body.
///
/// The first line is a status and a text of the request that it answers: `200 POST /v2/log/wait`. The server answers all other requests.
/// `entry` and `load` in place of a status say that the rest is the bytes of a part, which an entry of the account's zone has, or the zone.
enum SyncResponseTarget {
  private static let world = Task { try await SyncWorld.make(fill).world }
  private static let account = "fuzz"

  /// A client reads all answers but those of the routes for operators.
  static var routes: Set<String> { Set(SyncService.routes).subtracting(["GET /health", "GET /metrics"]) }

  /// - Returns: the routes whose answers the input had and the client asked for.
  static func run(_ bytes: Data) async throws -> Set<String> {
    let answers = Answer.all(bytes)
    guard !answers.isEmpty else { throw Refused() }
    let world = try await world.value
    let transport = Transport(server: try await world.service(), answers: answers)
    try await withEngine(account, world, transport) { engine, container in
      await use(engine, container, isListening: answers.contains { $0.request.contains("wait") }, transport)
    }
    guard !transport.reached.isEmpty else { throw Refused() }
    return transport.reached
  }

  private static func withEngine(
    _ account: String, _ world: SyncWorld, _ transport: Transport,
    _ body: (SyncEngine, ModelContainer) async throws -> Void
  ) async throws {
    let token = try await world.token(account)
    // The tests of the bundle open inboxes meanwhile, whose database is automatic.
    SwiftDataSync.SyncRemote.register(
      account, transport: transport, credentials: SyncCredentials(token: token, encryptionSecret: "secret"),
      servesAutomatic: false)
    defer { SwiftDataSync.SyncRemote.unregister(account) }
    let container = try ModelContainer(
      for: FuzzNote.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .private(account)))
    guard let engine = container.syncEngines.first else { broken("no engine") }
    await engine.pause()
    transport.open()
    do {
      try await body(engine, container)
    } catch {
      await engine.stop()
      throw error
    }
    await engine.stop()
  }

  /// What another device of the account sent, and a share that another account invited it to.
  private static func fill(_ world: SyncWorld) async throws {
    let server = try await world.service()
    try await withEngine("other", world, Transport(server: server, answers: [])) { engine, container in
      let context = ModelContext(container)
      let note = FuzzNote("shared")
      context.insert(note)
      try context.save()
      let share = try await engine.share(note.persistentModelID, title: "other")
      try await engine.invite(account, to: share.id, permission: .readWrite)
    }
    try await withEngine(account, world, Transport(server: server, answers: [])) { engine, container in
      let context = ModelContext(container)
      let note = FuzzNote("first")
      (note.secret, note.cover) = ("secret", Data(repeating: 8, count: 70_000))
      context.insert(note)
      for number in 0..<2 {
        note.tags = Array(repeating: "tag \(number)", count: 20)
        try context.save()
        try await engine.syncNow()
      }
    }
  }

  /// What a program does with an engine. What it throws is an answer too.
  private static func use(
    _ engine: SyncEngine, _ container: ModelContainer, isListening: Bool, _ transport: Transport
  ) async {
    func attempt(_ body: () async throws -> Void) async { try? await body() }
    let context = ModelContext(container)
    let note = FuzzNote("a")
    (note.secret, note.cover) = ("secret", Data(repeating: 7, count: 70_000))
    note.parts = [FuzzNote("b")]
    context.insert(note)
    await attempt { try context.save() }
    await attempt { try await engine.syncNow() }
    note.title = "c"
    await attempt { try context.save() }
    await attempt { try await engine.syncNow() }
    await attempt {
      let share = try await engine.share(note.persistentModelID, title: "share")
      try await engine.invite("guest", to: share.id, permission: .readWrite)
      _ = try await engine.makeLink(to: share.id)
      try await engine.revoke("guest", from: share.id)
      try await engine.endShare(share.id)
    }
    await attempt {
      for share in try await engine.shares() where !share.hasAccepted { _ = try await engine.accept(share.id) }
    }
    await attempt { _ = try await engine.accept(link: "link#key") }
    if isListening {
      await engine.resume()
      // An engine that cannot read an answer says so and asks again later.
      while transport.waits < 3, engine.status.error == nil { try? await Task.sleep(for: .milliseconds(5)) }
    }
    // What came is in the store.
    await attempt {
      for note in try ModelContext(container).fetch(FetchDescriptor<FuzzNote>()) {
        _ = (note.title, note.small, note.large, note.price, note.date, note.mood, note.place?.x, note.tags)
        _ = (note.cover?.count, note.secret, note.owner?.title, note.parts.count)
      }
    }
    await attempt { _ = try await engine.conflicts() }
  }
}

extension SyncResponseTarget {
  /// A part of an input.
  fileprivate struct Answer {
    let status: String
    /// A text of the method and the path of the request.
    let request: String
    let body: Data

    static func all(_ bytes: Data) -> [Answer] {
      var (rest, answers) = (bytes, [Answer]())
      while answers.count < 8 {
        let end = rest.range(of: Data("\n----\n".utf8))
        let (head, body) = rest[..<(end?.lowerBound ?? rest.endIndex)].headAndBody
        let words = head.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if words.count == 2, !words[1].isEmpty {
          answers.append(Answer(status: words[0], request: words[1], body: body))
        }
        guard let end else { break }
        rest = rest[end.upperBound...]
      }
      return answers
    }

    func reply() -> SyncReply {
      guard status == "entry" || status == "load" else { return SyncReply(status: Int(status) ?? 200, body: body) }
      let bytes = body.base64EncodedString()
      let zone = "account-\(account)"
      let entries = status == "entry" ? #"{"commit":1,"parts":{"\#(zone)":"\#(bytes)"}}"# : ""
      let loads =
        status == "load" ? #"{"zone":"\#(zone)","isStart":true,"records":"\#(bytes)","entries":[]}"# : ""
      let time = Int64(Date().timeIntervalSince1970 * 1000)
      let json =
        #"{"cursor":1,"latest":1,"time":\#(time),"taken":[],"entries":[\#(entries)],"loads":[\#(loads)]}"#
      return SyncReply(status: 200, body: Data(json.utf8))
    }
  }

  /// A server in this process. The input has some of its answers.
  fileprivate final class Transport: SyncTransport {
    private let server: SyncService
    private let answers: [Answer]
    private let state = Mutex<(waits: Int, reached: Set<String>, isOpen: Bool)>((0, [], false))

    init(server: SyncService, answers: [Answer]) { (self.server, self.answers) = (server, answers) }

    /// Lets requests through. A new engine may begin an exchange before it is paused, and an input has answers for what comes after that.
    func open() { state.withLock { $0.isOpen = true } }

    /// How many requests for news came.
    var waits: Int { state.withLock { $0.waits } }
    /// The routes whose answers the input had.
    var reached: Set<String> { state.withLock { $0.reached } }

    func send(_ request: SyncRequest) async throws -> SyncReply {
      guard state.withLock({ $0.isOpen }) else { throw URLError(.notConnectedToInternet) }
      let isWait = request.path.hasSuffix("/wait")
      if isWait { state.withLock { $0.waits += 1 } }
      try Task.checkCancellation()
      let name = "\(request.method) \(request.path)"
      for answer in answers where name.contains(answer.request) {
        let reply = answer.reply()
        let route = SyncService.route(request.method, request.path)
        state.withLock { if let route { $0.reached.insert(route) } }
        // A server that answers at once for ever would be asked without end.
        if isWait { try await Task.sleep(for: .milliseconds(2)) }
        return reply
      }
      let (status, body) = await server.answer(
        request.method, request.path, headers: request.headers, body: request.body ?? Data())
      return SyncReply(status: status, body: body)
    }
  }
}
