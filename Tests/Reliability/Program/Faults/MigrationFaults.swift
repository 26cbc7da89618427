import CrashModels
import Foundation
import SwiftData

/// The disk is full, or fails, during a migration: the store stays as it was, and the migration works when it is over.
struct MigrationFaults {
  let folder: URL
  let every: Int
  private static let count = 1_200

  func run() throws -> String {
    let original = folder.deletingLastPathComponent().appendingPathComponent("original")
    try FileManager.default.createDirectory(at: original, withIntermediateDirectories: true)
    try Archive.make(original.appendingPathComponent("archive.store").path, count: Self.count)
    var refused = 0
    for fault in [Fault.diskFull] + Fault.all.filter({ ["write error", "sync error", "read error"].contains($0.name) })
    {
      var skipped = 0
      while try fails(fault, skipped, original) {
        refused += 1
        skipped = Fault.next(skipped, every: every)
      }
    }
    return "\(refused) failed, and each worked when it was over"
  }

  /// - Returns: whether it failed.
  private func fails(_ fault: Fault, _ skipped: Int, _ original: URL) throws -> Bool {
    let place = folder.appendingPathComponent("store")
    try? FileManager.default.removeItem(at: place)
    try FileManager.default.copyItem(at: original, to: place)
    let path = place.appendingPathComponent("archive.store").path
    let outcome = fault.during(skipped) { _ = try Archive.container(path) }
    if let error = outcome.error { try fault.require(error) }
    let difference = try Archive.difference(ModelContext(try Archive.container(path)), count: Self.count)
    try Difference.require(
      difference == nil, "\(fault.name) after \(skipped) calls of a migration: \(difference ?? "")")
    return outcome.fired
  }
}
