import Foundation

// Values that a server computes of its rows. Where it cannot do so as Swift does, the result is nil, and the context
// computes them of the objects.

extension ContextState {
  /// A fetch as a statement of a store of rows on a server.
  /// - Throws: ``SwiftDataError`` where a part of it has no SQL form.
  func lower<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, on store: any RelationalStore,
    values: (inout LoweringState) throws -> [SQLFragment] = { _ in [] }
  ) throws -> StoreQuery {
    let lowered = try PredicateLowering.query(
      descriptor.predicate, descriptor.sortBy, entity: M.__entity, environment: store.environment, values: values)
    var query = StoreQuery(table: try core.table(for: M.__entity), columns: "t0._pk")
    query.dialect = .postgres
    (query.joins, query.condition) = (lowered.joins, lowered.condition)
    (query.orderJoins, query.order) = (lowered.orderJoins, lowered.order)
    (query.valueJoins, query.values) = (lowered.valueJoins, lowered.values)
    query.limit = descriptor.fetchLimit.flatMap { $0 < 0 ? nil : $0 }
    query.offset = descriptor.fetchOffset.flatMap { $0 > 0 ? $0 : nil }
    return query
  }

  /// Lowers a fetch with what is computed of its rows; nil where the server is not to be asked.
  private func askable<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, _ store: any RelationalStore,
    values: (inout LoweringState) throws -> [SQLFragment]
  ) throws -> StoreQuery? {
    drainInbox()
    try loadMarkedRows(root: try core.table(for: M.__entity).root)
    guard let query = try? lower(descriptor, on: store, values: values) else { return nil }
    return descriptor.includePendingChanges && pendingChangesMatter(to: query) ? nil : query
  }

  /// What a statement finds; nil where the server leaves the answer to Swift.
  private func rows(_ statement: SQLFragment, _ store: any RelationalStore) throws -> [[SQLValue]]? {
    do {
      return try store.rows(statement)
    } catch DataStoreError.preferInMemoryFilter {
      return nil
    }
  }

  func serverAggregates<M: PersistentModel, each Key: Hashable, each Value>(
    _ descriptor: FetchDescriptor<M>, _ store: any RelationalStore, groupedBy keyPaths: repeat KeyPath<M, each Key>,
    computing aggregates: repeat ModelContext.Aggregate<M, each Value>
  ) throws -> [(repeat each Key, repeat each Value)]? {
    var statement = GroupingStatement(isSorted: !descriptor.sortBy.isEmpty)
    var keyCells = [Any]()
    var plans = [Any]()
    let query = try askable(descriptor, store) { state in
      for keyPath in repeat each keyPaths { keyCells.append(try statement.addServerKey(keyPath, &state)) }
      for aggregate in repeat each aggregates { plans.append(try statement.add(aggregate.plan(&state))) }
      return statement.columns
    }
    guard let query, let rows = try rows(statement.sql(query, withoutNaN: false), store) else { return nil }
    // The casts cannot fail: the closure above appended one of the type for each element of the pack, in order.
    var nextKey = keyCells.makeIterator()
    let keys = (repeat nextKey.next() as! KeyCells<each Key>)
    var nextPlan = plans.makeIterator()
    let values = (repeat nextPlan.next() as! PlacedAggregate<each Value>)
    return try rows.map { cells in
      let outputs = Array(cells.dropFirst(statement.keyCount))
      return (repeat try (each keys).read(cells), repeat try (each values).read(outputs))
    }
  }

  func serverSections<M: PersistentModel, Title: Hashable>(
    of descriptor: FetchDescriptor<M>, by keyPath: KeyPath<M, Title>, _ relational: any RelationalStore
  ) throws -> [ResultsSection<M, Title>]? {
    // The rows of a section are known by their keys alone.
    guard !(try core.table(for: M.__entity).hasDiscriminator) else { return nil }
    var statement = GroupingStatement(isSorted: !descriptor.sortBy.isEmpty)
    var title: KeyCells<Title>?
    let query = try askable(descriptor, relational) { state in
      title = try statement.addServerKey(keyPath, &state)
      _ = statement.add(try ModelContext.Aggregate<M, Int>.count.plan(&state))
      return statement.columns
    }
    guard let query, let rows = try rows(statement.sql(query, withoutNaN: false), relational) else { return nil }
    let store = core.store(of: query.table)
    return try rows.map { cells in
      guard case .integer(let count)? = cells.last, let title else {
        throw SwiftDataError(.unreadableValue, entity: M.__entity.name, message: "the server counted no rows")
      }
      let members = statement.members(query, with: Array(cells.dropLast()))
      let rows = SectionRows<M>(count: Int(count), state: self) {
        try relational.rows(members).compactMap { cells in
          guard case .integer(let key)? = cells.first else { return nil }
          return store.key(
            of: PersistentIdentifier(entityName: M.__entity.name, storeIdentifier: store.identifier, key: key))
        }
      }
      return ResultsSection(title: try title.read(cells), rows: rows)
    }
  }
}

/// Where the cells of a group's value are, and how it is read from them.
struct KeyCells<Value> {
  let read: ([SQLValue]) throws -> Value
}

