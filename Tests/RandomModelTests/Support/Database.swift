import Foundation
import SwiftData
import SwiftDataPostgres

/// A store for one data set, which goes with it.
protocol TestDatabase: AnyObject {
  init() throws
  static var label: String { get }
  func open(_ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?) throws -> ModelContainer
  /// The files of the store by name. Empty where the database has no files of its own.
  func files() throws -> [String: Data]
}

final class SQLiteDatabase: TestDatabase {
  static var label: String { "SQLite" }
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("random-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  func open(_ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?) throws -> ModelContainer {
    let configuration = ModelConfiguration(schema: schema, url: folder.appendingPathComponent("models.store"))
    return try ModelContainer(for: schema, migrationPlan: plan, configurations: [configuration])
  }

  func files() throws -> [String: Data] {
    var result = [String: Data]()
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where !name.hasSuffix("-shm") {
      // A folder has no contents.
      result[name] = FileManager.default.contents(atPath: folder.appendingPathComponent(name).path)
    }
    return result
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}

final class PostgresDatabase: TestDatabase {
  static var label: String { "PostgreSQL" }
  static let url = ProcessInfo.processInfo.environment["POSTGRES_URL"] ?? ""
  private let namespace = "random_" + UUID().uuidString.lowercased().replacing("-", with: "")

  init() {}

  func open(_ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?) throws -> ModelContainer {
    let configuration = PostgresConfiguration(
      url: Self.url, namespace: namespace, pool: PostgresPoolOptions(size: 2, timeout: .seconds(3_600)))
    return try ModelContainer(for: schema, migrationPlan: plan, configurations: [configuration])
  }

  func files() -> [String: Data] { [:] }

  deinit {
    _ = try? PostgresConnection(url: Self.url, namespace: "public")
      .run("DROP SCHEMA IF EXISTS \"\(namespace)\" CASCADE")
  }
}

// The versions of a plan. They have numbers of their own, because a pair may lead to the version with the lower number.

enum Former<Version: RandomVersion>: VersionedSchema {
  static var models: [any PersistentModel.Type] { Version.models }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
}

enum Latter<Version: RandomVersion>: VersionedSchema {
  static var models: [any PersistentModel.Type] { Version.models }
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
}

enum Plan<Old: RandomVersion, New: RandomVersion>: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Former<Old>.self, Latter<New>.self] }
  static var stages: [MigrationStage] {
    [.lightweight(fromVersion: Former<Old>.self, toVersion: Latter<New>.self)]
  }
}

extension TestDatabase {
  func open(_ version: any RandomVersion.Type) throws -> ModelContainer {
    try open(former(version), nil)
  }

  func openNew<Old: RandomVersion, New: RandomVersion>(
    _ old: Old.Type, _ new: New.Type, isPlanned: Bool
  ) throws -> ModelContainer {
    // Without a plan the versions have the same number, as in a program that does not number its versions.
    isPlanned
      ? try open(Schema(versionedSchema: Latter<New>.self), Plan<Old, New>.self) : try open(former(new), nil)
  }

  private func former<Version: RandomVersion>(_: Version.Type) -> Schema {
    Schema(versionedSchema: Former<Version>.self)
  }
}
