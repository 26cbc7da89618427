import Foundation
import SwiftData
@_spi(Transactions) import SwiftDataPostgres
import SyncProtocol

// The newest commit, and the epochs by which clients find out that the database was restored from a backup.

/// An error of a store with logs of an earlier server, which had another format.
public struct EarlierLogs: Error, CustomStringConvertible {
  /// The reason and the remedy.
  public let description =
    "the store of the server has logs of an earlier server, in a format that this one does not read. Start this server with a new"
    + " store. The devices join again with the objects that they have. Keep the old store until all devices have synced"
}

extension ZoneStore {
  nonisolated func head(_ context: ModelContext) throws -> LogHead {
    if let head = try context.fetch(FetchDescriptor<LogHead>()).first { return head }
    let head = LogHead()
    context.insert(head)
    return head
  }

  /// Refuses a store with logs of an earlier server, which had another format. It changes nothing in them.
  /// - Throws: ``EarlierLogs``.
  nonisolated func checkFormat() throws {
    let context = ModelContext(container)
    let entries = try context.fetchCount(FetchDescriptor<ServerEntry>())
    guard try entries > 0 || context.fetchCount(FetchDescriptor<ServerSnapshotPart>()) > 0 else { return }
    throw EarlierLogs()
  }

  /// Begins an epoch. Each start of a server on the database does so before it answers a request.
  nonisolated func beginEpoch() throws {
    let newest = try transaction { context in
      let head = try head(context)
      try beginEpoch(head, context)
      return head.commit
    }
    newestCommit.store(newest, ordering: .relaxed)
  }

  private nonisolated func beginEpoch(_ head: LogHead, _ context: ModelContext) throws {
    (head.epoch, head.serverStart) = (UUID(), try container.serverStart())
    let index = Int64(try context.fetchCount(FetchDescriptor<LogEpoch>()))
    context.insert(LogEpoch(name: head.epoch, start: head.commit, index: index))
  }

  /// Whether the database was restored since the newest epoch began: it lacks a commit that this process has seen, or its server was
  /// started since then.
  ///
  /// The second reason needs no memory, so that a process finds it that was idle. It may be wrong. Then the epoch costs each client one
  /// request.
  nonisolated func isRestored(_ head: LogHead) throws -> Bool {
    try head.commit < newestCommit.load(ordering: .relaxed) || head.serverStart != container.serverStart()
  }

  /// Begins an epoch if the database was restored while this process served it.
  func noticeRestore() throws {
    guard try isRestored(head(ModelContext(container))) else { return }
    newestCommit.store(try transaction { try currentHead($0).commit }, ordering: .relaxed)
  }

  /// Returns the head for a transaction that appends an entry. It begins an epoch if the database was restored, so that no entry takes the
  /// commit of a lost one in the same epoch.
  func currentHead(_ context: ModelContext) throws -> LogHead {
    let head = try head(context)
    if try isRestored(head) { try beginEpoch(head, context) }
    return head
  }

  func epochs(_ context: ModelContext) throws -> [SyncLog.Epoch] {
    try context.fetch(FetchDescriptor<LogEpoch>(sortBy: [SortDescriptor(\.index)])).map {
      SyncLog.Epoch(name: $0.name, start: $0.start)
    }
  }

  // MARK: - Transactions

  /// Some transactions, as far as the log knows them.
  struct KnownTransactions {
    /// The commits of those that the log has.
    var commits: [LogIdentity: Int64] = [:]
    /// The keys of the groups that have no room for others of them.
    var fullGroups: Set<String> = []
  }

  /// The number of groups of transactions that are in memory at once.
  private static let groupsAtOnce = 50

  /// Returns which of some transactions the log has.
  func known(_ identities: [LogIdentity], _ context: ModelContext) throws -> KnownTransactions {
    var known = KnownTransactions()
    guard !identities.isEmpty else { return known }
    let keys = Set(identities.map { LogTransaction.key($0) })
    let recent = try context.fetch(
      FetchDescriptor<LogTransaction>(predicate: #Predicate<LogTransaction> { keys.contains($0.key) }))
    known.commits = Dictionary(recent.map { (LogIdentity(account: $0.account, id: $0.identity), $0.commit) }) { $1 }
    // The recent ones come first: another process may move transactions from there to here meanwhile.
    let rest = Dictionary(grouping: Set(identities).subtracting(known.commits.keys)) { LogTransactions.key($0) }
    let groups = Array(rest.keys)
    for start in stride(from: 0, to: groups.count, by: Self.groupsAtOnce) {
      let some = Set(groups[start..<min(start + Self.groupsAtOnce, groups.count)])
      for group in try ModelContext(container).fetch(
        FetchDescriptor<LogTransactions>(predicate: #Predicate<LogTransactions> { some.contains($0.key) }))
      {
        for identity in rest[group.key] ?? [] { known.commits[identity] = group.commit(of: identity.id) }
        if Int64(group.bytes.count) >= identitiesSize / LogTransactions.count { known.fullGroups.insert(group.key) }
      }
    }
    return known
  }

  /// The largest size of the old identities of an account's transactions, in bytes: the quota of a zone. A small quota leaves room for as many
  /// as a large zone needs.
  private var identitiesSize: Int64 { max(limits.zoneSize, 256 << 20) }

  /// The refusal of a transaction of an account whose identities have no room left. Identities are random, so the groups of an account are
  /// full at about the same time.
  func identitiesExceeded() -> SyncFailure {
    SyncFailure(
      .quotaExceeded,
      "the identities of the account's transactions, 24 bytes each, may have \(identitiesSize) bytes, and they have as many. The server keeps"
        + " them for good. For more room, ask the operator of the server for a larger --quota"
    )
  }

  /// Packs a batch of the transactions that are older than the retention.
  /// - Returns: whether there were any.
  func packTransactions() throws -> Bool {
    let oldest = now() - limits.retention
    return try transaction { context in
      var descriptor = FetchDescriptor<LogTransaction>(
        predicate: #Predicate<LogTransaction> { $0.time <= oldest }, sortBy: [SortDescriptor(\.time)])
      descriptor.fetchLimit = 1000
      let old = try context.fetch(descriptor)
      let groups = Dictionary(grouping: old) { LogTransactions.key(LogIdentity(account: $0.account, id: $0.identity)) }
      let keys = Array(groups.keys)
      let stored = try context.fetch(
        FetchDescriptor<LogTransactions>(predicate: #Predicate<LogTransactions> { keys.contains($0.key) }))
      let known = Dictionary(uniqueKeysWithValues: stored.map { ($0.key, $0) })
      for (key, transactions) in groups {
        let group = known[key] ?? LogTransactions(key: key)
        if known[key] == nil { context.insert(group) }
        group.append(transactions.sorted { $0.commit < $1.commit })
      }
      for transaction in old { context.delete(transaction) }
      return !old.isEmpty
    }
  }
}
