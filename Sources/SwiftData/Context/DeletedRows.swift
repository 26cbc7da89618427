/// The objects whose rows another save deleted.
///
/// Such an object leaves the context, and references to it become nil, as a delete rule does it. An object that the program edited
/// stays with its edits: the next save throws, and stores nothing. Deleting the object or rolling back lets it go.
extension ContextState {
  /// Unregisters the objects of rows that were deleted without them.
  /// - Parameter keepsEdits: whether edited objects stay. They do unless this context deleted the rows itself.
  func letGo(of groups: [SavedChanges.Objects], keepingEdits keepsEdits: Bool = false) {
    var gone = [any PersistentModel]()
    for group in groups {
      for key in group.keys {
        guard let object = registered(root: group.root, key: key) else { continue }
        gone.append(object)
        let id = ObjectIdentifier(object)
        guard keepsEdits, changed[id]?.isEdited == true, !object.__state.flags.contains(.deleted) else {
          forgetRow(of: object)
          continue
        }
        changed[id]?.isRowDeleted = true
        mayHaveDeletedRows = true
      }
    }
    LoadedReferences(context: self).drop(to: gone, oneSided: false)
  }

  private func forgetRow(of object: any PersistentModel) {
    changed[ObjectIdentifier(object)] = nil
    deleted[ObjectIdentifier(object)] = nil
    unsavedIndices.touch(object)
    object.__state.flags = []
    unregister(object)
  }

  /// Whether the object has edits, and no row any more.
  func hasDeletedRow(_ object: any PersistentModel) -> Bool {
    mayHaveDeletedRows && changed[ObjectIdentifier(object)]?.isRowDeleted == true
  }

  /// Lets go of edited objects without rows. Their edits are lost.
  func letGo(ofEdited objects: [any PersistentModel]) {
    for object in objects { forgetRow(of: object) }
    LoadedReferences(context: self).drop(to: objects, oneSided: false)
  }

  /// Leaves out the rows of objects that stay with their edits.
  func withoutEdited(_ group: SavedChanges.Objects) -> SavedChanges.Objects {
    guard mayHaveDeletedRows else { return group }
    var group = group
    group.keys.removeAll { key in registered(root: group.root, key: key).map(hasDeletedRow) ?? false }
    return group
  }

  /// - Throws: ``SwiftDataError/staleObject`` if another save deleted the row of an edited object; `HistoryMovedOn` from a conditional save
  ///   that this or another save came before.
  func throwDeletedRow() throws {
    guard mayHaveDeletedRows else { return }
    guard let change = changed.values.first(where: \.isRowDeleted) else {
      mayHaveDeletedRows = false
      return
    }
    if let expected = editing.expectedTransaction, try core.stores.first?.newestTransaction() != expected {
      throw HistoryMovedOn()
    }
    throw RowSave.stale(try core.table(for: type(of: change.object).__entity))
  }

  /// Runs a save. A store refuses it if an object has no row any more, which another process may have deleted. Objects that
  /// the program did not edit then leave the context, as if this process had deleted the row, and the save runs again.
  func savingWithoutDeletedRows<T>(_ save: () throws -> T) throws -> T {
    while true {
      do {
        return try save()
      } catch let error as SwiftDataError where error.isDeletedRow && !mayHaveDeletedRows {
        guard noteDeletedRows(), !mayHaveDeletedRows else { throw error }
      }
    }
  }

  /// Looks which changed objects have no row any more.
  /// - Returns: false if all have theirs, or if the store cannot be read.
  private func noteDeletedRows() -> Bool {
    let objects = changed.values.map(\.object).filter { !$0.__state.flags.contains(.deleted) }
    var gone = [SavedChanges.Objects]()
    for group in Dictionary(grouping: objects, by: { ObjectIdentifier(type(of: $0).__entity) }).values {
      let entity = type(of: group[0]).__entity
      guard let table = try? core.table(for: entity), let found = try? Set(queries.reload(group)) else { return false }
      let keys = group.map { $0.__state.key }.filter { !found.contains($0) }
      if !keys.isEmpty { gone.append(.init(root: table.root, entity: entity.name, keys: keys)) }
    }
    letGo(of: gone, keepingEdits: true)
    return !gone.isEmpty
  }
}

extension SwiftDataError {
  /// Whether a store may have found no row of an object with unsaved changes. An error about the whole store names no entity.
  fileprivate var isDeletedRow: Bool { code == .staleObject && entity != nil }
}
