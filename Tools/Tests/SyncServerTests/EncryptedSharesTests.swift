import Foundation
import SwiftData
import SyncProtocol
import Testing

@testable import SwiftDataSync
@testable import SyncServer

@Model final class SealedDiary {
  @Attribute(.unique) var id: String = UUID().uuidString
  var name: String = ""
  @Relationship(deleteRule: .cascade, inverse: \SealedPage.diary) var pages: [SealedPage] = []
  init(_ name: String) { self.name = name }
}
@Model final class SealedPage {
  var number: Int = 0
  @Attribute(.allowsCloudEncryption) var text: String = ""
  @Attribute(.allowsCloudEncryption) var scan: Data?
  var diary: SealedDiary?
  init(_ number: Int, _ text: String) { (self.number, self.text) = (number, text) }
}

@Suite("Encrypted attributes in shares", .serialized)
struct EncryptedSharesTests {
  private static func container(
    _ server: ServerFixture, _ account: String, secret: String? = nil
  ) async throws -> ModelContainer {
    let database = "iCloud.\(UUID().uuidString)"
    let token = try await server.token(account)
    // Other suites of the process make containers meanwhile, whose database is automatic.
    SyncRemote.register(
      database, transport: HTTPTransport(url: server.url),
      credentials: SyncCredentials(token: token, encryptionSecret: secret ?? "the secret of \(account)"),
      servesAutomatic: false)
    defer { SyncRemote.unregister(database) }
    let schema = Schema([SealedDiary.self])
    return try ModelContainer(
      for: schema,
      configurations: ModelConfiguration(
        schema: schema, isStoredInMemoryOnly: true, cloudKitDatabase: .private(database)))
  }

  private static func engine(_ container: ModelContainer) throws -> SyncEngine {
    try #require(container.syncEngines.first)
  }

  private static func write(_ number: Int, _ text: String, _ container: ModelContainer) throws {
    let context = ModelContext(container)
    let page = SealedPage(number, text)
    context.insert(page)
    page.diary = try context.fetch(FetchDescriptor<SealedDiary>()).first
    try context.save()
  }

