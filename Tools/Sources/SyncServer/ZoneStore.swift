import Foundation
import SwiftData
import SwiftDataPostgres
import SyncProtocol

/// The zones of all accounts, in a store of SwiftData.
///
/// It writes only if no other save followed its read, so that several processes can use one database: sequence numbers
/// have no gaps, and a transaction is in the log once.
actor ZoneStore {
  let container: ModelContainer
  let limits: ServerLimits
  let now: @Sendable () -> Int64
  /// The author of this process' saves in the history.
  nonisolated let author = UUID().uuidString
  /// What accounts may read. See `ZoneStore+Lists.swift`.
  let lists = ZoneLists()

  static let models: [any PersistentModel.Type] = [
    ServerZone.self, ServerEntry.self, ServerAsset.self, ServerChunk.self, ServerShare.self, ServerGrant.self,
    ServerLink.self, ServerAccountKey.self, ServerZoneKey.self, ServerFormerKey.self, ServerSnapshotPart.self,
    ServerTaken.self,
  ]

  init(_ container: ModelContainer, _ limits: ServerLimits, now: @escaping @Sendable () -> Int64) {
    (self.container, self.limits, self.now) = (container, limits, now)
  }

  /// Opens the store at a place: `postgres://…`, or the path of a file.
  /// - Throws: `SwiftDataError` if the store cannot be opened.
  static func container(
    at place: String, _ models: [any PersistentModel.Type] = models, namespace: String = "swiftdata_sync"
  ) throws -> ModelContainer {
    let schema = Schema(models)
    if place.hasPrefix("postgres") {
      let configuration = PostgresConfiguration(
        "sync-server", url: place, schema: schema, namespace: namespace, historyRetention: 3600)
      return try ModelContainer(for: schema, configurations: configuration)
    }
    var configuration = ModelConfiguration(
      "sync-server", schema: schema, url: URL(fileURLWithPath: place), cloudKitDatabase: .none)
    configuration.historyRetention = 3600
    // What the server acknowledged survives a power cut.
    configuration.durability = .full
    return try ModelContainer(for: schema, configurations: configuration)
  }

  // MARK: - Writing

  /// Reads and writes until nothing else was saved in between.
  func transaction<Result>(_ body: (ModelContext) throws -> Result) throws -> Result {
    for _ in 0..<1000 {
      let context = ModelContext(container)
      context.author = author
      let token = try context.newestHistoryToken()
      let result = try body(context)
      if try !context.hasChanges || context.save(ifNothingFollows: token) { return result }
    }
    throw SyncFailure(.unavailable, "the server is too busy; try again", retryAfter: 1)
  }

  func zone(_ key: String, _ context: ModelContext) throws -> ServerZone? {
    try context.fetch(FetchDescriptor<ServerZone>(predicate: #Predicate<ServerZone> { $0.key == key })).first
  }

  /// The zone that an account writes to. The first write makes it.
  func writableZone(_ account: String, _ name: String, _ context: ModelContext) throws -> ServerZone {
    let access = try access(account, name, context)
    guard access.isWritable else {
      throw SyncFailure(
        .forbidden, "the account may only read the share; ask \(access.owner) for the permission to write")
    }
    if let zone = try zone(access.key, context) { return zone }
    let zone = ServerZone(account: access.owner, name: name)
    context.insert(zone)
    return zone
  }

  /// Appends transactions to the log of a zone, all or none.
  /// - Parameter knowsSnapshots: whether the client can make a snapshot.
  /// - Returns: the answer, and the key of the zone.
  func push(
    _ request: PushRequest, account: String, zone name: String, knowsSnapshots: Bool = false
  ) throws -> (response: PushResponse, zone: String) {
    let time = now()
    guard let base = request.base.value(in: 0...(.max)) else {
      throw SyncFailure(.unknownSequence, "sequence numbers are not negative")
    }
    try check(request, time)
    let encoded = request.transactions.map(\.encoded)
    return try transaction { context in
      let zone = try writableZone(account, name, context)
      guard base <= zone.latest else {
        throw SyncFailure(
          .unknownSequence,
          "the client has seen the number \(base), and the zone ends with \(zone.latest); was the server restored from"
            + " a copy?")
      }
      // The deleted log may have what the client sends again.
      guard base >= zone.compacted else { throw compacted(zone, base) }
      let keys = request.transactions.map { "\(zone.key)/\($0.id.uuidString)" }
      let known = try context.fetch(
        FetchDescriptor<ServerEntry>(predicate: #Predicate<ServerEntry> { keys.contains($0.key) }))
      var sequences = Dictionary(known.map { ($0.key, $0.sequence) }) { first, _ in first }
      for (index, key) in keys.enumerated() where sequences[key] == nil {
        try checkAssets(request.transactions[index], zone.key, context)
        zone.logSize = zone.logBytes + Int64(encoded[index].count)
        zone.latest += 1
        zone.size += Int64(encoded[index].count)
        sequences[key] = zone.latest
        context.insert(
          ServerEntry(
            key: key, zone: zone.key, sequence: zone.latest, account: account, transaction: encoded[index]))
      }
      guard zone.size <= limits.zoneSize else { throw full(zone) }
      let wanted = knowsSnapshots ? snapshotWanted(zone, account) : nil
      return (PushResponse(sequences: keys.map { sequences[$0]! }, time: time, snapshotWanted: wanted), zone.key)
    }
  }

  func full(_ zone: ServerZone) -> SyncFailure {
    SyncFailure(
      .quotaExceeded,
      "the zone has \(zone.size) of \(limits.zoneSize) bytes. What was deleted or replaced takes room until the server deletes its old"
        + " log, \(Self.days(limits.retention)) after a device of the owner made a snapshot. For more room, ask who runs the server for"
        + " a larger --quota")
  }

  private static func days(_ milliseconds: Int64) -> String {
    let days = (Double(milliseconds) / 86_400_000 * 10).rounded() / 10
    if days == 1 { return "1 day" }
    return days == days.rounded() ? "\(Int64(days)) days" : "\(days) days"
  }

  private func check(_ request: PushRequest, _ time: Int64) throws {
    guard request.transactions.count <= limits.transactions else {
      throw SyncFailure(.tooLarge, "a request may have \(limits.transactions) transactions; send fewer at once")
    }
    for transaction in request.transactions {
      try checkChanges(transaction)
      guard !transaction.changes.contains(where: { $0.fields[SyncWire.aliasField] != nil }) else {
        throw SyncFailure(.invalid, "only a part of a snapshot can have the field \(SyncWire.aliasField)")
      }
      if let moment = transaction.latestTime, moment.milliseconds > time + SyncWire.clockTolerance {
        throw SyncFailure(
          .clockAhead,
          "a change is dated \((moment.milliseconds - time) / 1000) seconds ahead of the server; at most"
            + " \(SyncWire.clockTolerance / 1000) are accepted. Set the clock",
          time: time)
      }
    }
  }

  /// Whether a text has so many bytes of UTF-8, and no character with the code 0, which PostgreSQL does not keep.
  static func isName(_ text: String, _ lengths: ClosedRange<Int>) -> Bool {
    lengths.contains(text.utf8.count) && !text.utf8.contains(0)
  }

  /// Checks the number of changes and the lengths of names.
  func checkChanges(_ transaction: SyncTransaction) throws {
    guard transaction.changes.count <= limits.changes else {
      throw SyncFailure(.tooLarge, "a transaction may have \(limits.changes) changes; save less at once")
    }
    for change in transaction.changes {
      guard Self.isName(change.record.text, 1...64), Self.isName(change.entity, 0...256) else {
        throw SyncFailure(.invalid, "a record needs a name of 1 to 64 bytes and an entity of at most 256 bytes")
      }
    }
  }

  private func checkAssets(_ transaction: SyncTransaction, _ zone: String, _ context: ModelContext) throws {
    for asset in transaction.assets {
      // A name without a store's texts is not looked for.
      guard Self.isName(asset.sha256, 64...64), let known = try self.asset("\(zone)/\(asset.sha256)", context),
        known.isComplete
      else {
        throw SyncFailure(
          .missingAsset, "the asset \(asset.sha256.prefix(64)) is not here; send it before the transaction")
      }
      // A participant whose changes name another size would keep all others from reading the log.
      guard known.total == asset.size else {
        throw SyncFailure(.invalid, "the asset \(asset.sha256) has \(known.total) bytes, not \(asset.size)")
      }
    }
  }

  // MARK: - Reading

  /// Whether the store answers.
  func checkHealth() throws { _ = try zone("", ModelContext(container)) }
}
