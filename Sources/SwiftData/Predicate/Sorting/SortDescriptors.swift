import Foundation

/// What no call names: see the initialisers of `SortDescriptor` that take it.
public enum __SortsActorModels: Sendable { case yes }

// For models these win over Foundation's initialisers. The first four are copies, and each has a twin for the key paths
// of a `@MainActor @Model`, which are not marked Sendable: with Foundation's alone they are errors.
//
// The twins have a parameter with a default value that no call names. Where a program declares
// `extension KeyPath: @retroactive Sendable`, both forms take every key path, and Swift prefers the one with fewer
// parameters; without the parameter such calls are ambiguous.
extension SortDescriptor where Compared: PersistentModel {
  /// Orders models by a comparable property.
  public init<Value: Comparable>(_ keyPath: KeyPath<Compared, Value> & Sendable, order: SortOrder = .forward) {
    self = descriptor(keyPath, order)
  }

  /// Orders models by a comparable property, those without a value first.
  public init<Value: Comparable>(_ keyPath: KeyPath<Compared, Value?> & Sendable, order: SortOrder = .forward) {
    self = descriptor(keyPath, order)
  }

  /// Orders models by a text, by its characters' code points.
  public init(
    _ keyPath: KeyPath<Compared, String> & Sendable,
    comparator: String.StandardComparator,
    order: SortOrder = .forward
  ) {
    self = descriptor(keyPath, comparator, order)
  }

  /// Orders models by a text, by its characters' code points, those without one first.
  public init(
    _ keyPath: KeyPath<Compared, String?> & Sendable,
    comparator: String.StandardComparator,
    order: SortOrder = .forward
  ) {
    self = descriptor(keyPath, comparator, order)
  }

  /// Orders models of an actor by a comparable property.
  public init<Value: Comparable>(
    _ keyPath: KeyPath<Compared, Value>, order: SortOrder = .forward, __twin: __SortsActorModels = .yes
  ) {
    self = descriptor(keyPath.sendable, order)
  }

  /// Orders models of an actor by a comparable property, those without a value first.
  public init<Value: Comparable>(
    _ keyPath: KeyPath<Compared, Value?>, order: SortOrder = .forward, __twin: __SortsActorModels = .yes
  ) {
    self = descriptor(keyPath.sendable, order)
  }

  /// Orders models of an actor by a text, by its characters' code points.
  public init(
    _ keyPath: KeyPath<Compared, String>,
    comparator: String.StandardComparator,
    order: SortOrder = .forward,
    __twin: __SortsActorModels = .yes
  ) {
    self = descriptor(keyPath.sendable, comparator, order)
  }

  /// Orders models of an actor by a text, by its characters' code points, those without one first.
  public init(
    _ keyPath: KeyPath<Compared, String?>,
    comparator: String.StandardComparator,
    order: SortOrder = .forward,
    __twin: __SortsActorModels = .yes
  ) {
    self = descriptor(keyPath.sendable, comparator, order)
  }

  /// Orders models by a truth value, false before true.
  public init(_ keyPath: KeyPath<Compared, Bool>, order: SortOrder = .forward) {
    self.init(keyPath, .truth, order)
  }

  /// Orders models by a truth value: nil, false, true.
  public init(_ keyPath: KeyPath<Compared, Bool?>, order: SortOrder = .forward) {
    self.init(keyPath, .truth, order)
  }

  /// Orders models by the raw values of an enum; one that is `Comparable` itself orders by its own rule.
  @_disfavoredOverload
  public init<Value: RawRepresentable>(_ keyPath: KeyPath<Compared, Value>, order: SortOrder = .forward)
  where Value.RawValue: Comparable {
    self.init(keyPath, .rawValue, order)
  }

  /// Orders models by the raw values of an enum, those without a value first.
  @_disfavoredOverload
  public init<Value: RawRepresentable>(_ keyPath: KeyPath<Compared, Value?>, order: SortOrder = .forward)
  where Value.RawValue: Comparable {
    self.init(keyPath, .rawValue, order)
  }

  init<Value>(_ keyPath: KeyPath<Compared, Value>, _ rule: __SortRule, _ order: SortOrder) {
    let property = __SortProperty(keyPath: keyPath, rule: rule)
    self = descriptor(\Compared.[__sort: property], order)
  }
}

extension KeyPath {
  /// The same key path, marked as Sendable.
  ///
  /// Sound because a key path never changes and a descriptor only reads through it, a model that the caller holds.
  var sendable: KeyPath<Root, Value> & Sendable {
    unsafeBitCast(self, to: (KeyPath<Root, Value> & Sendable).self)
  }
}

// Foundation's own initialisers, which are out of sight where the model is known to be one.

private func descriptor<M, V: Comparable>(_ keyPath: KeyPath<M, V> & Sendable, _ order: SortOrder) -> SortDescriptor<M>
{
  SortDescriptor(keyPath, order: order)
}

private func descriptor<M, V: Comparable>(_ keyPath: KeyPath<M, V?> & Sendable, _ order: SortOrder) -> SortDescriptor<M>
{
  SortDescriptor(keyPath, order: order)
}

private func descriptor<M>(
  _ keyPath: KeyPath<M, String> & Sendable,
  _ comparator: String.StandardComparator,
  _ order: SortOrder
) -> SortDescriptor<M> {
  SortDescriptor(keyPath, comparator: comparator, order: order)
}

private func descriptor<M>(
  _ keyPath: KeyPath<M, String?> & Sendable,
  _ comparator: String.StandardComparator,
  _ order: SortOrder
) -> SortDescriptor<M> {
  SortDescriptor(keyPath, comparator: comparator, order: order)
}
