extension ModelConfiguration {
  /// The progress of a migration. (Our own.)
  public struct MigrationProgress: Sendable {
    /// The name of the store's configuration.
    public let configuration: String
    /// The current step, starting at 1.
    public let step: Int
    /// The number of steps.
    public let stepCount: Int
    /// The version before the step.
    public let from: Schema.Version
    /// The version after the step.
    public let to: Schema.Version
    /// The model whose rows are being rewritten.
    public let entity: String
    /// The number of rewritten rows.
    public let completedRows: Int
    /// The number of rows to rewrite.
    public let totalRows: Int
  }
}
