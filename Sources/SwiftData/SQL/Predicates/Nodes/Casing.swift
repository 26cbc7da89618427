import Foundation

// `lowercased()`, `uppercased()` and `capitalized`, as key paths because nodes cannot hold functions.

extension StringProtocol {
  /// Plumbing of `#Predicate`.
  public var __lowercased: String { lowercased() }
  /// Plumbing of `#Predicate`.
  public var __uppercased: String { uppercased() }
  /// Plumbing of `#Predicate`.
  public var __capitalized: String { capitalized }
}

extension PredicateExpressions {
  /// A string in another case: `$0.title.lowercased()`.
  public typealias TextCasing<Root: PredicateExpression> = KeyPath<Root, String> where Root.Output: StringProtocol

  /// Makes the node of `receiver.lowercased()`.
  public static func build_lowercased<Root>(_ receiver: Root) -> TextCasing<Root> {
    build_KeyPath(root: receiver, keyPath: \.__lowercased)
  }

  /// Makes the node of `receiver.uppercased()`.
  public static func build_uppercased<Root>(_ receiver: Root) -> TextCasing<Root> {
    build_KeyPath(root: receiver, keyPath: \.__uppercased)
  }

  /// Makes the node of `receiver.capitalized`.
  public static func build_capitalized<Root>(_ receiver: Root) -> TextCasing<Root> {
    build_KeyPath(root: receiver, keyPath: \.__capitalized)
  }
}

/// The case conversions that an SQL function performs.
enum TextCase: CaseIterable {
  case lower
  case upper
  case capital

  /// Returns nil for any other key path.
  init?(_ keyPath: AnyKeyPath) {
    guard let found = Self.allCases.first(where: { $0.keyPath == keyPath }) else { return nil }
    self = found
  }

  private var keyPath: AnyKeyPath {
    switch self {
    case .lower: \String.__lowercased
    case .upper: \String.__uppercased
    case .capital: \String.__capitalized
    }
  }

  /// The name of the method or property.
  var name: String {
    switch self {
    case .lower: "lowercased()"
    case .upper: "uppercased()"
    case .capital: "capitalized"
    }
  }

  var sqlName: String {
    switch self {
    case .lower: "swift_lowercased"
    case .upper: "swift_uppercased"
    case .capital: "swift_capitalized"
    }
  }

  func apply(_ text: String) -> String {
    switch self {
    case .lower: text.lowercased()
    case .upper: text.uppercased()
    case .capital: text.capitalized
    }
  }
}
