import Foundation

/// The unsaved insertions with an undo action.
///
/// Undoing an insertion after its save deletes the row. If the save wrote the new object into a stored row with its
/// unique values, that row was there before, and undoing must give it its former values back. Only the save knows them.
struct UndoneInsertions {
  /// One insertion, which its undo action holds.
  final class Insertion {
    /// The row that the save wrote the object into, or nil if it made one.
    @exclusivity(unchecked) fileprivate(set) var row: ReplacedRow?
  }

  private var open: [ObjectIdentifier: Insertion] = [:]

  /// - Returns: nil if the context registers no undo actions.
  mutating func begin(_ object: any PersistentModel, in context: ContextState) -> Insertion? {
    guard let undoManager = context.undoManager, undoManager.isUndoRegistrationEnabled else { return nil }
    let insertion = Insertion()
    open[ObjectIdentifier(object)] = insertion
    return insertion
  }

  /// The inserted objects.
  var objects: Set<ObjectIdentifier> { Set(open.keys) }

  /// Ends an insertion that was saved or undone.
  /// - Parameter row: the stored row that the save wrote the object into.
  mutating func end(_ object: any PersistentModel, in row: @autoclosure () -> ReplacedRow? = nil) {
    guard !open.isEmpty, let insertion = open.removeValue(forKey: ObjectIdentifier(object)) else { return }
    insertion.row = row()
  }

  mutating func removeAll() { open.removeAll() }
}

/// A stored row that a new object with its unique values was written into, with what the row had before.
struct ReplacedRow {
  let table: EntityTable
  let key: Int64
  /// Empty if the store does not tell.
  let cells: [ReplacedCell]
}

extension ContextState {
  /// Gives a row the values back that it had before an upsert. A row that was deleted since stays deleted.
  func restore(_ row: ReplacedRow) {
    beginUse(.change)
    defer { endUse() }
    drainInbox()
    do {
      let registered = registered(root: row.table.root, key: row.key)
      guard let object = try registered ?? queries.objects(withKeys: [row.key], in: row.table)[row.key],
        !object.__state.flags.contains(.deleted)
      else { return }
      for value in row.cells {
        if value.property.isToOne {
          restore(value, of: object)
        } else if ValueWriter.values(of: object, [value.property]).first != value.cell {
          try ModelCells.set(object, value.property, value.cell)
        }
      }
    } catch {
      note(error)
    }
  }

  private func restore(_ target: ReplacedCell, of object: any PersistentModel) {
    let index = target.property.index
    if object.relationship(at: index).isFault { object.__fire(index) }
    guard let current = object.relationship(at: index).targets else { return }
    let key: Int64 = if case .integer(let key) = target.cell { key } else { 0 }
    guard (current.first?.__state.key ?? 0) != key else { return }
    RelationshipMaintenance.restore(object, index) {
      guard key != 0 else { return object.relationship(at: index).load([], positioned: false) }
      object.relationship(at: index).becomeFault(key)
      object.__fire(index)
    }
  }
}
