/// What a store answers when it cannot do what it was asked for.
///
/// (Apple's documentation, `DataStoreError`.)
public enum DataStoreError: Error, Hashable, Sendable {
  /// The predicate makes no sense to the store.
  case invalidPredicate
  /// The store wants the context to filter the models in memory.
  case preferInMemoryFilter
  /// The store wants the context to sort the models in memory.
  case preferInMemorySort
  /// The store does not offer what the request needs.
  case unsupportedFeature
}
