import Foundation

/// A predicate for evaluation over objects in memory. It turns captured collections into sets once, and throws where Foundation's nodes
/// trap.
///
/// `captured.contains($0.key)` scans the collection for each object. With 100,000 captured values and a thousand
/// objects, that scan dominates a fetch.
struct MemoisedCondition<M: PersistentModel> {
  private let predicate: Predicate<M>
  /// Nil if evaluating the predicate is as good.
  private let program: ConditionProgram?

  init(_ predicate: Predicate<M>) {
    self.predicate = predicate
    guard Self.mayGain(predicate.expression) else {
      program = nil
      return
    }
    let program = ConditionProgram(predicate.expression) { ($0 as? any MemoisableExpression)?.memoised() }
    self.program = program.isWorthwhile ? program : nil
  }

  /// A single comparison, as most predicates are, gains nothing.
  private static func mayGain(_ expression: any PredicateExpression) -> Bool {
    (expression as? any LowerableExpression)?.composite != nil || expression is any MemoisableExpression
      || expression.mayTrap
  }

  /// Whether the predicate matches an object. An object for which it throws or traps does not match.
  func takes(_ object: M) -> Bool {
    guard let program else { return (try? predicate.evaluate(object)) == true }
    return (try? program.evaluate(PredicateBindings((predicate.variable, object)))) == true
  }
}

/// A condition that may contain a captured collection.
private protocol MemoisableExpression {
  /// A faster equivalent of `evaluate(_:)`, or nil if there is none.
  func memoised() -> ((PredicateBindings) throws -> Bool)?
}

extension PredicateExpressions.SequenceContains: MemoisableExpression {
  fileprivate func memoised() -> ((PredicateBindings) throws -> Bool)? {
    guard let values = (sequence as? any CapturedCollection)?.collection as? LHS.Output,
      values.underestimatedCount > 16, let type = RHS.Output.self as? any Hashable.Type
    else { return nil }
    return membership(values, type)
  }

  private func membership<H: Hashable>(_ values: LHS.Output, _: H.Type) -> ((PredicateBindings) throws -> Bool)? {
    // Built on the first evaluation, which the statement may make unnecessary.
    var set: Set<H>?
    return { bindings in
      let element = try self.element.checked(bindings)
      // The casts cannot fail, because `H` is the type of the elements.
      if set == nil { set = Set(values.lazy.map { $0 as! H }) }
      return set!.contains(element as! H)
    }
  }
}

/// A captured value.
private protocol CapturedCollection {
  var collection: Any { get }
}

extension PredicateExpressions.Value: CapturedCollection {
  fileprivate var collection: Any { value }
}
