#if Sync
import Crypto
import Foundation
import SyncProtocol
import UntrustedInput

// The keys of shares: what a replica keeps of them, and what it does when it gets a new one.

extension Replica {
  /// Whether the replica has values to encrypt and a secret to do it with.
  var canSeal: Bool { keyring != nil && user.schema.hasSealed }

  /// Gives the keyring the keys of the zones that the replica knows of.
  func loadKeys() { keyring?.set(secrets.keys.filter { keyGeneration($0.key) > 0 }) }

  /// The generation of the newest key of a zone; 0 for none.
  func keyGeneration(_ zone: String) -> Int {
    min(ledger.replica.keyGenerations?[zone] ?? 0, secrets.keys[zone]?.count ?? 0)
  }

  /// The generations of all keys, for the request that waits for news.
  var keyGenerations: [String: Int]? {
    canSeal ? Dictionary(shares.map { ($0.name, keyGeneration($0.name)) }) { first, _ in first } : nil
  }

  // MARK: - Encrypting

  /// Encrypts a value with the newest key of a record's zone. Where the key has not arrived, the account's own key takes its
  /// place until ``sealUnsent(zone:)``.
  func seal(_ value: FieldValue, of record: RecordName, _ property: String) throws -> FieldValue? {
    guard let keyring else { return nil }
    let key = keyring.newest(try zone(of: record)) ?? keyring.own
    return .sealed(try key.seal(value, Sealing.place(record, property)))
  }

  /// Decrypts a value of a record. A program with older models encrypted it for the old name of the property.
  /// - Returns: nil without the key, and for a value that was not encrypted for this place.
  func open(_ sealed: Data, of record: RecordName, _ entity: String, _ property: String) -> FieldValue? {
    guard let keyring else { return nil }
    return user.schema.names(of: property, record, entity).lazy.compactMap {
      try? keyring.open(sealed, Sealing.place(record, $0))
    }.first
  }

  /// Encrypts the values that are sent next with the newest key of their zone. They have another key after a record moved
  /// and after a participant left.
  /// - Throws: ``SyncError`` with the code `encryptionKey` if the account does not have the key of the zone yet; an error
  ///   of the ledger.
  func sealUnsent(zone: String) throws {
    guard canSeal, let keyring else { return }
    let newest = keyring.newest(zone)
    let affected = Set(
      outgoing(zone: zone).filter { transaction in
        transaction.changes.contains { change in
          change.fields.values.contains { write in
            guard case .sealed(let data) = write.value else { return false }
            return newest.map { !data.starts(with: $0.identifier) } ?? true
          }
        }
      }.map(\.id))
    guard !affected.isEmpty else { return }
    guard let newest else {
      throw SyncError(
        code: .encryptionKey,
        message:
          "the key of the share has not arrived; changes of encrypted attributes are sent when the owner's device"
          + " has synced")
    }
    try transaction { try seal(affected, newest) }
  }

  private func seal(_ affected: Set<UUID>, _ newest: ZoneKey) throws {
    try ledger.replacePending { transaction in
      guard affected.contains(transaction.id) else { return transaction }
      var transaction = transaction
      for index in transaction.changes.indices {
        let (record, entity) = (transaction.changes[index].record, transaction.changes[index].entity)
        for (property, write) in transaction.changes[index].fields {
          guard case .sealed(let data) = write.value, !data.starts(with: newest.identifier) else { continue }
          // A value of another account that this one cannot read stays as it is.
          guard let plain = open(data, of: record, entity, property) else { continue }
          transaction.changes[index].fields[property]!.value = .sealed(
            try newest.seal(plain, Sealing.place(record, property)))
        }
      }
      return transaction
    }
  }

  // MARK: - Keys that arrive

  /// Keeps the keys of a zone. ``catchUp(sent:)`` shows the values that become readable.
  func keep(_ keys: [ZoneKey], zone: String) throws {
    // The keys come first. With a key that values are not shown with yet, the replica asks for keys once more.
    try secrets.setKeys(keys.map(\.bytes), of: zone)
    try transaction {
      ledger.replica.keyGenerations = (ledger.replica.keyGenerations ?? [:]).merging([zone: keys.count]) { $1 }
      loadKeys()
      for name in try ledger.recordNames(zone: zone) { ledger.replica.noteToShow(name) }
    }
  }

