#if Sync
import Foundation
import SwiftData
import SyncProtocol

// The bytes of large values, which travel apart from the transactions that name them.

extension Replica {
  /// Keeps the bytes of a record's assets to be sent once more, since the zone that the change goes to does not have them.
  func keepAssets(of change: RecordChange) throws {
    try readAssets(of: change) { try ledger.keepAsset($0, $1, isOutgoing: true) }
  }

  /// Keeps the bytes of a late change, and leaves out the values whose bytes this replica does not have any more.
  ///
  /// The program replaced such a value or deleted the object. The replica that moves the record has the bytes and sends the value.
  func keepingAssets(_ change: RecordChange) throws -> RecordChange {
    try keepAssets(of: change)
    var change = change
    for (property, write) in change.fields {
      if case .asset(let sha256, _) = write.value, try ledger.asset(sha256) == nil { change.fields[property] = nil }
    }
    return change
  }

  /// The bytes of an asset: those that were kept to be sent, or those of the object, which has them after they were sent.
  /// - Returns: nil if neither has them, because the object has another value by now or is gone.
  func bytes(of sha256: String, in change: RecordChange) throws -> Data? {
    if let bytes = try ledger.asset(sha256) { return bytes }
    var found: Data?
    try readAssets(of: change) { name, bytes in if name == sha256 { found = bytes } }
    return found
  }

  private func readAssets(of change: RecordChange, _ body: (String, Data) throws -> Void) throws {
    let assets = change.fields.filter { if case .asset = $0.value.value { true } else { false } }
    guard !assets.isEmpty, let text = try ledger.object(of: change.record.subject ?? change.record),
      let identifier = user.identifier(text),
      let object = try ModelCells.objects([identifier], in: user.makeContext())[identifier]
    else { return }
    for property in type(of: object).__entity.properties where assets[property.name] != nil {
      // A large save sends values below the usual threshold as assets, too.
      if case .data(let bytes) = try UserStore.value(of: object, property, asset: body) {
        try body(UserStore.sha256(bytes), bytes)
      }
    }
  }

  /// Takes fields out of the unsent transactions of a zone if this replica does not have the bytes of their assets any more.
  ///
  /// A server that was restored from an older copy misses such assets. Nothing is lost: the program replaced the value, and the newer
  /// one is unsent as well, or another replica has the bytes and sends them, or the copy of the log has the write.
  /// - Returns: whether there were such fields.
  func dropLostAssets(zone: String) throws -> Bool {
    // By record, because another record may still have the same bytes.
    struct Loss: Hashable { let (transaction, record, sha256): (UUID, RecordName, String) }
    var lost = Set<Loss>()
    for pending in ledger.pending where pending.zone == zone {
      for change in pending.transaction.changes {
        for asset in change.assets where try bytes(of: asset.sha256, in: change) == nil {
          lost.insert(Loss(transaction: pending.transaction.id, record: change.record, sha256: asset.sha256))
        }
      }
    }
    guard !lost.isEmpty else { return false }
    try transaction {
      try ledger.replacePending { transaction in
        var transaction = transaction
        for (index, change) in transaction.changes.enumerated() {
          for (property, write) in change.fields {
            guard case .asset(let sha256, _) = write.value,
              lost.contains(Loss(transaction: transaction.id, record: change.record, sha256: sha256))
            else { continue }
            transaction.changes[index].fields[property] = nil
          }
        }
        return transaction
      }
      try rebuildView()
      try showReplaced()
    }
    return true
  }
}
#endif
