// The type is internal; `BackingData` describes the members.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// The backing data of this package: a view of an instance, or the initial values of a new one.
public final class __InlineBackingData<Model: PersistentModel>: BackingData {
  private enum Storage {
    case instance(Model)
    /// Values by property index. A missing value is the default of the declaration.
    case detached([Int: Any])
  }

  private var storage: Storage

  /// Makes a view of an instance.
  public nonisolated init(_ model: Model) { storage = .instance(model) }

  /// Makes the initial values of a new instance.
  public nonisolated init(for modelType: Model.Type) { storage = .detached([:]) }

  /// The viewed instance, or nil for initial values.
  var instance: (any PersistentModel)? { if case .instance(let model) = storage { model } else { nil } }

  /// The identifier of the instance. The context assigns it, so it cannot be set.
  public var persistentModelID: PersistentIdentifier? {
    get { if case .instance(let model) = storage { model.persistentModelID } else { nil } }
    set {}
  }

  /// The `Schema.Entity` of the model.
  public var metadata: Any { Schema.Entity(Model.__entity) }

  @_disfavoredOverload
  public func getValue<Value: Decodable>(forKey: KeyPath<Model, Value>) -> Value { get(forKey) }
  public func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>) -> Value { get(forKey) }
  public func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>) -> Value? { get(forKey) }
  public func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement { get(forKey) }
  public func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value { get(forKey) }

  @_disfavoredOverload
  public func setValue<Value: Encodable>(forKey: KeyPath<Model, Value>, to newValue: Value) { set(forKey, newValue) }
  public func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>, to newValue: Value) {
    set(forKey, newValue)
  }
  public func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>, to newValue: Value?) {
    set(forKey, newValue)
  }
  public func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement { set(forKey, newValue) }
  public func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) { set(forKey, newValue) }

  public func __value(at index: Int) -> Any? {
    switch storage {
    case .instance(let model):
      // The instance may be of a subclass, which has more properties.
      guard let property = property(index, of: Swift.type(of: model).__entity) else { return nil }
      return (model as Any)[keyPath: property.keyPath]
    case .detached(let values):
      return values[index] ?? property(index, of: Model.__entity)?.defaultValue
    }
  }

  private func property(_ index: Int, of entity: __Entity) -> __Property? {
    index < entity.properties.count ? entity.properties[index] : nil
  }

  private func get<Value>(_ keyPath: KeyPath<Model, Value>) -> Value {
    switch storage {
    case .instance(let model): return model[keyPath: keyPath]
    case .detached(let values):
      guard let property = KeyPathResolver.property(at: keyPath, in: Model.__entity) else {
        __backingFailure(Self.unknown(keyPath))
      }
      if let value = (values[property.index] ?? property.defaultValue) as? Value { return value }
      if let value = __placeholder(Value.self) { return value }
      __backingFailure(
        SwiftDataError(
          .unreadableValue,
          entity: Model.__entity.name,
          property: property.name,
          message: "it has no value, and its declaration has no default; set it first"
        )
      )
    }
  }

  private func set<Value>(_ keyPath: KeyPath<Model, Value>, _ value: Value) {
    switch storage {
    case .instance(let model):
      // A key path that is not writable belongs to a `let` property, which only the initializer sets.
      if let writable = keyPath as? ReferenceWritableKeyPath<Model, Value> { model[keyPath: writable] = value }
    case .detached(var values):
      guard let property = KeyPathResolver.property(at: keyPath, in: Model.__entity) else {
        __backingFailure(Self.unknown(keyPath))
      }
      values[property.index] = value
      storage = .detached(values)
    }
  }

  private static func unknown(_ keyPath: AnyKeyPath) -> SwiftDataError {
    SwiftDataError(
      .unsupportedKeyPath,
      entity: Model.__entity.name,
      message: "\(keyPath) is not the key path of a stored property; name a stored property"
    )
  }
}

extension __InlineBackingData: InstanceBacking {}

/// Backing data that is a view of a model.
protocol InstanceBacking {
  var instance: (any PersistentModel)? { get }
}

extension PersistentModel {
  /// A view of the model with its dynamic type.
  nonisolated var __backingData: any BackingData { __InlineBackingData(self) }
}

/// Reads backing data for the initializer that decodes rows.
/// - Parameter entity: the class to instantiate, which may inherit from the class of the backing data.
public nonisolated func __backingReader<M: PersistentModel>(
  _ data: any BackingData<M>,
  for entity: __Entity
) -> __RowReader {
  BackingReader(data, entity: entity)
}

