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
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", store().path, sql]
    let pipe = try startingProcess {
      let pipe = Pipe()
      (process.standardOutput, process.standardError) = (pipe, pipe)
      try process.run()
      return pipe
    }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
