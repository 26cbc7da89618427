/// A store that answers requests for objects.
package protocol ObjectStore: EngineStore {
  // Fetches apply the context's unsaved changes if the descriptor includes them.

  /// - Parameter model: the model after which the result starts, or nil for the beginning.
  func fetch<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, after model: M?, in context: ContextState
  ) throws -> [M]
  func fetchCount<M: PersistentModel>(_ descriptor: FetchDescriptor<M>, in context: ContextState) throws -> Int
  func fetchIdentifiers<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, in context: ContextState
  ) throws -> [PersistentIdentifier]
  /// The objects with these keys. Loads unregistered ones and omits missing ones.
  func objects(
    withKeys keys: [Int64], in table: EntityTable, context: ContextState
  ) throws -> [Int64: any PersistentModel]
  /// The stored targets of a to-many for several owners, each in its owner's order.
  func targets(
    of owners: [Int64], _ info: RelationshipInfo, _ table: EntityTable, context: ContextState,
    _ body: (_ owner: Int64, _ target: any PersistentModel, _ positioned: Bool) -> Void
  ) throws
  /// Reloads registered objects except for unsaved changes. `only` limits it to one property.
  /// - Returns: the keys of the objects that the store has.
  func reload(_ objects: [any PersistentModel], only: Int?, context: ContextState) throws -> [Int64]

  /// Marks the matching objects for deletion, following delete rules.
  func delete<M: PersistentModel>(
    model: M.Type, where predicate: Predicate<M>?, includeSubclasses: Bool, in context: ContextState
  ) throws
}
