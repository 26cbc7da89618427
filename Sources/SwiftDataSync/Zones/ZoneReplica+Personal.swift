#if Sync
import SwiftData
import SyncCore
import SyncProtocol

// Attributes that only the devices of an account share are in records of their own, which are in the account's own zone wherever the
// object's record is. No model has their class, so that no row shows them. See `RecordName.personal`.

extension ZoneReplica {
  /// The keys of the personal records of a row's records.
  func personalKeys(of row: RecordKey, in view: ShownRows) throws -> [RecordKey] {
    let members = try view.members(of: row)
    return (members.isEmpty ? [row] : members).map { RecordKey(ownZone, $0.name.personal) }
  }

  /// The latest write of a personal attribute of a row; nil if there is none.
  func personalField(
    _ property: String, of row: RecordKey, in view: ShownRows
  ) throws -> Stamped<RegisterValue>? {
    guard let entity = try view.entity(of: row)?.text, let wire = user.schema[entity]?.wire(of: property) else {
      return nil
    }
    return try personalKeys(of: row, in: view).compactMap { key in
      guard let record = try view.registers(of: key), record.isHere(ownZone) else { return nil }
      return record.fields[wire]
    }.max()
  }

  /// The rows whose personal records an update changes.
  func rowsWithOtherPersonalFields(_ update: ViewUpdate, _ view: ShownRows) throws -> Set<RecordKey> {
    let own = ownZone
    let subjects = update.registers.keys.filter { $0.zone == own }.compactMap(\.name.subject)
    return Set(try subjects.flatMap(view.rows(showing:)))
  }
}
#endif
