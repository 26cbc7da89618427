import Foundation

extension QueryExecutor {
  // MARK: - Fetching from a store that speaks SQL

  /// - Parameter restriction: a further condition, which unsaved changes do not affect.
  func fetchRows<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, after model: M?, _ store: any SQLStore, where restriction: SQLFragment? = nil
  ) throws -> [M] {
    try reading(store) {
      let left = left(out: descriptor)
      var query = try lower(descriptor, leavingOut: left)
      if let model { try begin(&query, after: model) }
      if let restriction { query.restrictions.append(restriction) }
      if descriptor.includePendingChanges, pendingChangesMatter(to: query) {
        return try fetchWithPendingChanges(descriptor, query, after: model)
      }
      let offset = model == nil ? 0 : query.moveOffsetToLimit()
      let result: [M] = try load(query, partial: left)
      return offset == 0 ? result : Array(result.dropFirst(offset))
    } otherwise: {
      if restriction != nil { throw DataStoreError.preferInMemoryFilter }
      return try fetchInMemory(descriptor, after: model)
    }
  }

  /// - Parameter restriction: as in ``fetchRows(_:after:_:where:)``.
  func countRows<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, _ store: any SQLStore, where restriction: SQLFragment? = nil
  ) throws -> Int {
    try reading(store) {
      var query = try lower(descriptor)
      if let restriction { query.restrictions.append(restriction) }
      if descriptor.includePendingChanges, pendingChangesMatter(to: query) {
        return try countWithPendingChanges(descriptor, query)
      }
      return try rows(query.count, of: query.table, cancellable: true) { Int($0.int64(0)) }[0]
    } otherwise: {
      if restriction != nil { throw DataStoreError.preferInMemoryFilter }
      return try fetchInMemory(descriptor, after: nil).count
    }
  }

  func fetchRowIdentifiers<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, _ store: any SQLStore
  ) throws -> [PersistentIdentifier] {
    try reading(store) {
      var query = try lower(descriptor)
      if descriptor.includePendingChanges, pendingChangesMatter(to: query) {
        return try fetchWithPendingChanges(descriptor, query).map(\.persistentModelID)
      }
      let table = query.table
      query.columns = table.hasDiscriminator ? "t0._pk, t0._entity" : "t0._pk"
      return try rows(query.select, of: table, cancellable: true) { row in
        store.identifier(
          ofKey: row.int64(0), entity: table.hasDiscriminator ? row.text(1) ?? table.entity.name : table.entity.name)
      }
    } otherwise: {
      try fetchInMemory(descriptor, after: nil).map(\.persistentModelID)
    }
  }

  // MARK: - Lowering

  /// A fetch of objects.
  func lower<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) throws -> StoreQuery {
    try lower(descriptor, leavingOut: left(out: descriptor))
  }

  private func lower<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, leavingOut left: PropertySet?
  ) throws -> StoreQuery {
    let table = try context.core.table(for: M.__entity)
    let store = try context.core.sqlStore(of: table)
    let shape = QueryShape(descriptor.predicate, descriptor.sortBy, nonNFC: store.nonNFCCount)
    if let shape, let known = store.loweredQueries.query(of: shape) {
      return try query(known, arguments: shape.values, table, store, descriptor, leavingOut: left)
    }
    var lowered = try lower(descriptor, store) { _ in [] }
    if let shape {
      lowered = store.loweredQueries.keep(lowered, as: shape, order: TiedRuns.order(of: lowered, table))
    }
    return try query(lowered, table, store, descriptor, leavingOut: left)
  }

  /// - Parameter values: lowers what the statement computes of each row; it can join what condition and order join.
  func lower<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, values: (inout LoweringState) throws -> [SQLFragment]
  ) throws -> StoreQuery {
    let table = try context.core.table(for: M.__entity)
    let store = try context.core.sqlStore(of: table)
    return try query(
      try lower(descriptor, store, values: values), table, store, descriptor, leavingOut: left(out: descriptor))
  }

  private func lower<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, _ store: any SQLStore, values: (inout LoweringState) throws -> [SQLFragment]
  ) throws -> LoweredQuery {
    do {
      return try PredicateLowering.query(
        descriptor.predicate, descriptor.sortBy, entity: M.__entity, environment: environment(of: store),
        values: values)
    } catch let error as SwiftDataError
      where store.dialect.mayDefer && !(error.underlyingError is LoweringState.TooDeep)
    {
      throw DataStoreError.preferInMemoryFilter
    }
  }

  /// A query whose rows include all that match a predicate, as far as the database can compute it. Nil if it cannot.
  func lowerCandidates<M: PersistentModel>(_ predicate: Predicate<M>?) throws -> StoreQuery? {
    let table = try context.core.table(for: M.__entity)
    let store = try context.core.sqlStore(of: table)
    let lowered = predicate.flatMap {
      PredicateLowering.candidates($0, entity: M.__entity, environment: environment(of: store))
    }
    return try lowered.map { try query($0, table, store, FetchDescriptor<M>(), leavingOut: nil) }
  }

  private func environment(of store: any SQLStore) -> LoweringEnvironment {
    LoweringEnvironment(
      key: { store.key(of: $0) }, identifier: { store.identifier(ofKey: $0, entity: $1) },
      isNonNFC: { store.isNonNFC(table: $0, column: $1) },
      familyNames: { [core = context.core] entity in
        ((try? core.table(for: entity))?.family ?? [entity]).map(\.name)
      },
      dialect: store.dialect,
      rtrees: { [core = context.core] entity in
        ((try? core.table(for: entity))?.rtrees ?? []).filter { store.derivedTables.contains($0.name) }
      },
      codec: { [core = context.core] entity, column in (try? core.table(for: entity))?.codecs[column] })
  }

  /// - Parameter arguments: the bound values of the condition, or nil if the lowered query has them.
  private func query<M: PersistentModel>(
    _ lowered: LoweredQuery, arguments: [SQLValue]? = nil, _ table: EntityTable, _ store: any SQLStore,
    _ descriptor: FetchDescriptor<M>, leavingOut left: PropertySet?
  ) throws -> StoreQuery {
    let columns: Set<String>? = left.map { left in
      Set(
        table.family.flatMap { member in
          member.properties.filter { $0.isStored && !left.contains($0.index) }.map { TableNames.column(for: $0) }
        })
    }
    var query = StoreQuery(
      lowered, arguments: arguments, table: table, dialect: store.dialect,
      columns: store.selection(of: table, only: columns))
    // Negative bounds bound nothing.
    query.limit = descriptor.fetchLimit.flatMap { $0 < 0 ? nil : $0 }
    query.offset = descriptor.fetchOffset.map { max(0, $0) }
    try context.leaveOutMarkedRows(&query, descriptor)
    return query
  }

  /// The properties of `M` that a partial fetch leaves out; nil if it leaves out none.
  private func left<M: PersistentModel>(out descriptor: FetchDescriptor<M>) -> PropertySet? {
    guard !descriptor.propertiesToFetch.isEmptyList else { return nil }
    let entity = M.__entity
    let wanted = PropertySet(
      descriptor.propertiesToFetch.compactMap { KeyPathResolver.property(at: $0, in: entity)?.index })
    let left = PropertySet(
      entity.properties.filter { $0.isDeferrable && !wanted.contains($0.index) }.map(\.index))
    return left.isEmpty ? nil : left
  }

  // MARK: - Loading rows

  /// Runs statements on the store of a table.
  func read<T>(
    _ table: EntityTable, cancellable: Bool = false, _ body: (any SQLConnection) throws -> T
  ) throws -> T {
    context.beginUse(.read)
    defer { context.endUse() }
    let store = try context.core.sqlStore(of: table)
    var result: T?
    try context.quietly { try store.withConnection(cancellable: cancellable) { result = try body($0) } }
    // The store either ran the body or threw.
    return result!
  }

  /// Returns the result of `body` for each row of values that a statement selects.
  func rows<T>(
    _ statement: SQLFragment, of table: EntityTable, cancellable: Bool = false, _ body: (SQLRows) throws -> T
  ) throws -> [T] {
    try read(table, cancellable: cancellable) { try $0.rows(statement, of: table.entity, body) }
  }

  /// Runs a query and returns its objects, registered; registered ones are reused.
  func load<M: PersistentModel>(_ query: StoreQuery, partial: PropertySet? = nil) throws -> [M] {
    let table = query.table
    var result = FetchedObjects()
    if !query.leavesOutMarkedRows { try context.loadMarkedRows(root: table.root) }
    var isFresh = false
    while !isFresh {
      try read(table, cancellable: true) { connection in
        isFresh = !hasExternalCommits(table.store)
        guard isFresh else { return }
        if partial == nil, try loadBackwards(query, connection, into: &result) { return }
        let batch = context.makeBatch(root: table.root)
        for range in query.rangesOrWhole {
          guard let select = query.select(range, after: result.count) else { break }
          try connection.run(select, of: table, entity: table.entity) { rows in
            let decoder = RowDecoder(rows, table: table, context: context, partial: partial, batch: batch)
            while try rows.next() { result.append(try decoder.decodeAny()) }
          }
        }
      }
      // Outside the read, since merging reads too.
      if !isFresh { takeInExternalCommits(table.store) }
    }
    return result.take(areAllEqual: !table.hasDiscriminator)
  }

  /// The objects with these keys, loaded if they are not registered.
  func objectsOfRows(
    withKeys keys: [Int64], in table: EntityTable, _ store: any SQLStore
  ) throws -> [Int64: any PersistentModel] {
    var result = [Int64: any PersistentModel]()
    var missing = [Int64]()
    for key in keys {
      if let object = context.registered(root: table.root, key: key) {
        result[key] = object
      } else {
        missing.append(key)
      }
    }
    guard !missing.isEmpty else { return result }
    try context.loadMarkedRows(root: table.root)
    try read(table) { connection in
      let among = store.isAmong("t0._pk", missing)
      let query: SQLFragment =
        "SELECT \(store.selection(of: table)) FROM \(name: table.name) AS t0 WHERE \(among)"
      try connection.run(query, of: table, entity: table.entity) { rows in
        let decoder = RowDecoder(rows, table: table, context: context)
        while try rows.next() {
          let object = try decoder.decodeAny()
          result[object.__state.key] = object
        }
      }
    }
    return result
  }

  /// The targets of a to-many for several owners, each in its owner's order.
  func targetsOfRows(
    _ owners: [Int64], _ info: RelationshipInfo, _ table: EntityTable, _ store: any SQLStore,
    _ body: (_ owner: Int64, _ target: any PersistentModel, _ positioned: Bool) -> Void
  ) throws {
    let (from, owner, position, tie) = Self.source(of: info, table, store.dialect)
    let statement: SQLFragment =
      """
      SELECT \(store.selection(of: table)), \(owner), \(position), \(position) IS NULL, \(tie) FROM \(from) \
      WHERE \(store.isAmong(owner, owners)) \
      ORDER BY \(position) IS NULL, \(position), \(tie)
      """
    try context.loadMarkedRows(root: table.root)
    try read(table) { connection in
      let last = store.selectionCount(of: table)
      try connection.run(statement, of: table, entity: table.entity) { rows in
        let decoder = RowDecoder(rows, table: table, context: context, keepsBatches: true)
        while try rows.next() {
          let object = try decoder.decodeAny()
          body(rows.int64(last), object, !rows.isNull(last + 1))
        }
      }
    }
  }

  /// The newest target of a to-many whose targets hold its key, and whether the target has a position in the list.
  /// - Complexity: one row, whatever the length of the list.
  func newestTargetOfRows(
    _ owner: Int64, _ info: RelationshipInfo, _ table: EntityTable, _ store: any SQLStore
  ) throws -> (target: any PersistentModel, isPositioned: Bool)? {
    guard case .inverseForeignKey = info.storage else { return nil }
    let (from, column, position, tie) = Self.source(of: info, table, store.dialect)
    let statement: SQLFragment =
      """
      SELECT \(store.selection(of: table)), \(position) IS NULL FROM \(from) \
      WHERE \(column) = \(bind: .integer(owner)) ORDER BY \(tie) DESC LIMIT 1
      """
    try context.loadMarkedRows(root: table.root)
    return try read(table) { connection in
      var found: (target: any PersistentModel, isPositioned: Bool)?
      try connection.run(statement, of: table, entity: table.entity) { rows in
        let decoder = RowDecoder(rows, table: table, context: context)
        while try rows.next() { found = (try decoder.decodeAny(), rows.int64(store.selectionCount(of: table)) == 0) }
      }
      return found
    }
  }

  private static func source(
    of info: RelationshipInfo, _ table: EntityTable, _ dialect: any SQLDialect
  ) -> (from: String, owner: String, position: String, tie: String) {
    switch info.storage {
    case .join(let join, let source, let target, let position):
      return (
        "\(join.quotedIdentifier) AS j JOIN \(table.name.quotedIdentifier) AS t0 ON t0._pk = j.\(target)",
        "j.\(source)", "j.\(position)", dialect.pairAge("j")
      )
    case .inverseForeignKey(let property, let position):
      let column = TableNames.column(for: property).quotedIdentifier
      return (
        "\(table.name.quotedIdentifier) AS t0", "t0.\(column)", "t0.\(position.quotedIdentifier)", "t0._pk"
      )
    case .foreignKey:
      preconditionFailure("a to-one has no list of targets")
    }
  }

  /// - Parameter objects: of one class.
  /// - Returns: the keys of the rows.
  func reloadRows(_ objects: [any PersistentModel], only: Int?, _ store: any SQLStore) throws -> [Int64] {
    let table = try context.core.table(for: type(of: objects[0]).__entity)
    let keys = objects.map { $0.__state.key }
    return try read(table) { connection in
      var found = [Int64]()
      let columns = only.map { Set([TableNames.column(for: table.entity.properties[$0])]) }
      let selection = store.selection(of: table, only: columns)
      let query: SQLFragment =
        "SELECT \(selection) FROM \(name: table.name) AS t0 WHERE \(store.isAmong("t0._pk", keys))"
      try connection.run(query, of: table, entity: table.entity) { rows in
        let decoder = RowDecoder(rows, table: table, context: context)
        while try rows.next() {
          let key = rows.int64(0)
          found.append(key)
          guard let object = context.registered(root: table.root, key: key) else { continue }
          try decoder.refresh(object, only: only)
        }
      }
      return found
    }
  }

  // MARK: - Prefetching

  func prefetch<M: PersistentModel>(_ keyPath: PartialKeyPath<M>, of objects: [M]) throws {
    guard let property = KeyPathResolver.property(at: keyPath, in: M.__entity), !property.isAttribute else {
      throw SwiftDataError(
        .unsupportedKeyPath, entity: M.__entity.name,
        message: "relationshipKeyPathsForPrefetching takes relationships of the model; \(keyPath) is not one")
    }
    // A hint loads the arrays of all owners at once.
    objects.first?.__state.batch?.owners[property.index] = objects.count
    for object in objects {
      if object.relationship(property).isFault { object.__fire(property.index) }
    }
  }

  // MARK: - Commits by other processes

  private func hasExternalCommits(_ store: Int) -> Bool {
    context.core.stores[store].externalCommits != context.syncedExternalCommits[store]
  }

  private func takeInExternalCommits(_ store: Int) {
    context.syncedExternalCommits[store] = context.core.stores[store].externalCommits
    context.staleStores.insert(store)
    context.quietly { context.refault(pointingTo: nil, merging: true) }
  }

  /// Whether rows are to be read into objects that are registered already.
  func refreshesOnFetch(_ store: Int) -> Bool { context.staleStores.contains(store) }
}
