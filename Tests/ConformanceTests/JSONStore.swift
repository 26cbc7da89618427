import Foundation
import SwiftData

/// Keeps all models in one JSON file. It offers what a store has to, and no more: the context filters and sorts.
final class JSONStore: DataStore {
  typealias Configuration = JSONStoreConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: JSONStoreConfiguration
  let identifier: String
  let schema: Schema

  init(_ configuration: JSONStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    self.schema = configuration.schema ?? Schema()
    self.identifier = configuration.file.lastPathComponent
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    // All models of the file, of whatever class: the context takes those that it asked for.
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: try read())
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var snapshots = try read()
    var places = Dictionary(uniqueKeysWithValues: snapshots.enumerated().map { ($1.persistentIdentifier, $0) })
    var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      permanent[snapshot.persistentIdentifier] = try .identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: UUID().uuidString)
    }
    for snapshot in request.inserted + request.updated {
      let identifier = permanent[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      let copy = snapshot.copy(persistentIdentifier: identifier, remappedIdentifiers: permanent)
      if let place = places[identifier] {
        snapshots[place] = copy
      } else {
        places[identifier] = snapshots.count
        snapshots.append(copy)
      }
    }
    let deleted = Set(request.deleted.map(\.persistentIdentifier))
    snapshots.removeAll { deleted.contains($0.persistentIdentifier) }
    try write(snapshots)
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: permanent)
  }

  // MARK: - The file

  private func read() throws -> [DefaultSnapshot] {
    guard FileManager.default.fileExists(atPath: configuration.file.path) else { return [] }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode([DefaultSnapshot].self, from: Data(contentsOf: configuration.file))
  }

  /// Replaces the file, so that whoever reads it finds all of a save or nothing of it.
  private func write(_ snapshots: [DefaultSnapshot]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    try encoder.encode(snapshots).write(to: configuration.file, options: .atomic)
  }
}

struct JSONStoreConfiguration: DataStoreConfiguration {
  typealias Store = JSONStore

  var name: String
  var schema: Schema?
  var file: URL
}
