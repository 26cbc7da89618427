/// A collection of related models: what a to-many relationship holds.
///
/// (Apple's documentation, `RelationshipCollection`.)
public protocol RelationshipCollection {
  /// The model at the other end of the relationship.
  associatedtype PersistentElement: PersistentModel

  /// The model at the other end of the relationship, without its type.
  static var __elementType: any PersistentModel.Type { get }
}

extension RelationshipCollection {
  public static var __elementType: any PersistentModel.Type { PersistentElement.self }
}

extension Array: RelationshipCollection where Element: PersistentModel {
  public typealias PersistentElement = Element
}
