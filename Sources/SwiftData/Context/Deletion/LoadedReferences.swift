/// The loaded relationships of a context's objects, including new ones.
struct LoadedReferences {
  let context: ContextState

  /// Clears relationships to deleted targets that no delete rule cleared: those without an inverse, which the store
  /// cleared, and those with `.noAction`, which read as nil from now on.
  /// - Parameter oneSided: false if another context deleted the targets, so that no delete rule ran here.
  func drop(to gone: [any PersistentModel], oneSided: Bool = true) {
    forEach(to: gone) { property, inverse in
      (property.isToMany || property.isOptional)
        && (!oneSided || inverse == nil || inverse?.relationship?.deleteRule == .noAction)
    } _: { object, property, targets, positioned, isGone in
      object.relationship(property).load(targets.filter { !isGone($0) }, positioned: positioned)
    }
  }

  /// Calls `change` for each loaded relationship that leads to one of `sought`, and notifies observers.
  /// - Parameter isAffected: whether a relationship with that inverse counts.
  private func forEach(
    to sought: [any PersistentModel], where isAffected: (__Property, _ inverse: __Property?) -> Bool,
    _ change: (
      _ object: any PersistentModel, __Property, _ targets: [any PersistentModel], _ positioned: Bool,
      _ isSought: (any PersistentModel) -> Bool
    ) -> Void
  ) {
    guard !sought.isEmpty else { return }
    var roots = Set<ObjectIdentifier>()
    var last: __Entity?
    for object in sought where type(of: object).__entity !== last {
      last = type(of: object).__entity
      roots.insert(ObjectIdentifier(last!.root))
    }
    // Made only if a relationship may lead to them.
    lazy var ids = Set(sought.map { ObjectIdentifier($0) })
    func isSought(_ object: any PersistentModel) -> Bool { ids.contains(ObjectIdentifier(object)) }
    // A long list is not built for a target that it does not contain.
    func mayName(_ object: any PersistentModel, _ property: __Property) -> Bool {
      sought.count > 4 || sought.contains { object.relationship(property).contains($0) }
    }
    for table in context.core.tables.all {
      let affected = table.entity.properties.filter { property in
        guard let destination = property.destination?.__entity, roots.contains(ObjectIdentifier(destination.root))
        else { return false }
        return isAffected(property, RelationshipInfo.of(property, in: table.entity).inverse)
      }
      guard !affected.isEmpty else { continue }
      let registered = context.identityMaps[table.root].objects.lazy.filter { type(of: $0).__entity === table.entity }
      // New objects refer to stored ones too, but are not registered yet.
      for object in Array(registered) + context.inserted.entries(of: table.entity).map(\.entry) {
        context.work.note(\.registered)
        for property in affected {
          guard mayName(object, property),
            let (targets, positioned) = object.relationship(property).list,
            targets.contains(where: isSought)
          else { continue }
          change(object, property, targets, positioned, isSought)
          context.notify(object, property.index)
        }
      }
    }
  }
}
