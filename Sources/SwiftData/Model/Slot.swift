/// Inline storage of a property whose kind only the type checker knows: an attribute of a type of the user's own, or
/// a relationship.
///
/// Invariant: `value` is nil only for a relationship that has not been loaded (a fault); an attribute always has one.
@frozen
public struct __Slot<Value> {
  /// The value; nil while the relationship is a fault. A loaded `nil` is `.some(nil)`.
  public var value: Value?
  /// To-one: the primary key of a faulted target, 0 for none. To-many: bit 0 says that the store keeps positions, the
  /// others are the `link` of the index beside a long list, 0 for none.
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
  /// Whether it is loaded: answers with a fault or with no targets, whatever there are.
  case check
  /// Read what is in memory.
  case read
  /// Some of the loaded targets of a to-many, by their places.
  case slice(Range<Int>)
  /// Whether a target is in memory: answers with it or with nothing, without listing the others.
  case contains(any PersistentModel)
  /// Store loaded targets; for a to-one at most one. `positioned`: the store keeps positions for the array.
  case load([any PersistentModel], positioned: Bool)
  /// Become a fault on a primary key (to-one; 0 is none) or on the store's list (to-many).
  case fault(Int64)
  /// Add a target at the end (to-many) or replace the target (to-one). A to-many does not have it yet, and answers with
  /// nothing.
  case add(any PersistentModel)
  /// Remove a target. A to-many answers with nothing.
  case remove(any PersistentModel)
  /// How a loaded to-many differs from a value that `__value(at:)` gave; answers with a `__ListChange`.
  case compare(Any)
  /// Whether the keys of a loaded to-many ascend; answers with a `__ListOrder`.
  case order
  /// Note that the store keeps positions for a loaded to-many.
  case position
  /// Look at all of a to-many that was changed in place; answers with a `__ListChange` of what was missed.
  case verify
}

/// What is in a relationship slot after an operation.
public enum __RelationshipContent {
  /// The property is no relationship, or there is nothing to say.
  case none
  /// A to-one fault on this key, or a to-many fault. `positioned` as in ``__RelationshipOperation/load(_:positioned:)``.
  case fault(Int64)
  /// The loaded targets.
  case targets([any PersistentModel], positioned: Bool)
  case change(__ListChange)
  case order(__ListOrder)
}

/// How a to-many became another, for whoever does not know the class of its targets.
public struct __ListChange {
  package let removed: [any PersistentModel]
  package let added: [any PersistentModel]
  /// How many targets there are.
  package let count: Int
  /// What is between the common beginning and the common end of the list that it is now.
  package let range: Range<Int>
  /// Whether targets only came, and at the end.
  package let isAppend: Bool
  /// Whether what stayed is in the order that it had, and what came is behind it.
  package let keepsOrder: Bool
  /// Where the target is now that was moved; nil where nothing was, or more happened.
  package let moved: Int?
  package let positioned: Bool
}

/// The order of a to-many.
public struct __ListOrder {
  package let count: Int
  package let ascends: Bool
  package let positioned: Bool
}

/// What an assignment to a relationship property did: the targets that left and came.
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
