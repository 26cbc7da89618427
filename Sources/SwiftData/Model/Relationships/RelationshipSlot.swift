/// An operation of the engine on a relationship slot. Only ``RelationshipSlot`` makes operations.
public struct __RelationshipOperation {
  enum Kind {
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
    /// Replaces the content by a fault. A to-one keeps the primary key of its target in it, or 0 for no target. A to-many ignores the key.
    case fault(Int64)
    /// Appends a target (to-many, which must not contain it) or replaces the target (to-one). Returns nothing for a
    /// to-many.
    case add(any PersistentModel)
    /// Removes a target. Returns nothing for a to-many.
    case remove(any PersistentModel)
    /// Returns how a loaded to-many differs from a value of `__value(at:)` or `keepOriginal`, as a `__ListChange`.
    case compare(Any)
    /// Keeps what a long to-many is now without a copy, for `compare`, `original` and `giveBack`. Returns nothing where a copy is as good.
    case keepOriginal
    /// Returns the targets that a to-many had when `keepOriginal` returned an object.
    case original(AnyObject)
    /// Gives a to-many the targets that it had when `keepOriginal` returned an object.
    case giveBack(AnyObject)
    /// Writes out what `keepOriginal` kept of a to-many, because its slot is about to get another value.
    case settle
    /// Returns whether the keys of a loaded to-many ascend, as a `__ListOrder`.
    case order
    /// Records that the store keeps positions for a loaded to-many.
    case position
    /// Compares a to-many completely after an in-place change, and returns what was missed as a `__ListChange`.
    case verify
  }

  let kind: Kind

  @inline(__always)
  fileprivate init(_ kind: consuming Kind) { self.kind = kind }
}

/// A relationship of an object, as the engine reads and changes it: without faulting, change tracking or observation.
///
/// Each member performs one operation of the models' generated code and returns what that operation returns, so that a caller cannot
/// take one operation's answer for another's. No other file can make an operation. The optimiser leaves nothing of this struct: a
/// caller compiles to the same instructions as one that performs the operation itself.
struct RelationshipSlot {
  private let object: any PersistentModel
  private let index: Int

  @inline(__always)
  fileprivate init(_ object: any PersistentModel, _ index: Int) { (self.object, self.index) = (object, index) }

  // Consuming, because the optimiser does not remove a copy of the operation.
  @inline(__always)
  private func perform(_ operation: consuming __RelationshipOperation.Kind) -> __RelationshipContent {
    object.__relationship(index, __RelationshipOperation(operation))
  }

  // MARK: - What is in memory

  /// The content of a slot.
  enum Content {
    /// The relationship is not loaded. A to-one has the primary key of its target, or 0 for none.
    case fault(Int64)
    case targets([any PersistentModel])
  }

  /// Whether a relationship has a target.
  enum Membership {
    /// The relationship is not loaded. A to-one has the primary key of its target, or 0 for none.
    case fault(Int64)
    case contained
    /// The target is not among the loaded ones. A to-one has another one, or none.
    case absent(instead: (any PersistentModel)?)
  }

  /// Whether the relationship is not loaded. False for an attribute.
  var isFault: Bool {
    @inline(__always) get { if case .fault = perform(.check) { true } else { false } }
  }

  /// The primary key of a fault: the target of a to-one, or 0. Nil if the relationship is loaded.
  var faultKey: Int64? {
    @inline(__always) get { if case .fault(let key) = perform(.read) { key } else { nil } }
  }

  /// The fault or the loaded targets. Nil for an attribute.
  var content: Content? {
    @inline(__always) get {
      switch perform(.read) {
      case .fault(let key): .fault(key)
      case .targets(let targets, _): .targets(targets)
      case .none, .change, .order, .original: nil
      }
    }
  }

  /// The loaded targets, at most one for a to-one. Nil for a fault and for an attribute.
  var targets: [any PersistentModel]? {
    @inline(__always) get { if case .targets(let targets, _) = perform(.read) { targets } else { nil } }
  }

