/// The common interface of property descriptions: ``Schema/Attribute``, ``Schema/Relationship`` and others.
///
/// (Apple's documentation, `SchemaProperty`.)
public protocol SchemaProperty: Codable, Hashable, Sendable {
  /// The name of the property.
  var name: String { get set }
  /// The name in older stores, or `name` if the property was not renamed.
  var originalName: String { get set }
  /// The declared type, including optionals.
  var valueType: any Any.Type { get set }
  /// Whether the property holds a value rather than related models.
  var isAttribute: Bool { get }
  /// Whether the property holds related models.
  var isRelationship: Bool { get }
  /// Whether the property is not stored.
  var isTransient: Bool { get }
  /// Whether the property may be nil.
  var isOptional: Bool { get }
  /// Whether values of the property are unique.
  var isUnique: Bool { get }
}

extension SchemaProperty {
  /// False.
  public var isAttribute: Bool { false }
  /// False.
  public var isRelationship: Bool { false }
  /// False.
  public var isTransient: Bool { false }
  /// False.
  public var isOptional: Bool { false }
  /// False.
  public var isUnique: Bool { false }
}

extension Schema {
  // @unchecked Sendable because it is immutable; key paths of models capture nothing, and the default value is only
  // read.
  /// The metadata that `@Model` generates for a property, a `#Unique` or an `#Index`.
  public struct PropertyMetadata: @unchecked Sendable {
    package let name: String
    package let keypath: AnyKeyPath
    package let defaultValue: Any?
    package let metadata: (any SchemaProperty)?

    /// Describes a property.
    /// - Parameters:
    ///   - name: the name of the property.
    ///   - keypath: the key path from the model to the property.
    ///   - defaultValue: the default value of the declaration, if any.
    ///   - metadata: the `@Attribute`, `@Relationship`, `#Unique` or `#Index`.
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
