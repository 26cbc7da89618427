import Foundation

extension ContextState {
  /// A batch update of an object store. Another context changes and saves the objects. If there are unsaved changes for
  /// the store, this context changes them, to be saved with the rest.
  func updateObjects<M: PersistentModel>(
    where predicate: Predicate<M>?, set assignments: [ModelContext.Assignment<M>]
  ) throws -> Int {
    let descriptor = FetchDescriptor<M>(predicate: predicate)
    let table = try core.table(for: M.__entity)
    if hasUnsaved(in: table.store) {
      let objects = try fetch(descriptor)
      for assign in try prepare(assignments, for: objects) { assign() }
      return objects.count
    }
    let context = ContextState(core: core)
    context.facade = facade
    context.editing.author = editing.author
    defer { context.discard() }
    let objects = try context.fetch(descriptor)
    for assign in try prepare(assignments, for: objects) { assign() }
    try context.save()
    drainInbox()
    return objects.count
  }
}