  private static func texts(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<SealedPage>(sortBy: [SortDescriptor(\.number)])).map(\.text)
  }

  /// Saves a diary with one page, shares it, and returns the share.
  private static func share(_ ann: ModelContainer) async throws -> SyncShare {
    let context = ModelContext(ann)
    let diary = SealedDiary("Diary of Ann")
    context.insert(diary)
    try context.save()
    try write(1, "the launch code", ann)
    return try await engine(ann).share(diary.persistentModelID, title: "Diary")
  }

  /// Syncs until a condition holds.
  private static func sync(_ containers: ModelContainer..., until condition: () throws -> Bool) async throws {
    for _ in 0..<500 where try !condition() {
      for container in containers { try await engine(container).syncNow() }
    }
    #expect(try condition())
  }

  /// All encrypted values in the state of a zone.
  private static func sealed(_ server: ServerFixture, _ zone: String, _ account: String) async throws -> [Data] {
    let name = try #require(ZoneName(text: zone))
    return try await server.logClient(account).states[name].records.values.flatMap { registers in
      registers.fields.values.compactMap { if case .sealed(let data) = $0.value { data } else { nil } }
    }
  }

  /// All encrypted values in the log of a zone, also those that later ones replaced.
  private static func sent(_ server: ServerFixture, _ zone: String) async throws -> [Data] {
    let context = ModelContext(try await #require(server.service).store.container)
    return try context.fetch(FetchDescriptor<LogPart>(predicate: #Predicate { $0.zone == zone })).flatMap { part in
      guard case .change(let records) = try ZoneStates.Entry.Part(encoded: part.bytes) else { return [Data]() }
      return records.values.flatMap(\.fields.values).compactMap {
        if case .sealed(let data) = $0.value { data } else { nil }
      }
    }
  }

  private static func keys(_ container: ModelContainer) async throws -> Keyring {
    let state = try await engine(container).keyring()
    return try #require(state)
  }

  private static func stop(_ containers: ModelContainer...) async throws {
    for container in containers { try await engine(container).stop() }
  }

  @Test("A participant reads and writes them, and the server's files contain none of them in plain")
  func reads() async throws {
    let folder = try TestFolder()
    try await ServerFixture.with(store: folder.path("server.store")) { server in
      let (ann, bob) = (try await Self.container(server, "ann"), try await Self.container(server, "bob"))
      // Bob's key is published before he is invited, so that he does not wait for Ann's device.
      try await Self.engine(bob).syncNow()
      let share = try await Self.share(ann)
      try await Self.engine(ann).invite("bob", to: share.id, permission: .readWrite)
      await (try Self.engine(ann)).pause()
      _ = try await Self.engine(bob).accept(share.id)
      #expect(try Self.texts(bob) == ["the launch code"])
      // Also a large value, which would travel as an asset if it were not encrypted.
      let picture = Data(repeating: 0x5A, count: 300_000)
      let context = ModelContext(bob)
      let page = try #require(try context.fetch(FetchDescriptor<SealedPage>()).first)
      (page.text, page.scan) = ("the code of Bob", picture)
      try context.save()
      try await Self.engine(bob).syncNow()
      await (try Self.engine(ann)).resume()
      try await Self.sync(ann) { try Self.texts(ann) == ["the code of Bob"] }
      #expect(try ModelContext(ann).fetch(FetchDescriptor<SealedPage>()).first?.scan == picture)
      let stored = try FileManager.default.contentsOfDirectory(at: folder.url, includingPropertiesForKeys: nil)
        .map { try Data(contentsOf: $0) }
      func contains(_ text: Data) -> Bool { stored.contains { $0.range(of: text) != nil } }
      // The search finds what is not encrypted.
      #expect(contains(Data("Diary of Ann".utf8)) && contains(Data("SealedPage".utf8)))
      for text in ["the launch code", "the code of Bob", "the secret of ann", "the secret of bob"] {
        let plain = Data(text.utf8)
        #expect(!contains(plain) && !contains(plain.base64EncodedData()))
      }
      #expect(!contains(picture.prefix(1000)))
      let keys = try await Self.keys(ann)
      for key in [keys.own.bytes, keys.account.rawRepresentation] + (keys.shares[share.id] ?? []).map(\.bytes) {
        #expect(!contains(key) && !contains(key.base64EncodedData()))
      }
      try await Self.stop(ann, bob)
    }
  }

  @Test("An account that was invited before it had a key gets the values when the owner's device syncs")
  func late() async throws {
    try await ServerFixture.with { server in
      let ann = try await Self.container(server, "ann")
      let share = try await Self.share(ann)
      try await Self.engine(ann).invite("bob", to: share.id)
      let bob = try await Self.container(server, "bob")
      _ = try await Self.engine(bob).accept(share.id)
      try await Self.sync(ann, bob) { try Self.texts(bob) == ["the launch code"] }
      try await Self.stop(ann, bob)
    }
  }

  @Test("An account that was removed cannot decrypt later values, and the others can, also those of before")
  func revoked() async throws {
    try await ServerFixture.with { server in
      let ann = try await Self.container(server, "ann")
      let bob = try await Self.container(server, "bob")
      let carol = try await Self.container(server, "carol")
      let share = try await Self.share(ann)
      for (name, container) in [("bob", bob), ("carol", carol)] {
        try await Self.engine(ann).invite(name, to: share.id, permission: .readWrite)
        _ = try await Self.engine(container).accept(share.id)
      }
      try await Self.sync(ann, bob, carol) {
        try Self.texts(bob) == ["the launch code"] && Self.texts(carol).count == 1
      }
      let bobs = try await Self.keys(bob)
      let before = try await Self.sealed(server, share.id, "ann")
      try await Self.engine(ann).revoke("bob", from: share.id)
      try Self.write(2, "after Bob", ann)
      try await Self.engine(ann).syncNow()
      let later = try await Self.sealed(server, share.id, "ann").filter { !before.contains($0) }
      #expect(!later.isEmpty)
      let known = Set([bobs.own.identifier] + (bobs.shares[share.id] ?? []).map(\.identifier))
      #expect(before.allSatisfy { known.contains($0.prefix(8)) })
      #expect(later.allSatisfy { !known.contains($0.prefix(8)) })
      try await Self.sync(carol) { try Self.texts(carol) == ["the launch code", "after Bob"] }
      // A device that was never there reads values of both keys.
      let second = try await Self.container(server, "carol")
      try await Self.sync(second) { try Self.texts(second) == ["the launch code", "after Bob"] }
      // Invited again, the account reads all.
      try await Self.engine(ann).invite("bob", to: share.id)
      _ = try await Self.engine(bob).accept(share.id)
      try await Self.sync(ann, bob) { try Self.texts(bob) == ["the launch code", "after Bob"] }
      try await Self.stop(ann, bob, carol, second)
    }
  }

  @Test("A participant who leaves causes a new key, too")
  func left() async throws {
    try await ServerFixture.with { server in
      let (ann, bob) = (try await Self.container(server, "ann"), try await Self.container(server, "bob"))
      let share = try await Self.share(ann)
      try await Self.engine(ann).invite("bob", to: share.id)
      _ = try await Self.engine(bob).accept(share.id)
      try await Self.sync(ann, bob) { try Self.texts(bob).count == 1 }
      #expect(try await Self.keys(ann).shares[share.id]?.count == 1)
      try await Self.engine(bob).leave(share.id)
      try await Self.engine(ann).syncNow()
      #expect(try await Self.keys(ann).shares[share.id]?.count == 2)
      try await Self.stop(ann, bob)
    }
  }

  @Test("A link carries the key where the server cannot see it, and the account's other devices get it")
  func link() async throws {
    try await ServerFixture.with { server in
      let (ann, bob) = (try await Self.container(server, "ann"), try await Self.container(server, "bob"))
      let share = try await Self.share(ann)
      let link = try await Self.engine(ann).makeLink(to: share.id)
      #expect(link.split(separator: "#").count == 2)
      // The owner's device is away.
      try await Self.engine(ann).stop()
      _ = try await Self.engine(bob).accept(link: link)
      #expect(try Self.texts(bob) == ["the launch code"])
      let second = try await Self.container(server, "bob")
      try await Self.engine(second).syncNow()
      #expect(try Self.texts(second) == ["the launch code"])
      try await Self.stop(bob, second)
    }
  }

  @Test("An object that moves into a share or out of it is encrypted with the key of its new zone")
  func moving() async throws {
    try await ServerFixture.with { server in
      let ann = try await Self.container(server, "ann")
      let share = try await Self.share(ann)
      let keys = try await Self.keys(ann)
      let zoneKey = try #require(keys.shares[share.id]?.last)
      func values(_ zone: String) async throws -> (own: Int, zone: Int) {
        let all = try await Self.sent(server, zone)
        return (all.count { $0.starts(with: keys.own.identifier) }, all.count { $0.starts(with: zoneKey.identifier) })
      }
      // The page was private before its diary was shared.
      #expect(try await values("account-ann") == (1, 0))
      #expect(try await values(share.id) == (0, 1))
      let context = ModelContext(ann)
      let page = try #require(try context.fetch(FetchDescriptor<SealedPage>()).first)
      let (shared, other) = (page.diary, SealedDiary("Not shared"))
      context.insert(other)
      page.diary = other
      try context.save()
      try await Self.engine(ann).syncNow()
      #expect(try await values("account-ann") == (2, 0))
      #expect(try await values(share.id) == (0, 1))
      page.diary = shared
      try context.save()
      try await Self.engine(ann).syncNow()
      #expect(try await values("account-ann") == (2, 0))
      #expect(try await values(share.id) == (0, 2))
      // Another device of the account reads it.
      let second = try await Self.container(server, "ann")
      try await Self.engine(second).syncNow()
      #expect(try Self.texts(second) == ["the launch code"])
      try await Self.stop(ann, second)
    }
  }

  @Test("A server that names another key for an account than before is refused, and fingerprints tell keys apart")
  func falseKey() async throws {
    try await ServerFixture.with { server in
      let (ann, bob) = (try await Self.container(server, "ann"), try await Self.container(server, "bob"))
      let share = try await Self.share(ann)
      try await Self.engine(ann).invite("bob", to: share.id)
      _ = try await Self.engine(bob).accept(share.id)
      try await Self.sync(ann, bob) { try Self.texts(bob).count == 1 }
      let known = try #require(try await Self.engine(ann).shares().first)
      #expect(try await Self.engine(bob).keyFingerprint() == known.participants.first?.fingerprint)
      #expect(try await Self.engine(ann).keyFingerprint() == known.ownerFingerprint)
      try await Self.stop(bob)
      // What a hostile server would do, a device with another secret does.
      let imposter = try await Self.container(server, "bob", secret: "a false secret")
      _ = try? await Self.engine(imposter).syncNow()
      let error = await #expect(throws: SyncError.self) { try await Self.engine(ann).syncNow() }
      #expect(error?.code == .encryptionKey && error?.message.contains("bob") == true)
      try await Self.engine(imposter).stop()
      // Ann's own changes go on to be sent, and the false key reads none of them.
      try Self.write(2, "for Bob only", ann)
      _ = try? await Self.engine(ann).syncNow()
      #expect(try await Self.sealed(server, share.id, "ann").count == 2)
      let zoneKeys = try await server.send("GET", "/v2/shares/\(share.id)/keys", token: try await server.token("bob"))
      #expect(try SyncWire.decode(ZoneKeys.self, from: zoneKeys.body).wrapped == nil)
      try await Self.stop(ann)
    }
  }
}

extension SyncEngine {
  /// The keys that the engine has.
  fileprivate func keyring() throws -> Keyring? { try replica().keyring }
}
