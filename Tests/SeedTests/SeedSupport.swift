import ChildProcesses
import Foundation
import SwiftData
import Synchronization

/// A folder for a test's stores, removed with it.
final class SeedFolder {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("SeedTests-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: url) }

  func store(_ name: String = "default.store") -> URL { url.appendingPathComponent(name) }

  /// What the `sqlite3` shell says about a file of the folder, one line a row.
  func shell(_ sql: String, store name: String = "default.store") throws -> String {
    // A container that is just ending may lock the file while it checkpoints.
    try ChildProcess("sqlite3", ["-cmd", ".timeout 10000", store(name).path, sql], errors: .output).text()
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// How SQLite answers a statement that the engine ran; any values will do for the plan.
  func plan(of statement: String) throws -> String {
    try shell("EXPLAIN QUERY PLAN " + statement.replacingOccurrences(of: "?", with: "1"))
  }

  /// A container over a file of the folder.
  func container(_ types: [any PersistentModel.Type]) throws -> ModelContainer {
    let schema = Schema(types)
    return try ModelContainer(for: schema, configurations: [ModelConfiguration(schema: schema, url: store())])
  }
}

func inMemory(_ types: any PersistentModel.Type...) throws -> ModelContainer {
  try ModelContainer(for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
}

/// Counts the saves of a context while it lives.
final class SaveCount {
  // Of its own, because the notification centre takes Sendable blocks only.
  private final class Counter: Sendable { let value = Mutex(0) }

  private let counter = Counter()
  private let token: any NSObjectProtocol

  var count: Int { counter.value.withLock { $0 } }

  init(of context: ModelContext) {
    token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      [counter] _ in
      counter.value.withLock { $0 += 1 }
    }
  }

  deinit { NotificationCenter.default.removeObserver(token) }
}
