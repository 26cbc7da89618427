#if Sync
import SwiftData

extension SyncTable {
  /// Records of a zone whose names follow each other, with their registers and their objects. See ``StatePages``.
  static let statePages = SyncTable(
    "pages", [("number", .integer), ("zone", .integer), ("first", .text), ("records", .bytes)], indices: ["zone"])
  /// Which records some objects of the user's store show. See ``RowRecords``.
  static let rowRecords = SyncTable("rows", [("place", .text), ("records", .bytes)])
  /// The zones that the replica has, or had. Each has a number, by which the other tables name it.
  static let knownZones = SyncTable("zones", [("number", .integer), ("info", .bytes)])
  /// The saves that the log does not have yet, in order.
  static let outbox = SyncTable("outbox", [("number", .integer), ("contents", .bytes)])

  // The indices of records. See ``RecordIndices``.

  /// That a record of a zone leads to a name by a property.
  static let links = SyncTable(
    "links", [("target", .bytes), ("zone", .integer), ("property", .text), ("holder", .bytes)], keyLength: 4)
  /// That a record has a unique value.
  static let uniqueValues = SyncTable(
    "unique", [("value", .bytes), ("zone", .integer), ("name", .bytes)], keyLength: 3)
  /// That the zone of a share knows a name.
  static let sharedNames = SyncTable("names", [("name", .bytes), ("zone", .integer)], keyLength: 2)
  /// That a record names an asset.
  static let assetHolders = SyncTable(
    "holders", [("sha256", .text), ("zone", .integer), ("name", .bytes)], keyLength: 3)
  /// That a row shows a record which has another key.
  static let rowAliases = SyncTable(
    "aliases", [("row_zone", .integer), ("row", .bytes), ("zone", .integer), ("name", .bytes)], keyLength: 4)
  /// That the object of a row has another value, because no zone has the bytes.
  static let postponedRows = SyncTable("postponed", [("zone", .integer), ("name", .bytes)], keyLength: 2)

  static let states = [
    statePages, rowRecords, knownZones, outbox, links, uniqueValues, sharedNames, assetHolders, rowAliases,
    postponedRows, assets, conflicts, replica,
  ]
}

extension SyncTables {
  /// The tables of a replica.
  static func states(_ database: SyncDatabase) -> SyncTables {
    SyncTables(database, "_swiftdata_replica_", SyncTable.states)
  }
}
#endif
