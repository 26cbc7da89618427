#if !canImport(ObjectiveC)
  public import Foundation

  // Remove this file once `String.StandardComparator` has `.localized` and `.localizedStandard` without Objective-C
  // (swift-foundation has only `.lexical`), and `SortDescriptor` has initializers for it.

  extension String {
    /// A comparator for strings in the current locale.
    ///
    /// Foundation's `String.StandardComparator` has `.localizedStandard` and `.localized` on Apple's platforms only.
    /// These are the same comparisons through methods that Foundation has on every platform, so
    /// `SortDescriptor(\Trip.name, comparator: .localizedStandard)` works everywhere.
    public struct LocalizedComparator: SortComparator, Hashable, Codable, Sendable {
      private enum Kind: String, Codable { case localized, localizedStandard }
      private let kind: Kind

      /// Forward or reverse.
      public var order: SortOrder = .forward

      /// The order of file managers: numbers by value, ignoring case (`localizedStandardCompare(_:)`).
      public static let localizedStandard = LocalizedComparator(kind: .localizedStandard)

      /// The order of the locale (`localizedCompare(_:)`).
      public static let localized = LocalizedComparator(kind: .localized)

      private init(kind: Kind) { self.kind = kind }

      var rule: __SortRule {
        switch kind {
        case .localized: .localized
        case .localizedStandard: .localizedStandard
        }
      }

      /// Compares two strings. `.reverse` inverts the result.
      public func compare(_ left: String, _ right: String) -> ComparisonResult {
        order == .forward ? rule.compare(left, right) : rule.compare(right, left)
      }
    }
  }

  extension String.StandardComparator {
    /// The order of file managers: numbers by value, ignoring case.
    public static var localizedStandard: String.LocalizedComparator { .localizedStandard }
    /// The order of the locale.
    public static var localized: String.LocalizedComparator { .localized }
  }

  extension SortComparator where Self == String.LocalizedComparator {
    /// The order of file managers: numbers by value, ignoring case. For `names.sorted(using: .localizedStandard)`.
    public static var localizedStandard: String.LocalizedComparator { String.LocalizedComparator.localizedStandard }
    /// The order of the locale.
    public static var localized: String.LocalizedComparator { String.LocalizedComparator.localized }
  }

  extension SortDescriptor where Compared: PersistentModel {
    /// Orders models by a string property in the current locale.
    public init(
      _ keyPath: KeyPath<Compared, String>,
      comparator: String.LocalizedComparator,
      order: SortOrder = .forward
    ) {
      self.init(keyPath, by: comparator, order)
    }

    /// Orders models by an optional string property in the current locale, nil first.
    public init(
      _ keyPath: KeyPath<Compared, String?>,
      comparator: String.LocalizedComparator,
      order: SortOrder = .forward
    ) {
      self.init(keyPath, by: comparator, order)
    }

    private init<Value>(
      _ keyPath: KeyPath<Compared, Value>, by comparator: String.LocalizedComparator, _ order: SortOrder
    ) {
      let isReversed = (comparator.order == .reverse) != (order == .reverse)
      self.init(keyPath, comparator.rule, isReversed ? .reverse : .forward)
    }
  }

  extension SortDescriptor {
    /// Orders values that are not models by a string property in the current locale.
    @_disfavoredOverload
    public init(
      _ keyPath: KeyPath<Compared, String> & Sendable, comparator: String.LocalizedComparator,
      order: SortOrder = .forward
    ) {
      let isReversed = (comparator.order == .reverse) != (order == .reverse)
      let path = keyPath.appending(path: \String.[__localized: comparator.rule])
      self.init(path.sendable, order: isReversed ? .reverse : .forward)
    }
  }

  extension String {
    /// Plumbing of `SortDescriptor`.
    public subscript(__localized rule: __SortRule) -> __LocalizedText { __LocalizedText(text: self, rule: rule) }
  }

  /// A string as a sort key in a locale's order.
  ///
  /// Plumbing of `SortDescriptor`.
  public struct __LocalizedText: Comparable {
    let text: String
    let rule: __SortRule

    /// Whether the rule orders the left string before the right one.
    public static func < (left: Self, right: Self) -> Bool {
      left.rule.compare(left.text, right.text) == .orderedAscending
    }
    /// Whether the rule treats both strings as equal.
    public static func == (left: Self, right: Self) -> Bool { left.rule.compare(left.text, right.text) == .orderedSame }
  }
#endif
