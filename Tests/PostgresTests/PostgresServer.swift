import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

/// The server that the tests run against: the one that `scripts/postgres` started.
enum PostgresServer {
  static let url = ProcessInfo.processInfo.environment["POSTGRES_URL"] ?? ""
  static var isThere: Bool { !url.isEmpty }
  static let reason: Comment = "no server: run `make test`, or `scripts/postgres swift test --traits Sync`"
}

/// A store of its own for one test, which goes with it.
final class TestStore: Sendable {
  let url: String
  let namespace = "test_" + UUID().uuidString.lowercased().replacing("-", with: "")
  init(url: String = PostgresServer.url) { self.url = url }

  var configuration: PostgresConfiguration {
    // Whoever waits for a connection does so until the suite's time limit ends the test: a busy machine takes its time.
    PostgresConfiguration(url: url, namespace: namespace, pool: PostgresPoolOptions(size: 4, timeout: .seconds(3_600)))
  }

  /// The store as another program has it: with connections and contexts of its own.
  /// - Parameter change: changes the configuration.
  func open(
    _ types: [any PersistentModel.Type], version: Schema.Version = Schema.Version(1, 0, 0),
    _ change: (inout PostgresConfiguration) -> Void = { _ in }
  ) throws -> ModelContainer {
    var configuration = configuration
    change(&configuration)
    return try ModelContainer(for: Schema(types, version: version), configurations: configuration)
  }

  func open(_ types: any PersistentModel.Type..., version: Schema.Version = Schema.Version(1, 0, 0)) throws
    -> ModelContainer
  {
    try open(types, version: version)
  }

  /// A connection without the settings of a store, like one that `psql` opens.
  func connection() throws -> PostgresConnection { try PostgresConnection(url: url, namespace: namespace) }

  /// Runs SQL on a connection of its own, as `psql` does.
  @discardableResult
  func sql(_ text: String, _ parameters: [PostgresParameter] = []) throws -> PostgresResult {
    try connection().run(text, parameters)
  }

  deinit {
    _ = try? PostgresConnection(url: url, namespace: "public")
      .run("DROP SCHEMA IF EXISTS \"\(namespace)\" CASCADE")
  }
}
