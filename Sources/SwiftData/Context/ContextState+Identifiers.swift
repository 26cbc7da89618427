import Foundation

extension ContextState {
  func registeredModel(for identifier: PersistentIdentifier) -> (any PersistentModel)? {
    if let temporary = identifier.temporary {
      return insertedObject(temporary)
    }
    guard let table = core.table(named: identifier.entityName), let key = core.store(of: table).key(of: identifier)
    else { return nil }
    return registered(root: table.root, key: key)
  }

  func model(for identifier: PersistentIdentifier) -> any PersistentModel {
    // A registered object is returned as it is. The next fetch merges other contexts' saves.
    if let object = registeredModel(for: identifier) { return object }
    drainInbox()
    if let table = core.table(named: identifier.entityName), let key = core.store(of: table).key(of: identifier) {
      do {
        if let object = try queries.objects(withKeys: [key], in: table)[key] { return object }
      } catch {
        note(error)
      }
    }
    let object: any PersistentModel =
      core.table(named: identifier.entityName).map { table in
        StandIn.object(of: table.entity) { queries.example(of: table.entity) }
      } ?? UnknownModel()
    object.__state.standIn(for: identifier)
    return object
  }
}

extension PersistentModel {
  /// The context of the object. It is nil before the insertion, after a saved deletion, and after the context ended.
  public nonisolated var modelContext: ModelContext? {
    if let context = __state.context { return context.facade }
    return __state.aliased?.modelContext
  }
}

extension __ModelState {
  /// The context that the object is registered with. It is nil before the insertion and after a saved deletion.
  package var context: ContextState? {
    // Every host is a context.
    mutating get { if let host { unsafeDowncast(host, to: ContextState.self) } else { nil } }
    set { host = newValue }
  }
}
