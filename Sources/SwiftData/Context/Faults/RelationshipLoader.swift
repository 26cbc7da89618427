import Foundation

/// Loads relationships and omitted attributes on first access.
enum RelationshipLoader {
  /// Loads a relationship, also for the other objects of the same fetch. It stays a fault if that fails.
  /// - Returns: false if it failed.
  static func load(_ object: any PersistentModel, _ property: __Property, _ context: ContextState) -> Bool {
    context.beginUse(.read)
    defer { context.endUse() }
    func load() throws {
      try property.isToMany ? loadToMany(object, property, context) : loadToOne(object, property, context)
    }
    do {
      if let spans = context.core.spans {
        try traced(spans, property, context, of: type(of: object).__entity, load)
      } else {
        try load()
      }
      return true
    } catch {
      context.note(error)
      return false
    }
  }

  /// Loads an attribute that a partial fetch omitted, also for the other objects of the same fetch.
  static func loadAttribute(_ object: any PersistentModel, _ index: Int) {
    guard let context = object.__state.context, object.__state.key != 0 else { return }
    // External data is large, so one access must not read the files of ten thousand objects.
    let isExternal = type(of: object).__entity.properties[index].isExternal
    context.beginUse(.read)
    defer { context.endUse() }
    let mates =
      isExternal ? [object] : batch(of: object, context).filter { $0.__state.unloaded?.contains(index) == true }
    func load() throws {
      do {
        try context.queries.reload(mates, only: index)
      } catch  where isExternal {
        // Another save may just have replaced the value, and removed the file that the row named.
        try context.queries.reload(mates, only: index)
      }
    }
    do {
      if let spans = context.core.spans {
        let entity = type(of: object).__entity
        try traced(spans, entity.properties[index], context, of: entity, load)
      } else {
        try load()
      }
    } catch {
      context.note(error)
    }
  }

  /// Turns the loaded relationships of a stored object into faults. An unsaved target has no key and stays.
  static func release(_ object: any PersistentModel) {
    for property in type(of: object).__entity.properties where !property.isAttribute { release(object, property) }
  }

  static func release(_ object: any PersistentModel, _ property: __Property) {
    guard let targets = object.relationship(property).targets else { return }
    let key = targets.first?.__state.key ?? 0
    if property.isToMany {
      object.relationship(property).becomeFault(0)
    } else if key != 0 {
      object.relationship(property).becomeFault(key)
    } else {
      empty(object, property)
    }
  }

  /// Clears the relationships of an object without a context, except for required ones.
  static func empty(_ object: any PersistentModel) {
    for property in type(of: object).__entity.properties where !property.isAttribute { empty(object, property) }
  }

  private static func empty(_ object: any PersistentModel, _ property: __Property) {
    guard property.isToMany || property.isOptional else { return }
    object.relationship(property).load([], positioned: false)
  }

  /// The living objects of the same fetch, including the object itself.
  private static func batch(of object: any PersistentModel, _ context: ContextState) -> [any PersistentModel] {
    guard let batch = object.__state.batch else { return [object] }
    let mates = batch.keys.compactMap { context.registered(root: batch.root, key: $0) }
    return mates.contains { $0 === object } ? mates : [object] + mates
  }

  // MARK: - To-one

  private static func loadToOne(
    _ object: any PersistentModel, _ property: __Property, _ context: ContextState
  ) throws {
    let destination = try context.core.table(for: property.destination!.__entity)
    var waiting = [(any PersistentModel, Int64)]()
    for mate in batch(of: object, context) where Faults.isFault(mate, property) {
      guard let key = mate.relationship(property).faultKey else { continue }
      if key == 0 {
        mate.relationship(property).load([], positioned: false)
      } else if let target = context.registered(root: destination.root, key: key) {
        mate.relationship(property).load([target], positioned: false)
      } else {
        waiting.append((mate, key))
      }
    }
    // A registered target may have resolved the object itself. The others can wait for their own access.
    guard Faults.isFault(object, property), !waiting.isEmpty else { return }
    let targets = try context.queries.objects(withKeys: Array(Set(waiting.map(\.1))).sorted(), in: destination)
    // Loading may have found that a target is deleted, and informed its owner.
    for (mate, key) in waiting where Faults.isFault(mate, property) {
      let target = targets[key].map { [$0] } ?? []
      mate.relationship(property).load(target, positioned: false)
    }
  }

  // MARK: - To-many

  private static func loadToMany(
    _ object: any PersistentModel, _ property: __Property, _ context: ContextState
  ) throws {
    let owners = owners(of: object, property, context)
    let info = RelationshipInfo.of(property, in: type(of: object).__entity)
    let stored = owners.filter { $0.__state.key != 0 }
    var found = [Int64: [any PersistentModel]]()
    var positioned = Set<Int64>()
    if !stored.isEmpty {
      let destination = try context.core.table(for: info.destination)
      try context.queries.targets(of: stored.map { $0.__state.key }, info, destination) { owner, target, hasPosition in
        found[owner, default: []].append(target)
        if hasPosition { positioned.insert(owner) }
      }
    }
    let unsaved = UnsavedMembership(info: info, context: context)
    for owner in owners {
      let key = owner.__state.key
      let targets = unsaved.apply(to: found[key] ?? [], of: owner)
      owner.relationship(property).load(targets, positioned: positioned.contains(key))
      // After the end of the context, this would be a reference cycle that nothing breaks.
      guard !context.isOver, let inverse = info.inverse, !inverse.isToMany else { continue }
      // The owner of each target is known now.
      for target in targets where Faults.isFault(target, inverse) {
        target.relationship(inverse).load([owner], positioned: false)
      }
    }
  }

