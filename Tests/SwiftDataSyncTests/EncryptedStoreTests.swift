#if Sync
import Foundation
import SwiftData
import SwiftDataPostgres
import SyncProtocol
import Testing

@testable import SwiftDataSync

@Model final class SecretNote {
  @Attribute(.unique) var code: String = ""
  @Attribute(.allowsCloudEncryption) var secret: String = ""
  @Attribute(.allowsCloudEncryption, .externalStorage) var picture: Data?
  init(_ code: String, _ secret: String) { (self.code, self.secret) = (code, secret) }
}

/// The bookkeeping has the values that travel, which a key of the account encrypts.
@Suite("The bookkeeping of a store with encrypted attributes", .serialized)
final class EncryptedStoreTests {
  enum Place: CaseIterable {
    case file, postgres

    static let there = allCases.filter { $0 != .postgres || ProcessInfo.processInfo.environment["POSTGRES_URL"] != nil }
  }

  private let server = ZoneServer()
  private let keyring = Keyring(secret: "the secret of the account")
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sealed-\(UUID().uuidString)")
  private let namespace = "sealed_" + UUID().uuidString.lowercased().replacing("-", with: "")
  private var url: String { ProcessInfo.processInfo.environment["POSTGRES_URL"] ?? "" }
  private var usesServer = false
  private static let text = "a secret text"

  deinit {
    try? FileManager.default.removeItem(at: folder)
    guard usesServer else { return }
    _ = try? PostgresConnection(url: url, namespace: "public").run("DROP SCHEMA IF EXISTS \"\(namespace)\" CASCADE")
  }

  private func open(_ place: Place) throws -> ModelContainer {
    let schema = Schema([SecretNote.self])
    let key = try ModelConfiguration.EncryptionKey(Data(repeating: 1, count: 32))
    switch place {
    case .file:
      var configuration = ModelConfiguration(
        schema: schema, url: folder.appendingPathComponent("a.store"), cloudKitDatabase: .none)
      configuration.encryptionKey = key
      return try ModelContainer(for: schema, configurations: configuration)
    case .postgres:
      usesServer = true
      var configuration = PostgresConfiguration(url: url, namespace: namespace)
      configuration.encryptionKey = key
      return try ModelContainer(for: schema, configurations: configuration)
    }
  }

  private func replica(_ container: ModelContainer) throws -> ZoneReplica {
    try ZoneReplica(
      user: UserStore(container), keyring: keyring,
      now: { [server] in
        server.now += 1
        return server.now
      })
  }

  private func insert(_ code: String, _ container: ModelContainer) throws {
    let context = ModelContext(container)
    let note = SecretNote(code, Self.text)
    note.picture = Data(Array(repeating: Self.text, count: 20_000).joined().utf8)
    context.insert(note)
    try context.save()
  }

  /// The cells of the bookkeeping that contain the text.
  private func plain(_ container: ModelContainer) throws -> [String] {
    let store = try #require(UserStore(container).transactionStore)
    return try SyncTable.states.flatMap { table in
      let rows = try store.rows("SELECT * FROM _swiftdata_replica_\(table.name)", [])
      return rows.joined().compactMap { cell in
        let bytes: Data? =
          switch cell {
          case .text(let text): Data(text.utf8)
          case .blob(let data): data
          default: nil
          }
        return bytes.flatMap { $0.range(of: Data(Self.text.utf8)) == nil ? nil : table.name }
      }
    }
  }

  @Test("A value of an object that two devices made is encrypted for the record of each")
  func twoRecords() throws {
    let containers = try (0..<2).map { _ in
      try ModelContainer(
        for: SecretNote.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .none))
    }
    let replicas = try containers.map(replica)
    for container in containers { try insert("one", container) }
    func syncAll() throws {
      for _ in 0..<2 { for replica in replicas { try replica.exchange(with: server) } }
    }
    try syncAll()
    let context = ModelContext(containers[0])
    try context.fetch(FetchDescriptor<SecretNote>())[0].secret = "changed"
    try context.save()
    try syncAll()
    let records = server.state(of: replicas[0].ownZone).records
    #expect(records.count == 2)
    for (name, registers) in records {
      let value = try #require(registers.fields["secret"]?.value)
      #expect(replicas[1].opened(value, of: name, "secret") == .text("changed"))
    }
  }

  @Test("has no value in plain, with unsent changes, conflicts and large values", arguments: Place.there)
  func noPlainValue(_ place: Place) throws {
    let container = try open(place)
    let other = try ModelContainer(
      for: SecretNote.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .none))
    let (replica, otherReplica) = (try replica(container), try self.replica(other))
    func syncAll() throws {
      for _ in 0..<2 {
        for replica in [replica, otherReplica] {
          try replica.capture()
          try replica.exchange(with: server)
        }
      }
    }
    try insert("sent", container)
    try insert("received", other)
    try syncAll()
    for (index, container) in [container, other].enumerated() {
      let context = ModelContext(container)
      for note in try context.fetch(FetchDescriptor<SecretNote>()) { note.secret += " of \(index)" }
      try context.save()
    }
    try syncAll()
    #expect(try !replica.conflicts().isEmpty || !otherReplica.conflicts().isEmpty)
    try insert("unsent", container)
    try replica.capture()
    #expect(replica.pendingCount == 1)
    for container in [container, other] { #expect(try plain(container) == []) }
    for container in [container, other] {
      let notes = try ModelContext(container).fetch(FetchDescriptor<SecretNote>())
      #expect(notes.allSatisfy { $0.secret.hasPrefix(Self.text) && $0.picture?.count == 20_000 * Self.text.count })
    }
  }
}
#endif
