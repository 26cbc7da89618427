// Only the code that `#Predicate` expands to uses these nodes.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// `expression.evaluate(…)` for a captured `#Expression` of models, lists or values. Foundation's node for captured values
// requires a Codable `Expression`, which does not exist on Linux.

/// A captured expression, as a value that a node of Foundation's can hold.
///
/// Plumbing of `#Predicate`. A node of our own would hold the expression too, but a program that prints a predicate with such
/// a node traps in Foundation.
public struct __CapturedExpression<Captured: Sendable>: Codable, Sendable, CustomStringConvertible {
  private let captured: CapturedBox<Captured>

  var expression: Captured { captured.value }

  init(_ expression: Captured) { captured = CapturedBox(expression) }

  /// The type of the expression.
  public var description: String { "<\(Captured.self)>" }

  /// Always throws, because `Expression` cannot be decoded on this platform.
  /// - Throws: `DecodingError.dataCorrupted`.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "a captured expression cannot be decoded")
    )
  }

  /// Always throws, because `Expression` cannot be encoded on this platform.
  /// - Throws: `EncodingError.invalidValue`.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      expression,
      EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "a captured expression cannot be encoded")
    )
  }
}

extension __Build {
  /// `predicate.evaluate(model)`
  public static func evaluate<Input>(
    _ predicate: PredicateExpressions.Value<Predicate<Input.Output>>,
    _ input: Input
  ) -> PredicateExpressions.PredicateEvaluation<Input> {
    PredicateExpressions.build_evaluate(predicate, input)
  }

  /// A captured expression applied to values of this predicate.
  public typealias ExpressionEvaluation<each Input: PredicateExpression, Result> =
    PredicateExpressions.ExpressionEvaluate<
      Captured<Expression<repeat (each Input).Output, Result>>, repeat each Input, Result
    >

  /// The node of a captured expression.
  public typealias Captured<Value: Sendable> =
    PredicateExpressions.KeyPath<PredicateExpressions.Value<__CapturedExpression<Value>>, Value>

  /// `expression.evaluate(value, …)`
  public static func evaluate<each Input: PredicateExpression, Result>(
    _ expression: PredicateExpressions.Value<Expression<repeat (each Input).Output, Result>>,
    _ input: repeat each Input
  ) -> ExpressionEvaluation<repeat each Input, Result> {
    PredicateExpressions.build_evaluate(captured(expression.value), repeat each input)
  }

  private static func captured<Value: Sendable>(_ value: Value) -> Captured<Value> {
    PredicateExpressions.build_KeyPath(
      root: PredicateExpressions.Value(__CapturedExpression(value)), keyPath: \.expression)
  }
}
