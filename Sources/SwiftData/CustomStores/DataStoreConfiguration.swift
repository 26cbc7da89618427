/// The configuration of a store.
///
/// A configuration names the type of its store, so that a container can open custom stores. It need not be `Sendable`:
/// a container reads it during initialization and does not keep it. (Apple's documentation, `DataStoreConfiguration`.)
public protocol DataStoreConfiguration: Hashable {
  /// The type of store that the configuration opens.
  associatedtype Store: DataStore where Self == Self.Store.Configuration

  /// The name of the configuration.
  var name: String { get }

  /// The schema of the store, or nil for the container's. A container sets it before it opens the store.
  var schema: Schema? { get set }

  /// Checks that a store can be opened with the configuration.
  /// - Throws: an error with the problem.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Accepts every configuration.
  public func validate() throws {}
}
