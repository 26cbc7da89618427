extension ModelContainer {
  /// A difference between two versions of a store that a migration resolves. (Our own.)
  public struct MigrationChange: Hashable, Sendable, CustomStringConvertible {
    /// The kind of change.
    public enum Kind: String, Hashable, Sendable {
      /// A new model or property.
      case added
      /// A removed model or property. Its rows or values are deleted.
      case removed
      /// A renamed model or property. Its rows or values stay.
      case renamed
      /// A property whose values are converted.
      case converted
      /// An optional property that becomes required. Its default replaces nil.
      case required
      /// A required property that becomes optional.
      case optional
      /// An index or a uniqueness constraint that is created or dropped.
      case indexed
      /// A change that no automatic migration supports. Opening the store throws.
      case refused
    }

    /// The kind of change.
    public let kind: Kind
    /// The name of the model.
    public let entity: String
    /// The name of the property, or nil if the change concerns the whole model.
    public let property: String?
    /// The name before the migration, or nil if nothing was renamed.
    public let previousName: String?
    /// A description of the change.
    public let detail: String

    init(_ kind: Kind, _ entity: String, _ property: String? = nil, _ detail: String, previousName: String? = nil) {
      self.kind = kind
      self.entity = entity
      self.property = property
      self.previousName = previousName
      self.detail = detail
    }

    /// The model and property with the description.
    public var description: String { "\(property.map { "\(entity).\($0)" } ?? entity): \(detail)" }
  }
}
