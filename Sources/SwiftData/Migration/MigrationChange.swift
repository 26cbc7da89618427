extension ModelContainer {
  /// One difference between two versions of a store, as opening it removes it. (Our own.)
  public struct MigrationChange: Hashable, Sendable, CustomStringConvertible {
    /// What is done.
    public enum Kind: String, Hashable, Sendable {
      /// A model or property that the store did not have.
      case added
      /// A model or property that the store has no room for any more; its rows or values go.
      case removed
      /// A model or property whose name changed; its rows or values stay.
      case renamed
      /// A property whose values are written in another form.
      case converted
      /// An optional property that is required now; its default fills the gaps.
      case required
      /// A required property that is optional now.
      case optional
      /// An index or a uniqueness constraint that is built or dropped.
      case indexed
      /// What no migration can do by itself: opening the store throws.
      case refused
    }

    /// What is done.
    public let kind: Kind
    /// The model.
    public let entity: String
    /// The property; nil where it is about the whole model.
    public let property: String?
    /// The name that the model or property had before; nil where it was not renamed.
    public let former: String?
    /// What happens, in words.
    public let detail: String

    init(_ kind: Kind, _ entity: String, _ property: String? = nil, _ detail: String, former: String? = nil) {
      self.kind = kind
      self.entity = entity
      self.property = property
      self.former = former
      self.detail = detail
    }

    /// The model and property, and what happens.
    public var description: String { "\(property.map { "\(entity).\($0)" } ?? entity): \(detail)" }
  }
}
