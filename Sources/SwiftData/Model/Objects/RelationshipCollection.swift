/// The value of a to-many relationship: a collection of models.
///
/// (Apple's documentation, `RelationshipCollection`.)
public protocol RelationshipCollection {
  /// The model at the other end of the relationship.
  associatedtype PersistentElement: PersistentModel

  /// The model at the other end of the relationship, without its type.
  static var __elementType: any PersistentModel.Type { get }
}

extension RelationshipCollection {
  /// The class of the models.
  public static var __elementType: any PersistentModel.Type { PersistentElement.self }
}

extension Array: RelationshipCollection where Element: PersistentModel {
  /// The class of the models.
  public typealias PersistentElement = Element
}
