import Foundation
import Synchronization

// `$0.title.contains(/…/)`. Foundation has the node, but captures only regular expressions that have a text, and traps
// at others, such as those with options and those of RegexBuilder.

/// A captured regular expression.
///
/// Plumbing of `#Predicate`.
public struct __CapturedRegex: RegexComponent, Codable, Sendable, CustomStringConvertible {
  let box: RegexBox

  init(_ regex: some RegexComponent) { box = RegexBox(Regex<AnyRegexOutput>(regex.regex)) }

  public var regex: Regex<AnyRegexOutput> { box.regex }

  /// The type, as a regular expression need not have a text.
  public var description: String { "Regex" }

  /// Reads the pattern that `encode(to:)` wrote.
  /// - Throws: What reading the pattern throws.
  public init(from decoder: any Decoder) throws {
    self.init(try Regex(decoder.singleValueContainer().decode(String.self)))
  }

  /// Writes the pattern.
  /// - Throws: `EncodingError.invalidValue` where the expression was not made from a pattern.
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

/// A captured regular expression under a number, by which SQL knows it for as long as a predicate holds it.
// @unchecked Sendable because matching changes nothing; that a regex is not marked so is for the closures that it may
// hold, which a predicate runs wherever it is evaluated.
final class RegexBox: @unchecked Sendable {
  let regex: Regex<AnyRegexOutput>
  let number: Int64

  private struct Weak { weak var box: RegexBox? }
  private static let all = Mutex<(last: Int64, boxes: [Int64: Weak])>((0, [:]))

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
