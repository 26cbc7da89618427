import SwiftData

/// The classes of a program's models, by which it recognizes its stores.
struct StoreOwner {
  /// The classes of the models, and of all versions of their plan.
  let classes: Set<String>

  init(_ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?) {
    let schemas = [schema] + (plan?.schemas.map { Schema(versionedSchema: $0) } ?? [])
    classes = Set(schemas.flatMap(\.entities).map(\.name))
  }

  /// Whether a store with some classes is of these models. A program may know a part of them only, and an earlier version
  /// may have had others.
  func owns(_ stored: [String]) -> Bool { stored.contains(where: classes.contains) }
}
