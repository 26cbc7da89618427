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

  fileprivate static let states = [statePages, rowRecords, knownZones, outbox, assets, conflicts, replica]
}

extension SyncTables {
  /// The tables of a replica.
  static func states(_ database: SyncDatabase) -> SyncTables {
    SyncTables(database, "_swiftdata_replica_", SyncTable.states)
  }
}
#endif
