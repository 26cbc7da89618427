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

  /// Takes in all that the server has. As an engine does, it asks for the next answer before it takes in the one that came.
  /// - Parameters:
  ///   - limit: the most entries of an answer. A part of a zone has four times as many records.
  ///   - answers: the most answers.
  func pull(from server: ZoneServer, as account: String = "ann", limit: Int = 100, answers: Int = 1000) throws {
    var ahead: (request: SyncLog.PullRequest, response: SyncLog.PullResponse)?
    for _ in 0..<answers {
      let current = pullRequest()
      let coming = ahead.flatMap { $0.request.isSame(as: current) ? $0 : nil }
      let request = coming?.request ?? current
      var response = coming?.response ?? server.pull(request, by: account, limit: limit)
      ahead = request.following(response).map { ($0, server.pull($0, by: account, limit: limit)) }
      response.keepTaken(of: current.unsent)
      guard try take(response, for: request) else { return }
    }
  }

  /// Gets keys of shares, and wraps them for others, as the session does.
  func exchangeKeys(with server: ZoneServer, as account: String) throws {
    let keys = server.keys
    guard let own = keyring?.account.publicKey.rawRepresentation else { return }
    if keys.accounts[account] == nil { keys.accounts[account] = own }
    for zone in sharesThatNeedKeys {
      guard let share = server.shares[zone] else { continue }
      while true {
        let known = keys.keys(of: zone, share, for: account)
        try take(known, of: zone)
        guard share.owner == account else {
          if known.wrappedGeneration < known.generation, let request = try wrapLinkKey(known, zone) {
            try keys.put(request, to: zone, share, by: account)
          }
          break
        }
        let wrapped = try wrap(known, zone)
        if let request = wrapped.request { try keys.put(request, to: zone, share, by: account) }
        if let kept = wrapped.kept { try keep(kept, zone: zone) }
        if let refused = wrapped.refused { throw refused }
        guard wrapped.kept != nil, needsNextKey(zone) else { break }
      }
    }
  }

  /// Takes in all that the server has, and sends all that it lacks.
  /// - Parameter afterPush: called when the server took something.
  func exchange(
    with server: ZoneServer, as account: String = "ann", limit: Int = 100, afterPush: () throws -> Void = {}
  ) throws {
    try pull(from: server, as: account, limit: limit)
    try exchangeKeys(with: server, as: account)
    while let request = try nextPush() {
      let response = try server.push(request, from: account)
      didPush(request, response)
      if let refusal = response.refusal, ![.behind, .moved].contains(refusal.code) { throw refusal }
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
