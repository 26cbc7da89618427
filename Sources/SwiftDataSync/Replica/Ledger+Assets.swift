#if Sync
import Foundation
import SwiftData

// Bytes of large values, on their way to the server or from it.

extension Ledger {
  /// Removes transactions that the log has now, or that will not be sent, with their assets.
  func removePending(_ ids: Set<UUID>) throws {
    try dropAssets(try takePending(ids).flatMap { $0.transaction.assets.map(\.sha256) })
  }

  func keepAsset(_ sha256: String, _ bytes: Data, isOutgoing: Bool) throws {
    let name = tables.database.cell(sha256)
    guard try tables.rows(.assets, "sha256", where: "sha256", in: [name]).isEmpty else { return }
    try tables.put(.assets, [[name, .integer(isOutgoing ? 1 : 0), .blob(bytes)]])
  }

  func asset(_ sha256: String) throws -> Data? {
    try tables.rows(.assets, "bytes", where: "sha256", in: [tables.database.cell(sha256)]).first?[0].syncData
  }

  /// Removes all assets that no unsent transaction names: a crash left them.
  func dropUnsentAssets() throws {
    let kept = Set(pending.flatMap { $0.transaction.assets.map(\.sha256) })
    let gone = try tables.rows(.assets, "sha256").map { $0[0] }.filter { !kept.contains($0.syncText) }
    try tables.remove(.assets, where: "sha256", in: gone)
  }

  /// Removes assets, except those that unsent transactions of any zone name.
  func dropAssets(_ names: [String]) throws {
    guard !names.isEmpty else { return }
    let gone = Set(names).subtracting(pending.flatMap { $0.transaction.assets.map(\.sha256) })
    try tables.remove(.assets, where: "sha256", in: gone.sorted().map(tables.database.cell))
  }
}
#endif
