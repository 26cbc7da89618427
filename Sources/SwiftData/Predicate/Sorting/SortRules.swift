import Foundation

/// An order that `Comparable` does not give: of texts in a locale, of truth values, of enums by their raw values.
public enum __SortRule: Hashable, Sendable {
  case localized
  case localizedStandard
  /// False before true.
  case truth
  case rawValue

  /// How two values that are not nil compare.
  func compare(_ left: Any, _ right: Any) -> ComparisonResult {
    switch self {
    case .localized, .localizedStandard:
      guard let left = left as? String, let right = right as? String else { return .orderedSame }
      return compare(left, right)
    case .truth:
      guard let left = left as? Bool, let right = right as? Bool, left != right else { return .orderedSame }
      return right ? .orderedAscending : .orderedDescending
    case .rawValue:
      guard let left = Self.rawValue(left), let right = Self.rawValue(right) else { return .orderedSame }
      return Self.compare(left, any: right)
    }
  }

  func compare(_ left: String, _ right: String) -> ComparisonResult {
    self == .localized ? left.localizedCompare(right) : left.localizedStandardCompare(right)
  }

  private static func rawValue(_ value: Any) -> (any Comparable)? {
    func raw<R: RawRepresentable>(_ value: R) -> (any Comparable)? { value.rawValue as? any Comparable }
    return (value as? any RawRepresentable).flatMap { raw($0) }
  }

  private static func compare<T: Comparable>(_ left: T, any right: any Comparable) -> ComparisonResult {
    guard let right = right as? T else { return .orderedSame }
    return left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
  }
}

/// A property, or a path to one, and the rule that orders its values.
///
/// Plumbing of `SortDescriptor`.
// @unchecked Sendable because key paths are immutable.
public struct __SortProperty<Model: PersistentModel, Value>: Hashable, @unchecked Sendable {
  let keyPath: KeyPath<Model, Value>
  let rule: __SortRule
}

/// A model as its place in an order: what `SortDescriptor` compares where the property's values are not comparable.
///
/// Plumbing of `SortDescriptor`.
public struct __SortKey<Model: PersistentModel, Value>: Comparable {
  let model: Model
  let property: __SortProperty<Model, Value>

  /// Nil comes first, as everywhere in Foundation's sorting.
  private static func compare(_ left: Self, _ right: Self) -> ComparisonResult {
    let one = ScalarType.unwrapped(left.model[keyPath: left.property.keyPath])
    let other = ScalarType.unwrapped(right.model[keyPath: right.property.keyPath])
    switch (one, other) {
    case (let one?, let other?): return left.property.rule.compare(one, other)
    case (nil, nil): return .orderedSame
    case (nil, _): return .orderedAscending
    case (_, nil): return .orderedDescending
    }
  }

  /// Whether the rule puts one before the other.
  public static func < (left: Self, right: Self) -> Bool { compare(left, right) == .orderedAscending }
  /// Whether the rule tells them apart.
  public static func == (left: Self, right: Self) -> Bool { compare(left, right) == .orderedSame }
}

extension PersistentModel {
  /// Plumbing of `SortDescriptor`.
  public subscript<Value>(__sort property: __SortProperty<Self, Value>) -> __SortKey<Self, Value> {
    __SortKey(model: self, property: property)
  }
}

/// A place in an order, whatever the model.
protocol AnySortKey {
  var base: AnyKeyPath { get }
  var rule: __SortRule { get }
}

extension __SortKey: AnySortKey {
  var base: AnyKeyPath { property.keyPath }
  var rule: __SortRule { property.rule }
}

/// What a sort descriptor's key path names.
package struct SortTarget {
  /// The key path that the descriptor was made with.
  package let keyPath: AnyKeyPath
  /// The rule that orders its values; nil where they order themselves.
  package let rule: __SortRule?

  /// Looks into a key path of `SortDescriptor.keyPath`.
  package init(_ keyPath: AnyKeyPath, of entity: __Entity) {
    if type(of: keyPath).valueType is any AnySortKey.Type,
      let key = Probe.apply(keyPath, to: Probe.placeholder(of: entity)) as? any AnySortKey
    {
      (self.keyPath, rule) = (key.base, key.rule)
    } else {
      (self.keyPath, rule) = (keyPath, nil)
    }
  }
}
