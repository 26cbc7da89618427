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
    guard try asset(sha256) == nil else { return }
    context.insert(LedgerAsset(sha256: sha256, bytes: bytes, isOutgoing: isOutgoing))
  }

  func asset(_ sha256: String) throws -> Data? {
    try context.fetch(FetchDescriptor<LedgerAsset>(predicate: #Predicate<LedgerAsset> { $0.sha256 == sha256 }))
      .first?.bytes
  }

  /// Removes all assets that no unsent transaction names: a crash left them.
  func dropUnsentAssets() throws {
    let names = pending.flatMap { $0.transaction.assets.map(\.sha256) }
    try context.delete(model: LedgerAsset.self, where: #Predicate<LedgerAsset> { !names.contains($0.sha256) })
  }

  /// Removes assets, except those that unsent transactions of any zone name.
  func dropAssets(_ names: [String]) throws {
    guard !names.isEmpty else { return }
    let names = Array(Set(names).subtracting(pending.flatMap { $0.transaction.assets.map(\.sha256) }))
    for row in try context.fetch(
      FetchDescriptor<LedgerAsset>(predicate: #Predicate<LedgerAsset> { names.contains($0.sha256) }))
    { context.delete(row) }
  }
}
#endif
