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

/// An operation of the engine on a relationship slot.
public enum __RelationshipOperation {
  /// Returns a fault if the relationship is not loaded, otherwise no targets.
  case check
  /// Returns what is in memory.
  case read
  /// Returns the loaded targets of a to-many at some positions.
  case slice(Range<Int>)
  /// Returns the target if it is in memory, or none, without listing the others.
  case contains(any PersistentModel)
  /// Stores loaded targets, at most one for a to-one. `positioned`: the store keeps positions for the array.
  case load([any PersistentModel], positioned: Bool)
  /// Becomes a fault for a primary key (to-one; 0 is none) or for the stored list (to-many).
  case fault(Int64)
  /// Appends a target (to-many, which must not contain it) or replaces the target (to-one). Returns nothing for a
  /// to-many.
  case add(any PersistentModel)
  /// Removes a target. Returns nothing for a to-many.
  case remove(any PersistentModel)
  /// Returns how a loaded to-many differs from a value of `__value(at:)` or `keepOriginal`, as a `__ListChange`.
  case compare(Any)
  /// Keep what a long to-many is now without a copy, for `compare`, `original` and `giveBack`; answers with nothing where a
  /// copy is as good.
  case keepOriginal
  /// The targets that a to-many had when `keepOriginal` gave an object.
  case original(AnyObject)
  /// Become that again.
  case giveBack(AnyObject)
  /// Write out what was kept of a to-many: its slot is about to get another value.
  case settle
  /// Returns whether the keys of a loaded to-many ascend, as a `__ListOrder`.
  case order
  /// Records that the store keeps positions for a loaded to-many.
  case position
  /// Compares a to-many completely after an in-place change, and returns what was missed as a `__ListChange`.
  case verify
}

/// The content of a relationship slot after an operation.
public enum __RelationshipContent {
  /// The property is not a relationship, or the operation returns nothing.
  case none
  /// A to-one fault with this key, or a to-many fault. `positioned` as in
  /// ``__RelationshipOperation/load(_:positioned:)``.
  case fault(Int64)
  /// The loaded targets.
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
  package let count: Int
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
