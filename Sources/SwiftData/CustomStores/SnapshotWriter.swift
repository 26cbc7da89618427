/// Applies the snapshots of a request to a context as unsaved changes.
///
/// A request contains both ends of every relationship, and everything that delete rules remove, so nothing is inferred
/// here.
final class SnapshotWriter {
  private let context: ContextState
  private var objects: [PersistentIdentifier: any PersistentModel] = [:]
  private var inserted: [(temporary: PersistentIdentifier, object: any PersistentModel)] = []

  init(_ context: ContextState) { self.context = context }

  func write(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws {
    let snapshots = request.inserted + request.updated
    try load(snapshots.flatMap { $0.contents.fields.flatMap { $0?.identifiers ?? [] } }, isRequired: false)
    try load(request.updated.map(\.persistentIdentifier), isRequired: true)
    try load(request.deleted.map(\.persistentIdentifier), isRequired: false)
    for snapshot in request.inserted {
      let contents = snapshot.contents
      // Relationships are set once all objects exist.
      let reader = SnapshotReader(contents) { _ in 0 }
      let object = try contents.entity.type.init(__row: reader)
      objects[contents.identifier] = object
      inserted.append((contents.identifier, object))
    }
    for snapshot in request.inserted { relate(objects[snapshot.persistentIdentifier]!, snapshot.contents) }
    for snapshot in request.updated { try update(objects[snapshot.persistentIdentifier]!, snapshot.contents) }
    for (_, object) in inserted { context.insert(object) }
    for snapshot in request.deleted {
      guard let object = objects[snapshot.persistentIdentifier] else { continue }
      object.__state.flags.insert(.deleted)
      context.deleted[ObjectIdentifier(object)] = object
    }
  }

  func result(
    for store: String, of saves: [any StoreSave], _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remapped = [PersistentIdentifier: PersistentIdentifier]()
    var differing = [PersistentIdentifier: DefaultSnapshot]()
    for ((temporary, object), snapshot) in zip(inserted, request.inserted) {
      let identifier = object.persistentModelID
      remapped[temporary] = identifier
      // An upsert may leave values in the stored row that the new object does not have, and a property that the request
      // leaves out has its default value.
      let isMerged = saves.contains { $0.merged[ObjectIdentifier(object)] != nil }
      guard isMerged || !snapshot.contents.isComplete else { continue }
      let current = context.registeredModel(for: identifier) ?? object
      differing[identifier] = DefaultSnapshot(SnapshotContents(of: current))
    }
    return DataStoreSaveChangesResult(
      for: store, remappedIdentifiers: remapped, snapshotsToReregister: differing)
  }

  private func load(_ identifiers: [PersistentIdentifier], isRequired: Bool) throws {
    let missing = Set(identifiers.filter { !$0.isTemporary && objects[$0] == nil })
    for (name, group) in Dictionary(grouping: missing, by: \.entityName) {
      guard let table = context.core.table(named: name) else { continue }
      let store = context.core.store(of: table)
      let found = try context.queries.objects(withKeys: group.compactMap(store.key), in: table)
      for identifier in group { if let key = store.key(of: identifier) { objects[identifier] = found[key] } }
    }
    guard isRequired, let gone = identifiers.first(where: { objects[$0] == nil }) else { return }
    throw SwiftDataError(
      .staleObject, entity: gone.entityName, message: "an object to update is no longer in the store; fetch it again"
    )
  }

  private func relate(_ object: any PersistentModel, _ contents: SnapshotContents) {
    for property in contents.entity.properties where !property.isAttribute {
      let targets = (contents[property]?.identifiers ?? []).compactMap { objects[$0] }
      // An optional to-many that is nil reads as empty either way.
      if property.isToOne, targets.isEmpty, !property.isOptional { continue }
      object.relationship(property).load(targets, positioned: false)
    }
  }

  private func update(_ object: any PersistentModel, _ contents: SnapshotContents) throws {
    let reader = SnapshotReader(contents) { _ in 0 }
    for property in contents.entity.properties {
      guard let field = contents[property] else { continue }
      guard !property.isAttribute else {
        if property.isConstant { continue }
        object.__loadIfNeeded(property.index)
        if isSame(field, object, property) { continue }
        context.recordChange(of: object, property.index, isInverse: false)
        try object.__reload(property.index, from: reader)
        continue
      }
      if object.relationship(property).isFault { object.__fire(property.index) }
      guard let (current, positioned) = object.relationship(property).list else { continue }
      let targets = field.identifiers.compactMap { objects[$0] }
      if current.elementsEqual(targets, by: ===) { continue }
      context.recordChange(of: object, property.index, isInverse: false)
      object.relationship(property).load(targets, positioned: positioned)
    }
  }

  private func isSame(_ field: SnapshotContents.Field, _ object: any PersistentModel, _ property: __Property) -> Bool {
    guard case .value(let value) = field else { return false }
    let current = ScalarType.unwrapped(object.__value(at: property.index))
    guard let value, let current else { return value == nil && current == nil }
    let type = ScalarType(of: property)
    return type.cell(of: value).map { $0 == type.cell(of: current) } ?? false
  }
}
