import Foundation

// `predicate.evaluate($0)` for a captured predicate, which Foundation's `#Predicate` does not take on Linux.

/// What a captured predicate says of each model: nil where it throws.
///
/// Plumbing of `#Predicate`. A collection, because that is what Foundation's nodes can look into.
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

  /// Throws: `Predicate` does not decode on this platform.
  /// - Throws: `DecodingError.dataCorrupted`.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "a captured predicate cannot be decoded")
    )
  }

  /// Throws: `Predicate` does not encode on this platform.
  /// - Throws: `EncodingError.invalidValue`.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self,
      EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "a captured predicate cannot be encoded")
    )
  }
}

/// A model between bounds that no model has.
///
/// Plumbing of `#Predicate`.
public enum __PredicateOperand<Model: PersistentModel>: Comparable {
  case first
  case model(Model)
  case last

  /// Bounds come first and last; models have no order among them.
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
  /// A captured predicate, asked of a model of this one: `recent.evaluate($0)`.
  public typealias PredicateEvaluation<Input: PredicateExpression> =
    ForcedUnwrap<
      CollectionIndexSubscript<
        Value<__PredicateAnswers<Input.Output>>, KeyPath<Input, __PredicateOperand<Input.Output>>
      >,
      Bool
    > where Input.Output: PersistentModel

  /// Makes the node of `predicate.evaluate(input)`. Where the predicate throws, so does the node, but always with
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
  /// The predicate, for messages.
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
