import Foundation
import SwiftData
import Synchronization

/// A store in memory that notes what it is asked and does what a test tells it to.
final class ScriptedStore: DataStore, DataStoreBatching {
  typealias Configuration = ScriptedConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: ScriptedConfiguration
  let identifier: String
  var schema: Schema { configuration.schema ?? Schema() }
  private var script: Script { configuration.script }
  private var snapshots: [DefaultSnapshot] = []
  private var nextKey = 1

  init(_ configuration: ScriptedConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    self.identifier = configuration.name
    script.change { $0.schema = configuration.schema }
  }

  func initializeState(for editingState: EditingState) { script.note("begin") }
  func invalidateState(for editingState: EditingState) { script.note("end") }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let descriptor = request.descriptor
    script.note(
      "fetch \(T.self)\(descriptor.predicate == nil ? "" : " filtered")\(descriptor.sortBy.isEmpty ? "" : " sorted")")
    if script.state.unreadable == "\(T.self)" { throw Script.Refusal() }
    if descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let found = snapshots.filter { $0.persistentIdentifier.entityName == "\(T.self)" }
    let isRelatedWanted = script.state.returnsRelated
    let related = isRelatedWanted ? snapshots.map { ($0.persistentIdentifier, $0) } : []
    return DataStoreFetchResult(
      descriptor: descriptor, fetchedSnapshots: Array(found.prefix(descriptor.fetchLimit ?? .max)),
      relatedSnapshots: Dictionary(uniqueKeysWithValues: related))
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    script.note("save \(request.inserted.count) \(request.updated.count) \(request.deleted.count)")
    if let refusal = script.state.refusal { throw refusal }
    var permanent = [PersistentIdentifier: PersistentIdentifier]()
    var again = [PersistentIdentifier: DefaultSnapshot]()
    for snapshot in request.inserted {
      let name = snapshot.persistentIdentifier.entityName
      if let merged = script.state.mergesInto {
        permanent[snapshot.persistentIdentifier] = merged
      } else {
        permanent[snapshot.persistentIdentifier] = try .identifier(
          for: identifier, entityName: name, primaryKey: "\(name)-\(nextKey)")
        nextKey += 1
      }
    }
    for snapshot in request.inserted + request.updated {
      let identifier = permanent[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      let copy = snapshot.copy(persistentIdentifier: identifier, remappedIdentifiers: permanent)
      if script.state.mergesInto == identifier { again[identifier] = copy }
      if let place = snapshots.firstIndex(where: { $0.persistentIdentifier == identifier }) {
        snapshots[place] = copy
      } else {
        snapshots.append(copy)
      }
    }
    let gone = Set(request.deleted.map(\.persistentIdentifier))
    snapshots.removeAll { gone.contains($0.persistentIdentifier) }
    return DataStoreSaveChangesResult(
      for: identifier, remappedIdentifiers: script.state.forgetsIdentifiers ? [:] : permanent,
      snapshotsToReregister: again)
  }

  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    script.note("delete \(T.self)")
    if script.state.refusesBatches { throw DataStoreError.preferInMemoryFilter }
    snapshots.removeAll { $0.persistentIdentifier.entityName == "\(T.self)" }
  }
}

struct ScriptedConfiguration: DataStoreConfiguration {
  typealias Store = ScriptedStore

  var name = "scripted"
  var schema: Schema?
  let script: Script

  init(_ script: Script, name: String = "scripted", schema: Schema? = nil) {
    self.script = script
    self.name = name
    self.schema = schema
  }
}

/// What a scripted store does, and what it was asked.
final class Script: Hashable, Sendable {
  struct State: Sendable {
    var log: [String] = []
    var refusal: Refusal?
    /// The class whose models it does not read.
    var unreadable: String?
    var mergesInto: PersistentIdentifier?
    var forgetsIdentifiers = false
    var returnsRelated = false
    var refusesBatches = false
    var schema: Schema?
  }
  struct Refusal: Error {}

  private let locked = Mutex(State())

  var state: State { locked.withLock { $0 } }
  func change(_ body: (inout State) -> Void) { locked.withLock { body(&$0) } }
  func note(_ line: String) { locked.withLock { $0.log.append(line) } }

  /// What was asked since the last call.
  func takeLog() -> [String] {
    locked.withLock { state in
      defer { state.log = [] }
      return state.log
    }
  }

  static func == (left: Script, right: Script) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
