import Foundation
import SwiftData
import SyncProtocol
import Testing
import UntrustedInput

@testable import SyncServer

/// A store of zones with a clock, and what devices do with it.
struct SnapshotFixture {
  let store: ZoneStore
  let clock: TestClock
  private let place: String
  /// On PostgreSQL a fixture has tables of its own: the servers of other tests would delete what they find there.
  private let namespace: String
  private let folder: TestFolder
  let ann: String
  let zone: String

  init(_ kind: TestStore = .sqlite, limits: ServerLimits = Self.limits) throws {
    folder = try TestFolder()
    place = kind == .postgres ? try #require(TestStore.postgresURL) : folder.path("server.store")
    ann = "ann-\(UUID().uuidString.prefix(8))"
    zone = SyncWire.privateZone
    clock = TestClock()
    namespace = "snapshots_\(UUID().uuidString.prefix(8).lowercased())"
    store = try Self.open(place, namespace, limits, clock)
  }

  static var limits: ServerLimits {
    var limits = ServerLimits()
    limits.snapshotAfter = 5
    return limits
  }

  var key: String { ServerZone.key(ann, zone) }

  private static func open(
    _ place: String, _ namespace: String, _ limits: ServerLimits, _ clock: TestClock
  ) throws -> ZoneStore {
    ZoneStore(try ZoneStore.container(at: place, namespace: namespace), limits) { clock.now }
  }

  /// The same store as another process sees it.
  func another(_ limits: ServerLimits = Self.limits) throws -> ZoneStore {
    try Self.open(place, namespace, limits, clock)
  }

  static func transaction(_ text: String = "a", asset: String? = nil, size: Int = 0) -> SyncTransaction {
    var change = RecordChange(RecordName(UUID().uuidString), "Note")
    let time = HybridTime(milliseconds: 1000, counter: 0, replica: 1)
    change.fields["text"] = FieldWrite(.text(text), time, over: nil)
    if let asset { change.fields["data"] = FieldWrite(.asset(sha256: asset, size: size), time, over: nil) }
    return SyncTransaction(id: UUID(), replica: 1, changes: [change])
  }

  /// Sends transactions.
  @discardableResult
  func push(
    _ transactions: [SyncTransaction], base: Int64 = 0, by account: String? = nil, to zone: String? = nil
  ) async throws -> PushResponse {
    try await store.push(
      PushRequest(base: base, transactions: transactions), account: account ?? ann, zone: zone ?? self.zone,
      knowsSnapshots: true
    ).response
  }

  @discardableResult
  func push(_ count: Int, base: Int64 = 0) async throws -> PushResponse {
    var (rest, response) = (
      (0..<count).map { Self.transaction("entry \($0)") }[...], PushResponse(sequences: [], time: 0)
    )
    while !rest.isEmpty {
      response = try await push(Array(rest.prefix(1000)), base: base)
      rest = rest.dropFirst(1000)
    }
    return response
  }

  func put(
    _ part: SyncTransaction, _ index: Int64, _ through: Int64, maker: String = "", by account: String? = nil,
    to zone: String? = nil
  ) async throws {
    try await store.putSnapshotPart(
      Untrusted(index), ofSnapshot: Untrusted(through), maker: maker, part.encoded, account: account ?? ann,
      zone: zone ?? self.zone)
  }

  func finish(
    _ parts: Int, _ through: Int64, maker: String = "", by account: String? = nil, to zone: String? = nil
  ) async throws {
    try await store.finishSnapshot(
      SnapshotRequest(through: through, parts: parts, rules: "rules"), maker: maker, account: account ?? ann,
      zone: zone ?? self.zone)
  }

  /// Makes a snapshot of some parts.
  func snapshot(_ parts: [SyncTransaction], _ through: Int64) async throws {
    for (index, part) in parts.enumerated() { try await put(part, Int64(index), through) }
    try await finish(parts.count, through)
  }

  func changes(after sequence: Int64, snapshot: Int64? = 0, by account: String? = nil) async throws -> ChangesResponse {
    try SyncWire.decode(
      ChangesResponse.self,
      from: try await store.changes(
        after: Untrusted(sequence), account: account ?? ann, zone: zone, snapshot: snapshot.map(Untrusted.init(_:))))
  }

  /// Reads as a device does: the snapshot, and then the log.
  func readAll() async throws -> [SyncTransaction] {
    var (position, snapshot, all) = (Int64(0), Int64(0), [SyncTransaction]())
    while true {
      let answer = try await changes(after: position, snapshot: snapshot)
      guard let last = answer.entries.last?.sequence else { return all }
      #expect(answer.entries.map(\.sequence) == Array(answer.entries[0].sequence...last))
      if position > 0 || answer.isSnapshot == nil { #expect(answer.entries[0].sequence == position + 1) }
      if answer.isSnapshot == true { snapshot = try #require(answer.snapshot?.through) }
      all += answer.entries.map(\.transaction)
      position = last
    }
  }

  /// Sends an asset.
  /// - Returns: its name.
  func put(asset text: String) async throws -> String {
    let name = ServerFixture.sha256(text)
    let state = try await store.putAsset(
      name, offset: 0, total: Untrusted(Int64(text.utf8.count)), Data(text.utf8), account: ann, zone: zone)
    #expect(state.isComplete)
    return name
  }

  func hasAsset(_ name: String) async throws -> Bool {
    try await store.assetState(name, account: ann, zone: zone).isComplete
  }

  /// Deletes what is to be deleted in the zone, as the server does every hour.
  @discardableResult
  func compact(_ store: ZoneStore? = nil) async throws -> CompactionResult? {
    let store = store ?? self.store
    guard try await store.zonesToCompact().contains(key) else { return nil }
    return try await store.compact(key)
  }

  /// What the store has of the zone.
  func state() async throws -> ZoneState { try await store.state(of: key) }
}

struct ZoneState: Equatable, Sendable {
  var latest: Int64 = 0
  var compacted: Int64 = 0
  var size: Int64 = 0
  var logSize: Int64 = 0
  var snapshot: Int64 = 0
  var unfinishedSize: Int64 = 0
  var isCompacting = false
  var entries = 0
  var parts = 0
  var taken = 0
}

extension ZoneStore {
  func state(of key: String) throws -> ZoneState {
    let context = ModelContext(container)
    var state = ZoneState()
    if let zone = try zone(key, context) {
      (state.latest, state.compacted, state.size, state.logSize) = (
        zone.latest, zone.compacted, zone.size, zone.logSize
      )
      (state.snapshot, state.unfinishedSize, state.isCompacting) = (
        zone.snapshot, zone.unfinishedSize, zone.isCompacting
      )
    }
    state.entries = try context.fetchCount(FetchDescriptor<ServerEntry>(predicate: #Predicate { $0.zone == key }))
    state.parts = try context.fetchCount(FetchDescriptor<ServerSnapshotPart>(predicate: #Predicate { $0.zone == key }))
    state.taken = try context.fetch(FetchDescriptor<ServerTaken>(predicate: #Predicate { $0.zone == key }))
      .reduce(0) { $0 + $1.entries.count }
    return state
  }
}

/// The code of the refusal of a request.
func refusal(_ body: () async throws -> Void) async -> SyncFailure.Code? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? SyncFailure)?.code
  }
}
