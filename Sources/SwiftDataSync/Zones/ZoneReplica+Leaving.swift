#if Sync
import SyncCore
import SyncProtocol

// An object stays the same object while it moves into a zone that comes in parts.

/// Rows whose records left for a zone that comes in parts. Their objects wait for the rows that come.
struct LeavingRows {
  fileprivate(set) var rows: Set<RecordKey> = []
  /// The rows by their unique values. An object does not stay where another row has its value.
  fileprivate var unique: [UniqueValue: RecordKey] = [:]
}

extension ZoneReplica {
  /// Takes the rows out of the work whose objects wait. When no zone comes in parts any more, those go that no row took.
  func keepLeaving(_ view: ShownRows) throws {
    if store.zones.values.contains(where: \.isComing) {
      for row in work.gone.union(work.rows.keys) where try !view.exists(row) {
        guard let record = try view.registers(of: row), record.born != nil, record.dead == nil,
          let home = record.home?.zone, home != row.zone, store.zones[home]?.isComing == true
        else { continue }
        leaving.rows.insert(row)
        for value in UniqueValue.all(of: record, models) { leaving.unique[value] = row }
        work.gone.remove(row)
        work.rows[row] = nil
      }
    } else if !leaving.rows.isEmpty {
      work.gone.formUnion(leaving.rows)
      leaving = LeavingRows()
    }
    store.replica.hasLeaving = leaving.rows.isEmpty ? nil : true
  }

  /// Ends the wait of objects whose unique values other rows have.
  func claimLeaving(_ view: ShownRows) throws {
    guard !leaving.unique.isEmpty else { return }
    for row in work.rows.keys {
      for value in try view.uniqueValues(of: row) {
        guard let other = leaving.unique[value], other.name != row.name else { continue }
        leaving.unique[value] = nil
        leaving.rows.remove(other)
        work.gone.insert(other)
        work.unique[other, default: []].insert(value)
      }
    }
  }

  /// The rows of a name whose objects wait.
  func leavingRows(_ name: RecordName) -> [RecordKey] {
    leaving.rows.isEmpty ? [] : zones.sorted().map { RecordKey($0, name) }.filter(leaving.rows.contains)
  }
}
#endif
