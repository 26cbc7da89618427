import Foundation
import SwiftData

struct JSONFileConfiguration: DataStoreConfiguration {
  typealias Store = JSONFileStore

  var name: String
  var schema: Schema?
  var url: URL
}

/// Keeps the snapshots of all objects in one JSON file, which each save replaces atomically.
final class JSONFileStore: DataStore {
  typealias Configuration = JSONFileConfiguration
  typealias Snapshot = DefaultSnapshot

  private struct Contents: Codable {
    var identifier = UUID().uuidString
    var nextKey = 1
    var snapshots: [DefaultSnapshot] = []
  }

  let configuration: JSONFileConfiguration
  let schema: Schema
  let identifier: String

  init(_ configuration: JSONFileConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
    let contents = try Self.read(configuration.url)
    identifier = contents.identifier
    try Self.write(contents, to: configuration.url)
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let entity = Schema.entityName(for: T.self)
    let snapshots = try Self.read(configuration.url).snapshots
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: snapshots.filter { $0.persistentIdentifier.entityName == entity }
    )
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var contents = try Self.read(configuration.url)
    var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      permanent[snapshot.persistentIdentifier] = try .identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: contents.nextKey)
      contents.nextKey += 1
    }
    let gone = Set((request.updated + request.deleted).map(\.persistentIdentifier))
    contents.snapshots.removeAll { gone.contains($0.persistentIdentifier) }
    for snapshot in request.updated + request.inserted {
      let key = permanent[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      contents.snapshots.append(snapshot.copy(persistentIdentifier: key, remappedIdentifiers: permanent))
    }
    try Self.write(contents, to: configuration.url)
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: permanent)
  }

  private static func read(_ url: URL) throws -> Contents {
    guard FileManager.default.fileExists(atPath: url.path) else { return Contents() }
    return try JSONDecoder().decode(Contents.self, from: Data(contentsOf: url))
  }

  private static func write(_ contents: Contents, to url: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(contents).write(to: url, options: .atomic)
  }
}
