#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import Testing

@testable import SwiftDataSync

/// Replicas over real stores in memory, with a server without a network.
final class ZoneGroup {
  let server = ZoneServer()
  let containers: [ModelContainer]
  /// How wrong the clocks of replicas are, in milliseconds.
  var skews: [Int: Int64] = [:]
  private(set) var replicas: [ZoneReplica] = []
  private let accounts: [String]
  private let resolvers: ConflictResolvers
  private let scopes: SyncScopes
  private let hasSecret: Bool
  private let secrets: [Secrets]
  /// Where the next crash of a replica comes.
  var crashesAt: CrashPoint?
  /// Whether everything happens in one millisecond.
  var isClockStill = false

  /// - Parameters:
  ///   - accounts: the account of each replica.
  ///   - hasSecret: whether accounts have a secret to encrypt with.
  ///   - before: saves objects into each store before it syncs.
  init(
    _ models: [any PersistentModel.Type], accounts: [String] = ["ann", "ann"],
    resolvers: ConflictResolvers = ConflictResolvers(), scopes: SyncScopes = SyncScopes(), hasSecret: Bool = false,
    before: (ModelContext) throws -> Void = { _ in }
  ) throws {
    let schema = Schema(models)
    containers = try accounts.map { _ in
      try ModelContainer(
        for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .none))
    }
    (self.accounts, self.resolvers, self.scopes, self.hasSecret) = (accounts, resolvers, scopes, hasSecret)
    secrets = try accounts.map { _ in try Secrets() }
    for index in accounts.indices {
      try save(index, before)
      replicas.append(try replica(index))
    }
  }

  /// Devices of one account.
  convenience init(
    _ models: [any PersistentModel.Type], count: Int, resolvers: ConflictResolvers = ConflictResolvers()
  ) throws {
    try self.init(models, accounts: Array(repeating: "ann", count: count), resolvers: resolvers)
  }

  /// A replica of a store, which may have another one already.
  func replica(_ index: Int) throws -> ZoneReplica {
    let user = UserStore(containers[index], scopes: scopes)
    guard let store = user.transactionStore else { throw ReplicaError(description: "the store has no transactions") }
    return try ZoneReplica(
      user: user, database: SyncDatabase(of: store), secrets: secrets[index],
      keyring: hasSecret ? Keyring(secret: "secret of \(accounts[index])") : nil, resolvers: resolvers,
      now: { [server, unowned self] in
        if !isClockStill { server.now += 1 }
        return server.now + (skews[index] ?? 0)
      }, random: SeededGenerator(seed: UInt64(index) &+ UInt64(server.now)),
      checkpoint: { [unowned self] in try crashesAt.pass($0) })
  }

  /// Saves what the body does with a new context of a replica.
  func save(_ index: Int, _ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(containers[index])
    try body(context)
    try context.save()
  }

  /// - Parameters:
  ///   - limit: the most entries of an answer. A part of a zone has four times as many records.
  ///   - answers: the most answers.
  func pull(_ index: Int, limit: Int = 100, answers: Int = 100) throws {
    try replicas[index].pull(from: server, as: accounts[index], limit: limit, answers: answers)
  }

  @discardableResult func push(_ index: Int) throws -> SyncFailure? {
    guard let request = try replicas[index].pushRequest() else { return nil }
    let refusal = try server.push(request, from: accounts[index]).refusal
    if let time = refusal?.time { try replicas[index].restamp(toServer: time) }
    return refusal
  }

  /// Gets keys of shares, and wraps them for others, as the session does.
  func exchangeKeys(_ index: Int) throws { try replicas[index].exchangeKeys(with: server, as: accounts[index]) }

  /// Starts a replica again, as its program does, or after a crash.
  func restart(_ index: Int) throws { replicas[index] = try replica(index) }

  /// Shares the row of the first object of a class.
  /// - Returns: the zone of the share.
  func share<M: PersistentModel>(_ type: M.Type, of index: Int, with members: [String: Bool]) throws -> ZoneName {
    try sync(index)
    let object = try #require(try all(type, index).first)
    let row = try #require(try replicas[index].store.keys(of: [UserStore.text(object.persistentModelID)])[0])
    let zone = ZoneName.share(ExactText("\(server.shares.count)"))
    server.shares[zone] = ZoneServer.Share(owner: accounts[index], root: row.name, members: members)
    try sync(index)
    try replicas[index].move(row, to: zone)
    try sync(index)
    return zone
  }

  /// Exchanges all changes of a replica.
  func sync(_ index: Int) throws {
    try replicas[index].capture()
    for _ in 0..<10 {
      try pull(index)
      try replicas[index].capture()
      guard replicas[index].pendingCount > 0 else { return }
      try push(index)
    }
    try pull(index)
  }

  /// Exchanges all changes of all replicas.
  func syncAll() throws { for _ in 0..<2 { for index in replicas.indices { try sync(index) } } }

  func all<M: PersistentModel>(_ type: M.Type, _ index: Int) throws -> [M] {
    try ModelContext(containers[index]).fetch(FetchDescriptor<M>())
  }

  func first<M: PersistentModel>(_ type: M.Type, _ context: ModelContext) throws -> M {
    guard let object = try context.fetch(FetchDescriptor<M>()).first else {
      throw ReplicaError(description: "there is no \(type)")
    }
    return object
  }
}
#endif
