/// What a store needs to know before it is opened.
///
/// A configuration names the type of its store, so that a container can open stores that it knows nothing about.
/// A configuration need not be `Sendable`: a container reads it while it is made and does not keep it.
/// (Apple's documentation, `DataStoreConfiguration`.)
public protocol DataStoreConfiguration: Hashable {
  /// The store that is opened with it.
  associatedtype Store: DataStore where Self == Self.Store.Configuration

  /// The name of the configuration.
  var name: String { get }

  /// The schema of the models that the store keeps; nil is the container's. A container fills it in before it opens the
  /// store.
  var schema: Schema? { get set }

  /// Checks that a store can be opened with the configuration.
  /// - Throws: An error that says what is wrong with it.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Finds nothing wrong.
  public func validate() throws {}
}
