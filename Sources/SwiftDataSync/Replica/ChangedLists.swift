#if Sync
import SyncProtocol

/// The to-manys that a batch changes.
struct ChangedLists {
  /// By list: the members that came and were not shown before. Nil if the list has other changes, too.
  private(set) var arrivals: [RecordState.Reference: [RecordName]?] = [:]

  /// Adds lists that may change in any way.
  mutating func insert(_ lists: some Sequence<RecordState.Reference>) {
    for list in lists { arrivals[list] = .some(nil) }
  }

  /// Adds a list that a record which was not shown before comes into.
  mutating func insert(_ list: RecordState.Reference, member: RecordName) {
    switch arrivals[list] {
    case nil: arrivals[list] = [member]
    case .some(nil): break
    case .some(.some): arrivals[list]!!.append(member)
    }
  }

  /// The lists in a fixed order.
  var sorted: [(list: RecordState.Reference, arrivals: [RecordName]?)] {
    arrivals.sorted { ($0.key.target, $0.key.property) < ($1.key.target, $1.key.property) }
      .map { ($0.key, $0.value) }
  }
}
#endif
