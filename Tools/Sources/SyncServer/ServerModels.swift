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
  /// The sequence number up to which the log was deleted.
  var compacted: Int64 = 0
  /// How many bytes transactions and assets take. Snapshots do not count.
  var size: Int64 = 0
  /// How many bytes the transactions of the log take. A zone of an older server has 0 until its next push. See ``logBytes``.
  var logSize: Int64 = 0
  /// The number whose state the snapshot is; 0 for none. It is never less than ``compacted``.
  var snapshot: Int64 = 0
  var snapshotParts: Int = 0
  /// How many bytes the parts take.
  var snapshotSize: Int64 = 0
  /// A digest of the rules of the models that the snapshot was made with.
  var snapshotRules: String = ""
  /// When the snapshot was finished, in milliseconds since 1970.
  var snapshotTime: Int64 = 0
  /// How many entries the log needs before the server asks for a snapshot again, after a device said that one would not help.
  var snapshotAskAt: Int64 = 0
  /// The number whose state an unfinished snapshot is; 0 for none. A zone has one unfinished snapshot at most.
  var unfinished: Int64 = 0
  /// Tells unfinished snapshots of several devices apart.
  var unfinishedMaker: String = ""
  /// How many bytes the parts of the unfinished snapshot take.
  var unfinishedSize: Int64 = 0
  /// Whether the log up to ``compacted``, or assets that it named, may still be there.
  var isCompacting: Bool = false

  init(account: String, name: String) {
    (key, self.account, self.name) = (Self.key(account, name), account, name)
  }

  static func key(_ account: String, _ name: String) -> String { "\(account)/\(name)" }

  /// How many bytes the transactions of the log take; those of assets too in a zone that no push of this server reached yet.
  var logBytes: Int64 { logSize == 0 && compacted == 0 && latest > 0 ? size : logSize }
}

/// A part of a snapshot of a zone.
@Model
final class ServerSnapshotPart {
  #Index<ServerSnapshotPart>([\.zone, \.through, \.index])
  /// The zone, the number whose state the snapshot is, and the place of the part.
  @Attribute(.unique) var key: String = ""
  var zone: String = ""
  var through: Int64 = 0
  var index: Int = 0
  /// How many bytes it has, to be read without them.
  var size: Int64 = 0
  /// `SyncTransaction.encoded`.
  var bytes: Data = Data()

  init(zone: String, through: Int64, index: Int, bytes: Data) {
    (key, self.zone, self.through) = (Self.key(zone, through, index), zone, through)
    (self.index, size, self.bytes) = (index, Int64(bytes.count), bytes)
  }

  static func key(_ zone: String, _ through: Int64, _ index: Int) -> String { "\(zone)/\(through)/\(index)" }
}

/// The identities of transactions whose entries were deleted.
@Model
final class ServerTaken {
  #Index<ServerTaken>([\.zone, \.account])
  /// How many transactions an object may have.
  static let most = 4096

  var zone: String = ""
  /// The account that sent them.
  var account: String = ""
  var count: Int = 0
  /// The identity of each and its sequence number, in 24 bytes. See `ZoneStore+Changes.swift`.
  var transactions: Data = Data()

  init(zone: String, account: String) { (self.zone, self.account) = (zone, account) }
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
  /// When a part was sent last, in milliseconds since 1970; 0 if an older server took it. A transaction may name it next.
  var touched: Int64 = 0

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
