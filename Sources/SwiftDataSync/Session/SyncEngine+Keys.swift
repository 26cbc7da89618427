#if Sync
import Crypto
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import UntrustedInput

// How the keys that encrypt attributes in shares get from the owner to the participants.

extension SyncEngine {
  /// The fingerprint of the account's public key: six groups of five digits, the same on all devices of the account. Nil without
  /// `SyncCredentials(encryptionSecret:)`.
  ///
  /// Another account sees it as ``SyncShare/Participant/fingerprint`` or ``SyncShare/ownerFingerprint``. Where the two
  /// differ, the server handed out a false key.
  /// - Throws: ``SyncError`` if the bookkeeping cannot be opened.
  public func keyFingerprint() throws -> String? {
    try replica().keyring.map { Fingerprint.text(of: $0.account.publicKey.rawRepresentation) }
  }

  /// Gets keys, and wraps keys for others.
  /// - Returns: why a share has no key; nil if all is well.
  func exchangeKeys(_ replica: ZoneReplica) async throws -> SyncError? {
    guard replica.canSeal else { return nil }
    try await publishKey(replica)
    var refused: SyncError?
    for share in replica.sharesThatNeedKeys {
      do {
        try await exchangeKeys(replica, share)
      } catch let error as SyncError where error.code == .encryptionKey {
        refused = error
      } catch let failure as SyncFailure where failure.code == .notFound {
        // The owner removed the account a moment ago.
      } catch let failure as SyncFailure where failure.code == .keyConflict {
        // Another device of the account made a key meanwhile. The next exchange gets it.
      } catch let error where error.isOfKeys {
        // A participant can give others a key that cannot be read. That must not stop the exchange of other zones.
        let owner = replica.store.zones[share]?.owner ?? ""
        refused = SyncError(
          code: .encryptionKey,
          message:
            "a key of the share of \(owner) cannot be read (\(error)); its encrypted values stay unreadable. Ask \(owner) to remove"
            + " your account from the share and to invite it again")
      }
    }
    return refused
  }

  func publishKey(_ replica: ZoneReplica) async throws {
    guard !hasPublishedKey, replica.canSeal, let key = replica.keyring?.account.publicKey else { return }
    try await client.publish(PublishKeyRequest(key: key.rawRepresentation))
    hasPublishedKey = true
  }

  private func exchangeKeys(_ replica: ZoneReplica, _ zone: ZoneName) async throws {
    var newest = -1
    // A restored server may lack several keys.
    while case let keys = try await client.keys(of: zone.text), try keys.newestGeneration > newest {
      newest = try keys.newestGeneration
      try replica.take(keys, of: zone)
      guard replica.store.zones[zone]?.owner == replica.store.replica.account else {
        if keys.wrappedGeneration < keys.generation, let request = try replica.wrapLinkKey(keys, zone) {
          try await client.put(request, to: zone.text)
        }
        return
      }
      let wrapped = try replica.wrap(keys, zone)
      if let request = wrapped.request { try await client.put(request, to: zone.text) }
      if let kept = wrapped.kept { try replica.keep(kept, zone: zone) }
      if let refused = wrapped.refused { throw refused }
      guard wrapped.kept != nil, replica.needsNextKey(zone) else { return }
    }
  }

  /// What a link says behind `#`: the key of the share; nil without one.
  func linkKey(of share: String) throws -> String? {
    try ZoneName(text: share).flatMap { try replica().linkKey(of: $0)?.text }
  }

  /// Takes the key of a link that was accepted.
  func take(_ link: LinkKey, of share: ShareInfo) async throws {
    guard let zone = ZoneName(text: share.zone), try replica().canSeal else { return }
    let keys = try await client.keys(of: share.zone)
    try replica().take(link, keys, of: zone, owner: share.owner)
  }
}

extension Error {
  /// Whether the error says that keys of other accounts cannot be used, and not that a request or the store failed.
  fileprivate var isOfKeys: Bool {
    !(self is SyncFailure || self is SyncError || self is URLError || self is CancellationError
      || self is SwiftDataError
      || self is CocoaError)
  }
}
#endif
