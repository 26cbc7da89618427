#if Sync
import Foundation
import SwiftData

// What programs of earlier releases kept beside the user's store, in a store of its own. The names of the classes are those of its
// tables.

/// Records whose names follow each other, with their objects and their states in the log.
@Model
final class LedgerPage {
  @Attribute(.unique) var number: Int
  /// The name that the page begins with. Empty for the first page.
  var first: String
  var records: Data = Data()

  init(number: Int, first: String) { (self.number, self.first) = (number, first) }
}

/// Which records some objects of the user's store are.
@Model
final class LedgerObjects {
  @Attribute(.unique) var group: String
  var names: Data

  init(group: String, names: Data) { (self.group, self.names) = (group, names) }
}

/// What a record was merged with.
@Model
final class LedgerAlias {
  @Attribute(.unique) var name: String
  var target: String

  init(name: String, target: String) { (self.name, self.target) = (name, target) }
}

/// That one record leads to another.
@Model
final class LedgerReference {
  #Index<LedgerReference>([\.target], [\.owner])
  var owner: String
  var property: String
  var target: String

  init(owner: String, property: String, target: String) {
    (self.owner, self.property, self.target) = (owner, property, target)
  }
}

/// The record that has a unique value.
@Model
final class LedgerUnique {
  @Attribute(.unique) var text: String
  var record: String

  init(text: String, record: String) { (self.text, self.record) = (text, record) }
}

/// A transaction that the log does not have yet.
@Model
final class LedgerPending {
  @Attribute(.unique) var number: Int
  var zone: String
  /// `SyncTransaction.encoded`.
  var transaction: Data

  init(number: Int, zone: String, transaction: Data) {
    (self.number, self.zone, self.transaction) = (number, zone, transaction)
  }
}

/// What the replica knows of a zone. Each has a row of its own, because an account can have many.
@Model
final class LedgerZone {
  @Attribute(.unique) var name: String
  /// The sequence number up to which the replica has seen the zone; nil before it saw any.
  var position: Int64?
  /// The `ZoneInfo` of a share that the account may read, as JSON.
  var info: Data?
  var unfinishedSnapshot: Int64?
  var comparedSnapshot: Int64?

  init(name: String) { self.name = name }
}

/// Bytes of a large value, on their way to the server or from it.
@Model
final class LedgerAsset {
  @Attribute(.unique) var sha256: String
  @Attribute(.externalStorage) var bytes: Data
  /// Whether the server still has to get it.
  var isOutgoing: Bool

  init(sha256: String, bytes: Data, isOutgoing: Bool) {
    (self.sha256, self.bytes, self.isOutgoing) = (sha256, bytes, isOutgoing)
  }
}

/// A value that lost a conflict.
@Model
final class LedgerConflict {
  @Attribute(.indexed) var date: Date
  var record: String
  var entity: String
  var property: String
  /// `FieldValue.encoded`.
  var lost: Data
  var kept: Data

  init(date: Date, record: String, entity: String, property: String, lost: Data, kept: Data) {
    (self.date, self.record, self.entity, self.property) = (date, record, entity, property)
    (self.lost, self.kept) = (lost, kept)
  }
}

/// What a replica knows of itself: one row.
@Model
final class LedgerReplica {
  @Attribute(.unique) var id: Int
  /// `ReplicaState` as JSON, without its intent.
  var state: Data
  /// `ReplicaState.Intent.encoded`, which can be large; nil if there is none.
  var intent: Data?

  init(state: Data, intent: Data?) { (self.id, self.state, self.intent) = (1, state, intent) }
}
#endif
