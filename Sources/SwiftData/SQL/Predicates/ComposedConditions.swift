import Foundation

extension LoweringState {
  /// Lowers a condition that is composed of others.
  mutating func composed<E: PredicateExpression>(_ expression: E) throws -> Lowered {
    // The node is one, because a composed condition calls this.
    guard let condition = expression as? any PredicateExpression<Bool> else {
      throw unsupported(expression, "it is not a condition")
    }
    var lowering = ConditionLowering(condition, filtering: isFiltering)
    return try lowering.run(&self)
  }
}

/// Lowers a composed condition part by part, in the order of its evaluation.
private struct ConditionLowering {
  private enum Step {
    case visit(any PredicateExpression<Bool>, filtering: Bool)
    /// After the left operand. A captured value that decides makes the right operand superfluous.
    case turn(isConjunction: Bool)
    case join(isConjunction: Bool, filtering: Bool)
    case negate
    case leave(variables: Int)
  }

  private enum Operand {
    case constant(Bool)
    case node(Int)
  }

  private let expression: any PredicateExpression<Bool>
  private var steps: [Step]
  private var operands: [Operand] = []
  private var tree = ConditionTree()

  init(_ expression: any PredicateExpression<Bool>, filtering: Bool) {
    self.expression = expression
    steps = [.visit(expression, filtering: filtering)]
  }

  mutating func run(_ state: inout LoweringState) throws -> Lowered {
    while let step = steps.popLast() {
      switch step {
      case .visit(let expression, let filtering): try visit(expression, filtering: filtering, &state)
      case .turn(let isConjunction):
        guard case .constant(let known) = operands[operands.count - 1] else { continue }
        if known == isConjunction {
          // The right operand is the result.
          operands.removeLast()
          steps.remove(at: steps.count - 2)
        } else {
          steps.removeLast(2)
        }
      case .join(let isConjunction, let filtering):
        let right = node(operands.removeLast())
        let left = node(operands.removeLast())
        operands.append(.node(tree.joined(left, right, byAnd: isConjunction, isFiltering: filtering)))
      case .negate:
        switch operands.removeLast() {
        case .constant(let known): operands.append(.constant(!known))
        case .node(let inner): operands.append(.node(tree.negation(of: inner)))
        }
      case .leave(let variables): state.variables.unbind(to: variables)
      }
    }
    switch operands[0] {
    case .constant(let known): return .constant(known)
    case .node(let root):
      guard let scalar = tree.scalar(of: root) else {
        throw SwiftDataError(
          .unsupportedPredicate, entity: state.entity.name,
          message: "the store cannot nest && and || with conditions that can throw, such as `!` and `/`, in so many"
            + " levels; write `?? false` instead of `!`, or join fewer conditions")
      }
      return .scalar(scalar)
    }
  }

  private mutating func visit(
    _ expression: any PredicateExpression<Bool>, filtering: Bool, _ state: inout LoweringState
  ) throws {
    switch state.lowerable(expression)?.composite {
    case .conjunction(let left, let right):
      steps += [
        .join(isConjunction: true, filtering: filtering), .visit(right, filtering: filtering),
        .turn(isConjunction: true), .visit(left, filtering: filtering),
      ]
    case .disjunction(let left, let right):
      // The left side is exact, because one that throws must not evaluate the right side.
      steps += [
        .join(isConjunction: false, filtering: filtering), .visit(right, filtering: filtering),
        .turn(isConjunction: false), .visit(left, filtering: false),
      ]
    case .negation(let inner): steps += [.negate, .visit(inner, filtering: false)]
    case .captured(let captured):
      steps += [.leave(variables: state.variables.count), .visit(captured.condition, filtering: filtering)]
      try captured.lowerVariables(&state)
    case nil:
      let lowered = try state.lower(expression, filtering: filtering)
      if case .constant(let known as Bool) = lowered {
        operands.append(.constant(known))
      } else {
        operands.append(.node(tree.leaf(try state.scalar(lowered, of: expression))))
      }
    }
  }

  private mutating func node(_ operand: Operand) -> Int {
    switch operand {
    case .constant(let known): tree.leaf(.condition(SQLFragment(known ? "TRUE" : "FALSE"), isAtomic: true))
    case .node(let node): node
    }
  }
}
