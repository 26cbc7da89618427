extension ModelContainer {
  /// The changes that opening a store made, or would make. (Our own. Apple's framework reports nothing.)
  public struct MigrationSummary: Hashable, Sendable, CustomStringConvertible {
    /// A step from one version to a later one.
    public struct Step: Hashable, Sendable, CustomStringConvertible {
      /// The version before. A schema without a version has 1.0.0.
      public let fromVersion: Schema.Version
      /// The version after.
      public let toVersion: Schema.Version
      /// Whether the step runs code of the app: `willMigrate` or `didMigrate`.
      public let isCustom: Bool
      /// The differences between the two versions.
      public let changes: [ModelContainer.MigrationChange]

      package init(
        fromVersion: Schema.Version, toVersion: Schema.Version, isCustom: Bool,
        changes: [ModelContainer.MigrationChange]
      ) {
        (self.fromVersion, self.toVersion, self.isCustom, self.changes) = (fromVersion, toVersion, isCustom, changes)
      }

      /// The versions and the changes.
      public var description: String {
        let list = changes.isEmpty ? "the same models" : changes.map(\.description).joined(separator: "; ")
        return "\(fromVersion) to \(toVersion)\(isCustom ? " (custom)" : ""): \(list)"
      }
    }

    /// The name of the store's configuration.
    public let configuration: String
    /// The steps in order. Empty if the store was new or up to date.
    public let steps: [Step]

    package init(configuration: String, steps: [Step]) { (self.configuration, self.steps) = (configuration, steps) }

    /// Whether opening leaves the store unchanged.
    public var isEmpty: Bool { steps.isEmpty }

    /// The changes that no migration supports. Opening the store would throw.
    public var refusals: [ModelContainer.MigrationChange] { steps.flatMap(\.changes).filter { $0.kind == .refused } }

    /// One line per step.
    public var description: String {
      isEmpty ? "\(configuration): no migration" : steps.map { "\(configuration): \($0)" }.joined(separator: "\n")
    }
  }
}

/// A store of another module that says what opening it changed.
package protocol MigratedStore: EngineStore {
  var migration: ModelContainer.MigrationSummary { get }
}
