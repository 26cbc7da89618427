import Foundation
import SwiftData

/// The store of a case. Each opening is another program.
package protocol CaseStore {
  func open(
    _ types: [any PersistentModel.Type], version: Schema.Version?, plan: (any SchemaMigrationPlan.Type)?
  ) throws -> ModelContext
}

extension CaseStore {
  package func open(_ types: any PersistentModel.Type...) throws -> ModelContext {
    try open(types, version: nil, plan: nil)
  }
}

/// A change of models over stored objects, and what a fetch finds after it. It is the same for each database.
package struct MigrationCase: Sendable, CustomStringConvertible {
  package let description: String
  /// What ``run(_:)`` returns.
  package let expected: [String]
  private let body: @Sendable (any CaseStore) throws -> [String]

  init(
    _ description: String, expects expected: [String], _ body: @escaping @Sendable (any CaseStore) throws -> [String]
  ) {
    (self.description, self.expected, self.body) = (description, expected, body)
  }

  package func run(_ store: any CaseStore) throws -> [String] { try body(store) }

  package static let renames: [MigrationCase] = attributeRenames + relationshipRenames + classRenames
  package static let siblings: [MigrationCase] = siblingValues + siblingLists
}

/// The objects of a class as texts. Each call has few types to infer, so that the compiler is quick.
func texts<Model: PersistentModel>(
  _ context: ModelContext, _ model: Model.Type, sortBy: [SortDescriptor<Model>] = [], _ text: (Model) -> String
) throws -> [String] {
  try context.fetch(FetchDescriptor<Model>(sortBy: sortBy)).map(text)
}
