import Foundation
import SwiftData

/// A zone: a log of transactions that one account owns.
@Model
final class ServerZone {
  /// The unique key: the account and the name of the zone.
  @Attribute(.unique) var key: String = ""
  var account: String = ""
  var name: String = ""
  /// The newest sequence number.
  var latest: Int64 = 0
  /// The last sequence number of the deleted beginning of the log; 0 if the log is complete.
  var compacted: Int64 = 0
  /// The size of transactions and assets in bytes, which the quota limits. Snapshots do not count.
  var size: Int64 = 0
  /// The size of the log's transactions in bytes. A zone of an older server has 0 until its next push. See ``logBytes``.
  var logSize: Int64 = 0
  /// The sequence number up to which the snapshot includes the log; 0 without a snapshot. It is never less than ``compacted``.
  var snapshot: Int64 = 0
  var snapshotParts: Int = 0
  /// The size of the snapshot's parts in bytes.
  var snapshotSize: Int64 = 0
  /// A digest of the merge rules of the models that the snapshot was made with.
  var snapshotRules: String = ""
  /// The time when the snapshot was finished, in milliseconds since 1970.
  var snapshotTime: Int64 = 0
  /// The number of entries after the snapshot before which the server does not ask for another one. A device that refuses to make a
  /// snapshot sets it.
  var snapshotAskAt: Int64 = 0
  /// The sequence number up to which the unfinished snapshot includes the log; 0 for none. A zone has at most one unfinished
  /// snapshot.
  var unfinished: Int64 = 0
  /// The identity of the device that sends the unfinished snapshot.
  var unfinishedMaker: String = ""
  /// The size of the unfinished snapshot's parts in bytes.
  var unfinishedSize: Int64 = 0
  /// Whether a compaction is unfinished: entries up to ``compacted``, or assets that only they reference, may still be stored.
  var isCompacting: Bool = false
  /// Version 2: the commit whose state the pages of the zone are; 0 without pages. Entries up to it are not read.
  var folded: Int64 = 0
  /// Version 2: the number of pages.
  var pages: Int64 = 0
  /// Version 2: the size of the pages in bytes. ``size`` includes it.
  var pageSize: Int64 = 0
  /// Version 2: whether entries up to ``folded``, or pages of another commit, may still be stored.
  var hasLeftovers: Bool = false
  /// Version 2: the size of the assets after the last sweep, in bytes.
  var sweptSize: Int64 = 0
  /// Version 2: the time of the last sweep in milliseconds since 1970.
  var sweepTime: Int64 = 0

  init(account: String, name: String) {
    (key, self.account, self.name) = (Self.key(account, name), account, name)
  }

  static func key(_ account: String, _ name: String) -> String { "\(account)/\(name)" }

  /// The size of the log's transactions in bytes. For a zone of an older server it includes assets until the first push to this
  /// server.
  var logBytes: Int64 { logSize == 0 && compacted == 0 && latest > 0 ? size : logSize }
}

/// A part of a snapshot of a zone.
@Model
final class ServerSnapshotPart {
  #Index<ServerSnapshotPart>([\.zone, \.through, \.index])
  /// The unique key: the zone, ``through`` and ``index``.
  @Attribute(.unique) var key: String = ""
  var zone: String = ""
  /// The sequence number up to which the snapshot includes the log.
  var through: Int64 = 0
  var index: Int = 0
  /// The size of ``bytes``, which the server sums up without reading them.
  var size: Int64 = 0
  /// A transaction as `SyncTransaction.encoded`.
  var bytes: Data = Data()

  init(zone: String, through: Int64, index: Int, bytes: Data) {
    (key, self.zone, self.through) = (Self.key(zone, through, index), zone, through)
    (self.index, size, self.bytes) = (index, Int64(bytes.count), bytes)
  }

  static func key(_ zone: String, _ through: Int64, _ index: Int) -> String { "\(zone)/\(through)/\(index)" }
}

/// The identities of transactions that were compacted: their entries are deleted, and a client may still ask for them.
@Model
final class ServerTaken {
  #Index<ServerTaken>([\.zone, \.account])
  /// The largest number of transactions in one object.
  static let capacity = 4096

  var zone: String = ""
  /// The account that sent the transactions.
  var account: String = ""
  var count: Int = 0
  /// The identity and the sequence number of each transaction, in 24 bytes each. See ``entries``.
  var transactions: Data = Data()

  init(zone: String, account: String) { (self.zone, self.account) = (zone, account) }
}

