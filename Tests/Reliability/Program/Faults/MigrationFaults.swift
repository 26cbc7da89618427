import CrashModels
import Foundation
import Sorted
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

/// The disk is full, or fails, during an import: chunks that were saved stay, and the same import brings the rest.
struct ImportFaults {
  let folder: URL
  let every: Int
  private static let count = 300

  func run() throws -> String {
    let archive = folder.deletingLastPathComponent().appendingPathComponent("archive.ndjson")
    let lines = (0..<Self.count).map {
      "{\"id\": \"\($0)\", \"conversation\": \"c\($0 % 5)\", \"sender\": \"s\($0 % 7)\", \"text\": \"message \($0)\","
        + " \"createdAt\": \(1_700_000_000 + $0)}"
    }
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: archive)
    var refused = 0
    for fault in [Fault.diskFull] + Fault.all.filter({ ["write error", "sync error"].contains($0.name) }) {
      var skipped = 0
      while try fails(fault, skipped, archive) {
        refused += 1
        skipped = Fault.next(skipped, every: every)
      }
    }
    return "\(refused) failed, and each was finished by the same import"
  }

  private func fails(_ fault: Fault, _ skipped: Int, _ archive: URL) throws -> Bool {
    let place = folder.appendingPathComponent("store")
    try? FileManager.default.removeItem(at: place)
    let url = place.appendingPathComponent("inbox.store")
    func run() throws {
      _ = try ImportSession(container: try SortedContainer.open(url), chunkSize: 50).run(NDJSONReader(path: archive))
    }
    let outcome = fault.during(skipped, run)
    if let error = outcome.error { try fault.require(error) }
    try run()
    let context = ModelContext(try SortedContainer.open(url))
    let texts = Set(try context.fetch(FetchDescriptor<MessageEntity>()).map(\.text))
    try Difference.require(
      texts == Set((0..<Self.count).map { "message \($0)" }),
      "\(fault.name) after \(skipped) calls of an import: \(texts.count) of \(Self.count) messages")
    return outcome.fired
  }
}
