import ChildProcesses
import Foundation

/// A folder for a test's stores, removed with it.
final class SeedFolder {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("SeedTests-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: url) }

  func store() -> URL { url.appendingPathComponent("default.store") }

  /// What the `sqlite3` shell says about the store, one line a row.
  func shell(_ sql: String) throws -> String {
    try ChildProcess("sqlite3", [store().path, sql], errors: .output).text()
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
