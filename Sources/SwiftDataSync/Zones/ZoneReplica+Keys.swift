#if Sync
import Crypto
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import UntrustedInput

// The keys of shares: what a replica keeps of them, and what it does when it gets a new one.

extension ZoneReplica {
  /// Whether the replica has values to encrypt and a secret to do it with.
  var canSeal: Bool { keyring != nil && user.hasSensitive }

  /// Gives the keyring the keys of the zones that the bookkeeping names.
  func loadKeys() {
    keyring?.set(secrets.keys.filter { zone, _ in store.replica.keyGenerations?[zone] != nil })
  }

  /// The generation of the newest key of a zone on the server; 0 for none.
  func keyGeneration(_ zone: ZoneName) -> Int {
    min(store.replica.keyGenerations?[zone.text] ?? 0, secrets.keys[zone.text]?.count ?? 0)
  }

  private func isOwn(_ zone: ZoneName) -> Bool { store.zones[zone]?.owner == store.replica.account }

  /// The keys of a share of the account that the server lacks, because it was restored.
  private func keysToSend(_ zone: ZoneName) -> [ZoneKey] {
    isOwn(zone) ? Array((keyring?.shares[zone.text] ?? []).dropFirst(keyGeneration(zone))) : []
  }

  /// The shares for which there is a key to get from the server, or one to wrap for others.
  var sharesThatNeedKeys: [ZoneName] {
    guard canSeal else { return [] }
    return store.zones.filter { zone, known in
      guard zone.isShare else { return false }
      let generation = keyGeneration(zone)
      return known.keyGeneration ?? 0 != generation || known.needsKeys == true || isKeyRevoked(zone)
        || store.replica.uncheckedKeys?.contains(zone) == true
        || (generation == 0 && isOwn(zone)) || !keysToSend(zone).isEmpty
    }.keys.sorted()
  }

  /// The share whose key the next transaction waits for; nil if it waits for none.
  /// - Throws: ``ReplicaError`` if a value cannot be encrypted.
  func shareWithoutKey() throws -> ZoneName? {
    guard canSeal, let next = outbox.outgoing.first, try sealed(next) == nil else { return nil }
    return next.parts.keys.filter { keyring?.newest($0) == nil }.min()
  }

  // MARK: - Keys that arrive

  /// Takes in the keys that the server has of a zone.
  /// - Throws: an error of the store or of the file system; an error of a key that cannot be read.
  func take(_ keys: ZoneKeys, of zone: ZoneName) throws {
    guard let all = try keys.newestGeneration == 0 ? [] : unwrap(keys, zone) else { return }
    let known = keyring?.shares[zone.text] ?? []
    let news = Self.keys(all, without: known)
    // A server cannot make a device write with a former key again.
    let isOther =
      isOwn(zone)
      ? known.prefix(keyGeneration(zone)).map(\.identifier) != all.map(\.identifier) : all.count > keyGeneration(zone)
    if isOther || !news.isEmpty { try keep(all, zone: zone) }
    let rest = keysToSend(zone).count
    try transaction {
      store.replica.uncheckedKeys?.remove(zone)
      // Two devices made keys apart, and an account that was removed may know one of them. So another one follows.
      if rest > 0, !news.isEmpty || keys.isStale { setRevoked(zone, generation: all.count + rest) }
    }
  }

  private static func keys(_ keys: [ZoneKey], without others: [ZoneKey]) -> [ZoneKey] {
    let known = Set(others.map(\.identifier))
    return keys.filter { !known.contains($0.identifier) }
  }

  /// Keeps the keys of a zone of all generations, and shows the values that become readable.
  ///
  /// Other keys stay, which a restored server lacks. An owner's other keys follow, because the owner sends them. A participant's other keys
  /// precede, so that the participant writes with the newest key that all have.
  /// - Throws: an error of the store or of the file system.
  func keep(_ keys: [ZoneKey], zone: ZoneName) throws {
    let others = Self.keys(keyring?.shares[zone.text] ?? [], without: keys)
    let all = isOwn(zone) ? keys + others : others + keys
    // The keys come first. The bookkeeping names no key that is not there.
    try secrets.setKeys(all.map(\.bytes), of: zone.text)
    try transaction {
      try captureSaves()
      store.replica.keyGenerations = (store.replica.keyGenerations ?? [:]).merging([zone.text: keys.count]) { $1 }
      loadKeys()
      try inParts(of: zone) { records in
        for key in records {
          guard let registers = try shown.registers(of: key), let row = try shown.row(showing: key) else { continue }
          let names = sealedNames(of: registers)
          if !names.isEmpty { work.add(row, names) }
        }
        try writeRows()
      }
    }
    // After an error, the keyring would have keys that the bookkeeping does not name.
    loadKeys()
  }

