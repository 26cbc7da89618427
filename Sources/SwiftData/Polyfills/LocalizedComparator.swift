#if !canImport(ObjectiveC)
  public import Foundation

  // Drop this file as soon as `String.StandardComparator` has `.localized` and `.localizedStandard` where there is no
  // Objective-C (swift-foundation has `.lexical` alone), with the initialisers of `SortDescriptor` that take it.

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

  extension String.StandardComparator {
    /// As file managers sort: numbers by their value, whatever the case.
    public static var localizedStandard: String.LocalizedComparator { .localizedStandard }
    /// As the locale sorts.
    public static var localized: String.LocalizedComparator { .localized }
  }

  extension SortComparator where Self == String.LocalizedComparator {
    /// As file managers sort: numbers by their value, whatever the case. For `names.sorted(using: .localizedStandard)`.
    public static var localizedStandard: String.LocalizedComparator { String.LocalizedComparator.localizedStandard }
    /// As the locale sorts.
    public static var localized: String.LocalizedComparator { String.LocalizedComparator.localized }
  }

  extension SortDescriptor where Compared: PersistentModel {
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

    private init<Value>(
      _ keyPath: KeyPath<Compared, Value>, by comparator: String.LocalizedComparator, _ order: SortOrder
    ) {
      let isReversed = (comparator.order == .reverse) != (order == .reverse)
      self.init(keyPath, comparator.rule, isReversed ? .reverse : .forward)
    }
  }

  extension SortDescriptor {
    /// Orders values that are no models by a text as the current locale does.
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

  /// A text as its place in an order of a locale.
  ///
  /// Plumbing of `SortDescriptor`.
  public struct __LocalizedText: Comparable {
    let text: String
    let rule: __SortRule

    /// Whether the rule puts one before the other.
    public static func < (left: Self, right: Self) -> Bool {
      left.rule.compare(left.text, right.text) == .orderedAscending
    }
    /// Whether the rule tells them apart.
    public static func == (left: Self, right: Self) -> Bool { left.rule.compare(left.text, right.text) == .orderedSame }
  }
#endif
