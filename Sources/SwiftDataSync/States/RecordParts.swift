#if Sync
import SyncCore
import SyncProtocol

// Work on all records is done in parts of ascending names, so that the memory does not depend on the number of records.

extension RecordOverlay<StateStore> {
  /// The zones that have records, in the order of a view.
  var allZones: [ZoneName] { Set(base.allZones).union(changes.keys.map(\.zone)).sorted() }

  /// Calls `body` with the keys of a zone's records, in parts of ascending names. It may change the records.
  /// - Parameter size: how many keys a part has at least, except for the last one.
  func inParts(of zone: ZoneName, size: Int = 1000, _ body: ([RecordKey]) throws -> Void) throws {
    var unsent = changes.keys.filter { $0.zone == zone }.map(\.name).sorted()[...]
    var last: RecordName?
    while true {
      let part = try base.records(of: zone, after: last, limit: size).map(\.name)
      let others = part.last.map { end in unsent.prefix { $0 <= end } } ?? unsent
      unsent = unsent.dropFirst(others.count)
      let names = Set(part).union(others).sorted()
      guard let end = names.last else { return }
      try body(names.map { RecordKey(zone, $0) })
      last = end
      try base.flush()
    }
  }

  /// Finds the rows of all records again: after an update of the program.
  /// - Throws: an error of the store.
  func makeRows(_ models: SyncModels, size: Int = 1000) throws {
    try base.removeRows(models)
    for zone in allZones {
      try inParts(of: zone, size: size) { keys in
        let changes = Dictionary(uniqueKeysWithValues: try keys.map { ($0, try registers(of: $0)) })
        let update = try ViewUpdate(FirstRecords(self, before: keys[0]), models, changes: changes)
        for (key, row) in update.shown { try base.show(key, by: row) }
      }
    }
  }
}
#endif
