import Foundation
public import SwiftData
import Synchronization

// @unchecked Sendable because it is immutable but for what a mutex guards.
/// A store that SwiftData or Core Data made on one of Apple's systems. (Our own.)
///
/// The model is inside the file. Views over its tables show them as our own layout, so that predicates, sorts, pages and
/// aggregates become SQL as for any other store. `Documentation/apple-stores.md` says what is read and written.
public final class AppleStore: DataStore, HistoryProviding, @unchecked Sendable {
  /// The configuration of the store.
  public typealias Configuration = AppleStoreConfiguration
  /// The snapshots that requests of `DataStore` get.
  public typealias Snapshot = DefaultSnapshot
  /// The type of the history's transactions.
  public typealias HistoryType = DefaultHistoryTransaction

  /// The configuration that the store was opened with.
  public let configuration: AppleStoreConfiguration
  /// The identity of the store, from its metadata.
  public var identifier: String { file.identifier }
  /// The models that it keeps.
  public let schema: Schema

  let file: AppleFile
  let mapping: ViewMapping
  package let layout: StoreLayout
  package let loweredQueries = LoweredQueries()
  let texts = Mutex(TextForms())

  /// Opens the store. It reads the model and no rows.
  /// - Parameters:
  ///   - configuration: the file, with a schema.
  ///   - migrationPlan: must be nil, because the file is not migrated.
  /// - Throws: `SwiftDataError/loadIssueModelContainer` with all differences between the models and those inside the file;
  ///   `SwiftDataError/notADatabase` for a file that Apple's frameworks did not make.
  public init(_ configuration: AppleStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil) throws {
    guard let schema = configuration.schema else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message: "the configuration \"\(configuration.name)\" has no schema, which a store needs that is opened without"
          + " a container; set its schema")
    }
    (self.configuration, self.schema) = (configuration, schema)
    layout = StoreLayout(tables: EntityTable.tables(of: schema) { _ in 0 })
    let found = try Self.read(configuration)
    if configuration.allowsSave, let damage = found.model.damage {
      throw SwiftDataError(
        .storeDamaged,
        message:
          "the model inside \"\(found.url.path)\" (Z_MODELCACHE) cannot be read: \(damage); open the file with"
          + " allowsSave: false, which infers the model from the tables")
    }
    mapping = try SchemaMatch.mapping(of: found, to: layout)
    // Everything that can refuse the file has looked at it, so SQLite may open it for writing.
    file = configuration.allowsSave ? AppleFile(writing: found, lockTimeout: configuration.lockTimeout.asWait) : found
    file.use(mapping)
  }

  /// Reads the model inside the file. A writer that changes the file meanwhile is waited for, as a save waits.
  private static func read(_ configuration: AppleStoreConfiguration) throws -> AppleFile {
    let deadline = Date(timeIntervalSinceNow: configuration.lockTimeout.asWait)
    while true {
      do {
        return try AppleFile(configuration.url)
      } catch let error as SwiftDataError where error.code == .storeLocked && Date() < deadline {
        Thread.sleep(forTimeInterval: 0.01)
      }
    }
  }

  // MARK: - DataStore

  private var requests: SnapshotRequests {
    SnapshotRequests(ContainerCore(VersionLayout(schema: schema, layout: layout), store: self))
  }

  /// The models that a request asks for, and the models of the relationships that it prefetches.
  /// - Throws: `SwiftDataError` as `ModelContext/fetch(_:)` does.
  public func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> { try requests.fetch(request) }

  /// How many models a request asks for.
  /// - Throws: as ``fetch(_:)``.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try requests.fetchCount(request)
  }

  /// The identifiers of the models that a request asks for, in order.
  /// - Throws: as ``fetch(_:)``.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] { try requests.fetchIdentifiers(request) }

  /// The snapshots of some models. The store has no cache and reads them from the file.
  /// - Throws: `SwiftDataError`.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try requests.snapshots(for: persistentIdentifiers, editingState: editingState)
  }

  /// Writes all of a request in one transaction, or nothing.
  /// - Throws: `SwiftDataError/storeReadOnly` unless the configuration allows saving; otherwise as
  ///   `ModelContext/save()` does.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> { try requests.save(request) }

  /// The file belongs to an app, which must remove it itself.
  /// - Throws: `SwiftDataError/unsupportedFeature`, always.
  public func erase() throws {
    throw SwiftDataError(
      .unsupportedFeature, message: "a store that Apple's frameworks made is not erased; remove \"\(file.url.path)\"")
  }

  // MARK: - History

  /// The transactions that the file's history has, the oldest first.
  /// - Throws: `SwiftDataError/historyTokenExpired` where the followers of a token were purged.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try file.read { try HistoryRows(file: file, mapping: mapping, layout: layout).fetch(descriptor, $0) }
  }

  /// Forgets transactions.
  /// - Throws: `SwiftDataError/storeReadOnly` unless the configuration allows saving.
  public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    try file.access.write { try HistoryRows(file: file, mapping: mapping, layout: layout).delete(descriptor, $0) }
  }
}

/// Which columns hold text that is not in Unicode normal form C, as far as it is known.
struct TextForms {
  var known: [String: Bool] = [:]
  var generation = 0
}
