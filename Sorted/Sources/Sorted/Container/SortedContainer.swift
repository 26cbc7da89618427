import Foundation
import SwiftData

/// Opens Sorted's store (story 0.4).
public enum SortedContainer {
  /// The models of the app.
  public static var schema: Schema {
    Schema(versionedSchema: SortedSchemaV6.self)
  }

  /// The default file: `sorted.store` in the program's data directory.
  public static var defaultURL: URL { ModelConfiguration("sorted").url }

  /// Opens a store file. Creates it if it does not exist, and migrates an older version (see the container's
  /// `migrations`).
  /// - Throws: `SwiftDataError`. The file is then unchanged.
  public static func open(_ url: URL = defaultURL) throws -> ModelContainer {
    let schema = schema
    let configuration = ModelConfiguration(schema: schema, url: url, allowsSave: true)
    return try ModelContainer(for: schema, migrationPlan: SortedMigrationPlan.self, configurations: [configuration])
  }

  /// Makes a store in memory, for previews and tests.
  /// - Throws: `SwiftDataError`.
  public static func inMemory() throws -> ModelContainer {
    let schema = schema
    let configuration = ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
    return try ModelContainer(for: schema, configurations: [configuration])
  }
}
