/// The properties of objects of any class, as cells and related objects: what a module of this package that copies or
/// syncs objects works with.
package enum ModelCells {
  /// The cell of an attribute, as a store would write it without a codec and external files.
  /// - Parameter writer: what it is written to. Who reads many cells makes one.
  /// - Throws: ``SwiftDataError/unwritableValue``.
  package static func cell(
    of object: any PersistentModel, _ property: __Property, writer: ValueWriter = ValueWriter()
  ) throws -> SQLValue {
    if object.__state.unloaded?.contains(property.index) == true {
      try load(object) { object.__loadIfNeeded(property.index) }
    }
    writer.begin(property)
    try object.__encode(property.index, to: writer)
    return writer.values.first ?? .null
  }

  /// A new object without a context. A missing cell is the default of the property's declaration.
  /// - Parameter cells: by property index.
  /// - Throws: ``SwiftDataError/unreadableValue`` where a cell does not fit its property.
  package static func make(_ entity: __Entity, _ cells: [SQLValue?]) throws -> any PersistentModel {
    let object = try entity.type.init(__row: CellsReader(cells, entity: entity))
    for property in entity.properties where !property.isAttribute {
      object.relationship(property).load([], positioned: false)
    }
    return object
  }

  /// Whether an attribute of an object can have the value of a cell.
  /// - Throws: ``SwiftDataError/unwritableValue`` for another attribute of the object.
  package static func fits(_ cell: SQLValue, _ property: __Property, of object: any PersistentModel) throws -> Bool {
    let entity = type(of: object).__entity
    var cells = [SQLValue?](repeating: nil, count: entity.properties.count)
    for other in entity.properties where other.isAttribute && other.isStored {
      cells[other.index] = other === property ? cell : try self.cell(of: object, other)
    }
    do { _ = try make(entity, cells) } catch is SwiftDataError { return false }
    return true
  }

  /// Changes an attribute as its setter does.
  /// - Throws: ``SwiftDataError/unreadableValue`` where the cell does not fit the property; then nothing changes.
  package static func set(_ object: any PersistentModel, _ property: __Property, _ cell: SQLValue) throws {
    let entity = type(of: object).__entity
    var cells = [SQLValue?](repeating: nil, count: entity.properties.count)
    cells[property.index] = cell
    let reader = CellsReader(cells, entity: entity)
    // Read before the object is marked as changed: a value that does not fit must leave everything as it is.
    object.__loadIfNeeded(property.index)
    let old = object.__value(at: property.index)
    try object.__reload(property.index, from: reader)
    let new = object.__value(at: property.index)
    object.__setValue(old, at: property.index)
    object.__recordChange(property.index)
    if object.__isObserved { object.__notify(property.index, .willSet) }
    object.__setValue(new, at: property.index)
    if object.__isObserved { object.__notify(property.index, .didSet) }
  }

  /// Loads values of an object, or throws the error that a getter could not throw.
  private static func load(_ object: any PersistentModel, _ body: () -> Void) throws {
    guard let context = object.__state.context else { return body() }
    try context.loading(body)
  }

  /// The targets of a relationship, in order, those that are deleted left out.
  /// - Throws: the error of the store if they cannot be loaded.
  package static func targets(of object: any PersistentModel, _ property: __Property) throws -> [any PersistentModel] {
    if object.relationship(property).isFault {
      try load(object) { object.__fire(property.index) }
    }
    guard let targets = object.relationship(property).targets else { return [] }
    return targets.filter { !$0.isDeleted }
  }

  /// The last target of a stored to-many, read without the others.
  /// - Returns: nil if one row does not tell: the list is empty or many-to-many, its newest target has a position, or the
  ///   store does not keep rows.
  /// - Complexity: one row, whatever the length of the list.
  /// - Throws: an error of the store.
  package static func lastTarget(
    of object: any PersistentModel, _ property: __Property, in context: ModelContext
  ) throws -> (any PersistentModel)? {
    let info = RelationshipInfo.of(property, in: type(of: object).__entity)
    let state = context.state
    return try state.used(.read) {
      let table = try state.core.table(for: info.destination)
      guard case .sql(let store) = state.core.kind(of: table), object.__state.key != 0 else { return nil }
      let newest = try state.queries.newestTargetOfRows(object.__state.key, info, table, store)
      return newest.flatMap { $0.isPositioned ? nil : $0.target }
    }
  }

  /// Assigns the targets of a relationship, at most one to a to-one, as its setter does.
  package static func assign(
    _ targets: [any PersistentModel], to property: __Property, of object: any PersistentModel
  ) {
    func typed<M: PersistentModel>(_: M.Type) -> Any {
      property.isToMany ? targets.map { $0 as! M } as Any : targets.first.map { $0 as! M } as Any
    }
    guard let destination = property.destination else { return }
    let value = _openExistential(destination, do: typed)
    func assign<V>(_: V.Type) {
      func assign<R>(_: R.Type) {
        guard let keyPath = property.keyPath as? ReferenceWritableKeyPath<R, V>, let root = object as? R,
          let value = value as? V
        else { return }
        root[keyPath: keyPath] = value
      }
      _openExistential(type(of: property.keyPath).rootType, do: assign)
    }
    _openExistential(property.valueType, do: assign)
  }

  /// The objects of some identifiers that the stores have, by identifier.
  /// - Complexity: one statement for each class of the identifiers.
  /// - Throws: an error of a store.
  package static func objects(
    _ identifiers: [PersistentIdentifier], in context: ModelContext
  ) throws -> [PersistentIdentifier: any PersistentModel] {
    var found: [PersistentIdentifier: any PersistentModel] = [:]
    for (identifier, object) in zip(identifiers, try objects(at: identifiers, in: context)) {
      if let object { found[identifier] = object }
    }
    return found
  }

  /// The objects of some identifiers, each at the index of its identifier; nil for those that the stores do not have.
  /// - Complexity: one statement for each class of the identifiers.
  /// - Throws: an error of a store.
  package static func objects(
    at identifiers: [PersistentIdentifier], in context: ModelContext
  ) throws -> [(any PersistentModel)?] {
    let state = context.state
    return try state.used(.read) {
      state.drainInbox()
      var found = [(any PersistentModel)?](repeating: nil, count: identifiers.count)
      for (name, members) in Dictionary(grouping: identifiers.indices, by: { identifiers[$0].entityName }) {
        guard let table = state.core.table(named: name) else { continue }
        let store = state.core.store(of: table)
        let keys = members.map { store.key(of: identifiers[$0]) }
        let objects = try state.queries.objects(withKeys: keys.compactMap(\.self), in: table)
        for (index, key) in zip(members, keys) { found[index] = key.flatMap { objects[$0] } }
      }
      return found
    }
  }

  /// The identifiers of all stored objects whose own class is this one.
  /// - Throws: an error of a store.
  package static func identifiers(of entity: __Entity, in context: ModelContext) throws -> [PersistentIdentifier] {
    func fetch<M: PersistentModel>(_: M.Type) throws -> [PersistentIdentifier] {
      try context.fetchIdentifiers(FetchDescriptor<M>())
    }
    return try _openExistential(entity.type, do: fetch).filter { $0.entityName == entity.name }
  }

  /// The identifiers of stored objects of a class and its subclasses, in order.
  /// - Parameter last: the identifier that they follow; nil begins with the first one.
  /// - Throws: an error of the store.
  package static func identifiers(
    of entity: __Entity, after last: PersistentIdentifier?, limit: Int, in context: ModelContext
  ) throws -> [PersistentIdentifier] {
    func fetch<M: PersistentModel>(_: M.Type) throws -> [PersistentIdentifier] {
      var descriptor = FetchDescriptor<M>(sortBy: [SortDescriptor(\.persistentModelID)])
      if let last { descriptor.predicate = #Predicate { $0.persistentModelID > last } }
      descriptor.fetchLimit = limit
      return try context.fetchIdentifiers(descriptor)
    }
    return try _openExistential(entity.type, do: fetch)
  }

  /// Inserts an object of any class.
  package static func insert(_ object: any PersistentModel, into context: ModelContext) {
    func insert<M: PersistentModel>(_ object: M) { context.insert(object) }
    _openExistential(object, do: insert)
  }

  /// Deletes an object of any class.
  package static func delete(_ object: any PersistentModel, from context: ModelContext) {
    func delete<M: PersistentModel>(_ object: M) { context.delete(object) }
    _openExistential(object, do: delete)
  }
}
