import Foundation
import SwiftData
import Testing

// As Apple's session about custom stores writes it, in Swift 6 mode: a class with variables, which is not Sendable.

private final class MemoryConfiguration: DataStoreConfiguration {
  typealias Store = MemoryStore

  var name: String
  var schema: Schema?

  init(name: String, schema: Schema? = nil) {
    self.name = name
    self.schema = schema
  }

  static func == (left: MemoryConfiguration, right: MemoryConfiguration) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

private final class MemoryStore: DataStore {
  typealias Configuration = MemoryConfiguration
  typealias Snapshot = DefaultSnapshot

  var configuration: MemoryConfiguration
  var name: String
  var schema: Schema
  var identifier: String
  private var snapshots: [PersistentIdentifier: DefaultSnapshot] = [:]

  init(_ configuration: MemoryConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    self.name = configuration.name
    self.schema = configuration.schema!
    self.identifier = configuration.name
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: Array(snapshots.values))
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      let identifier = try PersistentIdentifier.identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: UUID())
      remapped[snapshot.persistentIdentifier] = identifier
      snapshots[identifier] = snapshot.copy(persistentIdentifier: identifier)
    }
    for snapshot in request.updated { snapshots[snapshot.persistentIdentifier] = snapshot }
    for snapshot in request.deleted { snapshots[snapshot.persistentIdentifier] = nil }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }
}

@Model private final class Trip {
  var name: String
  init(name: String) { self.name = name }
}

@Suite("A configuration that is not Sendable")
struct SendableConfigurationTests {
  @Test("opens a container, and the schema that it lacks is filled in")
  func opens() throws {
    let configuration = MemoryConfiguration(name: "memory")
    let container = try ModelContainer(for: Trip.self, configurations: configuration)
    let context = ModelContext(container)
    context.insert(Trip(name: "Lisbon"))
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Trip>()).map(\.name) == ["Lisbon"])
    #expect(configuration.schema != nil)
  }
}
