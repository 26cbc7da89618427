import Foundation
import SwiftData
import SwiftDataSync
import SyncProtocol
import Synchronization
import Testing

@testable import SyncServer

// The models of the seeds' "Record Sharing".

@Model final class SeedPlaylist {
  @Attribute(.unique) var id: String = UUID().uuidString
  var name: String = ""
  var ownerID: String = ""
  @Relationship(deleteRule: .cascade, inverse: \SeedTrack.playlist) var tracks: [SeedTrack] = []
  init(name: String, ownerID: String) { (self.name, self.ownerID) = (name, ownerID) }
}
@Model final class SeedTrack {
  @Attribute(.unique) var id: String = UUID().uuidString
  var title: String = ""
  @Attribute(.externalStorage) var artwork: Data?
  var playlist: SeedPlaylist?
  init(title: String) { self.title = title }
}

/// Shares a playlist with other people, as a program does.
actor PlaylistSharing {
  private let container: ModelContainer

  init(_ container: ModelContainer) { self.container = container }

  func sharePlaylist(_ playlist: PersistentIdentifier, with account: String) async throws -> SyncShare {
    guard let engine = container.syncEngines.first else { throw CancellationError() }
    let share = try await engine.share(playlist, title: "Road trip")
    try await engine.invite(account, to: share.id, permission: .readWrite)
    return share
  }
}

@Suite("Sharing over HTTP", .serialized, .timeLimit(.minutes(20)))
struct SharingOverHTTPTests {
  static func container(
    _ server: ServerFixture, _ account: String, over transport: (any SyncTransport)? = nil
  ) async throws -> ModelContainer {
    let database = "iCloud.\(UUID().uuidString)"
    // Other suites of the process make containers meanwhile, whose database is automatic.
    SyncRemote.register(
      database, transport: transport ?? HTTPTransport(url: server.url),
      credentials: SyncCredentials(token: try await server.token(account)), servesAutomatic: false)
    defer { SyncRemote.unregister(database) }
    let schema = Schema([SeedPlaylist.self])
    return try ModelContainer(
      for: schema,
      configurations: ModelConfiguration(
        schema: schema, isStoredInMemoryOnly: true, cloudKitDatabase: .private(database)))
  }

  private static func engine(_ container: ModelContainer) throws -> SyncEngine {
    try #require(container.syncEngines.first)
  }

