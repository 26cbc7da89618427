#if Sync
import SwiftData
import SyncCore
import SyncProtocol

// Attributes that only the devices of an account share are in records of their own, which are in the account's own zone wherever the
// object's record is. No model has their class, so that no row shows them. See `RecordName.personal`.

extension ZoneReplica {
  /// The keys of the personal records of a row's records.
  func personalKeys(of row: RecordKey, in view: View) -> [RecordKey] {
    (view.groups.members[row] ?? [row]).map { RecordKey(ownZone, $0.name.personal) }
  }

  /// The latest write of a personal attribute of a row; nil if there is none.
  func personalField(_ property: String, of row: RecordKey, in view: View) -> Stamped<RegisterValue>? {
    let entity = view.rows[row]?.entity.text ?? ""
    guard let wire = user.schema[entity]?.wire(of: property) else { return nil }
    return personalKeys(of: row, in: view).compactMap { key in
      guard let record = view.states[key], record.isHere(ownZone) else { return nil }
      return record.fields[wire]
    }.max()
  }

  /// The rows whose personal attributes two views show differently.
  func rowsWithOtherPersonalFields(_ former: View, _ view: View) -> Set<RecordKey> {
    guard user.schema.entities.values.contains(where: \.hasPersonal) else { return [] }
    var rows = Set<RecordKey>()
    let names = Set(view.states[ownZone].records.keys).union(former.states[ownZone].records.keys)
    for name in names {
      guard let subject = name.subject, view.states[ownZone][name] != former.states[ownZone][name] else { continue }
      for zone in view.states.zones.keys { if let row = view.groups.row[RecordKey(zone, subject)] { rows.insert(row) } }
    }
    return rows
  }
}
#endif
