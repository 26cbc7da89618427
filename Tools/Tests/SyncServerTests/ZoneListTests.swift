import Foundation
import SwiftData
import SyncProtocol
import Testing

@testable import SyncServer

@Suite("What a client that names its list of zones hears") struct ZoneListTests {
  private let folder: TestFolder
  private let store: ZoneStore

  init() throws {
    folder = try TestFolder()
    store = try Self.store(folder)
  }

  private static func store(_ folder: TestFolder) throws -> ZoneStore {
    ZoneStore(try ZoneStore.container(at: folder.path("server.store")), ServerLimits()) { 1_800_000_000_000 }
  }

  /// Shares of Ann that Bob accepted.
  static func shares(_ count: Int, _ store: ZoneStore) async throws -> [String] {
    var zones: [String] = []
    for number in 0..<count {
      let request = CreateShareRequest(root: RecordName("root-\(number)"), title: "")
      let zone = try await store.createShare(request, account: "ann").zone
      _ = try await store.invite(InviteRequest(account: "bob", permission: .readWrite), to: zone, account: "ann")
      _ = try await store.accept(zone: zone, account: "bob")
      zones.append(zone)
    }
    return zones
  }

  static func transaction() -> SyncTransaction {
    var change = RecordChange(RecordName(UUID().uuidString), "Note")
    change.fields["text"] = FieldWrite(.text("a"), HybridTime(milliseconds: 1000, counter: 0, replica: 1), over: nil)
    return SyncTransaction(id: UUID(), replica: 1, changes: [change])
  }

  private func push(_ zone: String, _ account: String = "ann") async throws {
    let request = PushRequest(base: 0, transactions: [Self.transaction()])
    _ = try await store.push(request, account: account, zone: zone)
  }

  private func listChanges(_ version: String?, _ account: String = "bob") async throws -> ZoneListChanges {
    try await store.listChanges(of: account, since: version)
  }

  @Test("Another number of one zone is all that it gets")
  func number() async throws {
    let zones = try await Self.shares(3, store)
    let all = try await listChanges(nil)
    #expect(!all.isPartial && Set(all.zones.map(\.name)) == Set(zones + ["private"]))
    let none = try await listChanges(all.version)
    #expect(none.isPartial && none.zones.isEmpty)
    try await push(zones[1])
    let one = try await listChanges(all.version)
    #expect(one.isPartial && one.zones.map(\.name) == [zones[1]] && one.zones.map(\.latest) == [1])
    // The next one is not told again, but a client that did not get the answer is.
    #expect(try await listChanges(one.version).zones.isEmpty)
    #expect(try await listChanges(all.version).zones.map(\.name) == [zones[1]])
    try await push("private", "bob")
    #expect(try await listChanges(one.version).zones.map(\.name) == ["private"])
    let named = try await store.listChanges(of: "bob", since: one.version, naming: [zones[0]])
    #expect(Set(named.zones.map(\.name)) == ["private", zones[0]])
  }

