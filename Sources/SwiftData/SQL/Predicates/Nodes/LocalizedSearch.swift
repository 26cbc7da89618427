// Only the code that `#Predicate` expands to uses these nodes.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

// `localizedStandardContains` and `localizedCaseInsensitiveContains`, in the current locale.

/// `localizedCaseInsensitiveContains(_:)`.
///
/// Plumbing of `#Predicate`.
public enum __LocalizedCaseInsensitiveContains: __TextQuestion {
  public static let name = "localizedCaseInsensitiveContains"
  public static func answer(_ text: String, _ other: String) -> Bool { text.localizedCaseInsensitiveContains(other) }
}

/// `localizedStandardContains(_:)`.
///
/// Plumbing of `#Predicate`.
public enum __LocalizedStandardContains: __TextQuestion {
  public static let name = "localizedStandardContains"
  public static func answer(_ text: String, _ other: String) -> Bool { text.localizedStandardContains(other) }
}

extension StringProtocol {
  /// Plumbing of `#Predicate`.
  public var __localizedCaseInsensitiveContains: __TextAnswers<__LocalizedCaseInsensitiveContains> {
    __TextAnswers(self)
  }
  /// Plumbing of `#Predicate`.
  public var __localizedStandardContains: __TextAnswers<__LocalizedStandardContains> { __TextAnswers(self) }
}

extension PredicateExpressions {
  /// Whether a string contains another, ignoring case.
  public typealias StringLocalizedCaseInsensitiveContains<Root: PredicateExpression, Other: PredicateExpression> =
    TextQuestion<__LocalizedCaseInsensitiveContains, Root, Other>
  where Root.Output: StringProtocol, Other.Output: StringProtocol

  /// Makes the node of `receiver.localizedCaseInsensitiveContains(argument)`.
  public static func build_localizedCaseInsensitiveContains<Root, Other>(_ receiver: Root, _ argument: Other)
    -> StringLocalizedCaseInsensitiveContains<Root, Other>
  {
    question(receiver, \.__localizedCaseInsensitiveContains, argument)
  }
}

// Apple's Foundation has these.
#if !canImport(Darwin)
  extension PredicateExpressions {
    /// Whether a string contains another, ignoring case and diacritics, as in a user's search.
    public typealias StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression> =
      TextQuestion<__LocalizedStandardContains, Root, Other>
    where Root.Output: StringProtocol, Other.Output: StringProtocol

    /// Makes the node of `receiver.localizedStandardContains(argument)`.
    public static func build_localizedStandardContains<Root, Other>(_ receiver: Root, _ argument: Other)
      -> StringLocalizedStandardContains<Root, Other>
    {
      question(receiver, \.__localizedStandardContains, argument)
    }
  }
#endif
