import Foundation
import SwiftData

/// A zone: a log of transactions of one account.
@Model
final class ServerZone {
  /// The account and the name of the zone.
  @Attribute(.unique) var key: String = ""
  var account: String = ""
  var name: String = ""
  /// The newest sequence number.
  var latest: Int64 = 0
  /// The sequence number behind which the log was compacted.
  var compacted: Int64 = 0
  /// How many bytes transactions and assets take.
  var size: Int64 = 0

  init(account: String, name: String) {
    (key, self.account, self.name) = (Self.key(account, name), account, name)
  }

  static func key(_ account: String, _ name: String) -> String { "\(account)/\(name)" }
}

/// A transaction in the log of a zone.
@Model
final class ServerEntry {
  #Index<ServerEntry>([\.zone, \.sequence])
  /// The zone and the identity of the transaction.
  @Attribute(.unique) var key: String = ""
  var zone: String = ""
  var sequence: Int64 = 0
  var account: String = ""
  /// `SyncTransaction.encoded`.
  var transaction: Data = Data()

  init(key: String, zone: String, sequence: Int64, account: String, transaction: Data) {
    (self.key, self.zone, self.sequence) = (key, zone, sequence)
    (self.account, self.transaction) = (account, transaction)
  }
}

/// Bytes that transactions of a zone name.
@Model
final class ServerAsset {
  /// The zone and the checksum.
  @Attribute(.unique) var key: String = ""
  var total: Int64 = 0
  var received: Int64 = 0
  var isComplete: Bool = false

  init(key: String, total: Int64) { (self.key, self.total) = (key, total) }
}

/// A part of an asset.
@Model
final class ServerChunk {
  #Index<ServerChunk>([\.asset, \.offset])
  /// The key of the asset and the offset.
  @Attribute(.unique) var key: String = ""
  var asset: String = ""
  var offset: Int64 = 0
  var bytes: Data = Data()

  init(asset: String, offset: Int64, bytes: Data) {
    (key, self.asset, self.offset, self.bytes) = ("\(asset)/\(offset)", asset, offset, bytes)
  }
}

/// What an account shares with others: one record with what it owns, in a zone of its own.
@Model
final class ServerShare {
  #Index<ServerShare>([\.owner])
  /// The name of the zone.
  @Attribute(.unique) var zone: String = ""
  var owner: String = ""
  /// The name of the record.
  var root: String = ""
  var title: String = ""
  /// The newest generation of the zone's key; 0 before the owner made one.
  var keyGeneration: Int = 0
  /// Whether a participant left after the newest key was made.
  var isKeyStale: Bool = false
  /// Whether the owner has to wrap the key for a participant, or to make a new one.
  var needsKeys: Bool = false

  init(zone: String, owner: String, root: String, title: String) {
    (self.zone, self.owner, self.root, self.title) = (zone, owner, root, title)
  }
}

/// What an account may do in the zone of another account's share.
@Model
final class ServerGrant {
  #Index<ServerGrant>([\.account], [\.zone])
  /// The zone and the account.
  @Attribute(.unique) var key: String = ""
  var zone: String = ""
  var account: String = ""
  var isWritable: Bool = false
  /// False for an account that was only invited.
  var isAccepted: Bool = false

  init(zone: String, account: String) {
    (key, self.zone, self.account) = (Self.key(zone, account), zone, account)
  }

  static func key(_ zone: String, _ account: String) -> String { "\(zone)/\(account)" }
}

/// A link that accepts a share.
@Model
final class ServerLink {
  #Index<ServerLink>([\.zone])
  /// The SHA-256 of the link's secret, so that a copy of the database opens no share.
  @Attribute(.unique) var hash: String = ""
  var zone: String = ""
  var isWritable: Bool = false

  init(hash: String, zone: String, isWritable: Bool) {
    (self.hash, self.zone, self.isWritable) = (hash, zone, isWritable)
  }
}

/// The public key of an account.
@Model
final class ServerAccountKey {
  @Attribute(.unique) var account: String = ""
  var key: Data = Data()

  init(account: String, key: Data) { (self.account, self.key) = (account, key) }
}

/// The newest key of a share's zone, wrapped for an account.
@Model
final class ServerZoneKey {
  #Index<ServerZoneKey>([\.zone], [\.account])
  /// The zone and the account.
  @Attribute(.unique) var key: String = ""
  var zone: String = ""
  var account: String = ""
  var generation: Int = 0
  var wrapped: Data = Data()
  /// Whether the owner wrapped it; otherwise the account itself did.
  var isByOwner: Bool = false

  init(zone: String, account: String) {
    (key, self.zone, self.account) = (ServerGrant.key(zone, account), zone, account)
  }
}

/// The key of a generation, encrypted with the key that followed it.
@Model
final class ServerFormerKey {
  #Index<ServerFormerKey>([\.zone, \.generation])
  /// The zone and the generation.
  @Attribute(.unique) var key: String = ""
  var zone: String = ""
  var generation: Int = 0
  var encrypted: Data = Data()

  init(zone: String, generation: Int, encrypted: Data) {
    (key, self.zone, self.generation, self.encrypted) = ("\(zone)/\(generation)", zone, generation, encrypted)
  }
}