private final class BackingReader<M: PersistentModel>: __RowReader {
  let backing: any BackingData<M>

  init(_ backing: any BackingData<M>, entity: __Entity) {
    self.backing = backing
    super.init(entity: entity)
    carriesValues = true
  }

  override func value(_ index: Int) -> Any? { backing.__value(at: index) }
}

/// Stops the program if backing data lacks a required value, because `init(backingData:)` cannot throw.
public nonisolated func __backingFailure(_ error: any Error) -> Never {
  fatalError(String(reflecting: error))
}

/// Assigns the values of backing data to a model, as if by its setters. Constants keep their values.
public nonisolated func __copy<M: PersistentModel>(_ data: any BackingData<M>, into model: M) {
  for property in M.__entity.properties {
    guard let value = data.__value(at: property.index) else { continue }
    func assign<V>(_: V.Type) {
      func assign<R>(_: R.Type) {
        // A key path that is not writable belongs to a `let` property, which keeps its value.
        guard let keyPath = property.keyPath as? ReferenceWritableKeyPath<R, V>, let root = model as? R,
          let value = value as? V
        else { return }
        root[keyPath: keyPath] = value
      }
      _openExistential(Swift.type(of: property.keyPath).rootType, do: assign)
    }
    _openExistential(property.valueType, do: assign)
  }
}

// MARK: - Access by key path

extension PersistentModel {
  /// Makes the default values of a new model.
  public static func createBackingData<P: PersistentModel>() -> some BackingData<P> {
    __InlineBackingData<P>(for: P.self)
  }

  /// The value of an attribute.
  @_disfavoredOverload
  public func getValue<Value: Decodable>(forKey: KeyPath<Self, Value>) -> Value { self[keyPath: forKey] }

  /// The related model of a to-one relationship.
  public func getValue<Value: PersistentModel>(forKey: KeyPath<Self, Value>) -> Value { self[keyPath: forKey] }

  /// The related model of an optional to-one relationship.
  public func getValue<Value: PersistentModel>(forKey: KeyPath<Self, Value?>) -> Value? { self[keyPath: forKey] }

  /// The related models of a to-many relationship.
  public func getValue<Value, OtherModel>(forKey: KeyPath<Self, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement { self[keyPath: forKey] }

  /// The related models of an optional to-many relationship.
  public func getValue<Value: PersistentModel>(forKey: KeyPath<Self, [Value]?>) -> [Value]? { self[keyPath: forKey] }

  /// The value of an attribute that a value transformer stores.
  public func getTransformableValue<Value>(forKey: KeyPath<Self, Value>) -> Value { self[keyPath: forKey] }

  /// Replaces the value of an attribute. A constant keeps its value.
  @_disfavoredOverload
  public func setValue<Value: Encodable>(forKey: KeyPath<Self, Value>, to newValue: Value) {
    __InlineBackingData(self).setTransformableValue(forKey: forKey, to: newValue)
  }

  /// Replaces the related model of a to-one relationship.
  public func setValue<Value: PersistentModel>(forKey: KeyPath<Self, Value>, to newValue: Value) {
    __InlineBackingData(self).setTransformableValue(forKey: forKey, to: newValue)
  }

  /// Replaces the related model of an optional to-one relationship.
  public func setValue<Value: PersistentModel>(forKey: KeyPath<Self, Value?>, to newValue: Value?) {
    __InlineBackingData(self).setTransformableValue(forKey: forKey, to: newValue)
  }

  /// Replaces the related models of a to-many relationship.
  public func setValue<Value, OtherModel>(forKey: KeyPath<Self, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    __InlineBackingData(self).setTransformableValue(forKey: forKey, to: newValue)
  }

  /// Replaces the related models of an optional to-many relationship.
  public func setValue<Value: PersistentModel>(forKey: KeyPath<Self, [Value]?>, to newValue: [Value]?) {
    __InlineBackingData(self).setTransformableValue(forKey: forKey, to: newValue)
  }

  /// Replaces the value of an attribute that a value transformer stores.
  public func setTransformableValue<Value>(forKey: KeyPath<Self, Value>, to newValue: Value) {
    __InlineBackingData(self).setTransformableValue(forKey: forKey, to: newValue)
  }
}
