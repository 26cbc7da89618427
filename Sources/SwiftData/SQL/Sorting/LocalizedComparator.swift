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
      private enum Kind: String, Codable { case lexical, localized, localizedStandard }
      private let kind: Kind

      /// Forward or reverse.
      public var order: SortOrder = .forward

      /// The order of file managers: numbers by value, ignoring case (`localizedStandardCompare(_:)`).
      public static let localizedStandard = LocalizedComparator(kind: .localizedStandard)

      /// The order of the locale (`localizedCompare(_:)`).
      public static let localized = LocalizedComparator(kind: .localized)

      /// The order of `String.StandardComparator.lexical`, so that one parameter takes all three.
      public static let lexical = LocalizedComparator(kind: .lexical)

      private init(kind: Kind) { self.kind = kind }

      /// Nil for `lexical`.
      var rule: __SortRule? {
        switch kind {
        case .lexical: nil
        case .localized: .localized
        case .localizedStandard: .localizedStandard
        }
      }

      /// Compares two strings. `.reverse` inverts the result.
      public func compare(_ left: String, _ right: String) -> ComparisonResult {
        let (left, right) = order == .forward ? (left, right) : (right, left)
        return rule?.compare(left, right) ?? String.StandardComparator.lexical.compare(left, right)
      }

      /// The order of a descriptor that also has an order of its own.
      func combined(with order: SortOrder) -> SortOrder {
        (self.order == .reverse) != (order == .reverse) ? .reverse : .forward
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

  // Disfavored, because `comparator: .lexical` could be Foundation's comparator as well. The variants with one more
  // parameter are for models of an actor, as in SortDescriptors.swift.
  extension SortDescriptor where Compared: PersistentModel {
    /// Orders models by a string property in the current locale.
    @_disfavoredOverload
    public init(
      _ keyPath: KeyPath<Compared, String> & Sendable, comparator: String.LocalizedComparator,
      order: SortOrder = .forward
    ) {
      let order = comparator.combined(with: order)
      if let rule = comparator.rule {
        self.init(keyPath, rule, order)
      } else {
        self.init(keyPath, comparator: String.StandardComparator.lexical, order: order)
      }
    }

    /// Orders models by an optional string property in the current locale, nil first.
    @_disfavoredOverload
    public init(
      _ keyPath: KeyPath<Compared, String?> & Sendable, comparator: String.LocalizedComparator,
      order: SortOrder = .forward
    ) {
      let order = comparator.combined(with: order)
      if let rule = comparator.rule {
        self.init(keyPath, rule, order)
      } else {
        self.init(keyPath, comparator: String.StandardComparator.lexical, order: order)
      }
    }

    /// Orders models of an actor by a string property in the current locale.
    @_disfavoredOverload
    public init(
      _ keyPath: KeyPath<Compared, String>, comparator: String.LocalizedComparator, order: SortOrder = .forward,
      __twin: __SortsActorModels = .yes
    ) { self.init(keyPath.sendable, comparator: comparator, order: order) }

    /// Orders models of an actor by an optional string property in the current locale, nil first.
    @_disfavoredOverload
    public init(
      _ keyPath: KeyPath<Compared, String?>, comparator: String.LocalizedComparator, order: SortOrder = .forward,
      __twin: __SortsActorModels = .yes
    ) { self.init(keyPath.sendable, comparator: comparator, order: order) }

    /// The descriptor of a generic function that does not know that it sorts models.
    fileprivate static func make(
      _ keyPath: AnyKeyPath, _ comparator: String.LocalizedComparator, _ order: SortOrder
    ) -> Any? {
      if let path = keyPath as? KeyPath<Compared, String> {
        return Self(path.sendable, comparator: comparator, order: order)
      }
      return (keyPath as? KeyPath<Compared, String?>).map { Self($0.sendable, comparator: comparator, order: order) }
    }
  }

  extension SortDescriptor {
    /// Orders values by a string property in the current locale.
    @_disfavoredOverload
    public init(
      _ keyPath: KeyPath<Compared, String> & Sendable, comparator: String.LocalizedComparator,
      order: SortOrder = .forward
    ) {
      if let descriptor = Self.ofModels(keyPath, comparator, order) {
        self = descriptor
      } else if let rule = comparator.rule {
        let path = keyPath.appending(path: \String.[__localized: rule])
        self.init(path.sendable, order: comparator.combined(with: order))
      } else {
        self.init(keyPath, comparator: String.StandardComparator.lexical, order: comparator.combined(with: order))
      }
    }

    /// Orders values by an optional string property in the current locale, nil first.
    @_disfavoredOverload
    public init(
      _ keyPath: KeyPath<Compared, String?> & Sendable, comparator: String.LocalizedComparator,
      order: SortOrder = .forward
    ) {
      if let descriptor = Self.ofModels(keyPath, comparator, order) {
        self = descriptor
      } else if let rule = comparator.rule {
        let path = keyPath.appending(path: \Optional<String>.[__localized: rule])
        self.init(path.sendable, order: comparator.combined(with: order))
      } else {
        self.init(keyPath, comparator: String.StandardComparator.lexical, order: comparator.combined(with: order))
      }
    }

    private static func ofModels(
      _ keyPath: AnyKeyPath, _ comparator: String.LocalizedComparator, _ order: SortOrder
    ) -> SortDescriptor<Compared>? {
      func make<M: PersistentModel>(_: M.Type) -> Any? { SortDescriptor<M>.make(keyPath, comparator, order) }
      return (Compared.self as? any PersistentModel.Type).flatMap { make($0) } as? SortDescriptor<Compared>
    }
  }

  extension String? {
    /// Plumbing of `SortDescriptor`.
    public subscript(__localized rule: __SortRule) -> __LocalizedText? { map { $0[__localized: rule] } }
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
