import Foundation
import SwiftData

/// How Sorted sets up its store (story 0.4).
public enum SortedContainer {
  /// The models of the app.
  public static var schema: Schema {
    Schema(versionedSchema: SortedSchemaV3.self)
  }

  /// Where the store is unless told: `sorted.store` in the directory for the data of programs.
  public static var defaultURL: URL { ModelConfiguration("sorted").url }

  /// Opens the store in a file, made if it is not there, and migrated if it is of an older version (its container's
  /// `migrations` say so).
  /// - Throws: `SwiftDataError`, the file untouched.
  public static func open(_ url: URL = defaultURL) throws -> ModelContainer {
    let schema = schema
    let configuration = ModelConfiguration(schema: schema, url: url, allowsSave: true)
    return try ModelContainer(for: schema, migrationPlan: SortedMigrationPlan.self, configurations: [configuration])
  }

  /// A store in memory, for previews and tests.
  /// - Throws: `SwiftDataError`.
  public static func inMemory() throws -> ModelContainer {
    let schema = schema
    let configuration = ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
    return try ModelContainer(for: schema, configurations: [configuration])
  }
}
