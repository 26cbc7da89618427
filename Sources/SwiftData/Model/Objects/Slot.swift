/// The inline storage of a property whose kind only the type checker knows: an attribute of a custom type, or a
/// relationship.
///
/// Invariant: `value` is nil only for a relationship that is not loaded (a fault). An attribute always has a value.
@frozen
public struct __Slot<Value> {
  /// The value, or nil while the relationship is a fault. A loaded `nil` is `.some(nil)`.
  public var value: Value?
  /// To-one: the primary key of a faulted target, or 0 for none. To-many: bit 0 says whether the store keeps positions;
  /// the other bits are the `link` of a long list's index, or 0.
  public var key: Int64

  /// Makes a loaded slot.
  @inlinable
  public init(_ value: Value) {
    self.value = value
    self.key = 0
  }

  /// Makes the slot of a property whose value an init accessor sets in `_$backingData` (``__settle(_:_:_:)``).
  @inlinable
  public init() {
    self.value = nil
    self.key = 0
  }

  /// Makes a fault.
  @inlinable
  public init(__fault key: Int64) {
    self.value = nil
    self.key = key
  }

  /// Whether the relationship is not loaded.
  @inlinable
  public var isFault: Bool { value == nil }

  /// The value of a loaded slot.
  @inlinable
  public var loaded: Value { value! }

  /// The value, or the slot itself while it is a fault.
  @inlinable
  var engineValue: Any {
    guard let value else { return self }
    return value
  }

  /// Takes over an engine value: a fault, or a loaded value.
  @usableFromInline
  mutating func assign(_ new: Any) {
    if let slot = new as? Self {
      self = slot
    } else {
      // The engine passes a value of the same property, so the cast cannot fail.
      value = (new as! Value)
      // Bit 0, which says whether the store keeps positions, is not part of the value. The link of a long list's index
      // belongs to another list.
      key &= 1
    }
  }
}

/// The content of a relationship slot after an operation.
public enum __RelationshipContent {
  /// The property is not a relationship, or the operation returns nothing.
  case none
  /// A to-one fault with this key, or a to-many fault.
  case fault(Int64)
  /// The loaded targets. `positioned`: the store keeps positions for them.
  case targets([any PersistentModel], positioned: Bool)
  case change(__ListChange)
  case order(__ListOrder)
  case original(AnyObject)
}

/// The difference between two values of a to-many, independent of the class of its targets.
public struct __ListChange {
  package let removed: [any PersistentModel]
  package let added: [any PersistentModel]
  /// The number of targets.
  package let count: Int
  /// Where those are that may need new positions, if all others keep theirs: ascending, with others between them.
  package let places: [Range<Int>]
  /// Whether the remaining targets keep their order and the added ones follow them.
  package let keepsOrder: Bool
  package let positioned: Bool
}

/// The order of a to-many.
public struct __ListOrder {
  package let ascends: Bool
  package let positioned: Bool
}

/// The targets that an assignment to a relationship removed and added.
public struct __RelationshipChange {
  package let removed: [any PersistentModel]
  package let added: [any PersistentModel]
  package let isRelationship: Bool

  /// The change of an attribute.
  @usableFromInline
  static var attribute: __RelationshipChange {
    __RelationshipChange(removed: [], added: [], isRelationship: false)
  }
}
