extension PersistentModel {
  /// The identifier of the object: temporary until its first save, then the same for ever, in every process.
  public nonisolated var persistentModelID: PersistentIdentifier {
    let entity = Self.self == type(of: self) ? Self.__entity : type(of: self).__entity
    if __state.key != 0, !__state.flags.contains(.inserted) {
      if let identifier = __state.host?.identifier(ofKey: __state.key, entity) { return identifier }
      if let former = __state.former { return former.identifier(entity, key: __state.key) }
      if let object = __state.aliased { return object.persistentModelID }
    }
    let identity: TemporaryIdentity
    if let known = __state.temporaryIdentity {
      identity = known
    } else {
      identity = TemporaryIdentity()
      __state.temporaryIdentity = identity
      if __state.flags.contains(.inserted) { __state.host?.note(identity, of: self) }
    }
    return PersistentIdentifier(entityName: entity.name, temporary: identity)
  }

  /// The identifier, unless the class has an `id` of its own.
  public nonisolated var id: PersistentIdentifier { persistentModelID }

  /// Whether the object was inserted or changed since the last save.
  public nonisolated var hasChanges: Bool {
    !__state.flags.isDisjoint(with: [.inserted, .changed]) || __state.aliased?.hasChanges == true
  }

  /// Whether the object is marked for deletion. False again after the deletion was saved.
  public nonisolated var isDeleted: Bool { __state.flags.contains(.deleted) || __state.aliased?.isDeleted == true }
}