extension GroupingStatement {
  /// - Throws: ``SwiftDataError/unsupportedKeyPath`` where equal values need not be equal cells.
  mutating func addServerKey<M: PersistentModel, Key: Hashable>(
    _ keyPath: KeyPath<M, Key>, _ state: inout LoweringState
  ) throws -> KeyCells<Key> {
    let value = try state.value(at: keyPath)
    let position = columns.count
    let entity = value.property?.entity ?? state.entity
    let none = (Key.self as? any __OptionalValue.Type)?.__none as? Key
    if let object = value.identified {
      let isFamily = state.environment.familyNames(object.entity.root).count > 1
      addKeyColumns([object.key] + (isFamily ? [SQLFragment("\(state.alias(of: object))._entity")] : []))
      let (store, name) = (state.environment.storeIdentifier, object.entity.name)
      return KeyCells { cells in
        guard case .integer(let key) = cells[position], !isFamily || cells[position + 1] != .null else {
          if let none { return none }
          throw LoweredValue.failure(entity, "persistentModelID", count: 1)
        }
        var own = name
        if isFamily, case .text(let found) = cells[position + 1] { own = found }
        // Cannot fail: only a key path to an identifier is lowered to one.
        return PersistentIdentifier(entityName: own, storeIdentifier: store, key: key) as! Key
      }
    }
    let type = value.scalar.type
    switch type.form {
    case .integer, .unsigned, .bool, .real, .text, .uuid: break
    default:
      throw SwiftDataError(
        .unsupportedKeyPath, entity: entity.name, property: value.property?.property.name,
        message: "models are grouped by a \(type.swiftType) in memory")
    }
    addKeyColumns([value.normalized.scalar.sql])
    return KeyCells { cells in
      let cell = cells[position]
      if cell == .null {
        if let none { return none }
        throw LoweredValue.failure(entity, value.property?.property.name ?? "an expression", count: 1)
      }
      guard let result: Key = type.value(of: cell, entity: entity) else {
        throw SwiftDataError(
          .unreadableValue, entity: entity.name, property: value.property?.property.name,
          message: "the stored value is no \(Key.self)")
      }
      return result
    }
  }
}

// MARK: - Updates

extension ContextState {
  /// Updates rows by one statement; nil where the objects have to be changed one by one.
  func serverUpdate<M: PersistentModel>(
    where predicate: Predicate<M>?, set assignments: [ModelContext.Assignment<M>], _ relational: any RelationalStore
  ) throws -> Int? {
    let descriptor = FetchDescriptor<M>(predicate: predicate)
    try loadMarkedRows(root: try core.table(for: M.__entity).root)
    var columns = [AssignedColumn]()
    let lowered = try? lower(descriptor, on: relational) { state in
      columns = try assignments.map { try $0.plan(&state) }
      return columns.flatMap { [$0.value] + ($0.failure.map { [$0] } ?? []) }
    }
    guard var query = lowered, !columns.isEmpty, columns.allSatisfy(\.isComputedByServers) else { return nil }
    var objects = [M]()
    if pendingChangesMatter(to: query) {
      if dependsOnOthers(query, includingValues: true) { return nil }
      objects = unsaved(M.self).filter { object in
        !object.__state.flags.contains(.deleted) && predicate.map { (try? $0.evaluate(object)) == true } ?? true
      }
      let keys = unsavedKeysOnServer(in: query.table)
      if !keys.isEmpty {
        query.restrictions.append(SQLFragment("t0._pk NOT IN (\(keys.map(String.init).joined(separator: ", ")))"))
      }
    }
    let assigns = try prepare(assignments, for: objects)
    guard let changed = try serverUpdate(query, columns, relational) else { return nil }
    for assign in assigns { assign() }
    return changed + objects.count
  }

  private func serverUpdate(
    _ query: StoreQuery, _ all: [AssignedColumn], _ relational: any RelationalStore
  ) throws -> Int? {
    // Of two assignments to one property the later counts.
    let columns = all.enumerated().filter { index, column in
      !all[(index + 1)...].contains { $0.property === column.property }
    }.map(\.element)
    let computed = columns.enumerated().filter { !$0.element.isConstant }
    let failures = columns.compactMap(\.failure)
    let values =
      [SQLFragment("t0._pk AS pk")] + computed.map { $0.element.value + SQLFragment(" AS c\($0.offset)") }
      + [
        failures.isEmpty
          ? SQLFragment("FALSE AS failed")
          : failures.dropFirst().reduce(SQLFragment("((") + failures[0]) { $0 + SQLFragment(") OR (") + $1 }
            + SQLFragment(")) IS TRUE AS failed")
      ]
    let update = RelationalUpdate(
      entity: query.table.entity, columns: columns.map { ($0.property, $0.constant, $0.isConstant) },
      rows: query.statement(values.list, ordered: false, joining: query.valueJoins) + SQLFragment(" FOR UPDATE OF t0")
    ) { count in
      let names = columns.filter { $0.failure != nil }.map(\.property.name).joined(separator: ", ")
      return LoweredValue.failure(query.table.entity, "the new value of \(names)", count: count)
    }
    post(ModelContext.willSave, nil)
    do {
      let changed = try core.exclusively { try relational.update(update, editing) }
      let store = core.store(of: query.table)
      didUpdate(
        query.table,
        changed.reduce(into: [:]) { found, group in
          found[group.key] = group.value.compactMap { key in
            store.key(of: PersistentIdentifier(entityName: group.key, storeIdentifier: store.identifier, key: key))
          }
        })
      return changed.values.reduce(0) { $0 + $1.count }
    } catch DataStoreError.preferInMemoryFilter {
      return nil
    }
  }

  private func unsavedKeysOnServer(in table: EntityTable) -> [Int64] {
    (changed.values.map(\.object) + Array(deleted.values))
      .filter { TableNames.table(for: type(of: $0).__entity) == table.name }.compactMap(\.persistentModelID.key)
  }
}

extension AssignedColumn {
  /// Whether a server can compute the cells that the property would have.
  var isComputedByServers: Bool {
    if isConstant { return true }
    guard case .attribute(_, .direct) = property.kind, ScalarType(of: property).isPlain else { return false }
    switch ScalarType(of: property).form {
    case .integer, .bool, .real: return true
    default: return false
    }
  }
}
