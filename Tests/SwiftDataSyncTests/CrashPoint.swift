#if Sync
import SwiftData
import SyncProtocol
import Synchronization

@testable import SwiftDataSync

struct SimulatedCrash: Error {}

/// Where the next crash of a replica comes.
enum CrashPoint: Equatable {
  /// Before the statement with this number, from 0, of those that write.
  case statement(Int)
  /// After the commit with this number, from 0.
  case commit(Int)

  /// - Returns: where the crash comes as seen from a checkpoint on.
  /// - Throws: ``SimulatedCrash`` if it comes here.
  func passing(_ checkpoint: Replica.Checkpoint) throws -> CrashPoint {
    switch (self, checkpoint) {
    case (.statement(0), .writing), (.commit(0), .committed): throw SimulatedCrash()
    case (.statement(let number), .writing): .statement(number - 1)
    case (.commit(let number), .committed): .commit(number - 1)
    default: self
    }
  }

  /// A point that a seed determines.
  static func random(_ random: inout SeededGenerator, _ seed: UInt64) -> CrashPoint {
    // One of five, as it was when some seeds failed: the rest of the run stays what it was.
    let kind = Int.random(in: 0..<5, using: &random)
    var own = SeededGenerator(seed: seed &+ UInt64(kind))
    return kind < 2 ? .commit(Int.random(in: 0..<3, using: &own)) : .statement(Int.random(in: 0..<40, using: &own))
  }
}

extension Optional<CrashPoint> {
  /// Crashes at a checkpoint if the crash comes there. Then none is left.
  mutating func pass(_ checkpoint: Replica.Checkpoint) throws {
    guard let point = self else { return }
    self = nil
    self = try point.passing(checkpoint)
  }
}

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
