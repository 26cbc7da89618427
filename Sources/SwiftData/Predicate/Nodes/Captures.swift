import Foundation

// Captured values whose types are not Codable, so that Foundation cannot hold them.

extension String {
  /// Plumbing of `#Predicate`.
  public var __character: Character { first ?? "\0" }
}

extension PredicateExpressions {
  /// Captures a part of a text as a text of its own.
  public static func build_Arg(_ text: Substring) -> Value<String> { Value(String(text)) }

  /// Captures a character.
  public static func build_Arg(_ character: Character) -> KeyPath<Value<String>, Character> {
    build_KeyPath(root: Value(String(character)), keyPath: \.__character)
  }
}
