// Only the code that `#Predicate` expands to uses these nodes.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

// `$0.title.contains(/…/)`. Foundation's node captures only regular expressions with a pattern text. It traps for
// others, such as those with options or from RegexBuilder.

/// A captured regular expression.
///
/// Plumbing of `#Predicate`.
public struct __CapturedRegex: RegexComponent, Codable, Sendable, CustomStringConvertible {
  let box: RegexBox

  init(_ regex: some RegexComponent) { box = RegexBox(Regex<AnyRegexOutput>(regex.regex)) }

  public var regex: Regex<AnyRegexOutput> { box.regex }

  /// A fixed text, because a regular expression may have no pattern text.
  public var description: String { "Regex" }

  /// Reads the pattern that `encode(to:)` wrote.
  /// - Throws: the error of parsing the pattern.
  public init(from decoder: any Decoder) throws {
    self.init(try Regex(decoder.singleValueContainer().decode(String.self)))
  }

  /// Writes the pattern.
  /// - Throws: `EncodingError.invalidValue` if the expression was not made from a pattern.
  public func encode(to encoder: any Encoder) throws {
    guard let pattern = PredicateExpressions.PredicateRegex(regex) else {
      throw EncodingError.invalidValue(
        self,
        EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "a regex without a pattern")
      )
    }
    var container = encoder.singleValueContainer()
    try container.encode(pattern.stringRepresentation)
  }
}

extension PredicateExpressions {
  /// Captures a regular expression, with its options.
  public static func build_Arg<Output>(_ regex: Regex<Output>) -> Value<__CapturedRegex> {
    Value(__CapturedRegex(regex))
  }
}

// @unchecked Sendable because matching has no side effects. `Regex` is not Sendable because it may contain closures,
// which a predicate runs wherever it is evaluated.
/// A captured regular expression with a number. SQL refers to it by the number while a predicate holds it.
final class RegexBox: @unchecked Sendable {
  let regex: Regex<AnyRegexOutput>
  let number: Int64

  private struct Weak { weak var box: RegexBox? }
  private static let all = Lock<(last: Int64, boxes: [Int64: Weak])>((0, [:]))

  init(_ regex: Regex<AnyRegexOutput>) {
    self.regex = regex
    number = Self.all.withLock { all in
      all.last += 1
      return all.last
    }
    Self.all.withLock { all in all.boxes[number] = Weak(box: self) }
  }

  deinit { Self.all.withLock { all in _ = all.boxes.removeValue(forKey: number) } }

  static func numbered(_ number: Int64) -> RegexBox? { all.withLock { $0.boxes[number]?.box } }
}
