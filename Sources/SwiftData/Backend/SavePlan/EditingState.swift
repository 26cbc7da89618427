public import Foundation

/// The identity of a context, as stores see it. (Apple's documentation, `EditingState`.)
public struct EditingState: Hashable, Sendable, Identifiable {
  /// The context.
  public let id: UUID
  /// The author of changes.
  public var author: String?
  /// The newest transaction of the store that the next save expects; nil expects none in particular.
  package var expectedTransaction: Int64?

  init() { id = UUID() }
}
