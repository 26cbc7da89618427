import Foundation
import Synchronization

/// Keeps large `Data` of `.externalStorage` properties in files beside the store, one a value.
///
/// A file is written whole under its final name before the row that names it is committed, and removed after the
/// commit that dropped the last row naming it; a crash in between leaves a file without a row, never the opposite.
struct ExternalStorage: Sendable {
  /// Data up to this size stays in the row.
  static let threshold = 128 * 1024

  let directory: URL
  let isTemporary: Bool
  /// Where a transaction of others' is under way, what it will have done to the files.
  var pending: PendingFiles?

  init(_ configuration: ModelConfiguration) {
    isTemporary = configuration.isStoredInMemoryOnly
    directory =
      isTemporary
      ? FileManager.default.temporaryDirectory.appendingPathComponent("SwiftData-\(UUID().uuidString)")
      : configuration.url.deletingLastPathComponent().appendingPathComponent(
        ".\(configuration.url.lastPathComponent)_external")
  }

  func write(_ data: Data) throws -> String {
    let name = UUID().uuidString
    do {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let file = directory.appendingPathComponent(name)
      try data.write(to: file, options: .atomic)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    } catch {
      throw SwiftDataError(.io, message: "external data cannot be written to \(directory.path)", underlying: error)
    }
    pending?.noteWritten(name)
    return name
  }

  func read(_ name: String) throws -> Data {
    do {
      return try Data(contentsOf: directory.appendingPathComponent(name))
    } catch {
      throw SwiftDataError(
        .io, message: "the external data \(name) is missing from \(directory.path)", underlying: error)
    }
  }

  func remove(_ names: some Sequence<String>) {
    if let pending { return pending.noteRemoved(names) }
    for name in names { try? FileManager.default.removeItem(at: directory.appendingPathComponent(name)) }
  }

  /// Every file; those of a transaction that is under way stay until it is committed.
  func removeAll() {
    if let pending {
      return pending.noteRemoved((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? [])
    }
    try? FileManager.default.removeItem(at: directory)
  }
}

/// The files that a transaction wrote, and those that it will not need once it is committed.
final class PendingFiles: Sendable {
  private let names = Mutex<(written: [String], removed: [String])>(([], []))

  func noteWritten(_ name: String) { names.withLock { $0.written.append(name) } }
  func noteRemoved(_ more: some Sequence<String>) {
    let more = Array(more)
    names.withLock { $0.removed += more }
  }

  func committed(in storage: ExternalStorage) { storage.remove(names.withLock { $0.removed }) }
  func rolledBack(in storage: ExternalStorage) { storage.remove(names.withLock { $0.written }) }
}
