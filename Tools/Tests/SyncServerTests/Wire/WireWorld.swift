import Foundation
import SwiftData
import SyncProtocol
import Testing

@_spi(Wire) @testable import SyncServer

/// A server in this process, with a share of Ann's and accounts that may do different things with it.
struct WireWorld: Sendable {
  enum Person: String, CaseIterable, Sendable {
    /// She owns the share.
    case ann
    /// He may read.
    case bob
    /// She may write.
    case cat
    /// He is invited and did not accept.
    case dan
    /// She took part, and Ann removed her.
    case eve
    /// He has nothing to do with the share.
    case mal
    /// A request without a token.
    case nobody
    /// A request with a token that another key signed.
    case forger
  }

  /// What only the accounts that accepted may see.
  static let contents = ["secret-text", "secret-key", "secret bytes"]
  /// What the owner, the participants and those who are invited may see.
  static let listing = ["secret-title", "secret-root"]
  static let asset = Data("secret bytes".utf8)

  let service: SyncService
  let zone: String
  /// The secret of a link to the share.
  let link: String
  /// The epoch of the server, and a transaction of Ann's that is in the log.
  let epoch: UUID
  let pushed = UUID()
  private let keys: TokenKeys
  private let folder: TestFolder

  init(_ store: TestStore = .sqlite, limits: ServerLimits? = nil) async throws {
    folder = try TestFolder()
    keys = try await TokenKeys([("test", ServerFixture.secret)])
    var limits = limits ?? ServerLimits()
    (limits.burst, limits.requestsPerSecond) = (1e9, 1e9)
    service = try SyncService(store: try folder.place(for: store), keys: keys, limits: limits)
    let service = service
    let keys = keys
    func send(_ person: Person, _ method: String, _ path: String, _ body: Data = Data()) async throws -> Data {
      let token = try await keys.token(for: person.rawValue, seconds: 600)
      let (status, answer) = await service.answer(
        method, "/v2/\(path)", headers: ["Authorization": "Bearer \(token)"], body: body)
      try #require(status == 200, "\(person) \(method) \(path): \(String(decoding: answer, as: UTF8.self))")
      return answer
    }
    func encode(_ message: some Encodable) throws -> Data { try SyncWire.encode(message) }
    for person in [Person.ann, .bob, .cat, .eve] {
      _ = try await send(person, "PUT", "shares/key", try encode(PublishKeyRequest(key: Self.publicKey(person))))
    }
    let request = CreateShareRequest(root: RecordName("secret-root"), title: "secret-title")
    let share = try await send(.ann, "POST", "shares", try encode(request))
    let zone = try SyncWire.decode(ShareInfo.self, from: share).zone
    for (person, permission) in [
      (Person.bob, SharePermission.readOnly), (.cat, .readWrite), (.dan, .readOnly), (.eve, .readWrite),
    ] {
      let invitation = InviteRequest(account: person.rawValue, permission: permission)
      _ = try await send(.ann, "POST", "shares/\(zone)/invitations", try encode(invitation))
      if person != .dan { _ = try await send(person, "POST", "shares/\(zone)/accept") }
    }
    for zone in [zone, ZoneName.account("ann").text] {
      let path = "zones/\(zone)/assets/\(ServerFixture.sha256("secret bytes"))?offset=0&total=\(Self.asset.count)"
      _ = try await send(.ann, "PUT", path, Self.asset)
    }
    let hello = try encode(SyncLog.PullRequest(cursor: 0, epoch: nil, known: []))
    let pulled = try SyncWire.decode(SyncLog.PullResponse.self, from: try await send(.ann, "POST", "log/pull", hello))
    let epoch = try #require(pulled.epochs?.last).name
    let secret = [RecordName.a: Registers.born("Note", ["text": .text("secret-text")])]
    let parts = [ZoneName.account("ann"): secret, try #require(ZoneName(text: zone)): secret]
    let push = SyncLog.PushRequest(
      cursor: pulled.latest, epoch: epoch, transactions: [SyncLog.Transaction(id: pushed, parts: parts)])
    let answer = try await send(.ann, "POST", "log/push", try encode(push))
    try #require(try SyncWire.decode(SyncLog.PushResponse.self, from: answer).refusal == nil)
    self.epoch = epoch
    let people = [Person.ann, .bob, .cat, .eve].map { $0.rawValue }
    let wrapped = Dictionary(people.map { ($0, Data("secret-key".utf8)) }) { first, _ in first }
    let request1 = PutZoneKeysRequest(generation: 1, previous: nil, wrapped: wrapped)
    _ = try await send(.ann, "POST", "shares/\(zone)/keys", try encode(request1))
    _ = try await send(.ann, "DELETE", "shares/\(zone)/participants/eve")
    let invitation = try await send(
      .ann, "POST", "shares/\(zone)/invitations", try encode(InviteRequest(account: nil, permission: .readOnly)))
    self.zone = zone
    link = try #require(try SyncWire.decode(InviteResponse.self, from: invitation).link)
  }

  static func publicKey(_ person: Person) -> Data {
    var key = Data("public-\(person)".utf8)
    key.append(Data(count: AccountKey.size - key.count))
    return key
  }

  func account(_ person: Person) -> String { person.rawValue }

  /// The zone of an account, and the zone of the share.
  func own(_ person: Person) -> ZoneName { .account(ExactText(account(person))) }
  var share: ZoneName { ZoneName(text: zone) ?? own(.ann) }

  /// A token of any account.
  func token(of account: String) async throws -> String { try await keys.token(for: account, seconds: 600) }

  /// The headers of a person's requests.
  func headers(_ person: Person) async throws -> [String: String] {
    switch person {
    case .nobody: return [:]
    case .forger:
      let other = try await TokenKeys([("test", String(ServerFixture.secret.reversed()))])
      return ["Authorization": "Bearer \(try await other.token(for: account(.ann), seconds: 600))"]
    default: return ["Authorization": "Bearer \(try await keys.token(for: account(person), seconds: 600))"]
    }
  }

  /// What the store has of Ann, but for what an account does with itself.
  func annsData() async throws -> [String] { try await service.store.rows(of: account(.ann), own(.ann).text, zone) }
}

extension ZoneStore {
  /// The rows of an account and of a share, as text.
  fileprivate func rows(of account: String, _ zone: String, _ share: String) throws -> [String] {
    let context = ModelContext(container)
    let own = [zone, share]
    var rows = try context.fetch(FetchDescriptor<LogZone>()).filter { own.contains($0.key) }.map {
      "zone \($0.key) \($0.latest) \($0.size)"
    }
    rows += try context.fetch(FetchDescriptor<LogPart>()).filter { own.contains($0.zone) }.map { "log \($0.key)" }
    rows += try context.fetch(FetchDescriptor<LogTransaction>()).filter { $0.account == account }.map {
      "transaction \($0.identity)"
    }
    rows += try context.fetch(FetchDescriptor<LogTransactions>()).filter { $0.key.hasPrefix("\(account)/") }.flatMap {
      $0.commits.map { "transaction \($0.identity)" }
    }
    rows += try context.fetch(FetchDescriptor<ServerAsset>()).filter { asset in
      own.contains { asset.key.hasPrefix($0) }
    }.map { "\($0.key) \($0.received)" }
    rows += try context.fetch(FetchDescriptor<ServerShare>()).filter { $0.owner == account }.map {
      "share \($0.zone) \($0.title) \($0.keyGeneration)"
    }
    rows += try context.fetch(FetchDescriptor<ServerGrant>()).filter { $0.zone == share }.map {
      "grant \($0.account) \($0.isWritable) \($0.isAccepted)"
    }
    rows += try context.fetch(FetchDescriptor<ServerLink>()).filter { $0.zone == share }.map(\.hash)
    rows += try context.fetch(FetchDescriptor<ServerZoneKey>()).filter { $0.account == account }.map {
      "key \($0.account) \($0.generation) \($0.wrapped.count)"
    }
    rows += try context.fetch(FetchDescriptor<ServerFormerKey>()).filter { $0.zone == share }.map(\.key)
    rows += try context.fetch(FetchDescriptor<ServerAccountKey>()).filter { $0.account == account }.map {
      $0.key.base64EncodedString()
    }
    return rows.sorted()
  }
}
