import Foundation
import SwiftData

/// A folder for a test's stores, removed with it.
final class SeedFolder {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("SeedTests-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: url) }

  func store(_ name: String = "default.store") -> URL { url.appendingPathComponent(name) }

  /// A container over a file of the folder.
  func container(_ types: [any PersistentModel.Type]) throws -> ModelContainer {
    let schema = Schema(types)
    return try ModelContainer(for: schema, configurations: [ModelConfiguration(schema: schema, url: store())])
  }
}

func inMemory(_ types: any PersistentModel.Type...) throws -> ModelContainer {
  try ModelContainer(for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
}