  /// The loaded targets, and whether the store keeps positions for them. Nil for a fault and for an attribute.
  var list: (targets: [any PersistentModel], positioned: Bool)? {
    @inline(__always) get {
      if case .targets(let targets, let positioned) = perform(.read) { (targets, positioned) } else { nil }
    }
  }

  /// The loaded targets of a to-many in a range, which is clamped to the list. None for a fault.
  @inline(__always)
  func targets(in range: Range<Int>) -> [any PersistentModel] {
    if case .targets(let targets, _) = perform(.slice(range)) { targets } else { [] }
  }

  /// Looks for one target without listing the others. Nil for an attribute.
  @inline(__always)
  func membership(of target: any PersistentModel) -> Membership? {
    switch perform(.contains(target)) {
    case .fault(let key): .fault(key)
    case .targets(let found, _): found.contains { $0 === target } ? .contained : .absent(instead: found.first)
    case .none, .change, .order, .original: nil
    }
  }

  /// Whether the relationship is loaded and has a target.
  @inline(__always)
  func contains(_ target: any PersistentModel) -> Bool {
    if case .contained = membership(of: target) { true } else { false }
  }

  // MARK: - Changes

  /// Stores loaded targets, at most one for a to-one.
  /// - Parameter positioned: whether the store keeps positions for the targets.
  @inline(__always)
  func load(_ targets: [any PersistentModel], positioned: Bool) { _ = perform(.load(targets, positioned: positioned)) }

  /// Replaces the content by a fault.
  /// - Parameter key: the primary key of a to-one's target, or 0 for none. A to-many ignores it.
  @inline(__always)
  func becomeFault(_ key: Int64) { _ = perform(.fault(key)) }

  /// Appends a target to a to-many, which must not contain it, or replaces the target of a to-one.
  @inline(__always)
  func add(_ target: any PersistentModel) { _ = perform(.add(target)) }

  /// Removes a target. A required to-one keeps it.
  @inline(__always)
  func remove(_ target: any PersistentModel) { _ = perform(.remove(target)) }

  /// Records that the store keeps positions for a loaded to-many.
  @inline(__always)
  func notePositions() { _ = perform(.position) }

  // MARK: - Earlier values of a to-many

  /// Keeps what a long to-many is now without a copy. Nil where a copy is as good.
  @inline(__always)
  func keepOriginal() -> AnyObject? {
    if case .original(let original) = perform(.keepOriginal) { original } else { nil }
  }

  /// The targets that a to-many had when `keepOriginal` returned an object. Nil for a fault.
  @inline(__always)
  func targets(of original: AnyObject) -> [any PersistentModel]? {
    if case .targets(let targets, _) = perform(.original(original)) { targets } else { nil }
  }

  /// Gives a to-many the targets that it had when `keepOriginal` returned an object.
  @inline(__always)
  func giveBack(_ original: AnyObject) { _ = perform(.giveBack(original)) }

  /// Writes out what was kept of a to-many, because its slot is about to get another value.
  @inline(__always)
  func settle() { _ = perform(.settle) }

  /// The difference of a loaded to-many from a value of `__value(at:)` or `keepOriginal`. Nil for a fault.
  @inline(__always)
  func change(since original: Any) -> __ListChange? {
    if case .change(let change) = perform(.compare(original)) { change } else { nil }
  }

  /// Whether the keys of a loaded to-many ascend. Nil for a fault.
  var order: __ListOrder? {
    @inline(__always) get { if case .order(let order) = perform(.order) { order } else { nil } }
  }

  /// Compares a to-many completely after a change in place. Returns what the comparison of a part missed, or nil for nothing.
  @inline(__always)
  func verify() -> __ListChange? {
    if case .change(let change) = perform(.verify) { change } else { nil }
  }
}

extension PersistentModel {
  /// The relationship of a property.
  @inline(__always)
  nonisolated func relationship(_ property: __Property) -> RelationshipSlot { RelationshipSlot(self, property.index) }

  /// The relationship at an index.
  @inline(__always)
  nonisolated func relationship(at index: Int) -> RelationshipSlot { RelationshipSlot(self, index) }
}
