import Foundation

// A part of `Predicate(all:)` and `Predicate(any:)`. Foundation's node for it requires a Codable `Predicate`, which does not
// exist on Linux.

/// A predicate applied to the variables of the one that it is a part of.
///
/// It has no type parameters, because the runtime of Swift 6.3 crashes on a node that stores a pack of variables.
struct AppliedPredicate: StandardPredicateExpression, CustomStringConvertible {
  private let captured: CapturedPredicate
  /// The variables of the predicate, each with the one that it stands for.
  private let variables: [(own: PredicateExpressions.VariableID, outer: PredicateExpressions.VariableID)]
  /// Binds each variable of the predicate for its evaluation.
  private let bindings: [@Sendable (inout PredicateBindings, _ outer: PredicateBindings) throws -> Void]

  init<each Input>(
    _ predicate: Predicate<repeat each Input>, to variable: repeat PredicateExpressions.Variable<each Input>
  ) {
    var variables = [(own: PredicateExpressions.VariableID, outer: PredicateExpressions.VariableID)]()
    var bindings = [@Sendable (inout PredicateBindings, PredicateBindings) throws -> Void]()
    for (own, outer) in repeat (each predicate.variable, each variable) {
      variables.append((own: own.key, outer: outer.key))
      // Without the predicate, which would be freed with it.
      bindings.append(Self.binding(own, to: outer))
    }
    (self.variables, self.bindings) = (variables, bindings)
    captured = CapturedPredicate(predicate.expression)
  }

  private static func binding<T>(
    _ own: PredicateExpressions.Variable<T>, to outer: PredicateExpressions.Variable<T>
  ) -> @Sendable (inout PredicateBindings, PredicateBindings) throws -> Void {
    { bindings, around in bindings[own] = try outer.evaluate(around) }
  }

  private func ownBindings(_ outer: PredicateBindings) throws -> PredicateBindings {
    var own = PredicateBindings()
    for bind in bindings { try bind(&own, outer) }
    return own
  }

  func evaluate(_ bindings: PredicateBindings) throws -> Bool { try captured.evaluate(ownBindings(bindings)) }

  /// The predicate's expression.
  var description: String { "<\(type(of: captured.expression))>.evaluate(…)" }

  /// Always throws, because `Predicate` cannot be decoded on this platform.
  init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "a joined predicate cannot be decoded")
    )
  }

  /// Always throws, because `Predicate` cannot be encoded on this platform.
  func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self,
      EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "a joined predicate cannot be encoded")
    )
  }
}

extension AppliedPredicate: LowerableExpression {
  var composite: CompositeCondition? {
    .captured(
      CapturedCondition(condition: captured.expression, isForceUnwrapped: false) { state in
        for (own, outer) in variables {
          if let meaning = state.variables[outer] { state.variables.bind(own, meaning) }
        }
      } evaluateVariables: { bindings in
        try ownBindings(bindings)
      })
  }

  func lower(_ state: inout LoweringState) throws -> Lowered { try state.composed(self) }
}

// MARK: - Joining

extension Predicate {
  /// Joins predicates with `&&` or `||`. Without predicates, `&&` always holds and `||` never.
  init(joining subpredicates: some BidirectionalCollection<Self>, byAnd isConjunction: Bool) {
    self.init { (variable: repeat PredicateExpressions.Variable<each Input>) in
      var parts = [any StandardPredicateExpression<Bool>]()
      for predicate in subpredicates {
        let expression = Expression<repeat each Input, Bool> {
          (inner: repeat PredicateExpressions.Variable<each Input>) in
          AppliedPredicate(predicate, to: repeat each inner)
        }
        // As a captured expression, because Foundation traps where a program prints a predicate with nodes of our own.
        parts.append(__Build.evaluate(PredicateExpressions.Value(expression), repeat each variable))
      }
      return PredicateExpressions.join(parts, byAnd: isConjunction)
    }
  }
}

extension PredicateExpressions {
  /// Joins neighbours until one part is left, so that the depth of the expression and of its type grows with the logarithm of
  /// the number of parts.
  fileprivate static func join(
    _ parts: [any StandardPredicateExpression<Bool>], byAnd isConjunction: Bool
  ) -> any StandardPredicateExpression<Bool> {
    var parts = parts
    while parts.count > 1 {
      var joined = [any StandardPredicateExpression<Bool>]()
      for first in stride(from: 0, to: parts.count - 1, by: 2) {
        let (left, right) = (parts[first], parts[first + 1])
        joined.append(isConjunction ? conjunction(left, right) : disjunction(left, right))
      }
      if !parts.count.isMultiple(of: 2) { joined.append(parts[parts.count - 1]) }
      parts = joined
    }
    return parts.first ?? Value(isConjunction)
  }

  private static func conjunction(
    _ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>
  ) -> any StandardPredicateExpression<Bool> { build_Conjunction(lhs: left, rhs: right) }

  private static func disjunction(
    _ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>
  ) -> any StandardPredicateExpression<Bool> { build_Disjunction(lhs: left, rhs: right) }
}
