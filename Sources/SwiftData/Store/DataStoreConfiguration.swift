/// What a store needs to know before it is opened.
///
/// (Apple's documentation, `DataStoreConfiguration`.)
public protocol DataStoreConfiguration: Hashable, Sendable {
  /// The name of the configuration.
  var name: String { get }

  /// The schema of the models that the store keeps; nil is the container's.
  var schema: Schema? { get set }

  /// Checks that a store can be opened with the configuration.
  /// - Throws: An error that says what is wrong with it.
  func validate() throws
}