  @Test("A share that comes, changes or goes makes another list, and the shares of others do not")
  func lists() async throws {
    let zones = try await Self.shares(2, store)
    var version = try await listChanges(nil).version
    func isOther() async throws -> Bool {
      let changes = try await listChanges(version)
      version = changes.version
      return !changes.isPartial
    }
    #expect(try await !isOther())
    _ = try await store.invite(InviteRequest(account: "bob", permission: .readOnly), to: zones[0], account: "ann")
    #expect(try await isOther())
    #expect(try await listChanges(nil).zones.first { $0.name == zones[0] }?.isWritable == false)
    let new = try await store.createShare(CreateShareRequest(root: RecordName("new"), title: ""), account: "ann").zone
    _ = try await store.invite(InviteRequest(account: "bob", permission: .readOnly), to: new, account: "ann")
    #expect(try await !isOther())
    #expect(try await listChanges(version).invitations == 1)
    _ = try await store.accept(zone: new, account: "bob")
    #expect(try await isOther())
    #expect(try await listChanges(version).invitations == 0)
    try await store.removeParticipant("bob", from: new, account: "ann")
    #expect(try await isOther())
    #expect(try await !listChanges(nil).zones.contains { $0.name == new })
    _ = try await store.invite(InviteRequest(account: "carol", permission: .readOnly), to: new, account: "ann")
    _ = try await store.accept(zone: new, account: "carol")
    #expect(try await !isOther())
    let link = try #require(
      try await store.invite(InviteRequest(account: nil, permission: .readOnly), to: new, account: "ann").link)
    _ = try await store.accept(link: link, account: "bob")
    #expect(try await isOther())
    try await store.endShare(new, account: "ann")
    #expect(try await isOther())
    #expect(try await Set(listChanges(nil).zones.map(\.name)) == Set(zones + ["private"]))
  }

  @Test("The changes include the saves of another server process")
  func otherProcess() async throws {
    let zones = try await Self.shares(2, store)
    let version = try await listChanges(nil).version
    let other = try Self.store(folder)
    _ = try await other.push(PushRequest(base: 0, transactions: [Self.transaction()]), account: "ann", zone: zones[0])
    #expect(try await listChanges(version).zones.map(\.name) == [zones[0]])
    try await other.removeParticipant("bob", from: zones[1], account: "ann")
    #expect(try await listChanges(version).zones.map(\.name) == ["private", zones[0]])
    // Each process has its own numbers.
    #expect(try await !other.listChanges(of: "bob", since: version).isPartial)
    #expect(try await !listChanges("nonsense").isPartial)
  }

  @Test("The changes include more saves than the server follows one by one")
  func manySaves() async throws {
    let zones = try await Self.shares(2, store)
    let version = try await listChanges(nil).version
    let other = try Self.store(folder)
    for _ in 0..<520 {
      _ = try await other.push(
        PushRequest(base: 0, transactions: [Self.transaction()]), account: "eve", zone: "private")
    }
    _ = try await other.push(PushRequest(base: 0, transactions: [Self.transaction()]), account: "ann", zone: zones[0])
    let changes = try await listChanges(version)
    #expect(changes.isPartial && changes.zones.map(\.name) == [zones[0]])
  }

  @Test("Shares are sent again if one changed")
  func shares() async throws {
    let zones = try await Self.shares(2, store)
    let all = try await store.shares(of: "ann", since: "none")
    #expect(all.shares?.count == 2)
    try await push(zones[0])
    #expect(try await store.shares(of: "ann", since: all.version).shares == nil)
    _ = try await store.publish(PublishKeyRequest(key: Data(count: AccountKey.size)), account: "bob")
    let keyed = try await store.shares(of: "ann", since: all.version)
    #expect(keyed.shares?.allSatisfy { $0.participants.first?.publicKey != nil } == true)
    try await store.removeParticipant("bob", from: zones[0], account: "bob")
    #expect(
      try await store.shares(of: "ann", since: keyed.version).shares?.map(\.participants.count).sorted() == [0, 1])
  }

  @Test("A client that knows of no versions gets bare lists with all that there is")
  func olderClient() async throws {
    try await ServerFixture.with { server in
      let token = try await server.token("ann")
      let request = try SyncWire.encode(CreateShareRequest(root: RecordName("root"), title: ""))
      _ = try await server.send("POST", "/v1/shares", token: token, body: request)
      let shares = try await server.send("GET", "/v1/shares", token: token).body
      #expect(try SyncWire.decode([ShareInfo].self, from: shares).count == 1)
      #expect(try SyncWire.decode(SharesResponse.self, from: shares).shares?.count == 1)
      let body = try await server.send("GET", "/v1/zones/private/changes?after=0", token: token).body
      #expect(try SyncWire.decode(ChangesResponse.self, from: body).zones?.count == 2)
    }
  }
}
