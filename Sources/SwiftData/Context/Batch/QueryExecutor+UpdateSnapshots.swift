import Foundation

extension QueryExecutor {
  /// A batch update of an object store. Another context changes and saves the objects. If there are unsaved changes for
  /// the store, this context changes them, to be saved with the rest.
  func updateObjects<M: PersistentModel>(
    where predicate: Predicate<M>?, set assignments: [ModelContext.Assignment<M>]
  ) throws -> Int {
    let descriptor = FetchDescriptor<M>(predicate: predicate)
    let table = try context.core.table(for: M.__entity)
    if hasUnsaved(in: table.store) {
      let objects = try fetch(descriptor)
      for assign in try prepare(assignments, for: objects) { assign() }
      return objects.count
    }
    let other = ContextState(core: context.core)
    other.facade = context.facade
    other.editing.author = context.editing.author
    defer { other.discard() }
    let objects = try other.queries.fetch(descriptor)
    for assign in try prepare(assignments, for: objects) { assign() }
    try other.save()
    context.drainInbox()
    return objects.count
  }
}