  /// The properties of a record whose values are encrypted.
  private func sealedNames(of registers: Registers) -> Set<ExactText> {
    let properties = registers.born.flatMap { models.classes[$0.value] } ?? []
    return Set(
      properties.filter { property in
        property.readNames.contains { if case .sealed? = registers.fields[$0]?.value { true } else { false } }
      }.map(\.name))
  }

  /// The keys of a zone of all generations, from what the server has.
  /// - Returns: nil if there is no key for this account yet.
  /// - Throws: ``SyncError`` if the owner's key is not the one that it was; ``ReplicaError`` if a key is damaged.
  func unwrap(_ keys: ZoneKeys, _ zone: ZoneName) throws -> [ZoneKey]? {
    guard let own = keyring?.account, let owner = store.zones[zone]?.owner, let wrapped = keys.wrapped,
      keys.wrappedGeneration == keys.generation
    else { return nil }
    let sender = try keys.isWrappedByOwner ? trusted(owner, keys.ownerKey) : own.publicKey.rawRepresentation
    guard let sender else { return nil }
    let newest = try KeyWrapping.unwrap(
      wrapped, zone: zone.text, generation: try keys.newestGeneration, by: sender, for: own)
    return try Self.all(keys, newest: newest, zone)
  }

  /// The keys of all generations: each key decrypts the one before.
  static func all(_ keys: ZoneKeys, newest: ZoneKey, _ zone: ZoneName) throws -> [ZoneKey] {
    let generation = try keys.newestGeneration
    guard keys.previous.count == generation - 1 else {
      throw ReplicaError(
        description: "the server lacks keys of the share \(zone.text); the next sync of the owner's device sends them")
    }
    var all = [newest]
    for generation in stride(from: generation - 1, to: 0, by: -1) {
      let bytes = try all[0].decrypt(keys.previous[generation - 1], KeyWrapping.place(zone.text, generation))
      all.insert(ZoneKey(bytes), at: 0)
    }
    return all
  }

  /// Whether another key of a zone follows: one that the server lacks, or one that no removed account knows.
  func needsNextKey(_ zone: ZoneName) -> Bool { !keysToSend(zone).isEmpty || isKeyRevoked(zone) }

  // MARK: - Keys of accounts

  /// The public key of an account. The first one that the replica saw is the one that it goes on to trust.
  /// - Throws: ``SyncError`` with the code `encryptionKey` if the server names another key than before.
  func trusted(_ account: String, _ key: Data?) throws -> Data? {
    if account == store.replica.account, let keyring { return keyring.account.publicKey.rawRepresentation }
    guard let key else { return store.replica.trustedKeys?[account] }
    if let known = store.replica.trustedKeys?[account] {
      guard known == key else {
        throw SyncError(
          code: .encryptionKey,
          message:
            "the server names another key for the account \(account) than before (\(Fingerprint.text(of: known)),"
            + " now \(Fingerprint.text(of: key))). If \(account) has a new secret, revoke the account and invite it again"
        )
      }
      return known
    }
    try transaction {
      store.replica.trustedKeys = (store.replica.trustedKeys ?? [:]).merging([account: key]) { $1 }
    }
    return key
  }

  /// The accounts that get no keys of a zone, because this replica removed them.
  func revokedAccounts(_ zone: ZoneName) -> Set<String> { store.replica.revoked?[zone.text] ?? [] }

  /// Whether an account that this replica removed from a share knows its newest key.
  func isKeyRevoked(_ zone: ZoneName) -> Bool {
    store.replica.revokedGenerations?[zone.text] == keyGeneration(zone)
  }

  /// Forgets the key of an account, which is not to get keys of a zone any more.
  /// - Throws: an error of the store.
  func distrust(_ account: String, zone: ZoneName) throws {
    try transaction {
      store.replica.trustedKeys?[account] = nil
      store.replica.revoked = (store.replica.revoked ?? [:]).merging([zone.text: [account]]) { $0.union($1) }
      setRevoked(zone, generation: keyGeneration(zone))
    }
  }

  private func setRevoked(_ zone: ZoneName, generation: Int) {
    store.replica.revokedGenerations = (store.replica.revokedGenerations ?? [:]).merging([zone.text: generation]) { $1 }
  }

  /// Notes that the owner invites an account, which may have been revoked before.
  /// - Throws: an error of the store.
  func admit(_ account: String, zone: ZoneName) throws {
    guard revokedAccounts(zone).contains(account) else { return }
    try transaction { _ = store.replica.revoked?[zone.text]?.remove(account) }
  }

  /// Forgets the keys of a zone that the account cannot read any more.
  func forgetKeys(of zone: ZoneName) throws {
    try secrets.setKeys(nil, of: zone.text)
    forgetGenerations(of: zone)
  }

