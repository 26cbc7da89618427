import Foundation

/// Contexts lower what they ask to SQL and step the rows straight into objects; the code is beside theirs.
extension SQLiteStore: EngineStore {
  package var name: String { configuration.name }

  package func identifier(ofKey key: Int64, entity: String) -> PersistentIdentifier {
    PersistentIdentifier(entityName: entity, storeIdentifier: identifier, key: key)
  }

  package func exactIdentifier(ofKey key: Int64, in table: EntityTable) -> PersistentIdentifier? {
    table.family.count > 1 ? nil : identifier(ofKey: key, entity: table.entity.name)
  }

  package func key(of identifier: PersistentIdentifier) -> Int64? {
    identifier.storeIdentifier == self.identifier ? identifier.key : nil
  }

  package func fetch<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, after model: M?, in context: ContextState
  ) throws -> [M] {
    try context.fetchRows(descriptor, after: model)
  }

  package func fetchCount<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, in context: ContextState
  ) throws -> Int {
    try context.countRows(descriptor)
  }

  package func fetchIdentifiers<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, in context: ContextState
  ) throws -> [PersistentIdentifier] {
    try context.fetchRowIdentifiers(descriptor)
  }

  package func objects(
    withKeys keys: [Int64], in table: EntityTable, context: ContextState
  ) throws -> [Int64: any PersistentModel] {
    try context.objectsOfRows(withKeys: keys, in: table)
  }

  package func targets(
    of owners: [Int64], _ info: RelationshipInfo, _ table: EntityTable, context: ContextState,
    _ body: (_ owner: Int64, _ target: any PersistentModel, _ positioned: Bool) -> Void
  ) throws {
    try context.targetsOfRows(owners, info, table, body)
  }

  package func reload(_ objects: [any PersistentModel], only: Int?, context: ContextState) throws {
    try context.reloadRows(objects, only: only)
  }

  package func makeSave(_ changes: UnsavedChanges, in context: ContextState) -> any StoreSave {
    RowSave(self, self, changes)
  }

  package func delete<M: PersistentModel>(
    model: M.Type, where predicate: Predicate<M>?, includeSubclasses: Bool, in context: ContextState
  ) throws {
    try context.deleteRows(model: model, where: predicate, includeSubclasses: includeSubclasses)
  }

  package func fetchHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, _ core: ContainerCore
  ) throws -> [T]? {
    guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return nil }
    // T is DefaultHistoryTransaction.
    return try history(core).fetch(descriptor) as? [T]
  }

  package func deleteHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, _ core: ContainerCore
  ) throws -> Bool {
    guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return false }
    try history(core).delete(descriptor)
    return true
  }

  private func history(_ core: ContainerCore) -> HistoryReader {
    HistoryReader(store: self) { core.table(named: $0)?.entity }
  }
}