/// A transaction in the log of a zone.
@Model
final class ServerEntry {
  #Index<ServerEntry>([\.zone, \.sequence])
  /// The unique key: the zone and the identity of the transaction.
  @Attribute(.unique) var key: String = ""
  var zone: String = ""
  var sequence: Int64 = 0
  /// The account that sent the transaction.
  var account: String = ""
  /// The transaction as `SyncTransaction.encoded`.
  var transaction: Data = Data()

  init(key: String, zone: String, sequence: Int64, account: String, transaction: Data) {
    (self.key, self.zone, self.sequence) = (key, zone, sequence)
    (self.account, self.transaction) = (account, transaction)
  }
}

/// An asset: a large value that transactions of a zone reference by its checksum.
@Model
final class ServerAsset {
  #Index<ServerAsset>([\.chunks])
  /// The unique key: the zone and the SHA-256 of the bytes.
  @Attribute(.unique) var key: String = ""
  /// The size in bytes.
  var total: Int64 = 0
  /// The number of bytes that have arrived.
  var received: Int64 = 0
  var isComplete: Bool = false
  /// The time when the last part arrived, in milliseconds since 1970; 0 if an older server received the asset. The sweep keeps
  /// assets that arrived lately, because a transaction may reference them next.
  var touched: Int64 = 0
  /// The asset that the parts belong to, as ``ServerChunk/asset``. Assets of several zones can have the same parts. It is empty if an older
  /// server received the asset: then the parts belong to ``key``.
  var chunks: String = ""

  init(key: String, total: Int64, chunks: String = UUID().uuidString) {
    (self.key, self.total, self.chunks) = (key, total, chunks)
  }

  /// The value of ``ServerChunk/asset`` of the asset's parts.
  var chunkKey: String { chunks.isEmpty ? key : chunks }
}

/// A part of an asset.
@Model
final class ServerChunk {
  #Index<ServerChunk>([\.asset, \.offset])
  /// The unique key: ``asset`` and the offset.
  @Attribute(.unique) var key: String = ""
  var asset: String = ""
  var offset: Int64 = 0
  var bytes: Data = Data()

  init(asset: String, offset: Int64, bytes: Data) {
    (key, self.asset, self.offset, self.bytes) = ("\(asset)/\(offset)", asset, offset, bytes)
  }
}

/// A share: one record with the records that it owns, in a zone that other accounts can read.
@Model
final class ServerShare {
  #Index<ServerShare>([\.owner])
  /// The name of the zone.
  @Attribute(.unique) var zone: String = ""
  var owner: String = ""
  /// The name of the shared record.
  var root: String = ""
  var title: String = ""
  /// The newest generation of the zone's key; 0 before the owner makes one.
  var keyGeneration: Int = 0
  /// Whether a participant left after the owner made the newest key, so that the owner has to rotate it.
  var isKeyStale: Bool = false
  /// Whether the owner has to rotate the key or to wrap it for a participant.
  var needsKeys: Bool = false

  init(zone: String, owner: String, root: String, title: String) {
    (self.zone, self.owner, self.root, self.title) = (zone, owner, root, title)
  }
}

/// The permission of an account in the zone of another account's share.
@Model
final class ServerGrant {
  #Index<ServerGrant>([\.account], [\.zone])
  /// The unique key: the zone and the account.
  @Attribute(.unique) var key: String = ""
  var zone: String = ""
  var account: String = ""
  var isWritable: Bool = false
  /// Whether the account accepted the invitation.
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
  /// The SHA-256 of the link's secret. A copy of the database does not reveal the secret.
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
  /// The unique key: the zone and the account.
  @Attribute(.unique) var key: String = ""
  var zone: String = ""
  var account: String = ""
  var generation: Int = 0
  var wrapped: Data = Data()
  /// Whether the owner wrapped the key. Otherwise the account wrapped it for itself.
  var isByOwner: Bool = false

  init(zone: String, account: String) {
    (key, self.zone, self.account) = (ServerGrant.key(zone, account), zone, account)
  }
}

/// The key of an old generation, encrypted with the key of the next generation.
@Model
final class ServerFormerKey {
  #Index<ServerFormerKey>([\.zone, \.generation])
  /// The unique key: the zone and the generation.
  @Attribute(.unique) var key: String = ""
  var zone: String = ""
  var generation: Int = 0
  var encrypted: Data = Data()

  init(zone: String, generation: Int, encrypted: Data) {
    (key, self.zone, self.generation, self.encrypted) = ("\(zone)/\(generation)", zone, generation, encrypted)
  }
}
