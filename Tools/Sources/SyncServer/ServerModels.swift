import Foundation
import SwiftData

/// An asset: a large value that registers of a zone name by its checksum.
@Model
final class ServerAsset {
  #Index<ServerAsset>([\.chunks])
  /// The unique key: the zone and the SHA-256 of the bytes. Before the asset is complete also the account that sends it, so that no
  /// participant of a share disturbs what another one sends.
  @Attribute(.unique) var key: String = ""
  /// The size in bytes.
  var total: Int64 = 0
  /// The number of bytes that have arrived.
  var received: Int64 = 0
  var isComplete: Bool = false
  /// The time when the last part arrived, in milliseconds since 1970. The sweep keeps assets that arrived lately, because a transaction may
  /// name them next.
  var touched: Int64 = 0
  /// The asset that the parts belong to, as ``ServerChunk/asset``. Assets of several zones can have the same parts.
  var chunks: String = ""

  init(key: String, total: Int64, chunks: String = UUID().uuidString) {
    (self.key, self.total, self.chunks) = (key, total, chunks)
  }
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
  /// Whether the owner ended the share. Its zone stays.
  var isEnded: Bool = false
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
  // A deletion concerns the account, and the others of the share.
  @Attribute(.preserveValueOnDeletion) var zone: String = ""
  @Attribute(.preserveValueOnDeletion) var account: String = ""
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
