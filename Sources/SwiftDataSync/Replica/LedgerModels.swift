import Foundation
import SwiftData

// What a replica keeps beside the user's store, in a store of its own.

/// A record, the object that it is in the user's store, and its state in the log.
@Model
final class LedgerRecord {
  @Attribute(.unique) var name: String
  var entity: String
  var zone: String
  /// The object's identifier as text; nil if the user's store has no object for the record.
  @Attribute(.indexed) var object: String?
  /// `RecordState.encoded`; nil before the log has the record.
  var state: Data?
  /// What the user's store has for fields whose values it cannot hold: cells by property, as JSON.
  var held: Data?
  /// What the record was merged with.
  @Attribute(.indexed) var alias: String?

  init(name: String, entity: String, zone: String) { (self.name, self.entity, self.zone) = (name, entity, zone) }
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
  /// `ReplicaState` as JSON.
  var state: Data

  init(state: Data) { (self.id, self.state) = (1, state) }
}
