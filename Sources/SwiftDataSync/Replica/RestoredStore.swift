#if Sync
import Foundation
import SwiftData
import SyncProtocol

// The user's store may be restored from an older copy without the bookkeeping. Then the bookkeeping knows objects that the store lacks.

extension Replica {
  /// Whether the user's store was restored from an older copy and had so many saves since that their numbers do not tell.
  func hasOtherHistory() throws -> Bool {
    // A store cannot be restored while it is open, so one comparison after each opening is enough.
    guard !isHistoryChecked else { return false }
    isHistoryChecked = true
    guard let seen = ledger.replica.seenSave, let save = try user.saves(after: seen.number - 1, limit: 1)?.first else {
      return false
    }
    return save.number == seen.number && save.date > seen.date
  }

  /// Notes that the user's store was restored from an older copy. ``catchUp()`` shows all that the view has: bytes may have to be
  /// fetched for it. What the program saved since is new.
  /// - Parameter newest: the number of the newest save.
  func noteRestoredStore(_ newest: Int64) throws {
    let context = user.makeContext()
    var stored = Set<String>()
    for entity in user.entities.values {
      stored.formUnion(try ModelCells.identifiers(of: entity, in: context).map(UserStore.text))
    }
    var missing: [RecordName] = []
    try ledger.forEach { name, record in
      if let object = record.object, !stored.contains(object) { missing.append(name) }
    }
    try forgetObjects(of: missing)
    var position = newest
    if let seen = ledger.replica.seenSave, let first = try user.firstSave(after: seen.date) { position = first - 1 }
    // The store gives the keys that the copy did not have again.
    let inserted = try inserted(after: position)
    try forgetObjects(of: try ledger.names(of: Array(inserted)).compactMap(\.self))
    // Before the saves are looked at, which may change these objects or lead to them: a deletion wins.
    if try isHistoryComplete(after: position),
      try !removeDeleted(stored.subtracting(inserted), newest: newest)
    {
      return try noteRestoredStore(try user.newestTransaction() ?? newest)
    }
    ledger.replica.noteSeen(position)
    ledger.replica.isStoreRestored = true
    try ledger.save()
  }

  /// Whether the history has all saves that follow one which sync looked at.
  private func isHistoryComplete(after position: Int64) throws -> Bool {
    guard ledger.replica.seenSave != nil else { return false }
    return try position == 0 || user.saves(after: position - 1, limit: 1)?.first?.number == position
  }

  /// The objects that the program inserted after a save.
  private func inserted(after position: Int64) throws -> Set<String> {
    var (inserted, last) = (Set<String>(), position)
    while let saves = try user.saves(after: last, limit: 1000), let newest = saves.last {
      inserted.formUnion(saves.filter { !$0.isSync }.flatMap(\.inserted).map(UserStore.text))
      last = newest.number
    }
    return inserted
  }

  private func forgetObjects(of names: [RecordName]) throws {
    try ledger.prefetch(names)
    for name in names { try ledger.setObject(nil, of: name, "", zone: SyncWire.privateZone) }
  }

  /// Writes all that the view has into the user's store, if that was restored from an older copy.
  func showEverything() throws {
    guard ledger.replica.isStoreRestored == true else { return }
    try show(try records(of: Set(user.entities.keys)))
    ledger.replica.isStoreRestored = nil
    try ledger.save()
  }

  /// Removes objects that were deleted after the copy was made. They are no records any more, because scans name all others. The history has
  /// to be complete, because it tells which objects no scan has seen.
  /// - Returns: false if the program saved meanwhile. Then nothing was removed.
  private func removeDeleted(_ stored: Set<String>, newest: Int64) throws -> Bool {
    // The first scan has not named all objects yet.
    guard !isScanning else { return true }
    let objects = stored.sorted()
    let deleted = zip(objects, try ledger.names(of: objects)).filter { $1 == nil }.compactMap { user.identifier($0.0) }
    guard !deleted.isEmpty else { return true }
    let materializer = Materializer(self, view)
    for case let object? in try ModelCells.objects(at: deleted, in: materializer.context) {
      try materializer.remove(object)
    }
    return try user.save(materializer.context, expecting: newest) != nil
  }

  /// The records of classes that the log has, or that the replica has to send again after it started anew.
  func records(of entities: Set<String>) throws -> [RecordName] {
    let unsent = ledger.pending.lazy.flatMap(\.transaction.changes).filter { entities.contains($0.entity) }
    return Array(Set(try ledger.records(of: entities)).union(unsent.map(\.record)))
  }
}

extension Ledger {
  /// The names of all records of some classes that the log has.
  func records(of entities: Set<String>) throws -> [RecordName] {
    var found: [RecordName] = []
    try forEach { name, record in if record.state != nil, entities.contains(record.entity) { found.append(name) } }
    return found
  }
}
#endif
