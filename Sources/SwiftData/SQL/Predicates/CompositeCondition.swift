import Foundation

// A program can compose thousands of conditions at run time, `former.evaluate($0) || $0.key == key` in a loop. So nothing
// here recurses along conditions: neither lowering, nor evaluating, nor freeing them.

/// How a condition is composed of other conditions.
package enum CompositeCondition {
  case conjunction(any PredicateExpression<Bool>, any PredicateExpression<Bool>)
  case disjunction(any PredicateExpression<Bool>, any PredicateExpression<Bool>)
  case negation(any PredicateExpression<Bool>)
  case captured(CapturedCondition)
}

/// The condition of a captured predicate, and the values of its variables.
package struct CapturedCondition {
  let condition: any PredicateExpression<Bool>
  /// Whether an error of the condition becomes `PredicateError.forceUnwrapFailure`.
  let isForceUnwrapped: Bool
  /// Binds the variables for lowering the condition.
  let lowerVariables: (inout LoweringState) throws -> Void
  /// The variables for evaluating the condition, from those around it. The condition knows only its own.
  let evaluateVariables: (PredicateBindings) throws -> PredicateBindings
}

/// A condition as a list of instructions.
///
/// Evaluating it needs no more stack for thousands of conditions than for one.
struct ConditionProgram {
  private enum Instruction {
    case test((PredicateBindings) throws -> Bool)
    case enter((PredicateBindings) throws -> PredicateBindings)
    case leave
    case negate
    /// Continues at another instruction if the last value is the given one.
    case jump(ifIs: Bool, to: Int)
  }

  private var instructions: [Instruction] = []
  /// The instructions of predicates whose errors become `PredicateError.forceUnwrapFailure`.
  private var forceUnwrapped: [Range<Int>] = []
  /// Whether evaluating the program differs from evaluating the expression in its speed, in its need for stack or by not trapping.
  private(set) var isWorthwhile = false

  /// - Parameter shortcut: returns a faster equivalent of a condition's `evaluate(_:)`. Nil for a condition that has no faster one.
  init(
    _ expression: any PredicateExpression<Bool>,
    shortcut: (any PredicateExpression<Bool>) -> ((PredicateBindings) throws -> Bool)? = { _ in nil }
  ) {
    enum Step {
      case visit(any PredicateExpression<Bool>)
      case jump(ifIs: Bool)
      case land
      case negate
      case leave(CapturedCondition, start: Int)
    }
    var steps = [Step.visit(expression)]
    var jumps = [Int]()
    while let step = steps.popLast() {
      switch step {
      case .visit(let expression):
        switch (expression as? any LowerableExpression)?.composite {
        case .conjunction(let left, let right):
          steps += [.land, .visit(right), .jump(ifIs: false), .visit(left)]
        case .disjunction(let left, let right):
          steps += [.land, .visit(right), .jump(ifIs: true), .visit(left)]
        case .negation(let inner): steps += [.negate, .visit(inner)]
        case .captured(let captured):
          isWorthwhile = true
          instructions.append(.enter(captured.evaluateVariables))
          steps += [.leave(captured, start: instructions.count), .visit(captured.condition)]
        case nil:
          if let known = shortcut(expression) ?? Self.checked(expression) {
            isWorthwhile = true
            instructions.append(.test(known))
          } else {
            instructions.append(.test { try expression.evaluate($0) })
          }
        }
      case .jump(let flag):
        jumps.append(instructions.count)
        instructions.append(.jump(ifIs: flag, to: 0))
      case .land:
        let jump = jumps.removeLast()
        if case .jump(let flag, _) = instructions[jump] {
          instructions[jump] = .jump(ifIs: flag, to: instructions.count)
        }
      case .negate: instructions.append(.negate)
      case .leave(let captured, let start):
        if captured.isForceUnwrapped { forceUnwrapped.append(start..<instructions.count) }
        instructions.append(.leave)
      }
    }
  }

  /// The evaluation of a condition that can trap, or nil for any other condition.
  private static func checked(_ expression: any PredicateExpression<Bool>) -> ((PredicateBindings) throws -> Bool)? {
    expression.mayTrap ? { try expression.checked($0) } : nil
  }

  /// The value of the condition.
  /// - Throws: what the condition throws, and an error where it traps.
  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    var bindings = bindings
    var around = [PredicateBindings]()
    var value = false
    var next = 0
    do {
      while next < instructions.count {
        defer { next += 1 }
        switch instructions[next] {
        case .test(let test): value = try test(bindings)
        case .enter(let variables):
          around.append(bindings)
          bindings = try variables(bindings)
        case .leave: bindings = around.removeLast()
        case .negate: value.toggle()
        case .jump(let flag, let target): if value == flag { next = target - 1 }
        }
      }
    } catch {
      guard forceUnwrapped.contains(where: { $0.contains(next - 1) }) else { throw error }
      throw Self.forceUnwrapFailure
    }
    return value
  }

  /// The error of Foundation's node for `!` of nil.
  private static let forceUnwrapFailure: any Error = {
    let none = PredicateExpressions.build_ForcedUnwrap(PredicateExpressions.NilLiteral<Bool>())
    do { _ = try none.evaluate(PredicateBindings()) } catch { return error }
    return CocoaError(.featureUnsupported)
  }()
}

/// A captured predicate's condition.
// @unchecked Sendable because the expression changes only when the object ends, and the program is behind a lock. A
// program only reads the nodes of a predicate, which are Sendable.
final class CapturedPredicate: @unchecked Sendable {
  /// Nil once the object ends.
  private var captured: (any StandardPredicateExpression<Bool>)?
  private let lock = NSLock()
  private var program: ConditionProgram?

  init(_ expression: any StandardPredicateExpression<Bool>) { captured = expression }

  var expression: any StandardPredicateExpression<Bool> {
    // Only `deinit` takes it away.
    captured!
  }

  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    let compiled = lock.withLock {
      if let program { return program }
      let made = ConditionProgram(expression)
      program = made
      return made
    }
    return try compiled.evaluate(bindings)
  }

  deinit { DeferredRelease.release(&captured) }
}

/// A captured expression.
// @unchecked Sendable because the value changes only when the object ends.
final class CapturedBox<Captured: Sendable>: @unchecked Sendable {
  /// Nil once the object ends.
  private var captured: Captured?

  init(_ value: Captured) { captured = value }

  var value: Captured {
    // Only `deinit` takes it away.
    captured!
  }

  deinit { DeferredRelease.release(&captured) }
}

/// Frees captured predicates one after another.
///
/// A captured predicate can hold another one, and so on for thousands. The runtime would free them with one recursive call
/// each.
private enum DeferredRelease {
  private struct Pending {
    var isFreeing = false
    var values: [any Sendable] = []
  }

  private static let pending = Lock(Pending())

  static func release<Value: Sendable>(_ value: inout Value?) {
    let isFirst = pending.withLock { pending in
      pending.values.append(value as any Sendable)
      defer { pending.isFreeing = true }
      return !pending.isFreeing
    }
    value = nil
    guard isFirst else { return }
    while true {
      // Freed outside the lock, because freeing it releases others.
      let next: (any Sendable)? = pending.withLock { pending in
        let next = pending.values.popLast()
        if next == nil { pending.isFreeing = false }
        return next
      }
      if next == nil { return }
    }
  }
}
