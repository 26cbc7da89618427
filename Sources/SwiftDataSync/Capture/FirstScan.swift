#if Sync
import SwiftData
import SyncCore

// A store that had objects before it synced is looked at in parts, and each part is sent before the next one is made. So a replica
// holds one part of a large store. The history has the saves of the program meanwhile.

/// How far the first scan of a store came.
struct FirstScan: Codable {
  /// Whether the objects were in several parts, or the program saved some meanwhile. Then the members of a list may have been in
  /// several transactions, and none of these could compare the order of the list.
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
#endif
