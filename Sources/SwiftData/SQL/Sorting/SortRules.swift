import Foundation

/// An order that `Comparable` does not define: localized text, Booleans, enums by raw value.
public enum __SortRule: Hashable, Sendable {
  case localized
  case localizedStandard
  /// False before true.
  case truth
  case rawValue

  /// Compares two non-nil values.
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

// @unchecked Sendable because key paths are immutable.
/// A property, or a path to one, and the rule that orders its values.
///
/// Plumbing of `SortDescriptor`.
public struct __SortProperty<Model: PersistentModel, Value>: Hashable, @unchecked Sendable {
  let keyPath: KeyPath<Model, Value>
  let rule: __SortRule
}

/// The sort key of a model. `SortDescriptor` compares it if the property's values are not `Comparable`.
///
/// Plumbing of `SortDescriptor`.
public struct __SortKey<Model: PersistentModel, Value>: Comparable {
  let model: Model
  let property: __SortProperty<Model, Value>

  /// Nil is first, as everywhere in Foundation's sorting.
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

  /// Whether the rule orders the left key before the right one.
  public static func < (left: Self, right: Self) -> Bool { compare(left, right) == .orderedAscending }
  /// Whether the rule treats both keys as equal.
  public static func == (left: Self, right: Self) -> Bool { compare(left, right) == .orderedSame }
}

extension PersistentModel {
  /// Plumbing of `SortDescriptor`.
  public subscript<Value>(__sort property: __SortProperty<Self, Value>) -> __SortKey<Self, Value> {
    __SortKey(model: self, property: property)
  }
}

/// A sort key of any model.
protocol AnySortKey {
  /// The key that a key path made for `SortDescriptor` returns, for any object. Nil for any other key path.
  static func key(at keyPath: AnyKeyPath) -> (any AnySortKey)?
  var base: AnyKeyPath { get }
  var rule: __SortRule { get }
}

extension __SortKey: AnySortKey {
  static func key(at keyPath: AnyKeyPath) -> (any AnySortKey)? {
    guard let keyPath = keyPath as? KeyPath<Model, Self> else { return nil }
    // Only the engine's subscript above returns a sort key. It keeps the object and does nothing with it, so any object
    // serves, and no model has to be made.
    return unsafeBitCast(AnyObjectAtAll(), to: Model.self)[keyPath: keyPath]
  }

  private final class AnyObjectAtAll {}

  var base: AnyKeyPath { property.keyPath }
  var rule: __SortRule { property.rule }
}

/// The property that a sort descriptor's key path names.
package struct SortTarget {
  /// The key path that the descriptor was made with.
  package let keyPath: AnyKeyPath
  /// The rule that orders its values, or nil for their own order.
  package let rule: __SortRule?

  /// Analyzes the key path of a `SortDescriptor`.
  package init(_ keyPath: AnyKeyPath) {
    let valueType = type(of: keyPath).valueType
    if !ValueTypes.isColumn(valueType), let type = valueType as? any AnySortKey.Type, let key = type.key(at: keyPath) {
      (self.keyPath, rule) = (key.base, key.rule)
    } else {
      (self.keyPath, rule) = (keyPath, nil)
    }
  }
}