  /// Saves a playlist with two tracks and returns its identifier.
  static func savePlaylist(_ container: ModelContainer) throws -> PersistentIdentifier {
    let context = ModelContext(container)
    let playlist = SeedPlaylist(name: "Jazz", ownerID: "ann")
    context.insert(playlist)
    playlist.tracks = ["a", "b"].map(SeedTrack.init)
    playlist.tracks[0].artwork = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 3) })
    try context.save()
    return playlist.persistentModelID
  }

  static func titles(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<SeedTrack>(sortBy: [SortDescriptor(\.title)])).map {
      "\($0.title) in \($0.playlist?.name ?? "none")"
    }
  }

  /// Waits as long as it takes, because the machine may be busy. The time limit of the suite ends a wait without a result.
  static func wait(_ condition: () throws -> Bool) async throws {
    while try !condition() { try await Task.sleep(for: .milliseconds(10)) }
  }

  @Test(
    "An account that is invited accepts, sees the playlist with its tracks and changes it; a revoked one loses it",
    arguments: TestStore.available)
  func named(_ store: TestStore) async throws {
    try await store.with { server in
      let (ann, bob) = (try await Self.container(server, "ann"), try await Self.container(server, "bob"))
      let playlist = try Self.savePlaylist(ann)
      let share = try await PlaylistSharing(ann).sharePlaylist(playlist, with: "bob")
      #expect(share.owner == "ann" && share.permission == .readWrite)
      try await Self.engine(bob).syncNow()
      #expect(try Self.titles(bob).isEmpty)
      let offered = try #require(try await Self.engine(bob).shares().first)
      #expect(offered.title == "Road trip" && !offered.hasAccepted && offered.owner == "ann")
      let accepted = try await Self.engine(bob).accept(offered.id)
      let participants = accepted.participants.map { "\($0.account) \($0.permission) \($0.hasAccepted)" }
      #expect(participants == ["bob readWrite true"])
      #expect(try Self.titles(bob) == ["a in Jazz", "b in Jazz"])
      let context = ModelContext(bob)
      let tracks = try context.fetch(FetchDescriptor<SeedTrack>(sortBy: [SortDescriptor(\.title)]))
      #expect(tracks[0].artwork?.count == 300_000)
      tracks[0].title = "a2"
      let track = SeedTrack(title: "c")
      context.insert(track)
      track.playlist = tracks[0].playlist
      try context.save()
      try await Self.wait { try Self.titles(ann) == ["a2 in Jazz", "b in Jazz", "c in Jazz"] }
      #expect(try await Self.engine(ann).share(of: playlist)?.id == share.id)
      try await Self.engine(ann).revoke("bob", from: share.id)
      try await Self.wait { try Self.titles(bob).isEmpty }
      #expect(try await Self.engine(bob).shares().isEmpty)
      #expect(try Self.titles(ann) == ["a2 in Jazz", "b in Jazz", "c in Jazz"])
      for container in [ann, bob] { try await Self.engine(container).stop() }
    }
  }

  @Test(
    "A link gives what it promises: read-only undoes a change and says so; leaving takes the objects away",
    arguments: TestStore.available)
  func link(_ store: TestStore) async throws {
    try await store.with { server in
      let (ann, bob) = (try await Self.container(server, "ann"), try await Self.container(server, "bob"))
      let playlist = try Self.savePlaylist(ann)
      let engine = try Self.engine(ann)
      let share = try await engine.share(playlist)
      let link = try await engine.makeLink(to: share.id)
      let bobs = try Self.engine(bob)
      let accepted = try await bobs.accept(link: link)
      #expect(accepted.permission == .readOnly && accepted.hasAccepted)
      #expect(try Self.titles(bob) == ["a in Jazz", "b in Jazz"])
      await bobs.pause()
      let context = ModelContext(bob)
      try context.fetch(FetchDescriptor<SeedTrack>(sortBy: [SortDescriptor(\.title)]))[0].title = "bob's"
      try context.save()
      let refusals = Mutex<[SyncError]>([])
      let observer = NotificationCenter.default.addObserver(
        forName: SyncEngine.eventChanged, object: bobs, queue: nil
      ) { notification in
        let event = notification.userInfo?["event"] as? SyncEvent
        if let error = event?.error, event?.kind == .export { refusals.withLock { $0.append(error) } }
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      let error = await #expect(throws: SyncError.self) { try await bobs.syncNow() }
      #expect(error?.code == .forbidden && error?.message.contains("share of ann;") == true)
      // The error of the status is gone after the next exchange, which may be one in the background.
      #expect(refusals.withLock { $0.map(\.code) } == [.forbidden])
      #expect(try Self.titles(bob) == ["a in Jazz", "b in Jazz"])
      #expect(bobs.status.pendingChanges == 0)
      // The owner gives more.
      try await engine.invite("bob", to: share.id, permission: .readWrite)
      try await bobs.syncNow()
      try context.fetch(FetchDescriptor<SeedTrack>(sortBy: [SortDescriptor(\.title)]))[0].title = "bob's"
      try context.save()
      try await bobs.syncNow()
      try await Self.wait { try Self.titles(ann) == ["b in Jazz", "bob's in Jazz"] }
      // What was not sent yet is sent before.
      try context.fetch(FetchDescriptor<SeedTrack>(sortBy: [SortDescriptor(\.title)]))[0].title = "last"
      try context.save()
      try await bobs.leave(share.id)
      #expect(try Self.titles(bob).isEmpty)
      try await Self.wait { try Self.titles(ann) == ["bob's in Jazz", "last in Jazz"] }
      #expect(try await engine.shares().first?.participants.isEmpty == true)
      // The link is valid until the share ends.
      _ = try await bobs.accept(link: link)
      try await engine.endShare(share.id)
      try await bobs.syncNow()
      #expect(try Self.titles(bob).isEmpty)
      let refused = await #expect(throws: SyncError.self) { try await bobs.accept(link: link) }
      #expect(refused?.code == .refused)
      for engine in [engine, bobs] { await engine.stop() }
    }
  }
}

