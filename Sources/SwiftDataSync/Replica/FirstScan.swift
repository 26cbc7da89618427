#if Sync
import Foundation
import SwiftData
import SyncProtocol

// A store that had objects before it synced is looked at in parts, and each part is sent before the next one is made. So a replica
// holds one part of a large store. What the program saves meanwhile is in the history, as ever.

/// How far the first scan of a store came.
struct FirstScan: Codable {
  /// Whether the objects were in several parts, or the program saved some meanwhile. Then the members of a list may have been in
  /// several transactions, of which none could compare the order of the list.
  var hasParts = false
  /// Whether all objects were looked at, and the orders of their lists are compared now.
  var isOrdering = false
  /// The class that is looked at; nil before the first one.
  var entity: String?
  /// The last object of the class that was looked at.
  var last: PersistentIdentifier?
}

extension HybridTime {
  /// A moment before all changes of replicas that sync, for a value from before its store synced. Another device may have changed the
  /// value long ago, and this one may only have the value with which the program was delivered.
  ///
  /// It is 34.8 years earlier, so that the moments of a replica stay in order. A clock that says less is that far behind already.
  var beforeSync: HybridTime {
    let distance: Int64 = 1 << 40
    guard milliseconds > distance else { return self }
    return HybridTime(milliseconds: milliseconds - distance, counter: counter, replica: replica)
  }
}

extension Replica {
  /// How many objects a part has.
  private static let partSize = 1000
  /// How many objects have their lists compared at once, with all members.
  private static let listsSize = 10

  /// Whether objects are left that the first scan has not looked at.
  var isScanning: Bool { ledger.replica.firstScan != nil }

  /// Looks at the next part of the store.
  /// - Returns: how many transactions it made.
  /// - Throws: an error of the user's store or of the ledger; then nothing was taken.
  func scanNextPart() throws -> Int {
    guard isScanning else { return 0 }
    return try transaction {
      guard var position = ledger.replica.firstScan else { return 0 }
      var changed = OrderedChanges()
      let isLeft = try collect(&changed, &position)
      let made = try export(changed, limit: Self.partSize, isFirst: true)
      ledger.replica.firstScan = isLeft ? position : nil
      try correctExport()
      try ledger.save()
      return made
    }
  }

  /// Takes the objects that follow a position, and moves the position behind them.
  /// - Returns: whether there may be more.
  private func collect(_ changed: inout OrderedChanges, _ position: inout FirstScan) throws -> Bool {
    let context = user.makeContext()
    var room = position.isOrdering ? Self.listsSize : Self.partSize
    while let name = nextClass(position), let entity = user.entities[name] {
      let found = try ModelCells.identifiers(of: entity, after: position.last, limit: room, in: context)
      let lists = Set(user.schema[name]?.lists.map(\.name) ?? [])
      for object in found where object.entityName == name {
        if position.isOrdering { changed.update(object, lists) } else { changed.insert(object) }
      }
      (position.entity, position.last) = (name, found.count < room ? nil : found.last)
      room -= found.count
      if room == 0 {
        position.hasParts = true
        return true
      }
    }
    guard position.hasParts, !position.isOrdering else { return false }
    position = FirstScan(hasParts: true, isOrdering: true)
    return true
  }

  /// The class of the objects at a position; nil at the end.
  private func nextClass(_ position: FirstScan) -> String? {
    user.entities.keys.filter { name in
      guard !position.isOrdering || user.schema[name]?.lists.isEmpty == false else { return false }
      guard let current = position.entity else { return true }
      return position.last == nil ? name > current : name >= current
    }.min()
  }
}
#endif
