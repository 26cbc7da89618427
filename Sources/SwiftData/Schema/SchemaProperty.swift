/// What every description of a property has: ``Schema/Attribute``, ``Schema/Relationship`` and the rest.
///
/// (Apple's documentation, `SchemaProperty`.)
public protocol SchemaProperty: Codable, Hashable, Sendable {
  /// The name of the property.
  var name: String { get set }
  /// The name that the property has in stores made before it was renamed; the same as `name` where it was not.
  var originalName: String { get set }
  /// The type of the property as declared, optionals included.
  var valueType: any Any.Type { get set }
  /// Whether the property holds a value rather than related models.
  var isAttribute: Bool { get }
  /// Whether the property holds related models.
  var isRelationship: Bool { get }
  /// Whether the property is kept out of the store.
  var isTransient: Bool { get }
  /// Whether the property may be nil.
  var isOptional: Bool { get }
  /// Whether no two models may have the same value for it.
  var isUnique: Bool { get }
}

extension SchemaProperty {
  public var isAttribute: Bool { false }
  public var isRelationship: Bool { false }
  public var isTransient: Bool { false }
  public var isOptional: Bool { false }
  public var isUnique: Bool { false }
}

extension Schema {
  /// What `@Model` tells about one property, or about one `#Unique` or `#Index`.
  // @unchecked Sendable because it is immutable; key paths of models capture nothing, and the default value is only
  // read.
  public struct PropertyMetadata: @unchecked Sendable {
    package let name: String
    package let keypath: AnyKeyPath
    package let defaultValue: Any?
    package let metadata: (any SchemaProperty)?

    /// Describes a property.
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - keypath: The key path from the model to the property.
    ///   - defaultValue: The value that the declaration assigns, if any.
    ///   - metadata: What `@Attribute`, `@Relationship`, `#Unique` or `#Index` said.
    public init(
      name: String,
      keypath: AnyKeyPath,
      defaultValue: Any? = nil,
      metadata: (any SchemaProperty)? = nil
    ) {
      self.name = name
      self.keypath = keypath
      self.defaultValue = defaultValue
      self.metadata = metadata
    }
  }
}
