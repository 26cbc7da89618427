import Foundation
import SwiftData

/// A container in memory, and contexts of it.
struct FormsStore {
  let container: ModelContainer

  init(_ types: any PersistentModel.Type...) throws {
    let schema = Schema(types)
    container = try ModelContainer(
      for: schema,
      configurations: ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
    )
  }

  /// Saves new objects in a context of their own.
  func save(_ objects: any PersistentModel...) throws {
    let context = ModelContext(container)
    for object in objects { context.insert(object) }
    try context.save()
  }

  /// What another context reads back.
  func read<M: PersistentModel>(_ type: M.Type) throws -> (ModelContext, [M]) {
    let context = ModelContext(container)
    return (context, try context.fetch(FetchDescriptor<M>()))
  }
}
