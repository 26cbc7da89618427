#if Sync
import Foundation
import SwiftData

/// The bookkeeping of programs that synced with the versions before this one. It is not read, and not removed.
enum FormerBookkeeping {
  private static let remedy = "The objects stay, and join the server's objects as in a store that has not synced yet"

  /// - Parameter url: the file of the bookkeeping.
  /// - Throws: ``ReplicaError`` for a file of a former version; an error of SQLite.
  static func refuse(file url: URL) throws {
    guard FileManager.default.fileExists(atPath: url.path) else { return }
    let file = try SQLiteDatabase(url.path)
    let count = try file.integer(
      "SELECT count(*) FROM sqlite_master WHERE name IN ('LedgerReplica', '_swiftdata_sync_replica')")
    try file.close()
    guard count == 0 else {
      throw ReplicaError(
        description: "the file \(url.path) has the bookkeeping of a former version of sync. Remove the file. \(remedy)")
    }
  }

  /// - Throws: ``ReplicaError`` for a database with the bookkeeping of a former version; an error of the database.
  static func refuse(_ database: SyncDatabase) throws {
    guard try database.hasTable("_swiftdata_sync_replica") else { return }
    throw ReplicaError(
      description:
        "the store has the bookkeeping of a former version of sync. Drop the tables whose names begin with _swiftdata_sync_. \(remedy)"
    )
  }
}
#endif
