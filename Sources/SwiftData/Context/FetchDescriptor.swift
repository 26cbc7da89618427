public import Foundation

/// What a fetch asks for: which models, in which order, how many, and what comes with them.
///
/// (Apple's documentation, `FetchDescriptor`.)
// @unchecked Sendable because key paths of models capture nothing; predicates and sort descriptors are Sendable.
public struct FetchDescriptor<T: PersistentModel>: @unchecked Sendable {
  /// The condition that models meet; nil is all.
  public var predicate: Predicate<T>?
  /// The order of the models, the first descriptor first.
  public var sortBy: [SortDescriptor<T>]
  /// How many models to fetch at most; nil is all.
  public var fetchLimit: Int?
  /// How many models to leave out at the beginning.
  public var fetchOffset: Int?
  /// Whether the result reflects the context's unsaved changes.
  public var includePendingChanges = true
  /// The properties to read at once; the others are read when touched. Empty is all.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// The relationships to load together with the models.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// Asks for the models that meet a condition, in an order.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
