import Foundation
import SwiftData
import SyncProtocol
import Testing

@testable import SyncServer

@Suite("The lists of zones and shares") struct ZoneListTests {
  private let folder: TestFolder
  private let store: ZoneStore

  init() throws {
    folder = try TestFolder()
    store = try Self.store(folder)
  }

  private static func store(_ folder: TestFolder) throws -> ZoneStore {
    let store = ZoneStore(try ZoneStore.container(at: folder.path("server.store")), ServerLimits()) {
      1_800_000_000_000
    }
    try store.beginEpoch()
    return store
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

  private func push(_ zone: String, _ account: String = "ann", _ store: ZoneStore? = nil) async throws {
    var client = LogClient(store ?? self.store, account)
    try await client.pull()
    #expect(try await client.push([try #require(ZoneName(text: zone)): [.a: .born()]]) == nil)
  }

  /// The list of zones of an account.
  private func list(_ account: String = "bob", _ store: ZoneStore? = nil) async throws -> SyncLog.ZoneList {
    try await (store ?? self.store).readable(account)
  }

  private static let bobs = ZoneName.account("bob").text

  @Test("The newest commit of a zone of an account is known, and the list stays the same")
  func number() async throws {
    let zones = try await Self.shares(3, store)
    let all = try await list()
    #expect(Set(all.zones.map(\.name.text)) == Set(zones + [Self.bobs]))
    try await push(zones[1])
    try await push(Self.bobs, "bob")
    #expect(try await store.latest("bob") == [zones[0]: 0, zones[1]: 1, zones[2]: 0, Self.bobs: 2])
    #expect(try await list().version == all.version)
  }

  @Test("A share that comes, changes or goes makes another list, and the shares of others do not")
  func lists() async throws {
    let zones = try await Self.shares(2, store)
    var version = try await list().version
    func isOther() async throws -> Bool {
      let newest = try await list().version
      defer { version = newest }
      return newest != version
    }
    #expect(try await !isOther())
    _ = try await store.invite(InviteRequest(account: "bob", permission: .readOnly), to: zones[0], account: "ann")
    #expect(try await isOther())
    #expect(try await list().zones.first { $0.name.text == zones[0] }?.isWritable == false)
    let new = try await store.createShare(CreateShareRequest(root: RecordName("new"), title: ""), account: "ann").zone
    _ = try await store.invite(InviteRequest(account: "bob", permission: .readOnly), to: new, account: "ann")
    #expect(try await isOther())
    #expect(try await list().invitations == 1)
    _ = try await store.accept(zone: new, account: "bob")
    #expect(try await isOther())
    #expect(try await list().invitations == 0)
    try await store.removeParticipant("bob", from: new, account: "ann")
    #expect(try await isOther())
    #expect(try await !list().zones.contains { $0.name.text == new })
    _ = try await store.invite(InviteRequest(account: "carol", permission: .readOnly), to: new, account: "ann")
    _ = try await store.accept(zone: new, account: "carol")
    #expect(try await !isOther())
    let link = try #require(
      try await store.invite(InviteRequest(account: nil, permission: .readOnly), to: new, account: "ann").link)
    _ = try await store.accept(link: link, account: "bob")
    #expect(try await isOther())
    try await store.endShare(new, account: "ann")
    #expect(try await isOther())
    #expect(try await Set(list().zones.map(\.name.text)) == Set(zones + [Self.bobs]))
  }

  @Test("A change of a share is no reason to read the lists of accounts that it does not concern again")
  func concerned() async throws {
    let zones = try await Self.shares(2, store)
    for account in ["ann", "bob", "eve"] { _ = try await list(account) }
    var known = try await store.cached(["ann", "bob", "eve"])
    func read() async throws -> [Bool] {
      let now = try await store.cached(["ann", "bob", "eve"])
      defer { known = now }
      return zip(known, now).map { $0 != $1 }
    }
    #expect(try await read() == [false, false, false])
    _ = try await store.invite(InviteRequest(account: "bob", permission: .readOnly), to: zones[0], account: "ann")
    #expect(try await read() == [true, true, false])
    let new = try await store.createShare(CreateShareRequest(root: RecordName("new"), title: ""), account: "ann").zone
    #expect(try await read() == [true, false, false])
    try await store.publish(PublishKeyRequest(key: Data(count: AccountKey.size)), account: "ann")
    #expect(try await read() == [true, true, false])
    try await store.publish(PublishKeyRequest(key: Data(count: AccountKey.size)), account: "eve")
    #expect(try await read() == [false, false, true])
    try await store.putKeys(
      PutZoneKeysRequest(generation: 1, previous: nil, wrapped: ["bob": Data([1])]), to: zones[0], account: "ann")
    #expect(try await read() == [true, true, false])
    _ = try await store.invite(InviteRequest(account: "eve", permission: .readOnly), to: new, account: "ann")
    #expect(try await read() == [true, false, true])
    // Those who are not members any more, too.
    try await store.removeParticipant("eve", from: new, account: "ann")
    #expect(try await read() == [true, false, true])
    try await store.endShare(zones[0], account: "ann")
    #expect(try await read() == [true, true, false])
  }