  /// Forgets what the bookkeeping has of the keys of a zone.
  func forgetGenerations(of zone: ZoneName) {
    store.replica.keyGenerations?[zone.text] = nil
    store.replica.uncheckedKeys?.remove(zone)
    store.replica.revoked?[zone.text] = nil
    store.replica.revokedGenerations?[zone.text] = nil
    loadKeys()
  }

  // MARK: - Wrapping

  /// The keys that the owner sends so that all participants have the newest key of a zone.
  struct WrappedKeys {
    /// The request; nil if each participant has the key.
    var request: PutZoneKeysRequest?
    /// The keys of all generations, if the request has a new one. They are kept after the server took the request.
    var kept: [ZoneKey]?
    /// Why a participant gets no key.
    var refused: SyncError?
  }

  /// Wraps the key of a share for the participants who lack it. The key is a new one if there is none yet, or if a participant left.
  /// - Throws: ``SyncError`` if another device of the account made the key with another secret.
  func wrap(_ keys: ZoneKeys, _ zone: ZoneName) throws -> WrappedKeys {
    var result = WrappedKeys()
    guard let own = keyring?.account else { return result }
    let lacking = keysToSend(zone)
    let known = (keyring?.shares[zone.text] ?? []).dropLast(lacking.count)
    let newest = try keys.newestGeneration
    guard known.count == newest else {
      throw SyncError(
        code: .encryptionKey,
        message:
          "another device of the account made the key of the share with another encryptionSecret; use one secret on"
          + " all devices")
    }
    // A key that a restored server lacks comes before a new one.
    let isNew = known.isEmpty || keys.isStale || isKeyRevoked(zone) || !lacking.isEmpty
    let key = isNew ? lacking.first ?? ZoneKey(SymmetricKey(size: .bits256)) : known.last!
    let generation = isNew ? newest + 1 : newest
    let revoked = revokedAccounts(zone)
    var wrapped: [String: Data] = [:]
    func wrap(_ account: String, _ recipient: Data) throws {
      wrapped[account] = try KeyWrapping.wrap(key, zone: zone.text, generation: generation, for: recipient, by: own)
    }
    for participant in keys.participants
    where !revoked.contains(participant.account) && participant.generation < Untrusted(generation) {
      do {
        guard let key = try trusted(participant.account, participant.key) else { continue }
        try wrap(participant.account, key)
      } catch let error as SyncError {
        result.refused = error
      }
    }
    if isNew || keys.wrappedGeneration < Untrusted(generation) {
      try wrap(store.replica.account ?? "", own.publicKey.rawRepresentation)
    }
    if !wrapped.isEmpty {
      let previous =
        isNew ? try known.last.map { try key.encrypt($0.bytes, KeyWrapping.place(zone.text, generation - 1)) } : nil
      result.request = PutZoneKeysRequest(generation: generation, previous: previous, wrapped: wrapped)
    }
    if isNew { result.kept = Array(known) + [key] }
    return result
  }

  /// The request of a participant who has the key from a link, so that its other devices get the key.
  func wrapLinkKey(_ keys: ZoneKeys, _ zone: ZoneName) throws -> PutZoneKeysRequest? {
    guard let own = keyring?.account, let key = keyring?.newest(zone),
      case let generation = try keys.newestGeneration, keyGeneration(zone) == generation
    else { return nil }
    let wrapped = try KeyWrapping.wrap(
      key, zone: zone.text, generation: generation, for: own.publicKey.rawRepresentation, by: own)
    return PutZoneKeysRequest(generation: generation, previous: nil, wrapped: [store.replica.account ?? "": wrapped])
  }

  /// What a link says behind `#`: the key of the zone; nil if the replica has none.
  func linkKey(of zone: ZoneName) -> LinkKey? {
    let generation = keyGeneration(zone)
    guard canSeal, generation > 0, keysToSend(zone).isEmpty, let keyring, let newest = keyring.newest(zone) else {
      return nil
    }
    return LinkKey(generation: generation, key: newest, ownerKey: keyring.account.publicKey.rawRepresentation)
  }

  /// Takes the key of a link that was accepted.
  /// - Parameter owner: the account that made the share.
  /// - Throws: ``SyncError`` if the owner's key is not the one that it was.
  func take(_ link: LinkKey, _ keys: ZoneKeys, of zone: ZoneName, owner: String) throws {
    _ = try trusted(owner, link.ownerKey)
    // A key that a newer one followed is of no use: the owner's device wraps the newer one.
    let newest = try keys.newestGeneration
    guard link.generation == newest, keyGeneration(zone) < newest else { return }
    try keep(try Self.all(keys, newest: link.key, zone), zone: zone)
  }
}

extension ZoneKeys {
  /// ``generation`` within the bounds of what a zone can have.
  var newestGeneration: Int {
    get throws(UntrustedInputError) { try generation.inRange(SyncWire.generations, field: "keys.generation") }
  }
}
#endif
