import Foundation

/// Turns the rows of one statement into registered objects.
struct RowDecoder {
  let table: EntityTable
  let reader: SQLRows
  private let context: ContextState
  private let partial: PropertySet?
  /// The objects that the statement returned so far.
  let batch: FetchBatch
  /// The decoded values of registered objects are stale: another process committed.
  private let refreshes: Bool

  /// The class of all rows, or nil if each row says its own.
  private let rowClass: (any PersistentModel.Type)?
  /// Whether objects that came with an earlier fetch stay with that one.
  private let keepsBatches: Bool

  /// - Parameter rows: the result of a statement that selects the table's rows.
  init(
    _ rows: SQLRows, table: EntityTable, context: ContextState, partial: PropertySet? = nil, batch: FetchBatch? = nil,
    keepsBatches: Bool = false
  ) {
    self.keepsBatches = keepsBatches
    self.table = table
    self.context = context
    self.partial = partial
    self.batch = batch ?? context.makeBatch(root: table.root)
    self.reader = rows
    self.refreshes = context.queries.refreshesOnFetch(table.store)
    reader.columns = table.positions[table.entity.name]!
    if let partial { for index in partial.indices { reader.columns[index] = -1 } }
    rowClass = table.hasDiscriminator ? nil : table.entity.type
    reader.deferred = PropertySet()
  }

  /// The object of the current row.
  func decodeAny() throws -> any PersistentModel {
    let key = reader.int64(0)
    batch.keys.append(key)
    if let object = context.registered(root: table.root, key: key) {
      // An object whose deletion is not saved keeps its loaded to-ones, with which an undo inserts it again.
      if refreshes, !object.__state.flags.contains(.deleted) {
        try refresh(object, only: nil)
      } else {
        try complete(object)
      }
      if !keepsBatches || object.__state.batch == nil { object.__state.batch = batch }
      return object
    }
    let object = try (rowClass ?? selectClass().type).init(__row: reader)
    context.register(object, root: table.root, key: key, batch)
    if partial != nil || reader.hasDeferred { leaveUnloaded(object) }
    return object
  }

  /// Notes what the row did not give to its object.
  private func leaveUnloaded(_ object: any PersistentModel) {
    var unloaded = reader.deferred ?? PropertySet()
    if let partial { unloaded.formUnion(partial) }
    if !unloaded.isEmpty { object.__state.unloaded = unloaded }
    reader.deferred = PropertySet()
    reader.hasDeferred = false
  }

  /// Reads the row into a registered object, except what is unsaved there.
  func refresh(_ object: any PersistentModel, only: Int?) throws {
    _ = try selectClass()
    reader.deferred = nil
    defer { reader.deferred = PropertySet() }
    let unsaved = context.unsavedProperties(of: object)
    let properties = type(of: object).__entity.properties
    for property in properties where only == nil || only == property.index {
      guard reader.columns[property.index] >= 0, unsaved?.contains(property.index) != true else { continue }
      if object.__isObserved, only == nil, !differs(object, property) { continue }
      try object.__reload(property.index, from: reader)
      object.__state.unloaded?.remove(property.index)
      if only == nil { context.notify(object, property.index) }
    }
    if object.__state.unloaded?.isEmpty == true { object.__state.unloaded = nil }
  }

  /// Gives a registered object what an earlier partial fetch left out.
  private func complete(_ object: any PersistentModel) throws {
    guard let unloaded = object.__state.unloaded else { return }
    _ = try selectClass()
    for index in unloaded.indices where reader.columns[index] >= 0 {
      // External data stays unloaded until it is touched.
      if case .attribute(.blob, _) = type(of: object).__entity.properties[index].kind { continue }
      try refresh(object, only: index)
    }
  }

  /// Whether the row has another value than the object: observers hear of real changes only.
  private func differs(_ object: any PersistentModel, _ property: __Property) -> Bool {
    let current = ValueWriter.values(of: object, [property])
    return current.first != reader.value(at: reader.columns[property.index])
  }

  private func selectClass() throws -> __Entity {
    guard table.hasDiscriminator else { return table.entity }
    let name = reader.string(1)
    guard let entity = table.family.first(where: { $0.name == name }), var columns = table.positions[name] else {
      throw SwiftDataError(
        .unknownSchema, entity: name,
        message: "the store has objects of this class, which the container does not know; add it to"
          + " ModelContainer(for:)")
    }
    if let partial { for index in partial.indices { columns[index] = -1 } }
    reader.entity = entity
    reader.columns = columns
    return entity
  }
}
