import Foundation

// Captures of values whose types are not Codable, which Foundation cannot hold, and of strings, which Foundation takes
// for regular expressions wherever RegexBuilder is imported.

extension PredicateExpressions {
  /// Captures a string.
  public static func build_Arg(_ text: String) -> Value<String> { Value(text) }

  /// Captures a substring as a string.
  public static func build_Arg(_ text: Substring) -> Value<String> { __Build.value(text) }

  /// Captures a character.
  public static func build_Arg(_ character: Character) -> KeyPath<Value<String>, Character> {
    __Build.value(character)
  }
}