  /// The keys of a zone of all generations, from what the server has.
  /// - Returns: nil if there is no key for this account yet.
  /// - Throws: ``SyncError`` if the owner's key is not the one that it was; ``ReplicaError`` if a key is damaged.
  func unwrap(_ keys: ZoneKeys, _ share: ZoneInfo) throws -> [ZoneKey]? {
    let own = keyring?.account
    guard let own, let wrapped = keys.wrapped, keys.wrappedGeneration == keys.generation else { return nil }
    let sender = try keys.isWrappedByOwner ? trusted(share.owner, keys.ownerKey) : own.publicKey.rawRepresentation
    guard let sender else { return nil }
    let newest = try KeyWrapping.unwrap(
      wrapped, zone: share.name, generation: try keys.newestGeneration, by: sender, for: own)
    return try Self.all(keys, newest: newest, share.name)
  }

  /// The keys of all generations: each key decrypts the one before.
  static func all(_ keys: ZoneKeys, newest: ZoneKey, _ zone: String) throws -> [ZoneKey] {
    let generation = try keys.newestGeneration
    guard keys.previous.count == generation - 1 else {
      throw ReplicaError(description: "the server lacks keys of the share \(zone)")
    }
    var all = [newest]
    for generation in stride(from: generation - 1, to: 0, by: -1) {
      let bytes = try all[0].decrypt(keys.previous[generation - 1], KeyWrapping.place(zone, generation))
      all.insert(ZoneKey(bytes), at: 0)
    }
    return all
  }

  /// Whether there is a key to get from the server, or one to wrap for others.
  func needsKeys(_ share: ZoneInfo) -> Bool {
    let generation = keyGeneration(share.name)
    return share.keyGeneration ?? 0 != generation || share.needsKeys == true
      || isKeyRevoked(share.name)
      || (generation == 0 && share.owner == ledger.replica.account)
  }

  // MARK: - Keys of accounts

  /// The public key of an account. The first one that the replica saw is the one that it goes on to trust.
  /// - Throws: ``SyncError`` with the code `encryptionKey` if the server names another key than before.
  func trusted(_ account: String, _ key: Data?) throws -> Data? {
    if account == ledger.replica.account, let keyring { return keyring.account.publicKey.rawRepresentation }
    guard let key else { return ledger.replica.trustedKeys?[account] }
    if let known = ledger.replica.trustedKeys?[account] {
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
      ledger.replica.trustedKeys = (ledger.replica.trustedKeys ?? [:]).merging([account: key]) { $1 }
    }
    return key
  }

  /// Whether an account that this replica removed from a share knows its newest key.
  func isKeyRevoked(_ zone: String) -> Bool { ledger.replica.revokedGenerations?[zone] == keyGeneration(zone) }

  /// Forgets the key of an account, which is not to get keys of a zone any more.
  func distrust(_ account: String, zone: String) throws {
    try transaction {
      ledger.replica.trustedKeys?[account] = nil
      ledger.replica.revoked = (ledger.replica.revoked ?? [:]).merging([zone: [account]]) { $0.union($1) }
      let generation = keyGeneration(zone)
      ledger.replica.revokedGenerations = (ledger.replica.revokedGenerations ?? [:]).merging([zone: generation]) { $1 }
    }
  }

  /// Notes that the owner invites an account, which may have been revoked before.
  func admit(_ account: String, zone: String) throws {
    guard ledger.replica.revoked?[zone]?.contains(account) == true else { return }
    try transaction { _ = ledger.replica.revoked?[zone]?.remove(account) }
  }
}

extension ZoneKeys {
  /// ``generation`` within the bounds of what a zone can have.
  var newestGeneration: Int {
    get throws(UntrustedInputError) { try generation.inRange(SyncWire.generations, field: "keys.generation") }
  }
}

extension SyncSchema {
  /// Whether a property is encrypted.
  var hasSealed: Bool {
    entities.values.contains { entity in
      entity.properties.values.contains { if case .attribute(isSealed: true) = $0.kind { true } else { false } }
    }
  }
}
#endif
