import Foundation
@_spi(Transactions) import SwiftData
import SwiftDataPostgres
import SyncProtocol

/// The zones of all accounts, in a store of SwiftData.
///
/// Several processes can use one database. Each change is one transaction of the database, and such transactions follow one another. So
/// sequence numbers have no gaps, and each transaction is in the log exactly once.
actor ZoneStore {
  let container: ModelContainer
  let limits: ServerLimits
  /// The clock, in milliseconds since 1970.
  let now: @Sendable () -> Int64
  /// The author of this process's saves in the history.
  nonisolated let author = UUID().uuidString
  let listCache = ZoneListCache()
  /// The newest commit that this process has read or made. See ``noticeRestore()``.
  var newestCommit: Int64 = 0
  /// The pushes to the log that wait for the next transaction of the database.
  var waitingPushes: [WaitingPush] = []

  static let models: [any PersistentModel.Type] = [
    ServerZone.self, ServerEntry.self, ServerAsset.self, ServerChunk.self, ServerShare.self, ServerGrant.self,
    ServerLink.self, ServerAccountKey.self, ServerZoneKey.self, ServerFormerKey.self, ServerSnapshotPart.self,
    ServerTaken.self, LogHead.self, LogEpoch.self, LogPart.self, LogPage.self, LogTransaction.self,
    LogTransactions.self,
  ]

  init(_ container: ModelContainer, _ limits: ServerLimits, now: @escaping @Sendable () -> Int64) {
    (self.container, self.limits, self.now) = (container, limits, now)
  }

  /// Opens the store.
  /// - Parameter location: `postgres://…`, or the path of a SQLite file.
  /// - Throws: `SwiftDataError` if the store cannot be opened.
  static func container(
    at location: String, _ models: [any PersistentModel.Type] = models, namespace: String = "swiftdata_sync"
  ) throws -> ModelContainer {
    let schema = Schema(models)
    if location.hasPrefix("postgres") {
      let configuration = PostgresConfiguration(
        "sync-server", url: location, schema: schema, namespace: namespace, historyRetention: .seconds(3600))
      return try ModelContainer(for: schema, configurations: configuration)
    }
    var configuration = ModelConfiguration(
      "sync-server", schema: schema, url: URL(fileURLWithPath: location), cloudKitDatabase: .none)
    configuration.historyRetention = .seconds(3600)
    // An acknowledged transaction survives a power cut.
    configuration.durability = .full
    return try ModelContainer(for: schema, configurations: configuration)
  }

  // MARK: - Writing

  /// Runs a closure on a new context and saves the context, as one transaction of the database. All such transactions follow one another, in
  /// all processes, so that what the closure reads is the newest.
  ///
  /// The transaction takes one lock, and takes it first. So two transactions never wait for each other.
  /// - Throws: an error of the store or of the closure. Then nothing is saved.
  nonisolated func transaction<Result>(_ body: (ModelContext) throws -> Result) throws -> Result {
    try container.transaction {
      let context = ModelContext(container)
      context.author = author
      let result = try body(context)
      if context.hasChanges { try context.save() }
      return result
    }
  }

  func zone(_ key: String, _ context: ModelContext) throws -> ServerZone? {
    try context.fetch(FetchDescriptor<ServerZone>(predicate: #Predicate<ServerZone> { $0.key == key })).first
  }

  /// Returns the zone that an account writes to. The first write makes the zone.
  func writableZone(_ account: String, _ name: String, _ context: ModelContext) throws -> ServerZone {
    let access = try access(account, name, context)
    guard access.isWritable else {
      throw SyncFailure(
        .forbidden,
        "the account may read the share but not write to it; ask \(access.owner) for the permission to write")
    }
    return try zone(access.key, context) ?? insertZone(access, context)
  }

  func insertZone(_ access: Access, _ context: ModelContext) -> ServerZone {
    let zone = ServerZone(account: access.owner, name: access.name)
    context.insert(zone)
    return zone
  }

  /// Appends transactions to the log of a zone atomically. A transaction that the log already has keeps its sequence number.
  /// - Parameter knowsSnapshots: whether the client can make a snapshot.
  /// - Returns: the response, and the key of the zone.
  func push(
    _ request: PushRequest, account: String, zone name: String, knowsSnapshots: Bool = false
  ) throws -> (response: PushResponse, zone: String) {
    let time = now()
    guard let base = request.base.value(in: 0...(.max)) else {
      throw SyncFailure(
        .unknownSequence, "the sequence number `base` is negative; send the last number that the client has read")
    }
    try check(request, time)
    let encoded = request.transactions.map(\.encoded)
    return try transaction { context in
      let zone = try writableZone(account, name, context)
      guard base <= zone.latest else {
        throw SyncFailure(
          .unknownSequence,
          "the client has read the zone up to the number \(base), and the zone ends with \(zone.latest); the server was restored"
            + " from a backup")
      }
      // The deleted log may contain the transactions that the client sends again.
      guard base >= zone.compacted else { throw logCompacted(zone, base) }
      let keys = request.transactions.map { "\(zone.key)/\($0.id.uuidString)" }
      let existing = try context.fetch(
        FetchDescriptor<ServerEntry>(predicate: #Predicate<ServerEntry> { keys.contains($0.key) }))
      var sequences = Dictionary(existing.map { ($0.key, $0.sequence) }) { first, _ in first }
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
      guard zone.size <= limits.zoneSize else { throw quotaExceeded(zone) }
      let wanted = knowsSnapshots ? snapshotWanted(zone, account) : nil
      return (PushResponse(sequences: keys.map { sequences[$0]! }, time: time, snapshotWanted: wanted), zone.key)
    }
  }

  func quotaExceeded(_ zone: ServerZone) -> SyncFailure {
    SyncFailure(
      .quotaExceeded,
      "the zone would have \(zone.size) bytes, and its quota is \(limits.zoneSize) bytes. Deleted and replaced values count until the"
        + " server deletes its old log, \(Self.days(limits.retention)) after a device of the owner made a snapshot. For more room, ask"
        + " the operator of the server for a larger --quota")
  }

  static func days(_ milliseconds: Int64) -> String {
    let days = (Double(milliseconds) / 86_400_000 * 10).rounded() / 10
    if days == 1 { return "1 day" }
    return days == days.rounded() ? "\(Int64(days)) days" : "\(days) days"
  }

  private func check(_ request: PushRequest, _ time: Int64) throws {
    guard request.transactions.count <= limits.transactions else {
      throw SyncFailure(
        .tooLarge, "a request may have \(limits.transactions) transactions; send fewer in one request")
    }
    for transaction in request.transactions {
      try checkChanges(transaction)
      guard !transaction.changes.contains(where: { $0.fields[SyncWire.aliasField] != nil }) else {
        throw SyncFailure(
          .invalid, "a pushed change has the field \(SyncWire.aliasField), which only snapshots may have")
      }
      if let moment = transaction.latestTime, moment.milliseconds > time + SyncWire.clockTolerance {
        throw SyncFailure(
          .clockAhead,
          "the time of a change is \((moment.milliseconds - time) / 1000) seconds ahead of the server's clock, and at most"
            + " \(SyncWire.clockTolerance / 1000) are allowed; set the clock of the device",
          time: time)
      }
    }
  }

  /// Returns whether the length of a text in bytes of UTF-8 is in a range, and the text does not contain U+0000, which PostgreSQL
  /// cannot store.
  static func isValidText(_ text: String, _ lengths: ClosedRange<Int>) -> Bool {
    lengths.contains(text.utf8.count) && !text.utf8.contains(0)
  }

  /// Checks the number of changes of a transaction and the lengths of its names.
  func checkChanges(_ transaction: SyncTransaction) throws {
    guard transaction.changes.count <= limits.changes else {
      throw SyncFailure(.tooLarge, "a transaction may have \(limits.changes) changes; change fewer objects in one save")
    }
    for change in transaction.changes {
      guard Self.isValidText(change.record.text, 1...64), Self.isValidText(change.entity, 0...256) else {
        throw SyncFailure(
          .invalid, "the name of a record has 1 to 64 bytes, and the name of its entity has at most 256 bytes")
      }
    }
  }

  private func checkAssets(_ transaction: SyncTransaction, _ zone: String, _ context: ModelContext) throws {
    for asset in transaction.assets {
      // The database refuses a query with an invalid text.
      guard Self.isValidText(asset.sha256, 64...64), let stored = try self.asset("\(zone)/\(asset.sha256)", context),
        stored.isComplete
      else {
        throw SyncFailure(
          .missingAsset,
          "the server does not have the asset \(asset.sha256.prefix(64)); send the asset before the transaction")
      }
      // A wrong size in the log would make the asset unreadable for all other participants.
      guard stored.total == asset.size else {
        throw SyncFailure(
          .invalid,
          "the transaction says that the asset \(asset.sha256) has \(asset.size) bytes, and it has \(stored.total) bytes"
        )
      }
    }
  }

  // MARK: - Reading

  /// Checks that the store answers.
  /// - Throws: an error of the store.
  func checkHealth() throws { _ = try zone("", ModelContext(container)) }
}