extension SharingOverHTTPTests {
  @Test("A large value that a participant may not change comes back from the server")
  func largeValue() async throws {
    try await ServerFixture.with { server in
      let (ann, bob) = (try await Self.container(server, "ann"), try await Self.container(server, "bob"))
      let (anns, bobs) = (try Self.engine(ann), try Self.engine(bob))
      let share = try await anns.share(try Self.savePlaylist(ann))
      _ = try await bobs.accept(link: try await anns.makeLink(to: share.id))
      await bobs.pause()
      let context = ModelContext(bob)
      let tracks = FetchDescriptor<SeedTrack>(sortBy: [SortDescriptor(\.title)])
      try context.fetch(tracks)[0].artwork = Data(repeating: 1, count: 200_000)
      try context.save()
      let error = await #expect(throws: SyncError.self) { try await bobs.syncNow() }
      #expect(error?.code == .forbidden)
      let expected = try ModelContext(ann).fetch(tracks)[0].artwork
      #expect(try ModelContext(bob).fetch(tracks)[0].artwork == expected)
      for engine in [anns, bobs] { await engine.stop() }
    }
  }
}

/// Loses the answers to what is sent to shares.
private struct ForgetfulTransport: SyncTransport {
  let base: HTTPTransport

  func send(_ request: SyncRequest) async throws -> SyncReply {
    let reply = try await base.send(request)
    if request.path.contains("/push"), !request.path.contains("/private/") { throw URLError(.networkConnectionLost) }
    return reply
  }
}

extension SharingOverHTTPTests {
  @Test(
    "A track that a participant takes out of a share stays with the participant who never heard of it and loses the share",
    arguments: TestStore.available)
  func takenOutUnanswered(_ store: TestStore) async throws {
    try await store.with { server in
      let transport = ForgetfulTransport(base: HTTPTransport(url: server.url))
      let ann = try await Self.container(server, "ann")
      let bob = try await Self.container(server, "bob", over: transport)
      let (anns, bobs) = (try Self.engine(ann), try Self.engine(bob))
      let share = try await anns.share(try Self.savePlaylist(ann))
      _ = try await bobs.accept(link: try await anns.makeLink(to: share.id, permission: .readWrite))
      await bobs.pause()
      let context = ModelContext(bob)
      let own = SeedPlaylist(name: "Own", ownerID: "bob")
      context.insert(own)
      try context.fetch(FetchDescriptor<SeedTrack>(sortBy: [SortDescriptor(\.title)]))[0].playlist = own
      try context.save()
      let error = await #expect(throws: SyncError.self) { try await bobs.syncNow() }
      #expect(error?.code == .offline)
      try await Self.wait { try Self.titles(ann) == ["b in Jazz"] }
      try await anns.revoke("bob", from: share.id)
      try await bobs.syncNow()
      #expect(try Self.titles(bob) == ["a in Own"])
      try await anns.syncNow()
      #expect(try Self.titles(ann) == ["b in Jazz"])
      for engine in [anns, bobs] { await engine.stop() }
    }
  }
}

