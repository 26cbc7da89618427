extension ModelContainer {
  /// What opening a store did to it, or would do. (Our own; Apple's framework tells nothing.)
  public struct MigrationSummary: Hashable, Sendable, CustomStringConvertible {
    /// One step from a version to a later one.
    public struct Step: Hashable, Sendable, CustomStringConvertible {
      /// The version before. A schema that was not given a version is 1.0.0.
      public let fromVersion: Schema.Version
      /// The version after.
      public let toVersion: Schema.Version
      /// Whether code of the app runs in it: `willMigrate` or `didMigrate`.
      public let isCustom: Bool
      /// The differences between the two versions, which the step removes.
      public let changes: [ModelContainer.MigrationChange]

      /// The versions, and each change.
      public var description: String {
        let list = changes.isEmpty ? "the same models" : changes.map(\.description).joined(separator: "; ")
        return "\(fromVersion) to \(toVersion)\(isCustom ? " (custom)" : ""): \(list)"
      }
    }

    /// The name of the store's configuration.
    public let configuration: String
    /// The steps in order; none where the store was new or as the program wants it.
    public let steps: [Step]

    /// Whether opening leaves the store as it was.
    public var isEmpty: Bool { steps.isEmpty }

    /// What a migration could not do: opening the store would throw because of it.
    public var refusals: [ModelContainer.MigrationChange] { steps.flatMap(\.changes).filter { $0.kind == .refused } }

    /// A line for each step.
    public var description: String {
      isEmpty ? "\(configuration): no migration" : steps.map { "\(configuration): \($0)" }.joined(separator: "\n")
    }
  }
}

extension ModelConfiguration {
  /// How far a migration is. (Our own.)
  public struct MigrationProgress: Sendable {
    /// The name of the store's configuration.
    public let configuration: String
    /// The step that is under way, from 1, and how many there are.
    public let step: Int
    /// The number of steps.
    public let stepCount: Int
    /// The version before the step.
    public let from: Schema.Version
    /// The version after the step.
    public let to: Schema.Version
    /// The model whose rows are being written anew.
    public let entity: String
    /// How many of them are done, and how many there are.
    public let completedRows: Int
    /// The number of rows.
    public let totalRows: Int
  }
}
