import Foundation

/// A fetch, lowered to SQL.
struct StoreQuery {
  let table: EntityTable
  var columns: String
  /// The to-one relationships that the condition reads.
  var joins: [SQLFragment] = []
  /// Those that only the order reads.
  var orderJoins: [SQLFragment] = []
  var condition: SQLFragment?
  /// The terms of ORDER BY, each an expression with `DESC` behind it or not. Ties go by key.
  var order: [SQLFragment] = []
  /// Conditions beside that of the predicate.
  var restrictions: [SQLFragment] = []
  /// Where the rows are, for a fetch that begins in the midst of the order; nil where they are one stretch.
  var stretches: [Stretch]?
  /// Whether `restrictions` keep the rows out that a batch delete marked.
  var leavesOutMarkedRows = false
  /// What is computed of each row instead of an object, and the to-one relationships that only this reads.
  var values: [SQLFragment] = []
  var valueJoins: [SQLFragment] = []
  /// The properties that condition and order read, and those that the values read.
  var readProperties = ReadProperties()
  var valueReads = ReadProperties()
  var limit: Int?
  var offset: Int?
  var dialect = SQLDialect.sqlite

  /// The statement that selects objects.
  var select: SQLFragment { statement(SQLFragment(columns), ordered: true) }

  /// The statement that counts them.
  var count: SQLFragment {
    guard limit != nil || offset != nil else { return statement(SQLFragment("count(*)"), ordered: false) }
    let inner = statement(SQLFragment("1"), ordered: false)
    return SQLFragment("SELECT count(*) FROM (\(inner.sql))", inner.arguments)
  }

  func statement(_ columns: SQLFragment, ordered: Bool, joining others: [SQLFragment] = []) -> SQLFragment {
    var result = SQLFragment("SELECT ")
    // A fetch of one row is so short that putting its text together counts.
    result.sql.reserveCapacity(512)
    result.append(columns)
    result.append(" FROM ")
    result.append(table.name.quotedIdentifier)
    result.append(" AS t0")
    func join(_ joins: [SQLFragment]) {
      for join in joins {
        result.append(" ")
        result.append(join)
      }
    }
    join(joins)
    if ordered { join(orderJoins) }
    join(others)
    result.append(conditions)
    if ordered {
      result.append(" ORDER BY ")
      for term in order {
        result.append(term)
        if dialect == .postgres { result.append(SQLDialect.nullsOrder(term)) }
        result.append(", ")
      }
      result.append("t0._pk")
    }
    if dialect == .postgres {
      if let limit { result.append(" LIMIT \(limit)") }
      if let offset { result.append(" OFFSET \(offset)") }
      return result
    }
    if limit != nil || offset != nil {
      // SQLite has no offset without a limit; -1 is none.
      result.append(
        SQLFragment(" LIMIT ? OFFSET ?", [.integer(Int64(limit ?? -1)), .integer(Int64(offset ?? 0))]))
    }
    return result
  }

  /// Whether the statement reads its table a second time, through a relationship.
  var readsOwnTableAgain: Bool {
    let name = table.name.quotedIdentifier
    return (joins + orderJoins + valueJoins + order + values + [condition].compactMap { $0 }).contains {
      $0.sql.contains(name)
    }
  }

  /// ` WHERE …`, or nothing.
  var conditions: SQLFragment {
    let all = [table.discriminatorCondition.map { SQLFragment($0) }, condition].compactMap { $0 } + restrictions
    var result = SQLFragment("")
    for (index, condition) in all.enumerated() {
      result.append(index == 0 ? " WHERE " : " AND ")
      if all.count > 1 { result.append("(") }
      result.append(condition)
      if all.count > 1 { result.append(")") }
    }
    return result
  }

  /// Whether the statement reads rows of an entity other than by its own table.
  func reads(_ other: EntityTable) -> Bool {
    let name = other.name.quotedIdentifier
    return other.name == table.name || (joins + orderJoins + valueJoins).contains { $0.sql.contains(name) }
      || condition?.sql.contains(name) == true
      || (order + values).contains { $0.sql.contains(name) }
  }
}

