#if Sync
import Crypto
import Foundation
import SyncProtocol
import UntrustedInput

// How the keys that encrypt attributes in shares get from the owner to the participants.

extension SyncEngine {
  /// What tells the account's public key apart from a false one: six groups of five digits, the same on all devices of the
  /// account; nil without `SyncCredentials(encryptionSecret:)`.
  ///
  /// Another account sees it as ``SyncShare/Participant/fingerprint`` or ``SyncShare/ownerFingerprint``. Where the two
  /// differ, the server handed out a false key.
  /// - Throws: ``SyncError`` if the store beside the user's cannot be opened.
  public func keyFingerprint() throws -> String? {
    try replica().keyring.map { Fingerprint.text(of: $0.account.publicKey.rawRepresentation) }
  }

  /// Gets keys, and wraps keys for others.
  /// - Returns: why a share has no key; nil if all is well.
  func exchangeKeys(_ replica: Replica) async throws -> SyncError? {
    guard replica.canSeal else { return nil }
    try await publishKey(replica)
    var refused: SyncError?
    for share in replica.shares where replica.needsKeys(share) {
      do {
        try await exchangeKeys(replica, share)
      } catch let error as SyncError where error.code == .encryptionKey {
        refused = error
      } catch let failure as SyncFailure where failure.code == .notFound {
        // The owner removed the account a moment ago.
      } catch let failure as SyncFailure where failure.code == .keyConflict {
        // Another device of the account made a key meanwhile. The next exchange gets it.
      }
    }
    return refused
  }

  func publishKey(_ replica: Replica) async throws {
    guard !hasPublishedKey, replica.canSeal, let key = replica.keyring?.account.publicKey else { return }
    try await client.publish(PublishKeyRequest(key: key.rawRepresentation))
    hasPublishedKey = true
  }

  private func exchangeKeys(_ replica: Replica, _ share: ZoneInfo) async throws {
    let keys = try await client.keys(of: share.name)
    if let all = try replica.unwrap(keys, share), all.count > replica.keyGeneration(share.name) {
      try replica.keep(all, zone: share.name)
    }
    if share.owner == replica.ledger.replica.account {
      try await wrapKeys(keys, replica, share.name)
    } else if keys.wrappedGeneration < keys.generation {
      try await keepLinkKey(keys, replica, share.name)
    }
  }

  /// The owner wraps the key for those who lack it, and makes a new one where a participant left.
  private func wrapKeys(_ keys: ZoneKeys, _ replica: Replica, _ zone: String) async throws {
    guard let own = replica.keyring?.account else { return }
    let known = replica.keyring?.shares[zone] ?? []
    let newest = try keys.newestGeneration
    guard known.count == newest else {
      throw SyncError(
        code: .encryptionKey,
        message:
          "another device of the account made the key of the share with another encryptionSecret; use one secret on"
          + " all devices")
    }
    let isNew = known.isEmpty || keys.isStale || replica.isKeyRevoked(zone)
    let key = isNew ? ZoneKey(SymmetricKey(size: .bits256)) : known.last!
    let generation = isNew ? newest + 1 : newest
    let revoked = replica.ledger.replica.revoked?[zone] ?? []
    var wrapped: [String: Data] = [:]
    var refused: SyncError?
    func wrap(_ account: String, _ recipient: Data) throws {
      wrapped[account] = try KeyWrapping.wrap(key, zone: zone, generation: generation, for: recipient, by: own)
    }
    for participant in keys.participants
    where !revoked.contains(participant.account) && participant.generation < Untrusted(generation) {
      do {
        guard let key = try replica.trusted(participant.account, participant.key) else { continue }
        try wrap(participant.account, key)
      } catch let error as SyncError {
        refused = error
      }
    }
    if isNew || keys.wrappedGeneration < Untrusted(generation) {
      try wrap(replica.ledger.replica.account ?? "", own.publicKey.rawRepresentation)
    }
    if !wrapped.isEmpty {
      let previous =
        isNew ? try known.last.map { try key.encrypt($0.bytes, KeyWrapping.place(zone, generation - 1)) } : nil
      try await client.put(PutZoneKeysRequest(generation: generation, previous: previous, wrapped: wrapped), to: zone)
    }
    if isNew { try replica.keep(known + [key], zone: zone) }
    if let refused { throw refused }
  }

  /// A participant who has the key from a link keeps it on the server for its other devices.
  private func keepLinkKey(_ keys: ZoneKeys, _ replica: Replica, _ zone: String) async throws {
    guard let own = replica.keyring?.account, let known = replica.keyring?.shares[zone], let key = known.last,
      case let generation = try keys.newestGeneration, known.count == generation
    else { return }
    let wrapped = try KeyWrapping.wrap(
      key, zone: zone, generation: generation, for: own.publicKey.rawRepresentation, by: own)
    let account = replica.ledger.replica.account ?? ""
    try await client.put(
      PutZoneKeysRequest(generation: generation, previous: nil, wrapped: [account: wrapped]), to: zone)
  }

  // MARK: - Links

  /// What a link says behind `#`: the key of the zone.
  func linkKey(of zone: String) throws -> String? {
    let replica = try replica()
    guard replica.canSeal, let keyring = replica.keyring, let keys = keyring.shares[zone], let newest = keys.last else {
      return nil
    }
    let ownerKey = keyring.account.publicKey.rawRepresentation
    return LinkKey(generation: keys.count, key: newest, ownerKey: ownerKey).text
  }

  /// Takes the keys of a zone from a link that was accepted.
  func take(_ link: LinkKey, of share: ShareInfo) async throws {
    let replica = try replica()
    guard replica.canSeal else { return }
    _ = try replica.trusted(share.owner, link.ownerKey)
    let keys = try await client.keys(of: share.zone)
    // A key that a newer one followed is of no use: the owner's device wraps the newer one.
    let newest = try keys.newestGeneration
    guard link.generation == newest, replica.keyGeneration(share.zone) < newest else { return }
    try replica.keep(try Replica.all(keys, newest: link.key, share.zone), zone: share.zone)
  }
}
#endif
