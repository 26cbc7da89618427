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
