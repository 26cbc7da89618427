// Only the code that `#Predicate` expands to uses these nodes.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

// `hasPrefix` and `hasSuffix`.

/// `hasPrefix(_:)`.
///
/// Plumbing of `#Predicate`.
public enum __HasPrefix: __TextQuestion {
  public static let name = "hasPrefix"
  public static func answer(_ text: String, _ other: String) -> Bool { text.hasPrefix(other) }
}

/// `hasSuffix(_:)`.
///
/// Plumbing of `#Predicate`.
public enum __HasSuffix: __TextQuestion {
  public static let name = "hasSuffix"
  public static func answer(_ text: String, _ other: String) -> Bool { text.hasSuffix(other) }
}

extension StringProtocol {
  /// Plumbing of `#Predicate`.
  public var __hasPrefix: __TextAnswers<__HasPrefix> { __TextAnswers(self) }
  /// Plumbing of `#Predicate`.
  public var __hasSuffix: __TextAnswers<__HasSuffix> { __TextAnswers(self) }
}

extension PredicateExpressions {
  /// Whether a text begins with another: `$0.title.hasPrefix("Re:")`.
  public typealias StringHasPrefix<Root: PredicateExpression, Other: PredicateExpression> =
    TextQuestion<__HasPrefix, Root, Other> where Root.Output: StringProtocol, Other.Output: StringProtocol

  /// Makes the node of `receiver.hasPrefix(argument)`.
  public static func build_hasPrefix<Root, Other>(_ receiver: Root, _ argument: Other) -> StringHasPrefix<Root, Other> {
    question(receiver, \.__hasPrefix, argument)
  }

  /// Whether a text ends with another: `$0.name.hasSuffix(".txt")`.
  public typealias StringHasSuffix<Root: PredicateExpression, Other: PredicateExpression> =
    TextQuestion<__HasSuffix, Root, Other> where Root.Output: StringProtocol, Other.Output: StringProtocol

  /// Makes the node of `receiver.hasSuffix(argument)`.
  public static func build_hasSuffix<Root, Other>(_ receiver: Root, _ argument: Other) -> StringHasSuffix<Root, Other> {
    question(receiver, \.__hasSuffix, argument)
  }
}