  /// The stored list of a to-many, and the list with the unsaved changes of its targets.
  static func toMany(
    _ object: any PersistentModel, _ property: __Property, _ context: ContextState
  ) throws -> (stored: [any PersistentModel], shown: [any PersistentModel], positioned: Bool) {
    let info = RelationshipInfo.of(property, in: type(of: object).__entity)
    var stored = [any PersistentModel]()
    var positioned = false
    try context.queries.targets(of: [object.__state.key], info, try context.core.table(for: info.destination)) {
      stored.append($1)
      positioned = positioned || $2
    }
    return (stored, UnsavedMembership(info: info, context: context).apply(to: stored, of: object), positioned)
  }

  private static func owners(
    of object: any PersistentModel, _ property: __Property, _ context: ContextState
  ) -> [any PersistentModel] {
    guard let batch = object.__state.batch else { return [object] }
    let limit = batch.owners[property.index] ?? 1
    // A store that cannot be read is asked again at each access.
    batch.owners[property.index] = min(limit, 1 << 20) * 8
    guard limit > 1 else { return [object] }
    let others = self.batch(of: object, context).filter { $0 !== object && Faults.isFault($0, property) }
    return [object] + others.prefix(limit - 1)
  }
}

/// The effect of unsaved changes on the stored lists of a to-many.
private struct UnsavedMembership {
  private let info: RelationshipInfo
  private let context: ContextState
  /// The class of the targets with its subclasses.
  private let family: [__Entity]

  init(info: RelationshipInfo, context: ContextState) {
    self.info = info
    self.context = context
    family = (try? context.core.table(for: info.destination))?.family ?? []
  }

  func apply(to stored: [any PersistentModel], of owner: any PersistentModel) -> [any PersistentModel] {
    if context.isOver { return applyLateChanges(to: stored, of: owner) }
    guard context.hasChanges else { return stored }
    let own = members(of: owner)
    let ids = Set(own.lazy.map { ObjectIdentifier($0) })
    let kept = stored.filter { target in
      if target.__state.flags.contains(.deleted) {
        let id = ObjectIdentifier(owner)
        context.incompleteLists[id, default: (owner, PropertySet())].indices.insert(info.property.index)
        return false
      }
      guard let inverse = info.inverse, let change = context.changed[ObjectIdentifier(target)],
        change.properties.contains(inverse.index)
      else { return true }
      return ids.contains(ObjectIdentifier(target))
    }
    if own.isEmpty { return kept }
    let present = Set(kept.lazy.map { ObjectIdentifier($0) })
    return kept + own.filter { !present.contains(ObjectIdentifier($0)) && !$0.__state.flags.contains(.deleted) }
  }

  /// After the end of the context, the objects keep their changes themselves.
  private func applyLateChanges(
    to stored: [any PersistentModel], of owner: any PersistentModel
  ) -> [any PersistentModel] {
    guard context.hasReportedLoss, let inverse = info.inverse,
      let table = try? context.core.table(for: info.destination)
    else { return stored }
    func isChanged(_ target: any PersistentModel) -> Bool {
      target.__state.lateChanges?.contains(inverse.index) == true
    }
    let kept = stored.filter { !isChanged($0) || Self.isMember($0, inverse, owner) }
    let present = Set(kept.lazy.map { ObjectIdentifier($0) })
    return kept
      + context.identityMaps[table.root].objects.filter { target in
        family.contains { $0 === type(of: target).__entity } && isChanged(target)
          && !present.contains(ObjectIdentifier(target)) && Self.isMember(target, inverse, owner)
      }
  }

  /// The objects with unsaved changes that belong to an owner: changed ones in the order of their changes, then new
  /// ones.
  private func members(of owner: any PersistentModel) -> [any PersistentModel] {
    guard let inverse = info.inverse, context.hasChanges else { return [] }
    var found = [(place: (Int, Int), object: any PersistentModel)]()
    for entity in family where context.queries.unsavedCount(of: entity) > 0 {
      for id in context.queries.unsavedObjects(of: entity, inverse, with: CollectionOfOne(UnsavedKey(owner))) {
        if let change = context.changed[id] {
          guard change.properties.contains(inverse.index), Self.isMember(change.object, inverse, owner) else {
            continue
          }
          found.append(((0, context.changed.place(of: id) ?? 0), change.object))
        } else if let object = context.inserted[id], Self.isMember(object, inverse, owner) {
          found.append(((1, context.inserted.place(of: id) ?? 0), object))
        }
      }
    }
    context.work.note(\.indexedCandidates, found.count)
    return found.sorted { $0.place < $1.place }.map(\.object)
  }

  /// An index may return too many objects, never too few.
  private static func isMember(
    _ object: any PersistentModel, _ inverse: __Property, _ owner: any PersistentModel
  ) -> Bool {
    object.relationship(inverse).contains(owner)
  }
}

extension ContextState {
  /// Turns the loaded relationships of an enumeration's objects into faults, which breaks the cycles of those that the program does
  /// not hold. Goes on with the objects that these relationships brought in. Unsaved objects keep theirs.
  /// - Parameter number: the number of the enumeration.
  func releaseEnumerated(_ objects: some Sequence<any PersistentModel>, since number: Int) {
    // Undo reads assigned relationships before they become faults.
    if undoManager != nil { undoneValues.noteNew() }
    var pending = Array(objects)
    while let object = pending.popLast() {
      guard object.__state.context === self, object.__state.flags.isEmpty,
        let batch = object.__state.batch, batch.enumerations >= number, type(of: object).__entity.hasRelationships
      else { continue }
      for property in type(of: object).__entity.properties where !property.isAttribute {
        guard let targets = object.relationship(property).targets, !targets.isEmpty,
          !targets.contains(where: { $0.__state.key == 0 })
        else { continue }
        RelationshipLoader.release(object, property)
        pending += targets
      }
    }
  }
}
