// Only the code that `#Predicate` expands to uses these nodes.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

// `compare` and its variants, which return a `ComparisonResult`.

/// `compare(_:)`.
///
/// Plumbing of `#Predicate`.
public enum __Compare: __TextQuestion {
  public static let name = "compare"
  public static func answer(_ text: String, _ other: String) -> ComparisonResult { text.compare(other) }
}

/// `localizedCaseInsensitiveCompare(_:)`.
///
/// Plumbing of `#Predicate`.
public enum __LocalizedCaseInsensitiveCompare: __TextQuestion {
  public static let name = "localizedCaseInsensitiveCompare"
  public static func answer(_ text: String, _ other: String) -> ComparisonResult {
    text.localizedCaseInsensitiveCompare(other)
  }
}

/// `localizedStandardCompare(_:)`.
///
/// Plumbing of `#Predicate`.
public enum __LocalizedStandardCompare: __TextQuestion {
  public static let name = "localizedStandardCompare"
  public static func answer(_ text: String, _ other: String) -> ComparisonResult {
    text.localizedStandardCompare(other)
  }
}

/// `caseInsensitiveCompare(_:)`.
///
/// Plumbing of `#Predicate`.
public enum __CaseInsensitiveCompare: __TextQuestion {
  public static let name = "caseInsensitiveCompare"
  public static func answer(_ text: String, _ other: String) -> ComparisonResult { text.caseInsensitiveCompare(other) }
}

/// `localizedCompare(_:)`.
///
/// Plumbing of `#Predicate`.
public enum __LocalizedCompare: __TextQuestion {
  public static let name = "localizedCompare"
  public static func answer(_ text: String, _ other: String) -> ComparisonResult { text.localizedCompare(other) }
}

extension StringProtocol {
  /// Plumbing of `#Predicate`.
  public var __compare: __TextAnswers<__Compare> { __TextAnswers(self) }
  /// Plumbing of `#Predicate`.
  public var __localizedCaseInsensitiveCompare: __TextAnswers<__LocalizedCaseInsensitiveCompare> { __TextAnswers(self) }
  /// Plumbing of `#Predicate`.
  public var __localizedStandardCompare: __TextAnswers<__LocalizedStandardCompare> { __TextAnswers(self) }
  /// Plumbing of `#Predicate`.
  public var __caseInsensitiveCompare: __TextAnswers<__CaseInsensitiveCompare> { __TextAnswers(self) }
  /// Plumbing of `#Predicate`.
  public var __localizedCompare: __TextAnswers<__LocalizedCompare> { __TextAnswers(self) }
}

extension PredicateExpressions {
  /// The comparison of two strings by code points.
  public typealias StringCompare<Root: PredicateExpression, Other: PredicateExpression> =
    TextQuestion<__Compare, Root, Other> where Root.Output: StringProtocol, Other.Output: StringProtocol

  /// Makes the node of `receiver.compare(argument)`.
  public static func build_compare<Root, Other>(_ receiver: Root, _ argument: Other) -> StringCompare<Root, Other> {
    question(receiver, \.__compare, argument)
  }

  /// The comparison of two strings in the current locale, ignoring case.
  public typealias StringLocalizedCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression> =
    TextQuestion<__LocalizedCaseInsensitiveCompare, Root, Other>
  where Root.Output: StringProtocol, Other.Output: StringProtocol

  /// Makes the node of `receiver.localizedCaseInsensitiveCompare(argument)`.
  public static func build_localizedCaseInsensitiveCompare<Root, Other>(_ receiver: Root, _ argument: Other)
    -> StringLocalizedCaseInsensitiveCompare<Root, Other>
  {
    question(receiver, \.__localizedCaseInsensitiveCompare, argument)
  }

  /// The comparison of two strings in the current locale, as file managers sort.
  public typealias StringLocalizedStandardCompare<Root: PredicateExpression, Other: PredicateExpression> =
    TextQuestion<__LocalizedStandardCompare, Root, Other>
  where Root.Output: StringProtocol, Other.Output: StringProtocol

  /// Makes the node of `receiver.localizedStandardCompare(argument)`.
  public static func build_localizedStandardCompare<Root, Other>(_ receiver: Root, _ argument: Other)
    -> StringLocalizedStandardCompare<Root, Other>
  {
    question(receiver, \.__localizedStandardCompare, argument)
  }
}

// Apple's Foundation has these.
#if !canImport(Darwin)
  extension PredicateExpressions {
    /// The comparison of two strings, ignoring case.
    public typealias StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression> =
      TextQuestion<__CaseInsensitiveCompare, Root, Other>
    where Root.Output: StringProtocol, Other.Output: StringProtocol

    /// Makes the node of `receiver.caseInsensitiveCompare(argument)`.
    public static func build_caseInsensitiveCompare<Root, Other>(_ receiver: Root, _ argument: Other)
      -> StringCaseInsensitiveCompare<Root, Other>
    {
      question(receiver, \.__caseInsensitiveCompare, argument)
    }

    /// The comparison of two strings in the current locale.
    public typealias StringLocalizedCompare<Root: PredicateExpression, Other: PredicateExpression> =
      TextQuestion<__LocalizedCompare, Root, Other> where Root.Output: StringProtocol, Other.Output: StringProtocol

    /// Makes the node of `receiver.localizedCompare(argument)`.
    public static func build_localizedCompare<Root, Other>(_ receiver: Root, _ argument: Other)
      -> StringLocalizedCompare<Root, Other>
    {
      question(receiver, \.__localizedCompare, argument)
    }
  }
#endif
