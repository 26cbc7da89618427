import Foundation
import SwiftData
import SyncProtocol
import UntrustedInput

// The keys that encrypt attributes in shares. The server stores wrapped keys and cannot unwrap them.

extension ZoneStore {
  /// The largest size of a wrapped or encrypted key in bytes.
  private static let largestKey = 256

  /// Publishes the public key of an account. The owners of the account's shares then wrap the keys of their zones for it.
  ///
  /// Each client publishes its key when it starts. The same key again changes nothing.
  func publish(_ request: PublishKeyRequest, account: String) throws {
    guard request.key.count == AccountKey.size else {
      throw SyncFailure(.invalid, "a public key has \(AccountKey.size) bytes")
    }
    try transaction { context in
      let existing = try accountKeys([account], context).first
      guard existing?.key != request.key else { return }
      if let existing {
        existing.key = request.key
      } else {
        context.insert(ServerAccountKey(account: account, key: request.key))
      }
      // The account cannot unwrap a key that was wrapped for its previous key.
      for key in try context.fetch(
        FetchDescriptor<ServerZoneKey>(predicate: #Predicate<ServerZoneKey> { $0.account == account }))
      { context.delete(key) }
      let zones = try context.fetch(
        FetchDescriptor<ServerGrant>(predicate: #Predicate<ServerGrant> { $0.account == account })
      ).map(\.zone)
      for share in try context.fetch(
        FetchDescriptor<ServerShare>(predicate: #Predicate<ServerShare> { zones.contains($0.zone) }))
      where share.keyGeneration > 0 && !share.needsKeys { share.needsKeys = true }
    }
  }

  /// Returns the keys of a zone for the owner or a participant.
  func keys(of zone: String, account: String) throws -> ZoneKeys {
    let context = ModelContext(container)
    let share = try readableShare(zone, account, context)
    let own = try zoneKey(zone, account, context)
    let former = try context.fetch(
      FetchDescriptor<ServerFormerKey>(
        predicate: #Predicate<ServerFormerKey> { $0.zone == zone }, sortBy: [SortDescriptor(\.generation)]))
    var keys = ZoneKeys(
      generation: share.keyGeneration, ownerKey: try accountKeys([share.owner], context).first?.key,
      wrapped: own?.wrapped, wrappedGeneration: own?.generation ?? 0, isWrappedByOwner: own?.isByOwner ?? false,
      previous: former.map(\.encrypted), isStale: false, participants: [])
    guard share.owner == account else { return keys }
    keys.isStale = share.isKeyStale
    keys.participants = try participants(share, context)
    return keys
  }

  /// Returns the participants and the invited accounts that have published a key.
  private func participants(_ share: ServerShare, _ context: ModelContext) throws -> [AccountKey] {
    let zone = share.zone
    let names = try grants(zone, context).map(\.account)
    let wrapped = try context.fetch(
      FetchDescriptor<ServerZoneKey>(predicate: #Predicate<ServerZoneKey> { $0.zone == zone }))
    let generations = Dictionary(uniqueKeysWithValues: wrapped.map { ($0.account, $0.generation) })
    return try accountKeys(names, context).map {
      AccountKey(account: $0.account, key: $0.key, generation: generations[$0.account] ?? 0)
    }
  }

  /// Stores wrapped keys of the newest generation, or a new generation.
  func putKeys(_ request: PutZoneKeysRequest, to zone: String, account: String) throws {
    guard request.wrapped.count <= limits.participants + 1,
      (request.wrapped.values + [request.previous].compactMap(\.self)).allSatisfy({ $0.count <= Self.largestKey })
    else {
      throw SyncFailure(
        .tooLarge, "a wrapped key has at most \(Self.largestKey) bytes, and each participant has one wrapped key")
    }
    try transaction { context in
      let share = try readableShare(zone, account, context)
      let isOwner = share.owner == account
      let generation = try generation(request, of: share)
      guard isOwner || (generation == share.keyGeneration && Set(request.wrapped.keys) == [account]) else {
        throw SyncFailure(
          .forbidden,
          "a participant may wrap the key of a share only for itself; only the owner \(share.owner) may wrap it for others"
        )
      }
      try rotateKey(of: share, to: generation, request.previous, context)
      let members = Set(try grants(zone, context).map(\.account)).union([share.owner])
      for (name, wrapped) in request.wrapped where members.contains(name) {
        let existing = try zoneKey(zone, name, context)
        // A participant cannot replace a key that the owner wrapped, because participants trust the owner's keys.
        if let existing, !isOwner, existing.isByOwner, existing.generation == generation { continue }
        let key = existing ?? ServerZoneKey(zone: zone, account: name)
        (key.generation, key.wrapped, key.isByOwner) = (generation, wrapped, isOwner)
        if existing == nil { context.insert(key) }
      }
      let rest = try participants(share, context).filter {
        $0.generation < Untrusted(share.keyGeneration) && request.wrapped[$0.account] == nil
      }
      let needsKeys = share.isKeyStale || !rest.isEmpty
      if share.needsKeys != needsKeys { share.needsKeys = needsKeys }
    }
  }

  /// Checks the generation of a request, which is the newest generation of the share or the next one.
  private func generation(_ request: PutZoneKeysRequest, of share: ServerShare) throws -> Int {
    let newest = share.keyGeneration
    guard let generation = request.generation.value(in: max(1, newest)...newest + 1) else {
      throw SyncFailure(
        .keyConflict,
        "the newest key of the share has the generation \(newest), and the generation \(request.generation) does not follow it; read"
          + " the keys of the share again"
      )
    }
    return generation
  }

  private func rotateKey(
    of share: ServerShare, to generation: Int, _ previous: Data?, _ context: ModelContext
  ) throws {
    guard generation > share.keyGeneration else {
      // The client repeats a request whose response it did not receive, or another device rotated the key first.
      guard previous == nil else {
        throw SyncFailure(
          .keyConflict,
          "the share already has a key of the generation \(generation); read the keys of the share again")
      }
      return
    }
    guard (previous != nil) == (share.keyGeneration > 0) else {
      throw SyncFailure(
        .invalid, "a new key of a share needs the previous key, encrypted with it; the first key has no previous one")
    }
    if let previous {
      context.insert(ServerFormerKey(zone: share.zone, generation: share.keyGeneration, encrypted: previous))
    }
    share.keyGeneration = generation
    share.isKeyStale = false
  }

  // MARK: - Access

  /// Returns a share that an account may read.
  /// - Throws: ``SyncFailure`` with the code `notFound` if the account may not read the share.
  private func readableShare(_ zone: String, _ account: String, _ context: ModelContext) throws -> ServerShare {
    _ = try access(account, zone, context)
    guard let share = try share(zone, context) else { throw zoneNotFound(zone, account) }
    return share
  }

  private func zoneKey(_ zone: String, _ account: String, _ context: ModelContext) throws -> ServerZoneKey? {
    let key = ServerGrant.key(zone, account)
    return try context.fetch(FetchDescriptor<ServerZoneKey>(predicate: #Predicate<ServerZoneKey> { $0.key == key }))
      .first
  }

  func accountKeys(_ accounts: [String], _ context: ModelContext) throws -> [ServerAccountKey] {
    try context.fetch(
      FetchDescriptor<ServerAccountKey>(
        predicate: #Predicate<ServerAccountKey> { accounts.contains($0.account) }, sortBy: [SortDescriptor(\.account)]))
  }

  /// Returns the generations of the keys that are wrapped for an account, by zone.
  func keyGenerations(of account: String, _ context: ModelContext) throws -> [String: Int] {
    let found = try context.fetch(
      FetchDescriptor<ServerZoneKey>(predicate: #Predicate<ServerZoneKey> { $0.account == account }))
    return Dictionary(uniqueKeysWithValues: found.map { ($0.zone, $0.generation) })
  }

  /// Deletes the wrapped key of an account that leaves a share, and requests a key rotation from the owner.
  func revokeKey(of account: String, _ share: ServerShare, _ context: ModelContext) throws {
    if let key = try zoneKey(share.zone, account, context) { context.delete(key) }
    guard share.keyGeneration > 0 else { return }
    if !share.isKeyStale { share.isKeyStale = true }
    if !share.needsKeys { share.needsKeys = true }
  }

  /// Requests from the owner that it wraps the key for the participants who lack it.
  func requestKeys(_ share: ServerShare) { if share.keyGeneration > 0, !share.needsKeys { share.needsKeys = true } }
}
