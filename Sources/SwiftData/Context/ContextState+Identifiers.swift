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
  public nonisolated var modelContext: ModelContext? { __state.context?.facade }

  /// The identifier of the object: temporary until its first save, then the same for ever, in every process.
  public nonisolated var persistentModelID: PersistentIdentifier {
    let entity = Self.self == type(of: self) ? Self.__entity : type(of: self).__entity
    if __state.key != 0, !__state.flags.contains(.inserted) {
      if let core = __state.context?.core, let table = try? core.table(for: entity) {
        return core.store(of: table).identifier(ofKey: __state.key, entity: entity.name)
      }
      if let former = __state.former { return former.identifier(entity, key: __state.key) }
    }
    let identity: TemporaryIdentity
    if let known = __state.temporaryIdentity {
      identity = known
    } else {
      identity = TemporaryIdentity()
      __state.temporaryIdentity = identity
      if __state.flags.contains(.inserted) { __state.context?.note(identity, of: self) }
    }
    return PersistentIdentifier(entityName: entity.name, temporary: identity)
  }

  /// The identifier, unless the class has an `id` of its own.
  public nonisolated var id: PersistentIdentifier { persistentModelID }

  /// Whether the object was inserted or changed since the last save.
  public nonisolated var hasChanges: Bool {
    __state.flags.contains(.inserted) || __state.flags.contains(.changed)
  }

  /// Whether the object is marked for deletion. False again after the deletion was saved.
  public nonisolated var isDeleted: Bool { __state.flags.contains(.deleted) }
}
