import ChildProcesses
import Foundation
import SwiftData

/// A folder of its own for a test's store, removed when the test lets go of it.
final class TemporaryStore {
  let folder: URL
  var url: URL { folder.appendingPathComponent("test.store") }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("SwiftDataTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A container over the file of this store.
  func container(
    _ types: any PersistentModel.Type..., allowsSave: Bool = true,
    configure: (inout ModelConfiguration) -> Void = { _ in }
  ) throws -> ModelContainer {
    let schema = Schema(types)
    var configuration = ModelConfiguration(schema: schema, url: url, allowsSave: allowsSave)
    configure(&configuration)
    return try ModelContainer(for: schema, configurations: configuration)
  }

  /// What the `sqlite3` shell answers, one line a row.
  func shell(_ sql: String) throws -> String {
    // A container that is just ending may lock the file while it checkpoints.
    try ChildProcess("sqlite3", ["-cmd", ".timeout 10000", url.path, sql], errors: .output).text()
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

/// A context over a store in memory.
func memoryContext(_ types: any PersistentModel.Type...) throws -> ModelContext {
  let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
  return ModelContext(try ModelContainer(for: Schema(types), configurations: configuration))
}
