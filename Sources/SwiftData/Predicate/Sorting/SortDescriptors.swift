import Foundation

extension String {
  /// An order of texts that depends on the current locale.
  ///
  /// Foundation's `String.StandardComparator` has `.localizedStandard` and `.localized` on Apple's systems only. These
  /// are the same comparisons, by the methods that Foundation has on every system, so that
  /// `SortDescriptor(\Trip.name, comparator: .localizedStandard)` means the same everywhere.
  public struct LocalizedComparator: SortComparator, Hashable, Codable, Sendable {
    private enum Kind: String, Codable { case localized, localizedStandard }
    private let kind: Kind

    /// Forward or reverse.
    public var order: SortOrder = .forward

    /// As file managers sort: numbers by their value, whatever the case (`localizedStandardCompare(_:)`).
    public static let localizedStandard = LocalizedComparator(kind: .localizedStandard)

    /// As the locale sorts (`localizedCompare(_:)`).
    public static let localized = LocalizedComparator(kind: .localized)

    private init(kind: Kind) { self.kind = kind }

    var rule: __SortRule {
      switch kind {
      case .localized: .localized
      case .localizedStandard: .localizedStandard
      }
    }

    /// How two texts compare, turned round where the order is `.reverse`.
    public func compare(_ left: String, _ right: String) -> ComparisonResult {
      order == .forward ? rule.compare(left, right) : rule.compare(right, left)
    }
  }
}

// For models these win over Foundation's initialisers. The first four are copies, and each has a twin for the key paths
// of a `@MainActor @Model`, which are not marked Sendable: with Foundation's alone they are errors.
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
  public init<Value: Comparable>(_ keyPath: KeyPath<Compared, Value>, order: SortOrder = .forward) {
    self = descriptor(keyPath.sendable, order)
  }

  /// Orders models of an actor by a comparable property, those without a value first.
  public init<Value: Comparable>(_ keyPath: KeyPath<Compared, Value?>, order: SortOrder = .forward) {
    self = descriptor(keyPath.sendable, order)
  }

  /// Orders models of an actor by a text, by its characters' code points.
  public init(
    _ keyPath: KeyPath<Compared, String>,
    comparator: String.StandardComparator,
    order: SortOrder = .forward
  ) {
    self = descriptor(keyPath.sendable, comparator, order)
  }

  /// Orders models of an actor by a text, by its characters' code points, those without one first.
  public init(
    _ keyPath: KeyPath<Compared, String?>,
    comparator: String.StandardComparator,
    order: SortOrder = .forward
  ) {
    self = descriptor(keyPath.sendable, comparator, order)
  }

  /// Orders models by a text as the current locale does.
  public init(
    _ keyPath: KeyPath<Compared, String>,
    comparator: String.LocalizedComparator,
    order: SortOrder = .forward
  ) {
    self.init(keyPath, by: comparator, order)
  }

  /// Orders models by a text as the current locale does, those without one first.
  public init(
    _ keyPath: KeyPath<Compared, String?>,
    comparator: String.LocalizedComparator,
    order: SortOrder = .forward
  ) {
    self.init(keyPath, by: comparator, order)
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

  private init<Value>(
    _ keyPath: KeyPath<Compared, Value>, by comparator: String.LocalizedComparator, _ order: SortOrder
  ) {
    let isReversed = (comparator.order == .reverse) != (order == .reverse)
    self.init(keyPath, comparator.rule, isReversed ? .reverse : .forward)
  }

  private init<Value>(_ keyPath: KeyPath<Compared, Value>, _ rule: __SortRule, _ order: SortOrder) {
    let property = __SortProperty(keyPath: keyPath, rule: rule)
    self = descriptor(\Compared.[__sort: property], order)
  }
}

extension KeyPath {
  /// The same key path, marked as Sendable.
  ///
  /// Sound because a key path never changes and a descriptor only reads through it, a model that the caller holds.
  fileprivate var sendable: KeyPath<Root, Value> & Sendable {
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
