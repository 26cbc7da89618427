public import Foundation

// `expression.evaluate($0)` for a captured `#Expression`. Foundation has a node for it, but an `Expression` is not
// Codable on Linux, so no predicate can hold one.

/// What a captured expression gives for each model: nil where it throws.
///
/// Plumbing of `#Predicate`. A collection, because that is what Foundation's nodes can look into.
public struct __ExpressionAnswers<Model: PersistentModel, Output>: Collection, Codable, Sendable,
  CustomStringConvertible
{
  let expression: Expression<Model, Output>

  public var startIndex: __PredicateOperand<Model> { .first }
  public var endIndex: __PredicateOperand<Model> { .last }
  public func index(after index: __PredicateOperand<Model>) -> __PredicateOperand<Model> { .last }

  public subscript(operand: __PredicateOperand<Model>) -> Output? {
    guard case .model(let model) = operand,
      case .success(let output) = Result(catching: { try expression.evaluate(model) })
    else { return nil }
    return .some(output)
  }

  /// The type of the expression.
  public var description: String { "Expression<\(Model.self), \(Output.self)>" }

  init(_ expression: Expression<Model, Output>) { self.expression = expression }

  /// Throws: `Expression` does not decode on this platform.
  /// - Throws: `DecodingError.dataCorrupted`.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "a captured expression cannot be decoded")
    )
  }

  /// Throws: `Expression` does not encode on this platform.
  /// - Throws: `EncodingError.invalidValue`.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self,
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

  /// A captured expression, asked of a model of this predicate.
  public typealias ExpressionEvaluation<Input: PredicateExpression, Output> =
    PredicateExpressions.ForcedUnwrap<
      PredicateExpressions.CollectionIndexSubscript<
        PredicateExpressions.Value<__ExpressionAnswers<Input.Output, Output>>,
        PredicateExpressions.KeyPath<Input, __PredicateOperand<Input.Output>>
      >,
      Output
    > where Input.Output: PersistentModel

  /// `expression.evaluate(model)`
  public static func evaluate<Input, Output>(
    _ expression: PredicateExpressions.Value<Expression<Input.Output, Output>>,
    _ input: Input
  ) -> ExpressionEvaluation<Input, Output> {
    PredicateExpressions.build_ForcedUnwrap(
      PredicateExpressions.build_subscript(
        PredicateExpressions.Value(__ExpressionAnswers(expression.value)),
        PredicateExpressions.build_KeyPath(root: input, keyPath: \.__operand)
      )
    )
  }
}

// MARK: - Lowering

extension __ExpressionAnswers: AnyPredicateAnswers {
  var text: String { "<\(description)>" }

  func lower(for input: Lowered, filtering: Bool, _ state: inout LoweringState) throws -> Lowered {
    state.variables[expression.variable.key] = input
    return try state.lower(expression.expression, filtering: filtering)
  }
}
