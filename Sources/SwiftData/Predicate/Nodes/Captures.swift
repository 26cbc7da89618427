import Foundation

// Captured values whose types are not Codable, so that Foundation cannot hold them; and texts, which Foundation takes for
// regular expressions wherever RegexBuilder is imported.

extension PredicateExpressions {
  /// Captures a text.
  public static func build_Arg(_ text: String) -> Value<String> { Value(text) }

  /// Captures a part of a text as a text of its own.
  public static func build_Arg(_ text: Substring) -> Value<String> { __Build.value(text) }

  /// Captures a character.
  public static func build_Arg(_ character: Character) -> KeyPath<Value<String>, Character> {
    __Build.value(character)
  }
}
