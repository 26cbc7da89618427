extension Schema {
  // @unchecked Sendable because it is immutable; key paths of models and the functions that make them capture nothing, and
  // the default value is only read.
  /// The metadata that `@Model` generates for a property, a `#Unique` or an `#Index`.
  public struct PropertyMetadata: CustomReflectable, @unchecked Sendable {
    package let name: String
    /// Makes the key path, or returns the one made before.
    let keyPath: () -> AnyKeyPath
    package let valueType: Any.Type
    /// Whether the property is a `let`, or nil if only the key path tells.
    package let isConstant: Bool?
    /// The kind of the type if the compiler knows it, or nil.
    let kind: __PropertyKind?
    package let defaultValue: Any?
    package let metadata: (any SchemaProperty)?

    /// The properties with the names of Apple's struct, which programs read with a `Mirror`.
    public var customMirror: Mirror {
      Mirror(
        self,
        children: [
          "name": name, "keypath": keyPath(), "defaultValue": defaultValue as Any, "metadata": metadata as Any,
        ], displayStyle: .struct)
    }

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
      self.keyPath = { keypath }
      self.valueType = type(of: keypath).valueType
      self.isConstant = nil
      self.kind = nil
      self.defaultValue = defaultValue
      self.metadata = metadata
    }

    fileprivate init(
      _ name: String, _ type: Any.Type, _ keyPath: @escaping () -> AnyKeyPath, _ kind: __PropertyKind?,
      isConstant: Bool, _ defaultValue: Any?, _ metadata: (any SchemaProperty)?
    ) {
      self.name = name
      self.keyPath = keyPath
      self.valueType = type
      self.isConstant = isConstant
      self.kind = kind
      self.defaultValue = defaultValue
      self.metadata = metadata
    }
  }
}

extension __PropertyKind {
  /// Asks the runtime, which searches all conformances of the program for the conformances of a type.
  init(_ type: Any.Type) {
    // Asked first, because most properties have a column type.
    if let column = ValueTypes.column(type) {
      self = .column(column)
    } else if let model = ValueTypes.model(type) {
      self = .toOne(model)
    } else if let members = ValueTypes.members(type) {
      self = .toMany(members)
    } else if let raw = Self.rawValue(of: type) {
      self = .rawValue(raw)
    } else {
      self = .codable
    }
  }

  /// The raw value of a type that is stored by it, or nil for any other type. The type must be Codable, as the overloads of
  /// `__RowReader.column` and `__ColumnWriter.write` require.
  private static func rawValue(of type: Any.Type) -> (any __ColumnValue.Type)? {
    func open<R: RawRepresentable>(_: R.Type) -> (any __ColumnValue.Type)? { ValueTypes.column(R.RawValue.self) }
    guard let raw = type as? any RawRepresentable.Type else { return nil }
    // The compiler has checked an enum, and the runtime's check searches two more conformances.
    guard case .enumeration = TypeKind(type) else { return type is any Codable.Type ? open(raw) : nil }
    return open(raw)
  }
}

// MARK: - What the code that `@Model` generates calls
// A description without key paths and with kinds that the compiler found halves the cost of describing the classes when
// a process opens a store (decision 18).

/// The kind of a property, from its type without the optional.
public enum __PropertyKind {
  /// A type with a column type of its own.
  case column(any __ColumnValue.Type)
  /// An enum or another type that is stored by its raw value.
  case rawValue(any __ColumnValue.Type)
  /// A to-one relationship.
  case toOne(any PersistentModel.Type)
  /// A to-many relationship.
  case toMany(any PersistentModel.Type)
  /// Another Codable type.
  case codable
}

/// Describes a variable of a type that `@Model` knows.
public func __property(
  _ name: String, _ type: Any.Type, _ keyPath: @escaping @autoclosure () -> AnyKeyPath
) -> Schema.PropertyMetadata {
  Schema.PropertyMetadata(name, type, keyPath, nil, isConstant: false, nil, nil)
}

/// Describes any property.
public func __describedProperty(
  _ name: String, _ type: Any.Type, _ keyPath: @escaping @autoclosure () -> AnyKeyPath, _ kind: __PropertyKind?,
  _ isConstant: Bool, _ defaultValue: Any?, _ metadata: (any SchemaProperty)?
) -> Schema.PropertyMetadata {
  Schema.PropertyMetadata(name, type, keyPath, kind, isConstant: isConstant, defaultValue, metadata)
}

/// The kind of an attribute that is stored by its raw value.
public func __kind<V: RawRepresentable & Codable>(_: V.Type) -> __PropertyKind? where V.RawValue: __ColumnValue {
  .rawValue(V.RawValue.self)
}

/// The kind of an optional attribute that is stored by its raw value.
public func __kind<V: RawRepresentable & Codable>(_: V?.Type) -> __PropertyKind? where V.RawValue: __ColumnValue {
  .rawValue(V.RawValue.self)
}

/// The kind of a required to-one relationship.
public func __kind<M: PersistentModel>(_: M.Type) -> __PropertyKind? { .toOne(M.self) }

/// The kind of a to-one relationship.
public func __kind<M: PersistentModel>(_: M?.Type) -> __PropertyKind? { .toOne(M.self) }

/// The kind of a to-many relationship.
public func __kind<M: PersistentModel>(_: [M].Type) -> __PropertyKind? { .toMany(M.self) }

/// The kind of an optional to-many relationship.
public func __kind<M: PersistentModel>(_: [M]?.Type) -> __PropertyKind? { .toMany(M.self) }

/// Returns nil: the runtime finds the kind of any other type.
@_disfavoredOverload
public func __kind<V>(_: V.Type) -> __PropertyKind? { nil }
