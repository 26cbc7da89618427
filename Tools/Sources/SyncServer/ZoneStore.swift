import Foundation
@_spi(Transactions) import SwiftData
import SwiftDataPostgres
import Synchronization
import SyncProtocol

/// The zones of all accounts, in a store of SwiftData.
///
/// Several processes can use one database. Each change is one transaction of the database, and such transactions follow one another. So
/// commits have no gaps, and each transaction is in the log exactly once.
actor ZoneStore {
  let container: ModelContainer
  let limits: ServerLimits
  /// The clock, in milliseconds since 1970.
  let now: @Sendable () -> Int64
  /// The author of the pushes of this process in the history. Their requests wake those that wait; ``ZoneWatch`` finds all other changes.
  nonisolated let author = UUID().uuidString
  let listCache = ZoneListCache()
  /// The newest commit that this process has read or made. See ``noticeRestore()``.
  nonisolated let newestCommit = Atomic<Int64>(0)
  /// The unfinished assets whose bytes this process hashes.
  var hashing = Set<String>()
  /// The pushes to the log that wait for the next transaction of the database.
  var waitingPushes: [WaitingPush] = []

  static let models: [any PersistentModel.Type] = [
    LogZone.self, LogHead.self, LogEpoch.self, LogPart.self, LogPage.self, LogTransaction.self, LogTransactions.self,
    ServerAsset.self, ServerChunk.self, ServerShare.self, ServerGrant.self, ServerLink.self, ServerAccountKey.self,
    ServerZoneKey.self, ServerFormerKey.self, ServerEntry.self, ServerSnapshotPart.self,
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
    // SQLite asks for the lock again and again, and another server on a busy machine may have it each time. Who sent a request waits longer.
    configuration.lockTimeout = .seconds(60)
    return try ModelContainer(for: schema, configurations: configuration)
  }

  // MARK: - Writing

  /// Runs a closure on a new context and saves the context, as one transaction of the database. All such transactions follow one another, in
  /// all processes, so that what the closure reads is the newest.
  ///
  /// The transaction takes one lock, and takes it first. So two transactions never wait for each other.
  /// - Throws: an error of the store or of the closure. Then nothing is saved.
  nonisolated func transaction<Result>(
    author: String? = nil, _ body: (ModelContext) throws -> Result
  ) throws -> Result {
    try container.transaction {
      let context = ModelContext(container)
      context.author = author
      let result = try body(context)
      if context.hasChanges { try context.save() }
      return result
    }
  }

  func zone(_ key: String, _ context: ModelContext) throws -> LogZone? {
    try context.fetch(FetchDescriptor<LogZone>(predicate: #Predicate<LogZone> { $0.key == key })).first
  }

  /// Returns the zone that an account writes to. The first write makes the zone.
  func writableZone(_ account: String, _ name: String, _ context: ModelContext) throws -> LogZone {
    let access = try access(account, name, context)
    guard access.isWritable else {
      throw SyncFailure(
        .forbidden,
        "the account may read the share but not write to it; ask \(access.owner) for the permission to write")
    }
    return try zone(access.key, context) ?? insertZone(access, context)
  }

  func insertZone(_ access: Access, _ context: ModelContext) -> LogZone {
    let zone = LogZone(access.zone, account: access.owner)
    context.insert(zone)
    return zone
  }

  func quotaExceeded(_ size: Int64) -> SyncFailure {
    SyncFailure(
      .quotaExceeded,
      "the zone would have \(size) bytes, and its quota is \(limits.zoneSize) bytes. Deleted and replaced values count until the server"
        + " folds its log, after \(Self.days(limits.retention)). For more room, ask the operator of the server for a larger --quota"
    )
  }

  static func days(_ milliseconds: Int64) -> String {
    let days = (Double(milliseconds) / 86_400_000 * 10).rounded() / 10
    if days == 1 { return "1 day" }
    return days == days.rounded() ? "\(Int64(days)) days" : "\(days) days"
  }

  /// Returns whether the length of a text in bytes of UTF-8 is in a range, and the text does not contain U+0000, which PostgreSQL
  /// cannot store.
  static func isValidText(_ text: String, _ lengths: ClosedRange<Int>) -> Bool {
    lengths.contains(text.utf8.count) && !text.utf8.contains(0)
  }

  // MARK: - Reading

  /// Checks that the store answers.
  /// - Throws: an error of the store.
  func checkHealth() throws { _ = try zone("", ModelContext(container)) }
}
