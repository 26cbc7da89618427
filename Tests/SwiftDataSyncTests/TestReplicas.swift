#if Sync
import SwiftData
import SyncProtocol
import Synchronization

@testable import SwiftDataSync

/// The keys of the stores of this process. A program that starts again has those that it had.
private enum KnownSecrets {
  // @unchecked Sendable because each test uses the keys of its own stores, on one thread at a time.
  private struct Known: @unchecked Sendable { var secrets: [String: Secrets] = [:] }
  private static let known = Mutex(Known())

  static func of(_ store: any TransactionStore) throws -> Secrets {
    let new = Known(secrets: [store.identifier: try Secrets()])
    return known.withLock { known in
      known.secrets.merge(new.secrets) { old, _ in old }
      return known
    }.secrets[store.identifier]!
  }
}

extension Replica {
  /// A replica whose bookkeeping is in its store.
  convenience init(
    user: UserStore, keyring: Keyring? = nil, resolvers: ConflictResolvers = ConflictResolvers(),
    secrets: Secrets? = nil, now: @escaping () -> Int64, random: any RandomNumberGenerator = SecureGenerator(),
    checkpoint: @escaping (Checkpoint) throws -> Void = { _ in }
  ) throws {
    guard let store = user.transactionStore else { throw ReplicaError(description: "the store has no transactions") }
    try self.init(
      user: user, database: SyncDatabase(of: store), secrets: try secrets ?? KnownSecrets.of(store), keyring: keyring,
      resolvers: resolvers, now: now, random: random, checkpoint: checkpoint)
  }
}

extension SyncTables {
  /// The tables of a new store in memory.
  static func inMemory() throws -> SyncTables {
    let container = try ModelContainer(
      for: GrowthItem.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .none))
    guard let store = UserStore(container).transactionStore else {
      throw ReplicaError(description: "the store has no transactions")
    }
    return SyncTables(SyncDatabase(of: store))
  }
}

extension Ledger {
  /// A ledger in memory.
  convenience init() throws { try self.init(.inMemory()) { 1 } }
}
#endif
