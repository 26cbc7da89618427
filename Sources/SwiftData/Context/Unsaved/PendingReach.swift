import Foundation

/// The effect of unsaved changes of other objects on the rows that a statement finds.
enum PendingReach {
  /// None: only objects with own unsaved changes differ from the store.
  case nothing
  /// These rows may differ too.
  case rows(ReachedRows)
  /// Any row may differ.
  case everything

  var isNothing: Bool { if case .nothing = self { true } else { false } }
}

/// The stored rows of the fetched class that unsaved changes of related objects affect.
struct ReachedRows {
  /// Rows whose to-manys gained or lost a target, or whose targets changed.
  var owners: Set<Int64> = []
  /// To-ones with the keys of their changed targets.
  var targets: [(property: __Property, keys: [Int64])] = []

  var isEmpty: Bool { owners.isEmpty && targets.isEmpty }

  /// The condition that a row is one of them.
  func condition(_ dialect: any SQLDialect) -> SQLFragment {
    let holders = targets.map { target in
      dialect.isAmong("t0." + TableNames.column(for: target.property).quotedIdentifier, target.keys)
    }
    return ((owners.isEmpty ? [] : [dialect.isAmong("t0._pk", owners.sorted())]) + holders).disjunction
  }
}

extension QueryExecutor {
  /// Computes which rows the unsaved changes of other objects affect.
  ///
  /// A row without own changes differs from the store only through its relationships. Through a to-one it is affected
  /// if the target changed; a new target would be an own change. Through a to-many it is affected by added and removed
  /// targets, which name their owners. Longer paths count as affecting any row.
  /// - Parameter includingValues: whether computed values count too.
  func reach(of query: StoreQuery, includingValues: Bool = false) -> PendingReach {
    guard context.hasChanges else { return .nothing }
    var reads = query.reads.condition.properties
    for read in query.reads.order.properties + (includingValues ? query.reads.values.properties : [])
    where !reads.contains(read) {
      reads.append(read)
    }
    let relationships = reads.filter { !$0.property.isAttribute }
    if relationships.isEmpty { return .nothing }
    var reached = ReachedRows()
    let isDeep = relationships.contains { !$0.isOfRow }
    let classes = unsavedClasses
    for read in relationships {
      let info = RelationshipInfo.of(read.property, in: read.entity)
      for entity in classes where entity.isKind(of: info.destination) {
        var search = ReachSearch(state: context, info: info, entity: entity, watched: Self.watched(reads, in: entity))
        guard search.run(), !isDeep || search.isEmpty else { return .everything }
        reached.owners.formUnion(search.owners)
        if !search.targets.isEmpty { reached.targets.append((read.property, search.targets)) }
      }
    }
    return reached.isEmpty ? .nothing : .rows(reached)
  }

  /// The classes with unsaved objects.
  private var unsavedClasses: [__Entity] {
    var seen = Set<ObjectIdentifier>()
    return (Array(context.inserted.entities) + Array(context.changed.entities) + Array(context.deleted.entities))
      .filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  /// The properties of a class that the statement reads from related objects.
  private static func watched(_ reads: [ReadProperty], in entity: __Entity) -> PropertySet {
    PropertySet(
      reads.lazy.filter { read in
        let index = read.property.index
        return !read.isOfRow && index < entity.properties.count && entity.properties[index] === read.property
      }.map(\.property.index))
  }

  /// Whether a class or its subclasses have unsaved objects.
  func hasUnsaved(of family: [__Entity]) -> Bool {
    family.contains { unsavedCount(of: $0) > 0 || context.deleted.count(of: $0) > 0 }
  }
}

/// Finds the effect of one class's unsaved objects on the objects that refer to them.
private struct ReachSearch {
  let state: ContextState
  let info: RelationshipInfo
  let entity: __Entity
  /// The properties that the statement reads through the relationship.
  let watched: PropertySet
  var owners: Set<Int64> = []
  var targets: [Int64] = []

  var isEmpty: Bool { owners.isEmpty && targets.isEmpty }

  /// Returns false if any row may be affected.
  mutating func run() -> Bool {
    guard info.property.isToMany else {
      if watched.isEmpty { return true }
      for (_, change) in state.changed.entries(of: entity) where change.properties.intersects(watched) {
        targets.append(change.object.__state.key)
      }
      state.work.note(\.listed, state.changed.count(of: entity))
      return true
    }
    guard let inverse = info.inverse else {
      // Only the store knows which lists contain the targets.
      return state.deleted.count(of: entity) == 0
        && !state.changed.entries(of: entity).contains { $0.entry.properties.intersects(watched) }
    }
    for (_, object) in state.inserted.entries(of: entity) { guard note(object, inverse) else { return false } }
    for (_, object) in state.deleted.entries(of: entity) { guard note(object, inverse) else { return false } }
    for (_, change) in state.changed.entries(of: entity)
    where change.properties.contains(inverse.index) || change.properties.intersects(watched) {
      guard note(change.object, inverse) else { return false }
    }
    state.work.note(\.listed, state.queries.unsavedCount(of: entity) + state.deleted.count(of: entity))
    return true
  }

  /// Records the current and former owners of an object.
  private mutating func note(_ object: any PersistentModel, _ inverse: __Property) -> Bool {
    switch object.relationship(inverse).content {
    case nil: break
    case .fault(let key):
      if inverse.isToMany { return false }
      if key != 0 { owners.insert(key) }
    case .targets(let current): note(current)
    }
    guard let change = state.changed[ObjectIdentifier(object)], change.properties.contains(inverse.index) else {
      return true
    }
    for original in change.originals where original.index == inverse.index {
      if let slot = original.value as? any AnySlot {
        if inverse.isToMany { return false }
        if slot.key != 0 { owners.insert(slot.key) }
      } else {
        note(change.originalTargets(inverse.index) ?? [])
      }
    }
    return true
  }

  private mutating func note(_ models: [any PersistentModel]) {
    // A new owner is evaluated anyway.
    for model in models where model.__state.key != 0 && !model.__state.flags.contains(.inserted) {
      owners.insert(model.__state.key)
    }
  }
}

/// A slot of any type, to read a fault's key before it was replaced.
protocol AnySlot {
  var key: Int64 { get }
}

extension __Slot: AnySlot {}
