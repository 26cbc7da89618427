/// An answer of a store that cannot perform a request. (Apple's documentation, `DataStoreError`.)
public enum DataStoreError: Error, Hashable, Sendable {
  /// The store cannot interpret the predicate.
  case invalidPredicate
  /// The store wants the context to filter the models in memory.
  case preferInMemoryFilter
  /// The store wants the context to sort the models in memory.
  case preferInMemorySort
  /// The store does not support the request.
  case unsupportedFeature
}
