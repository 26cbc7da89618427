// Only the code that `#Predicate` expands to uses these nodes.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// `expression.evaluate(…)` for a captured `#Expression` of models, lists or values. Foundation's node for captured values
// requires a Codable `Expression`, which does not exist on Linux.

/// A captured expression.
///
/// Plumbing of `#Predicate`.
public struct __CapturedExpression<each Input, Result>: StandardPredicateExpression, CustomStringConvertible {
  let expression: Expression<repeat each Input, Result>

  init(_ expression: Expression<repeat each Input, Result>) { self.expression = expression }

  public func evaluate(_ bindings: PredicateBindings) throws -> Expression<repeat each Input, Result> { expression }

  /// The type of the expression.
  public var description: String { "<\(type(of: expression))>" }

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
      __CapturedExpression<repeat (each Input).Output, Result>, repeat each Input, Result
    >

  /// `expression.evaluate(value, …)`
  public static func evaluate<each Input: PredicateExpression, Result>(
    _ expression: PredicateExpressions.Value<Expression<repeat (each Input).Output, Result>>,
    _ input: repeat each Input
  ) -> ExpressionEvaluation<repeat each Input, Result> {
    PredicateExpressions.build_evaluate(__CapturedExpression(expression.value), repeat each input)
  }
}

// MARK: - Lowering

extension __CapturedExpression: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered { .constant(expression) }
}
