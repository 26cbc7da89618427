import Foundation

extension SnapshotStore {
  // MARK: - Objects of snapshots

  /// Registers the objects of an answer. Related snapshots become the other ends of their relationships.
  func decode<M: PersistentModel>(
    _ answer: SnapshotAnswer<Base.Snapshot>, _ context: ContextState
  ) throws -> [M] {
    let table = try context.core.table(for: M.__entity)
    return try context.quietly {
      var fetched = [(object: M, contents: SnapshotContents)]()
      for snapshot in answer.snapshots {
        let contents = try contents(of: snapshot)
        // The answer was filtered by class.
        fetched.append((try object(of: contents, context) as! M, contents))
      }
      let batch = context.makeBatch(root: table.root, keys: fetched.map { $0.object.__state.key })
      for (object, _) in fetched { object.__state.batch = batch }
      guard !answer.related.isEmpty else { return fetched.map(\.object) }
      var related = [PersistentIdentifier: any PersistentModel]()
      for (identifier, snapshot) in answer.related where entities[identifier.entityName] != nil {
        related[identifier] = try object(of: try contents(of: snapshot), context)
      }
      for (object, contents) in fetched { connect(object, contents, related) }
      return fetched.map(\.object)
    }
  }

  /// Fills relationships that are faults if the answer has all of their targets.
  private func connect(
    _ object: any PersistentModel, _ contents: SnapshotContents, _ related: [PersistentIdentifier: any PersistentModel]
  ) {
    guard object.__state.flags.isEmpty else { return }
    for property in contents.entity.properties where !property.isAttribute {
      guard let identifiers = contents[property]?.identifiers,
        object.relationship(property).isFault
      else { continue }
      let targets = identifiers.compactMap { related[$0] }
      // Unsaved changes at the other end are merged when the fault fires.
      guard targets.count == identifiers.count, targets.allSatisfy({ $0.__state.flags.isEmpty }),
        property.isToOne && !targets.isEmpty
      else { continue }
      object.relationship(property).load(targets, positioned: true)
    }
  }

  /// The object of a snapshot: the registered one after a refresh, or a new one.
  func object(of contents: SnapshotContents, _ context: ContextState) throws -> any PersistentModel {
    let table = try context.core.table(for: contents.entity)
    let key = give(contents.identifier).key
    if let object = context.registered(root: table.root, key: key) {
      try refresh(object, contents, context)
      return object
    }
    let object = try contents.entity.type.init(__row: reader(contents))
    context.register(object, root: table.root, key: key)
    return object
  }

  /// Takes over the snapshot's values except for unsaved properties.
  func refresh(_ object: any PersistentModel, _ contents: SnapshotContents, _ context: ContextState) throws {
    let unsaved = context.unsavedProperties(of: object)
    let reader = reader(contents)
    for property in contents.entity.properties where unsaved?.contains(property.index) != true {
      guard let field = contents[property], !isSame(field, object, property) else { continue }
      if property.isToMany {
        object.relationship(property).becomeFault(0)
      } else {
        try object.__reload(property.index, from: reader)
      }
      context.notify(object, property.index)
    }
  }

  private func isSame(_ field: SnapshotContents.Field, _ object: any PersistentModel, _ property: __Property) -> Bool {
    switch field {
    case .value(let value):
      let current = ScalarType.unwrapped(object.__value(at: property.index))
      guard let value, let current else { return value == nil && current == nil }
      let type = ScalarType(of: property)
      guard let cell = type.cell(of: value) else { return false }
      return cell == type.cell(of: current)
    case .toOne(let target):
      let key = target.map { give($0).key } ?? 0
      switch object.relationship(property).content {
      case .fault(let current): return current == key
      case .targets(let targets): return (targets.first?.__state.key ?? 0) == key
      case nil: return true
      }
    case .toMany(let targets):
      guard let current = object.relationship(property).targets else { return true }
      return current.map { $0.__state.key } == targets.map { give($0).key }
    }
  }

  // MARK: - By key

  package func objects(
    withKeys keys: [Int64], in table: EntityTable, context: ContextState
  ) throws -> [Int64: any PersistentModel] {
    var result = [Int64: any PersistentModel]()
    for key in keys { result[key] = context.registered(root: table.root, key: key) }
    let missing = keys.filter { result[$0] == nil }
    guard !missing.isEmpty else { return result }
    try context.loadMarkedRows(root: table.root)
    let found = try snapshots(withKeys: missing, of: table.entity.type, context.editing)
    let batch = context.makeBatch(root: table.root, keys: missing)
    for (key, snapshot) in found {
      let object = try object(of: try contents(of: snapshot), context)
      object.__state.batch = batch
      result[key] = object
    }
    return result
  }

  package func targets(
    of owners: [Int64], _ info: RelationshipInfo, _ table: EntityTable, context: ContextState,
    _ body: (_ owner: Int64, _ target: any PersistentModel, _ positioned: Bool) -> Void
  ) throws {
    try context.loadMarkedRows(root: table.root)
    var lists = [(owner: Int64, targets: [Int64])]()
    let found = try snapshots(withKeys: owners, of: info.source.type, context.editing)
    for owner in owners {
      guard let snapshot = found[owner] else { continue }
      let identifiers = try contents(of: snapshot)[info.property]?.identifiers ?? []
      lists.append((owner, identifiers.map { give($0).key }))
    }
    let objects = try objects(withKeys: Array(Set(lists.flatMap(\.targets))).sorted(), in: table, context: context)
    for (owner, targets) in lists {
      // A deleted target is dropped.
      for target in targets { if let object = objects[target] { body(owner, object, true) } }
    }
  }

  package func reload(_ objects: [any PersistentModel], only: Int?, context: ContextState) throws -> [Int64] {
    let type = type(of: objects[0]).__entity.type
    let found = try snapshots(withKeys: objects.map { $0.__state.key }, of: type, context.editing)
    for object in objects {
      guard let snapshot = found[object.__state.key] else { continue }
      try refresh(object, try contents(of: snapshot), context)
    }
    return Array(found.keys)
  }
}
