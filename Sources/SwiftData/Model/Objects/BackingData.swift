/// The values of a model, separate from the model.
///
/// The stores of this package keep values in the model itself. Their backing data is a view of a model, or the initial
/// values of a new one. (Apple's documentation, `BackingData`.)
public protocol BackingData<Model> {
  /// The model that the values belong to.
  associatedtype Model: PersistentModel

  /// Makes the default values of a new model.
  init(for modelType: Model.Type)

  /// The identifier of the model, or nil if the values belong to none.
  var persistentModelID: PersistentIdentifier? { get set }

  /// The description of the model.
  var metadata: Any { get }

  /// The value of an attribute.
  func getValue<Value: Decodable>(forKey: KeyPath<Model, Value>) -> Value
  /// The related model of a to-one relationship.
  func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>) -> Value
  /// The related model of an optional to-one relationship.
  func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>) -> Value?
  /// The related models of a to-many relationship.
  func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement
  /// The value of an attribute that a value transformer stores.
  func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value

  /// Replaces the value of an attribute.
  func setValue<Value: Encodable>(forKey: KeyPath<Model, Value>, to newValue: Value)
  /// Replaces the related model of a to-one relationship.
  func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  /// Replaces the related model of an optional to-one relationship.
  func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>, to newValue: Value?)
  /// Replaces the related models of a to-many relationship.
  func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement
  /// Replaces the value of an attribute that a value transformer stores.
  func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value)

  /// The value of the property at an index, or nil if there is none.
  func __value(at index: Int) -> Any?
}

extension BackingData {
  /// Returns the value by key path, because custom backing data knows values by key path only. Inherited properties
  /// have key paths of another class, so custom backing data cannot return them.
  public func __value(at index: Int) -> Any? {
    // A subclass's index may be out of range.
    guard index < Model.__entity.properties.count else { return nil }
    let property = Model.__entity.properties[index]
    func transformable<V>(_: V.Type) -> Any? {
      (property.keyPath as? KeyPath<Model, V>).map { getTransformableValue(forKey: $0) as Any }
    }
    func attribute<V: Decodable>(_: V.Type) -> Any? {
      (property.keyPath as? KeyPath<Model, V>).map { getValue(forKey: $0) as Any }
    }
    func toOne<V: PersistentModel>(_: V.Type) -> Any? {
      if let keyPath = property.keyPath as? KeyPath<Model, V> { return getValue(forKey: keyPath) }
      return (property.keyPath as? KeyPath<Model, V?>).map { getValue(forKey: $0) as Any }
    }
    func toMany<V: PersistentModel>(_: V.Type) -> Any? {
      if let keyPath = property.keyPath as? KeyPath<Model, [V]> { return getValue(forKey: keyPath) }
      return (property.keyPath as? KeyPath<Model, [V]?>).map { getValue(forKey: $0) as Any }
    }
    switch property.kind {
    case .toOne(let type): return toOne(type)
    case .toMany(let type): return toMany(type)
    case .attribute:
      if let type = property.valueType as? any Decodable.Type, !property.isTransformable { return attribute(type) }
      return _openExistential(property.valueType, do: transformable)
    }
  }
}

extension BackingData {
  /// The related models of an optional to-many relationship.
  public func getValue<Value: PersistentModel>(forKey: KeyPath<Model, [Value]?>) -> [Value]? {
    getTransformableValue(forKey: forKey)
  }

  /// Replaces the related models of an optional to-many relationship.
  public func setValue<Value: PersistentModel>(forKey: KeyPath<Model, [Value]?>, to newValue: [Value]?) {
    setTransformableValue(forKey: forKey, to: newValue)
  }
}

extension __Property {
  fileprivate var isTransformable: Bool { attribute?.isTransformable == true }
}
