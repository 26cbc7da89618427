public import Foundation

// @unchecked Sendable because key paths of models capture nothing; predicates and sort descriptors are Sendable.
/// The predicate, order, bounds and options of a fetch. (Apple's documentation, `FetchDescriptor`.)
public struct FetchDescriptor<T: PersistentModel>: @unchecked Sendable {
  /// The condition on models, or nil for all.
  public var predicate: Predicate<T>?
  /// The sort descriptors, most significant first.
  public var sortBy: [SortDescriptor<T>]
  /// The maximum number of models, or nil for all.
  public var fetchLimit: Int?
  /// The number of models to skip.
  public var fetchOffset: Int?
  /// Whether the result includes the context's unsaved changes.
  public var includePendingChanges = true
  /// The properties to fetch. Others load on first access. Empty means all.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// The relationships to load eagerly.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// Makes a descriptor.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}

extension FetchDescriptor: Equatable {
  /// Compares what the descriptors ask for.
  ///
  /// Two predicates are equal if they have the same expression with equal captured values. Captured values whose type is not
  /// `Equatable` are compared by their stored properties. (Apple's documentation, `FetchDescriptor`, says only that it is
  /// `Equatable`.)
  public static func == (left: FetchDescriptor, right: FetchDescriptor) -> Bool {
    left.sortBy == right.sortBy && left.fetchLimit == right.fetchLimit && left.fetchOffset == right.fetchOffset
      && left.includePendingChanges == right.includePendingChanges
      && left.propertiesToFetch == right.propertiesToFetch
      && left.relationshipKeyPathsForPrefetching == right.relationshipKeyPathsForPrefetching
      && ExpressionComparison.areEqual(left.predicate, right.predicate)
  }
}

/// Limit and offset. Negative values mean no bound.
struct Bounds {
  let offset: Int
  let limit: Int?

  init<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) {
    offset = max(0, descriptor.fetchOffset ?? 0)
    limit = descriptor.fetchLimit.flatMap { $0 < 0 ? nil : $0 }
  }

  /// The number of models needed before the offset is dropped, or nil for all.
  var end: Int? {
    limit.flatMap { limit in
      let (sum, overflow) = limit.addingReportingOverflow(offset)
      return overflow ? nil : sum
    }
  }

  func apply<T>(to all: [T]) -> [T] {
    offset == 0 && limit == nil ? all : Array(all.dropFirst(offset).prefix(limit ?? .max))
  }
}