  @Test("An ended share does not count, unless it is used again, and ended ones have a limit, too")
  func ended() async throws {
    var limits = ServerLimits()
    limits.shares = 2
    let store = ZoneStore(try ZoneStore.container(at: folder.path("limited.store")), limits) { 1_800_000_000_000 }
    try store.beginEpoch()
    func share(_ number: Int) async throws -> String {
      try await store.createShare(CreateShareRequest(root: RecordName("root-\(number)"), title: ""), account: "ann")
        .zone
    }
    let first = try await share(0)
    let second = try await share(1)
    #expect(await refusal { _ = try await share(2) } == .quotaExceeded)
    try await store.endShare(first, account: "ann")
    try await store.endShare(first, account: "ann")
    _ = try await share(2)
    #expect(await refusal { _ = try await share(0) } == .quotaExceeded)
    for account in ["bob", nil] {
      let invitation = InviteRequest(account: account, permission: .readOnly)
      #expect(await refusal { _ = try await store.invite(invitation, to: first, account: "ann") } == .quotaExceeded)
    }
    try await store.endShare(second, account: "ann")
    #expect(try await share(0) == first)
    #expect(await refusal { _ = try await share(3) } == .quotaExceeded)
    for number in 3..<20 {
      try await store.endShare(first, account: "ann")
      try await store.endShare(try await share(number), account: "ann")
    }
    #expect(await refusal { _ = try await share(20) } == .quotaExceeded)
    #expect(try await share(0) == first)
  }

  @Test("The shares of an account have a largest number of links and invitations that are not accepted")
  func invitations() async throws {
    var limits = ServerLimits()
    limits.invitations = 3
    let store = ZoneStore(try ZoneStore.container(at: folder.path("limited.store")), limits) { 1_800_000_000_000 }
    try store.beginEpoch()
    var zones: [String] = []
    for number in 0..<2 {
      let request = CreateShareRequest(root: RecordName("root-\(number)"), title: "")
      zones.append(try await store.createShare(request, account: "ann").zone)
    }
    func invite(_ account: String?, _ zone: Int, _ permission: SharePermission = .readOnly) async throws {
      _ = try await store.invite(
        InviteRequest(account: account, permission: permission), to: zones[zone], account: "ann")
    }
    func expectRefusals() async throws {
      for account in ["eve", nil] {
        let failure = try #require(
          await #expect(throws: SyncFailure.self) { try await invite(account, 0) })
        #expect(failure.code == .quotaExceeded && failure.message.contains("revoke some"))
      }
    }
    try await invite("bob", 0)
    try await invite(nil, 0)
    try await invite("cat", 1)
    try await expectRefusals()
    // Another permission is no other invitation.
    try await invite("bob", 0, .readWrite)
    // Another account has its own.
    let other = try await store.createShare(CreateShareRequest(root: RecordName("root"), title: ""), account: "dan")
    _ = try await store.invite(InviteRequest(account: nil, permission: .readOnly), to: other.zone, account: "dan")
    _ = try await store.accept(zone: zones[0], account: "bob")
    try await invite("dan", 1)
    try await expectRefusals()
    try await store.removeParticipant("cat", from: zones[1], account: "ann")
    try await invite("fay", 1)
    try await expectRefusals()
    try await store.endShare(zones[1], account: "ann")
    for account in ["gus", "hal"] { try await invite(account, 0) }
    try await expectRefusals()
  }

  @Test("The list has the saves of another server process")
  func otherProcess() async throws {
    let zones = try await Self.shares(2, store)
    let before = try await list()
    let other = try Self.store(folder)
    try await push(zones[0], "ann", other)
    #expect(try await store.latest("bob")[zones[0]] == 1)
    #expect(try await list("bob", other) == before)
    try await other.removeParticipant("bob", from: zones[1], account: "ann")
    let after = try await list()
    #expect(after.zones.map(\.name.text) == [Self.bobs, zones[0]])
    #expect(try await list("bob", other) == after)
  }

  @Test("The list has more saves than the server follows one by one")
  func manySaves() async throws {
    let zones = try await Self.shares(2, store)
    let before = try await list()
    let other = try Self.store(folder)
    for _ in 0..<520 { try await push(ZoneName.account("eve").text, "eve", other) }
    try await push(zones[0], "ann", other)
    #expect(try await store.latest("bob")[zones[0]] == 521)
    #expect(try await list() == before)
  }

  @Test("Shares are sent again if one changed")
  func shares() async throws {
    let zones = try await Self.shares(2, store)
    let all = try await store.shares(of: "ann", since: "none")
    #expect(all.shares?.count == 2)
    try await push(zones[0])
    #expect(try await store.shares(of: "ann", since: all.version).shares == nil)
    try await store.publish(PublishKeyRequest(key: Data(count: AccountKey.size)), account: "bob")
    let keyed = try await store.shares(of: "ann", since: all.version)
    #expect(keyed.shares?.allSatisfy { $0.participants.first?.publicKey != nil } == true)
    try await store.removeParticipant("bob", from: zones[0], account: "bob")
    #expect(
      try await store.shares(of: "ann", since: keyed.version).shares?.map(\.participants.count).sorted() == [0, 1])
  }
}

/// A list that a test keeps, so that no later one has its address.
// @unchecked Sendable because the test reads nothing of a list: it compares identities. The store's actor alone uses the contents.
private struct CachedList: Equatable, @unchecked Sendable {
  let list: ZoneListCache.List

  static func == (left: CachedList, right: CachedList) -> Bool { left.list === right.list }
}

extension ZoneStore {
  fileprivate func readable(_ account: String) throws -> SyncLog.ZoneList {
    try list(of: account, ModelContext(container)).readable
  }

  /// The lists that the cache has of accounts. A list that was read again is another object.
  fileprivate func cached(_ accounts: [String]) throws -> [CachedList] {
    try accounts.map { CachedList(list: try list(of: $0, ModelContext(container))) }
  }

  /// The newest commits of the zones of an account, by their keys.
  fileprivate func latest(_ account: String) throws -> [String: Int64] {
    let latest = try list(of: account, ModelContext(container)).latest
    return Dictionary(uniqueKeysWithValues: latest.map { ($0.key.text, $0.value) })
  }
}
