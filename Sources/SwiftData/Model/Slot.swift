/// Inline storage of a property whose kind only the type checker knows: an attribute of a type of the user's own, or
/// a relationship.
///
/// Invariant: `value` is nil only for a relationship that has not been loaded (a fault); an attribute always has one.
@frozen
public struct __Slot<Value> {
  /// The value; nil while the relationship is a fault. A loaded `nil` is `.some(nil)`.
  public var value: Value?
  /// To-one: the primary key of a faulted target, 0 for none. To-many: 1 when the store keeps positions.
  public var key: Int64

  /// A loaded slot.
  @inlinable
  public init(_ value: Value) {
    self.value = value
    self.key = 0
  }

  /// A fault.
  @inlinable
  public init(__fault key: Int64) {
    self.value = nil
    self.key = key
  }

  /// Whether the relationship still has to be loaded.
  @inlinable
  public var isFault: Bool { value == nil }

  /// The value of a loaded slot.
  @inlinable
  public var loaded: Value { value! }
}

/// What the engine asks of a relationship slot.
public enum __RelationshipOperation {
  /// Read what is in memory.
  case read
  /// Whether a target is in memory: answers with it or with nothing, without listing the others.
  case contains(any PersistentModel)
  /// Store loaded targets; for a to-one at most one. `positioned`: the store keeps positions for the array.
  case load([any PersistentModel], positioned: Bool)
  /// Become a fault on a primary key (to-one; 0 is none) or on the store's list (to-many).
  case fault(Int64)
  /// Add a target at the end (to-many) or replace the target (to-one).
  case add(any PersistentModel)
  /// Remove a target.
  case remove(any PersistentModel)
}

/// What is in a relationship slot after an operation.
public enum __RelationshipContent {
  /// The property is no relationship.
  case none
  /// A to-one fault on this key, or a to-many fault. `positioned` as in ``__RelationshipOperation/load(_:positioned:)``.
  case fault(Int64)
  /// The loaded targets.
  case targets([any PersistentModel], positioned: Bool)
}

/// What an assignment to a relationship property did: the value to store and the targets that left and came.
public struct __RelationshipChange<Value> {
  /// The value to store: for a to-many without repetitions.
  public let value: Value
  package let removed: [any PersistentModel]
  package let added: [any PersistentModel]
  package let isRelationship: Bool
}
