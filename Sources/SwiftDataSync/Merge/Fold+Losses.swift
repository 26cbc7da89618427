#if Sync
import SyncProtocol

// What is lost when a record is deleted, or when it moves to a zone that the account cannot read. The conflict log gets the lost values. They
// do not change any record.

/// What the replica that made a transaction had seen of the records that it deletes.
struct SeenByDeletions {
  private var records: [RecordName: SeenWrites] = [:]
  private var all: SeenWrites?

  init() {}

  /// - Parameter resolve: the record that a name stands for.
  init(_ changes: [RecordChange], resolve: (RecordName) throws -> RecordName) rethrows {
    for change in changes where change.deleted != nil {
      guard let seen = change.seenWrites else { continue }
      records[try resolve(change.record), default: SeenWrites()].formUnion(seen)
      all = all ?? SeenWrites()
      all!.formUnion(seen)
    }
  }

  /// Whether the replica had seen a write to a record, which is deleted at a moment.
  ///
  /// A record that the transaction does not name is deleted with its owner. Its replica did not know it, or deletes it in another transaction.
  func has(_ write: HybridTime, to record: RecordName, deletedAt time: HybridTime) -> Bool {
    // The deletions of older programs do not say it. A clock is never behind what its replica has seen.
    guard let all else { return write <= time }
    return (records[record] ?? all).contains(write)
  }
}

extension Fold {
  /// Notes what a change writes to a record that was deleted without its writer's knowledge.
  ///
  /// A write over no value is left out: replicas send such ones again after a server was restored.
  func noteLost(_ change: RecordChange, _ state: RecordState, _ name: RecordName) {
    guard let time = state.deleted, state.claims(zones) else { return }
    for (property, write) in change.fields where write.over != nil {
      noteLost(write.value, write.time, of: property, to: time, state.entity, name)
    }
  }

  func noteLost(
    _ value: FieldValue, _ written: HybridTime, of property: String, to deletion: HybridTime, _ entity: String,
    _ name: RecordName
  ) {
    guard value != .null, !name.isApart, property != SyncSchema.home, !SyncSchema.isPlace(property) else { return }
    conflicts.append(
      Conflict(
        record: name, entity: entity, property: property, lost: value, kept: .null, lostTime: written,
        keptTime: deletion))
  }

  /// Notes what a change writes to a record that had left the zone for one that the account cannot read. A change that brings the record back
  /// loses nothing.
  func noteLeftBehind(_ change: RecordChange, _ state: RecordState, _ name: RecordName) {
    guard let mark = state.fields[SyncSchema.home], state.isAway == true, change.fields[SyncSchema.home] == nil else {
      return
    }
    for (property, write) in change.fields where write.value != .null && !SyncSchema.isPlace(property) {
      leftBehind.append(
        Conflict(
          record: name, entity: state.entity, property: property, lost: write.value, kept: .null, lostTime: write.time,
          keptTime: mark.time))
    }
  }
}
#endif
