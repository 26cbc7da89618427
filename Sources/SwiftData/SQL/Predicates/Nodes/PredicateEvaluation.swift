// Only the code that `#Predicate` expands to uses these nodes.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

// `predicate.evaluate($0)` for a captured predicate. Foundation's `#Predicate` does not support it on Linux.

/// The results of a captured predicate for all models, nil for those where it throws.
///
/// Plumbing of `#Predicate`. It is a collection, because Foundation's nodes can subscript collections.
public struct __PredicateAnswers<Model: PersistentModel>: Collection, Codable, Sendable, CustomStringConvertible {
  let predicate: Predicate<Model>

  public var startIndex: __PredicateOperand<Model> { .first }
  public var endIndex: __PredicateOperand<Model> { .last }
  public func index(after index: __PredicateOperand<Model>) -> __PredicateOperand<Model> { .last }

  public subscript(operand: __PredicateOperand<Model>) -> Bool? {
    guard case .model(let model) = operand else { return nil }
    return try? predicate.evaluate(model)
  }

  /// The predicate.
  public var description: String { "\(predicate)" }

  init(_ predicate: Predicate<Model>) { self.predicate = predicate }

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
  func lower(for input: Lowered, filtering: Bool, _ state: inout LoweringState) throws -> Lowered
}

extension __PredicateAnswers: AnyPredicateAnswers {
  var text: String { "<Predicate<\(Model.self)>>" }

  func lower(for input: Lowered, filtering: Bool, _ state: inout LoweringState) throws -> Lowered {
    state.variables[predicate.variable.key] = input
    return try state.lower(predicate.expression, filtering: filtering)
  }
}
