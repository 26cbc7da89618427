#if Sync
import SwiftData
import SyncCore
import SyncProtocol

@testable import SwiftDataSync

extension ZoneReplica {
  /// A replica whose bookkeeping is in its store.
  convenience init(
    user: UserStore, keyring: Keyring? = nil, resolvers: ConflictResolvers = ConflictResolvers(),
    secrets: Secrets? = nil, now: @escaping () -> Int64, random: any RandomNumberGenerator = SecureGenerator(),
    checkpoint: @escaping (Checkpoint) throws -> Void = { _ in }
  ) throws {
    guard let store = user.transactionStore else { throw ReplicaError(description: "the store has no transactions") }
    try self.init(
      user: user, database: SyncDatabase(of: store), secrets: try secrets ?? Secrets(), keyring: keyring,
      resolvers: resolvers, now: now, random: random, checkpoint: checkpoint)
  }

  /// Takes in all that the server has.
  /// - Parameter limit: how much an answer has.
  func pull(from server: ZoneServer, as account: String = "ann", limit: Int = 100) throws {
    for _ in 0..<1000 {
      let request = pullRequest()
      guard try take(server.pull(request, by: account, limit: limit), for: request) else { return }
    }
  }

  /// Takes in all that the server has, and sends all that it lacks.
  /// - Parameter afterPush: called when the server took something.
  func exchange(
    with server: ZoneServer, as account: String = "ann", limit: Int = 100, afterPush: () throws -> Void = {}
  ) throws {
    try pull(from: server, as: account, limit: limit)
    while let request = try nextPush() {
      if let refusal = try server.push(request, from: account).refusal, ![.behind, .moved].contains(refusal.code) {
        throw refusal
      }
      try afterPush()
      try pull(from: server, as: account, limit: limit)
    }
  }

  /// Does what an exchange of a session does.
  func sync(with server: ZoneServer, as account: String = "ann", afterPush: () throws -> Void = {}) throws {
    try capturePart()
    try catchUp()
    try exchange(with: server, as: account, afterPush: afterPush)
    // The server names the account with the first answer.
    try capturePart()
    try exchange(with: server, as: account, afterPush: afterPush)
  }

  /// The record of a saved object.
  func row(of object: any PersistentModel) throws -> RecordKey { try row(of: object.persistentModelID) }
}
#endif
