// Only the code that `#Predicate` expands to uses these nodes.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

// `predicate.evaluate($0)` for a captured predicate. Foundation's `#Predicate` does not support it on Linux.

/// The results of a captured predicate for all models, nil for those where it throws.
///
/// Plumbing of `#Predicate`. It is a collection, because Foundation's nodes can subscript collections.
public struct __PredicateAnswers<Model: PersistentModel>: Collection, Codable, Sendable, CustomStringConvertible {
  private let variable: PredicateExpressions.Variable<Model>
  private let captured: CapturedPredicate

  public var startIndex: __PredicateOperand<Model> { .first }
  public var endIndex: __PredicateOperand<Model> { .last }
  public func index(after index: __PredicateOperand<Model>) -> __PredicateOperand<Model> { .last }

  public subscript(operand: __PredicateOperand<Model>) -> Bool? {
    guard case .model(let model) = operand else { return nil }
    return try? captured.evaluate(PredicateBindings((variable, model)))
  }

  /// The type of the predicate's expression. The predicate itself could hold thousands of others.
  public var description: String { "<\(type(of: captured.expression))>" }

  init(_ predicate: Predicate<Model>) {
    (variable, captured) = (predicate.variable, CapturedPredicate(predicate.expression))
  }

  /// Always throws, because `Predicate` cannot be decoded on this platform.
  /// - Throws: `DecodingError.dataCorrupted`.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "a captured predicate cannot be decoded")
    )
  }

  /// Always throws, because `Predicate` cannot be encoded on this platform.
  /// - Throws: `EncodingError.invalidValue`.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self,
      EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "a captured predicate cannot be encoded")
    )
  }
}

/// A model, or one of the two bounds of the index range.
///
/// Plumbing of `#Predicate`.
public enum __PredicateOperand<Model: PersistentModel>: Comparable {
  case first
  case model(Model)
  case last

  /// The bounds are first and last. Models have no order.
  public static func < (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.first, .model), (.first, .last), (.model, .last): true
    default: false
    }
  }
}

extension PersistentModel {
  /// Plumbing of `#Predicate`.
  public var __operand: __PredicateOperand<Self> { .model(self) }
}

extension PredicateExpressions {
  /// A captured predicate applied to a model of this one: `recent.evaluate($0)`.
  public typealias PredicateEvaluation<Input: PredicateExpression> =
    ForcedUnwrap<
      CollectionIndexSubscript<
        Value<__PredicateAnswers<Input.Output>>, KeyPath<Input, __PredicateOperand<Input.Output>>
      >,
      Bool
    > where Input.Output: PersistentModel

  /// Makes the node of `predicate.evaluate(input)`. If the predicate throws, the node throws
  /// `PredicateError.forceUnwrapFailure`.
  public static func build_evaluate<Input>(
    _ predicate: Value<Predicate<Input.Output>>,
    _ input: Input
  ) -> PredicateEvaluation<Input> {
    build_ForcedUnwrap(
      build_subscript(
        Value(__PredicateAnswers(predicate.value)),
        build_KeyPath(root: input, keyPath: \.__operand)
      )
    )
  }
}

// MARK: - Lowering

extension __PredicateOperand: LoweredAsRoot {}

/// A captured predicate of any model.
protocol AnyPredicateAnswers {
  /// The predicate as text for messages.
  var text: String { get }
  /// The predicate's condition for the model that an expression selects.
  func condition(of operand: any PredicateExpression) -> CapturedCondition
}

extension __PredicateAnswers: AnyPredicateAnswers {
  var text: String { "<Predicate<\(Model.self)>>" }

  func condition(of operand: any PredicateExpression) -> CapturedCondition {
    CapturedCondition(condition: captured.expression, isForceUnwrapped: true) { [variable] state in
      let model = try state.lower(operand)
      state.variables.bind(variable.key, model)
    } evaluateVariables: { [variable] bindings in
      guard case .model(let model)? = try operand.evaluate(bindings) as? __PredicateOperand<Model> else {
        throw CocoaError(.featureUnsupported)
      }
      return PredicateBindings((variable, model))
    }
  }
}

/// A node that may be a captured predicate's answer for a model.
protocol AnsweringExpression {
  var answered: CapturedCondition? { get }
}

extension PredicateExpressions.CollectionIndexSubscript: AnsweringExpression {
  var answered: CapturedCondition? {
    guard let captured = wrapped as? PredicateExpressions.Value<Wrapped.Output>,
      let answers = captured.value as? any AnyPredicateAnswers
    else { return nil }
    return answers.condition(of: index)
  }
}
