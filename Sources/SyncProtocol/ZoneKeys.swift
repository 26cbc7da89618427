public import Foundation
public import UntrustedInput

// The keys that encrypt attributes in shares. Clients make, wrap and unwrap them; a server keeps only what it cannot read.

/// The public key of an account (X25519, 32 bytes), with which other accounts wrap keys for it.
public struct AccountKey: Codable, Hashable, Sendable {
  /// The size of a public key, in bytes.
  public static let size = 32

  /// The name of the account.
  public var account: String
  /// The public key.
  public var key: Data
  /// The newest generation of a zone's key that is wrapped for the account; 0 for none.
  public var generation: Untrusted<Int>

  /// Makes a description.
  public init(account: String, key: Data, generation: Int) {
    (self.account, self.key, self.generation) = (account, key, Untrusted(generation))
  }
}

/// The key of a share's zone as one account gets it.
public struct ZoneKeys: Codable, Hashable, Sendable {
  /// The newest generation; 0 before the owner made the first key.
  public var generation: Untrusted<Int>
  /// The owner's public key; nil before the owner published it.
  public var ownerKey: Data?
  /// The newest key that is wrapped for the account (HPKE); nil if there is none.
  public var wrapped: Data?
  /// The generation of ``wrapped``.
  public var wrappedGeneration: Untrusted<Int>
  /// Whether the owner wrapped it; otherwise the account itself did.
  public var isWrappedByOwner: Bool
  /// The keys of all generations before the newest one, the oldest first. Each is encrypted with the key that followed it.
  public var previous: [Data]
  /// Whether a participant left after the newest key was made. Only the owner is told.
  public var isStale: Bool
  /// The participants that accepted and published a key. Only the owner is told.
  public var participants: [AccountKey]

  /// Makes a description.
  public init(
    generation: Int, ownerKey: Data?, wrapped: Data?, wrappedGeneration: Int, isWrappedByOwner: Bool, previous: [Data],
    isStale: Bool, participants: [AccountKey]
  ) {
    (self.generation, self.ownerKey) = (Untrusted(generation), ownerKey)
    (self.wrapped, self.wrappedGeneration) = (wrapped, Untrusted(wrappedGeneration))
    self.isWrappedByOwner = isWrappedByOwner
    (self.previous, self.isStale, self.participants) = (previous, isStale, participants)
  }
}

/// Stores wrapped keys. The owner may store a new generation and wrap for all; a participant may wrap for itself.
public struct PutZoneKeysRequest: Codable, Sendable {
  /// The generation of the keys: the newest one of the zone, or the one that follows it.
  public var generation: Untrusted<Int>
  /// The key of the generation before, encrypted with the new one; nil for the first generation and for the newest one.
  public var previous: Data?
  /// The wrapped keys by account.
  public var wrapped: [String: Data]

  /// Makes a request.
  public init(generation: Int, previous: Data?, wrapped: [String: Data]) {
    (self.generation, self.previous, self.wrapped) = (Untrusted(generation), previous, wrapped)
  }
}

/// Publishes the public key of the asking account.
public struct PublishKeyRequest: Codable, Sendable {
  /// The key.
  public var key: Data

  /// Makes a request.
  public init(key: Data) { self.key = key }
}