@Suite("Shares and hostile clients", .timeLimit(.minutes(20)))
struct ShareIsolationTests {
  /// Makes a share of Ann's with one record in it.
  private func share(_ server: ServerFixture) async throws -> String {
    let ann = try await server.token("ann")
    let body = try SyncWire.encode(CreateShareRequest(root: RecordName("r"), title: "t"))
    let answer = try await server.send("POST", "/v2/shares", token: ann, body: body)
    let zone = try SyncWire.decode(ShareInfo.self, from: answer.body).zone
    #expect(try await push(server, zone, as: "ann") == nil)
    return zone
  }

  /// Writes a record to a share.
  private func push(
    _ server: ServerFixture, _ zone: String, as account: String, _ record: RecordName = .a
  ) async throws -> SyncFailure.Code? {
    try await server.logClient(account).push([try #require(ZoneName(text: zone)): [record: .born()]])
  }

  /// Whether an account reads the records of a share.
  private func reads(_ server: ServerFixture, _ zone: String, as account: String) async throws -> Bool {
    try await server.logClient(account).states.zones[try #require(ZoneName(text: zone))] != nil
  }

  private func invite(
    _ server: ServerFixture, _ zone: String, _ account: String?, _ permission: SharePermission = .readOnly
  ) async throws -> String? {
    let body = try SyncWire.encode(InviteRequest(account: account, permission: permission))
    let path = "/v2/shares/\(zone)/invitations"
    let answer = try await server.send("POST", path, token: try await server.token("ann"), body: body)
    return try SyncWire.decode(InviteResponse.self, from: answer.body).link
  }

  /// The statuses of all requests that an account could try on a zone.
  private func statuses(_ server: ServerFixture, _ zone: String, as account: String) async throws -> [Int] {
    let token = try await server.token(account)
    let hash = String(repeating: "0", count: 64)
    let invite = try SyncWire.encode(InviteRequest(account: "zoe", permission: .readWrite))
    let requests: [(String, String, Data?)] = [
      ("GET", "/v2/zones/\(zone)/assets/\(hash)?state=1", nil),
      ("PUT", "/v2/zones/\(zone)/assets/\(hash)?offset=0&total=3", Data("abc".utf8)),
      ("POST", "/v2/shares/\(zone)/invitations", invite),
      ("DELETE", "/v2/shares/\(zone)/participants/bob", nil),
      ("DELETE", "/v2/shares/\(zone)", nil),
    ]
    var statuses: [Int] = []
    for (method, path, body) in requests {
      statuses.append(try await server.send(method, path, token: token, body: body).status)
    }
    return statuses
  }

  @Test(
    "An account that was not invited, or has not accepted, neither reads nor writes a share, nor learns that it exists",
    arguments: TestStore.available)
  func strangers(_ store: TestStore) async throws {
    try await store.with { server in
      let zone = try await share(server)
      _ = try await invite(server, zone, "bob", .readWrite)
      #expect(try await statuses(server, zone, as: "eve") == Array(repeating: 404, count: 5))
      for account in ["eve", "bob"] {
        #expect(try await push(server, zone, as: account, .b) == .forbidden)
        #expect(try await !reads(server, zone, as: account))
      }
      #expect(
        try await server.send("POST", "/v2/shares/\(zone)/accept", token: try await server.token("eve")).status == 404)
      // Bob may decline the invitation, so that the fourth request succeeds.
      #expect(try await statuses(server, zone, as: "bob") == [404, 404, 404, 200, 404])
      let shares = try await server.send("GET", "/v2/shares", token: try await server.token("eve"))
      #expect(try SyncWire.decode(SharesResponse.self, from: shares.body).shares?.isEmpty == true)
    }
  }

  @Test(
    "A participant who may only read is refused every change, and one who may write cannot invite or end",
    arguments: TestStore.available)
  func permissions(_ store: TestStore) async throws {
    try await store.with { server in
      let zone = try await share(server)
      let bob = try await server.token("bob")
      _ = try await invite(server, zone, "bob")
      _ = try await server.send("POST", "/v2/shares/\(zone)/accept", token: bob)
      #expect(try await reads(server, zone, as: "bob"))
      #expect(try await push(server, zone, as: "bob", .b) == .forbidden)
      let hash = String(repeating: "0", count: 64)
      let refused = try await server.send(
        "PUT", "/v2/zones/\(zone)/assets/\(hash)?offset=0&total=3", token: bob, body: Data("abc".utf8))
      #expect(refused.status == 403 && refused.failure?.message.contains("ask ann ") == true)
      _ = try await invite(server, zone, "bob", .readWrite)
      #expect(try await push(server, zone, as: "bob", .b) == nil)
      let invite = try SyncWire.encode(InviteRequest(account: "eve", permission: .readWrite))
      let path = "/v2/shares/\(zone)"
      #expect(try await server.send("POST", "\(path)/invitations", token: bob, body: invite).status == 403)
      #expect(try await server.send("DELETE", path, token: bob).status == 403)
      #expect(
        try await server.send("DELETE", "\(path)/participants/ann", token: bob).status == 403)
    }
  }

  @Test(
    "An account learns which of its own changes a share took, also after it lost the share, and nothing of those of others",
    arguments: TestStore.available)
  func known(_ store: TestStore) async throws {
    try await store.with { server in
      let zone = try await share(server)
      let (ann, bob) = (try await server.token("ann"), try await server.token("bob"))
      _ = try await invite(server, zone, "bob", .readWrite)
      _ = try await server.send("POST", "/v2/shares/\(zone)/accept", token: bob)
      let sent = SyncLog.Transaction(
        id: UUID(), parts: [try #require(ZoneName(text: zone)): [.b: .born()]])
      #expect(try await server.logClient("bob").push([sent]) == nil)
      _ = try await server.send(
        "DELETE", "/v2/shares/\(zone)/participants/bob", token: ann)
      // The log has it, although the account may not write to the share any more.
      #expect(try await server.logClient("bob").push([sent]) == nil)
      for (account, isKnown) in [("bob", true), ("ann", false), ("eve", false)] {
        var client = try await server.logClient(account)
        client.outbox = [sent]
        try await client.pull()
        #expect(client.outbox.isEmpty == isKnown, "\(account)")
      }
    }
  }

  @Test("A link that was revoked, guessed or read from the database opens nothing", arguments: TestStore.available)
  func links(_ store: TestStore) async throws {
    try await store.with { server in
      let zone = try await share(server)
      let link = try #require(try await invite(server, zone, nil))
      let (ann, bob) = (try await server.token("ann"), try await server.token("bob"))
      func accept(_ link: String, _ token: String) async throws -> Int {
        let body = try SyncWire.encode(AcceptRequest(link: link))
        return try await server.send("POST", "/v2/shares/accept", token: token, body: body).status
      }
      let hash = ServerFixture.sha256(link)
      for guess in ["", zone, String(link.dropLast()), hash] { #expect(try await accept(guess, bob) == 404) }
      #expect(try await accept(link, bob) == 200)
      #expect(
        try await server.send("DELETE", "/v2/shares/\(zone)/participants/bob", token: ann).status
          == 200)
      #expect(try await !reads(server, zone, as: "bob"))
      #expect(try await accept(link, bob) == 404)
    }
  }

  @Test("A share has at most as many links as participants, and a refusal says how to end them")
  func linkLimit() async throws {
    var limits = ServerLimits()
    limits.participants = 2
    try await ServerFixture.with(limits: limits) { server in
      let zone = try await share(server)
      let ann = try await server.token("ann")
      func makeLink() async throws -> SyncFailure? {
        let body = try SyncWire.encode(InviteRequest(account: nil, permission: .readOnly))
        let answer = try await server.send("POST", "/v2/shares/\(zone)/invitations", token: ann, body: body)
        return answer.status == 200 ? nil : answer.failure
      }
      for _ in 0..<2 { #expect(try await makeLink() == nil) }
      let refusal = try #require(try await makeLink())
      #expect(refusal.code == .quotaExceeded && refusal.message.contains("revoke a participant"))
    }
  }
}
