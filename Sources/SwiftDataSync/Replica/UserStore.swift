#if Sync
import Crypto
import Foundation
import SwiftData
import SyncProtocol

/// The store of the program that a replica syncs: its objects as values, and its history as sets of changed objects.
final class UserStore {
  let container: ModelContainer
  private let store: any EngineStore
  /// The store, if its database can have the bookkeeping of the sync.
  let transactionStore: (any TransactionStore)?
  /// The classes that the store keeps, by name.
  let entities: [String: __Entity]
  let schema: SyncSchema
  /// The properties of each class that sync, with their rules.
  let properties: [String: [(property: __Property, rule: SyncSchema.Property)]]
  /// Those that are attributes.
  let attributes: [String: [(property: __Property, rule: SyncSchema.Property)]]

  /// The author of the saves that store what a resolver decided.
  static let resolverAuthor = "SwiftDataSync.resolver"

  /// - Parameters:
  ///   - container: the container, which has to stay open.
  ///   - index: the place of the store in the list of the container's stores.
  ///   - scopes: the properties and models that do not sync with each account.
  init(_ container: ModelContainer, store index: Int = 0, scopes: SyncScopes = SyncScopes()) {
    self.container = container
    let core = container.core
    store = core.stores[index]
    transactionStore = (store as? any TransactionStore).flatMap { $0.hasTransactions ? $0 : nil }
    let models = Self.schema(of: core, store: index, scopes: scopes)
    entities = Dictionary(models.runtimeEntities.map { ($0.name, $0) }) { first, _ in first }
    let schema = SyncSchema(models, scopes: scopes)
    self.schema = schema
    properties = entities.mapValues { entity in
      entity.properties.compactMap { property in
        schema[entity.name]?.properties[property.name].map { (property, $0) }
      }
    }
    attributes = properties.mapValues { $0.filter { $0.property.isAttribute && $0.property.isStored } }
  }

  /// The models that a store of a container keeps and syncs.
  static func schema(of core: ContainerCore, store index: Int, scopes: SyncScopes = SyncScopes()) -> Schema {
    Schema(
      core.schema.models.filter { type in
        (try? core.table(for: type.__entity)).map { $0.store == index } ?? false && !scopes.isLocal(type.__entity)
      })
  }

  /// A context for one operation.
  func makeContext() -> ModelContext {
    let context = ModelContext(container)
    context.author = SyncEngine.author
    return context
  }

  // MARK: - Identifiers

  /// An identifier as text: the class and the key.
  static func text(_ identifier: PersistentIdentifier) -> String {
    if let key = identifier.key { return identifier.entityName + "/" + String(key) }
    return "\(identifier.entityName)=\(identifier.customKey ?? "")"
  }

  func identifier(_ text: String) -> PersistentIdentifier? {
    guard let separator = text.firstIndex(where: { $0 == "/" || $0 == "=" }) else { return nil }
    let entity = String(text[..<separator])
    let key = String(text[text.index(after: separator)...])
    if text[separator] == "/", let key = Int64(key) {
      return PersistentIdentifier(entityName: entity, storeIdentifier: store.identifier, key: key)
    }
    struct Custom: Encodable {
      let entityName, storeIdentifier, customKey: String
    }
    return try? SyncWire.decode(
      PersistentIdentifier.self,
      from: SyncWire.encode(Custom(entityName: entity, storeIdentifier: store.identifier, customKey: key)))
  }

  /// Whether the store has an object that syncs.
  /// - Throws: an error of the store.
  func hasObjects() throws -> Bool {
    let context = makeContext()
    return try entities.values.contains {
      try !ModelCells.identifiers(of: $0, after: nil, limit: 1, in: context).isEmpty
    }
  }

  // MARK: - History

  /// A save of the program.
  struct Save {
    let number: Int64
    let date: Date
    let isSync: Bool
    /// Whether a resolver decided it.
    let isDecision: Bool
    var inserted: [PersistentIdentifier] = []
    /// The properties that changed, by object.
    var updated: [(PersistentIdentifier, Set<String>?)] = []
    var deleted: [PersistentIdentifier] = []

    var all: [PersistentIdentifier] { inserted + updated.map(\.0) + deleted }
    var count: Int { inserted.count + updated.count + deleted.count }
  }

  /// The number of the newest save; nil if the store does not number them.
  func newestTransaction() throws -> Int64? { try store.newestTransaction() }

  /// Whether the store keeps the order of to-many relationships. A custom `DataStore` need not, and a file of Apple's frameworks does not: two
  /// such stores would each send the order of its own rows as a change of the program, again and again.
  /// - Throws: an error of the store.
  var keepsOrder: Bool { get throws { try newestTransaction() != nil } }

  /// The saves that follow one, in order; nil if the store does not have them any more.
  /// - Throws: an error of the store.
  func saves(after number: Int64, limit: Int) throws -> [Save]? {
    let token = DefaultHistoryToken(store: store.identifier, transaction: number)
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: #Predicate<DefaultHistoryTransaction> { $0.token > token })
    descriptor.fetchLimit = UInt64(limit)
    do {
      let transactions = try store.fetchHistory(descriptor, container.core.tables) ?? []
      return transactions.map(save)
    } catch let error as SwiftDataError where error.code == SwiftDataError.historyTokenExpired.code {
      return nil
    }
  }

  private func save(_ transaction: DefaultHistoryTransaction) -> Save {
    var save = Save(
      number: transaction.transactionIdentifier, date: transaction.timestamp,
      isSync: transaction.author == SyncEngine.author, isDecision: transaction.author == Self.resolverAuthor)
    for change in transaction.changes {
      switch change {
      case .insert(let insert): save.inserted.append(insert.changedPersistentIdentifier)
      case .update(let update):
        let names = (update as? any NamedHistoryUpdate).map { Set($0.updatedPropertyNames) }
        save.updated.append((update.changedPersistentIdentifier, names))
      case .delete(let delete): save.deleted.append(delete.changedPersistentIdentifier)
      }
    }
    return save
  }

  // MARK: - Values

  /// The value of a property that no replica wrote.
  static func defaultCell(of property: __Property) -> SQLValue {
    property.defaultValue.flatMap { ScalarType(of: property).cell(of: $0) } ?? .null
  }

  static func sha256(_ data: Data) -> String { SHA256.hash(data: data).hexDigits }

  /// The names of all synced properties, by entity.
  var propertyNames: [String: [String]] { schema.entities.mapValues { $0.properties.keys.sorted() } }
}

/// Why a replica cannot go on.
struct ReplicaError: Error, CustomStringConvertible {
  let description: String

  static let otherFormat = ReplicaError(
    description: "the bookkeeping was written by another version; update the program")
}
#endif
