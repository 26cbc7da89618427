public import Foundation

/// The identity of a context, as stores see it. (Apple's documentation, `EditingState`.)
public struct EditingState: Hashable, Sendable, Identifiable {
  /// The context.
  public let id: UUID
  /// Who makes the changes.
  public var author: String?

  init() { id = UUID() }
}