extension ContextState {
  // MARK: - Fetching

  // These work on rows; `ContextState+Stores` asks whichever store it is.

  func fetchRows<M: PersistentModel>(_ descriptor: FetchDescriptor<M>, after model: M?) throws -> [M] {
    var query = try lower(descriptor)
    if let model { try begin(&query, after: model) }
    if descriptor.includePendingChanges, pendingChangesMatter(to: query) {
      return try fetchWithPendingChanges(descriptor, query, after: model)
    }
    let offset = model == nil ? 0 : query.moveOffsetToLimit()
    let result: [M] = try load(query, partial: left(out: descriptor))
    return offset == 0 ? result : Array(result.dropFirst(offset))
  }

  func countRows<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) throws -> Int {
    let query = try lower(descriptor)
    if descriptor.includePendingChanges, pendingChangesMatter(to: query) {
      return try countWithPendingChanges(descriptor, query)
    }
    return try read(query.table) { connection in
      try connection.rows(query.count) { Int($0.integer(0)) }[0]
    }
  }

  func fetchRowIdentifiers<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) throws -> [PersistentIdentifier] {
    var query = try lower(descriptor)
    if descriptor.includePendingChanges, pendingChangesMatter(to: query) {
      return try fetchWithPendingChanges(descriptor, query).map(\.persistentModelID)
    }
    let table = query.table
    let store = try core.sqlStore(of: table)
    query.columns = table.hasDiscriminator ? "t0._pk, t0._entity" : "t0._pk"
    return try read(table) { connection in
      try connection.rows(query.select) { cells in
        PersistentIdentifier(
          entityName: table.hasDiscriminator ? cells.text(1) ?? table.entity.name : table.entity.name,
          storeIdentifier: store.identifier,
          key: cells.integer(0))
      }
    }
  }

  // MARK: - Lowering

  /// A fetch of objects.
  func lower<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) throws -> StoreQuery {
    let table = try core.table(for: M.__entity)
    let store = try core.sqlStore(of: table)
    let shape = QueryShape(descriptor.predicate, descriptor.sortBy, denormalized: store.denormalizedCount)
    if let shape, let known = store.loweredQueries.query(of: shape) { return try query(known, table, descriptor) }
    let lowered = try PredicateLowering.query(
      descriptor.predicate, descriptor.sortBy, entity: M.__entity, environment: environment(of: store))
    if let shape { store.loweredQueries.keep(lowered, as: shape) }
    return try query(lowered, table, descriptor)
  }

  /// - Parameter values: lowers what the statement computes of each row; it can join what condition and order join.
  func lower<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, values: (inout LoweringState) throws -> [SQLFragment]
  ) throws -> StoreQuery {
    let table = try core.table(for: M.__entity)
    let lowered = try PredicateLowering.query(
      descriptor.predicate, descriptor.sortBy, entity: M.__entity,
      environment: environment(of: try core.sqlStore(of: table)), values: values)
    return try query(lowered, table, descriptor)
  }

  private func environment(of store: SQLiteStore) -> LoweringEnvironment {
    LoweringEnvironment(
      storeIdentifier: store.identifier, isDenormalized: { store.isDenormalized(table: $0, column: $1) },
      familyNames: { [core] entity in
        ((try? core.table(for: entity))?.family ?? [entity]).map(\.name)
      },
      rtrees: { [core] entity in
        ((try? core.table(for: entity))?.rtrees ?? []).filter { store.derivedTables.contains($0.name) }
      },
      isEncrypted: { [core] entity, column in
        (try? core.table(for: entity))?.encrypted.contains(column) == true
      })
  }

  private func query<M: PersistentModel>(
    _ lowered: LoweredQuery, _ table: EntityTable, _ descriptor: FetchDescriptor<M>
  ) throws -> StoreQuery {
    let left = left(out: descriptor)
    let columns: Set<String>? = left.map { left in
      Set(
        table.family.flatMap { member in
          member.properties.filter { $0.isStored && !left.contains($0.index) }.map { TableNames.column(for: $0) }
        })
    }
    var query = StoreQuery(table: table, columns: table.select(only: columns))
    (query.joins, query.condition) = (lowered.joins, lowered.condition)
    (query.orderJoins, query.order) = (lowered.orderJoins, lowered.order)
    (query.valueJoins, query.values) = (lowered.valueJoins, lowered.values)
    (query.readProperties, query.valueReads) = (lowered.reads, lowered.valueReads)
    // Negative bounds bound nothing.
    query.limit = descriptor.fetchLimit.flatMap { $0 < 0 ? nil : $0 }
    query.offset = descriptor.fetchOffset.map { max(0, $0) }
    try leaveOutMarkedRows(&query, descriptor)
    return query
  }

  /// The properties of `M` that a partial fetch leaves out; nil where it leaves out none.
  private func left<M: PersistentModel>(out descriptor: FetchDescriptor<M>) -> PropertySet? {
    guard !descriptor.propertiesToFetch.isEmpty else { return nil }
    let entity = M.__entity
    let wanted = PropertySet(
      descriptor.propertiesToFetch.compactMap { KeyPathResolver.property(at: $0, in: entity)?.index })
    let left = PropertySet(
      entity.properties.filter { $0.isDeferrable && !wanted.contains($0.index) }.map(\.index))
    return left.isEmpty ? nil : left
  }

  // MARK: - Loading rows

  func read<T>(_ table: EntityTable, _ body: (SQLiteConnection) throws -> T) throws -> T {
    beginUse(.read)
    defer { endUse() }
    return try quietly { try core.sqlStore(of: table).read(body) }
  }

  /// Runs a query and returns its objects, registered; registered ones are reused.
  func load<M: PersistentModel>(_ query: StoreQuery, partial: PropertySet? = nil) throws -> [M] {
    let table = query.table
    var result = [M]()
    let store = try core.sqlStore(of: table)
    if !query.leavesOutMarkedRows { try loadMarkedRows(root: table.root) }
    var isFresh = false
    while !isFresh {
      try read(table) { connection in
        isFresh = !hasForeignCommits(table.store)
        guard isFresh else { return }
        let decoder = RowDecoder(table: table, store: store, context: self, partial: partial)
        for stretch in query.stretchesOrWhole {
          guard let select = query.select(stretch, after: result.count) else { break }
          try connection.query(select, reader: decoder.reader) { _ in
            result.append(try decoder.decode())
          }
        }
      }
      // Outside the read, since merging reads too.
      if !isFresh { takeInForeignCommits(table.store) }
    }
    return result
  }

  /// The objects with these keys, loaded where they are not registered.
  func objectsOfRows(withKeys keys: [Int64], in table: EntityTable) throws -> [Int64: any PersistentModel] {
    var result = [Int64: any PersistentModel]()
    var missing = [Int64]()
    for key in keys {
      if let object = registered(root: table.root, key: key) { result[key] = object } else { missing.append(key) }
    }
    guard !missing.isEmpty else { return result }
    try loadMarkedRows(root: table.root)
    let store = try core.sqlStore(of: table)
    try read(table) { connection in
      let decoder = RowDecoder(table: table, store: store, context: self, partial: nil)
      let query = SQLFragment(
        "SELECT \(table.select()) FROM \(table.name.quotedIdentifier) AS t0"
          + " WHERE t0._pk IN (SELECT value FROM json_each(?))", [Self.list(missing)])
      try connection.query(query, reader: decoder.reader) { _ in
        let object = try decoder.decodeAny()
        result[object.__state.key] = object
      }
    }
    return result
  }

  /// The targets of a to-many for several owners, each in its owner's order.
  func targetsOfRows(
    _ owners: [Int64], _ info: RelationshipInfo, _ table: EntityTable,
    _ body: (_ owner: Int64, _ target: any PersistentModel, _ positioned: Bool) -> Void
  ) throws {
    let store = try core.sqlStore(of: table)
    let (from, owner, position, tie) = Self.source(of: info, table)
    let sql =
      "SELECT \(table.select()), \(owner), \(position) IS NOT NULL FROM \(from)"
      + " WHERE \(owner) IN (SELECT value FROM json_each(?))"
      + " ORDER BY \(position) IS NULL, \(position), \(tie)"
    try loadMarkedRows(root: table.root)
    try read(table) { connection in
      let decoder = RowDecoder(table: table, store: store, context: self, partial: nil, keepsBatches: true)
      let last = Int32(table.columns.count + (table.hasDiscriminator ? 2 : 1))
      try connection.query(SQLFragment(sql, [Self.list(owners)]), reader: decoder.reader) { reader in
        let object = try decoder.decodeAny()
        body(reader.int64(last), object, reader.int64(last + 1) != 0)
      }
    }
  }

  private static func source(
    of info: RelationshipInfo, _ table: EntityTable
  ) -> (from: String, owner: String, position: String, tie: String) {
    switch info.storage {
    case .join(let join, let source, let target, let position):
      return (
        "\(join.quotedIdentifier) AS j JOIN \(table.name.quotedIdentifier) AS t0 ON t0._pk = j.\(target)",
        "j.\(source)", "j.\(position)", "j.rowid"
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
  func reloadRows(_ objects: [any PersistentModel], only: Int?) throws {
    let table = try core.table(for: type(of: objects[0]).__entity)
    let store = try core.sqlStore(of: table)
    let keys = objects.map { $0.__state.key }
    try read(table) { connection in
      let decoder = RowDecoder(table: table, store: store, context: self, partial: nil)
      let columns = only.map { Set([TableNames.column(for: table.entity.properties[$0])]) }
      let query = SQLFragment(
        "SELECT \(table.select(only: columns)) FROM \(table.name.quotedIdentifier) AS t0"
          + " WHERE t0._pk IN (SELECT value FROM json_each(?))", [Self.list(keys)])
      try connection.query(query, reader: decoder.reader) { reader in
        guard let object = registered(root: table.root, key: reader.int64(0)) else { return }
        try decoder.refresh(object, only: only)
      }
    }
  }

  /// A list of keys as one parameter.
  static func list(_ keys: [Int64]) -> SQLValue {
    .text("[" + keys.map(String.init).joined(separator: ",") + "]")
  }

  // MARK: - Prefetching

  func prefetch<M: PersistentModel>(_ keyPath: PartialKeyPath<M>, of objects: [M]) throws {
    guard let property = KeyPathResolver.property(at: keyPath, in: M.__entity), !property.isAttribute else {
      throw SwiftDataError(
        .unsupportedKeyPath, entity: M.__entity.name,
        message: "relationshipKeyPathsForPrefetching takes the relationships of the model; \(keyPath) is none")
    }
    // A hint loads the arrays of all owners at once.
    objects.first?.__state.batch?.owners[property.index] = objects.count
    for object in objects {
      if case .fault = object.__relationship(property.index, .read) { object.__fire(property.index) }
    }
  }

  // MARK: - Commits by other processes

  private func hasForeignCommits(_ store: Int) -> Bool {
    core.stores[store].foreignCommits != syncedForeignCommits[store]
  }

  private func takeInForeignCommits(_ store: Int) {
    syncedForeignCommits[store] = core.stores[store].foreignCommits
    staleStores.insert(store)
    quietly { refault(pointingTo: nil, merging: true) }
  }

  /// Whether rows are to be read into objects that are registered already.
  func refreshesOnFetch(_ store: Int) -> Bool { staleStores.contains(store) }
}
