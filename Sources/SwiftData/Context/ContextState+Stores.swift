import Foundation

/// What a context asks of whichever store keeps a class.
extension ContextState {
  func store(of entity: __Entity) throws -> any EngineStore { core.store(of: try core.table(for: entity)) }

  // MARK: - Fetching

  func fetch<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) throws -> [M] { try fetch(descriptor, after: nil) }

  /// - Parameter model: where in the order to begin: behind it; nil is at the beginning.
  func fetch<M: PersistentModel>(_ descriptor: FetchDescriptor<M>, after model: M?) throws -> [M] {
    drainInbox()
    let result = try store(of: M.__entity).fetch(descriptor, after: model, in: self)
    for keyPath in descriptor.relationshipKeyPathsForPrefetching { try prefetch(keyPath, of: result) }
    return result
  }

  func fetchCount<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) throws -> Int {
    drainInbox()
    return try store(of: M.__entity).fetchCount(descriptor, in: self)
  }

  func fetchIdentifiers<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) throws -> [PersistentIdentifier] {
    drainInbox()
    return try store(of: M.__entity).fetchIdentifiers(descriptor, in: self)
  }

  /// The keys of stored objects that match, in order.
  func fetchKeys<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) throws -> [Int64] {
    let store = try store(of: M.__entity)
    return try fetchIdentifiers(descriptor).compactMap(store.key)
  }

  /// What matches, where the store keeps no rows that a statement could work on: values are computed of the objects.
  /// Nil where it does.
  func fetchWithoutStatements<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) throws -> [M]? {
    try store(of: M.__entity) is SQLiteStore ? nil : fetch(descriptor)
  }

  // MARK: - Loading

  /// The objects with these keys, loaded where they are not registered.
  func objects(withKeys keys: [Int64], in table: EntityTable) throws -> [Int64: any PersistentModel] {
    try core.store(of: table).objects(withKeys: keys, in: table, context: self)
  }

  /// The targets of a to-many for several owners, each in its owner's order.
  func targets(
    of owners: [Int64], _ info: RelationshipInfo, _ table: EntityTable,
    _ body: (_ owner: Int64, _ target: any PersistentModel, _ positioned: Bool) -> Void
  ) throws {
    try core.store(of: table).targets(of: owners, info, table, context: self, body)
  }

  /// Reads registered objects again; `only` a property that was left out, or all that is not unsaved.
  func reload(_ objects: [any PersistentModel], only: Int? = nil) throws {
    for group in Dictionary(grouping: objects, by: { ObjectIdentifier(type(of: $0).__entity) }).values {
      try store(of: type(of: group[0]).__entity).reload(group, only: only, context: self)
    }
  }

  /// Deletes all objects of a class that a predicate takes, by the rules that ``delete(_:)`` follows.
  func delete<M: PersistentModel>(model: M.Type, where predicate: Predicate<M>?, includeSubclasses: Bool) throws {
    drainInbox()
    try store(of: M.__entity).delete(
      model: model, where: predicate, includeSubclasses: includeSubclasses, in: self)
  }

  // MARK: - What is unsaved in one store

  /// Whether anything unsaved belongs to the store at an index.
  func hasUnsaved(in store: Int) -> Bool {
    func isHere(_ entity: __Entity) -> Bool { (try? core.table(for: entity))?.store == store }
    return inserted.entities.contains(where: isHere) || changed.entities.contains(where: isHere)
      || deleted.entities.contains(where: isHere)
  }
}
