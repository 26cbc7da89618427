import Foundation

/// A predicate that is asked of many objects in memory: captured collections become sets, once.
///
/// `captured.contains($0.key)` looks through the collection for each object. With 100,000 captured values and a thousand
/// objects that is what a fetch spends its time with.
struct MemoisedCondition<M: PersistentModel> {
  private let predicate: Predicate<M>
  /// Nil where there is nothing to gain.
  private let condition: ((PredicateBindings) throws -> Bool)?

  init(_ predicate: Predicate<M>) {
    self.predicate = predicate
    condition = (predicate.expression as? any MemoisableExpression)?.memoised()
  }

  /// Whether the predicate takes an object. One for which it throws is not taken.
  func takes(_ object: M) -> Bool {
    guard let condition else { return (try? predicate.evaluate(object)) == true }
    return (try? condition(PredicateBindings((predicate.variable, object)))) == true
  }
}

/// A condition that may hold a captured collection.
private protocol MemoisableExpression {
  /// What evaluates it as `evaluate(_:)` does, only quicker; nil where that is as quick.
  func memoised() -> ((PredicateBindings) throws -> Bool)?
}

extension PredicateExpression where Output == Bool {
  fileprivate func memoised() -> ((PredicateBindings) throws -> Bool)? {
    (self as? any MemoisableExpression)?.memoised()
  }
}

extension PredicateExpressions.Conjunction: MemoisableExpression {
  fileprivate func memoised() -> ((PredicateBindings) throws -> Bool)? {
    let (left, right) = ((lhs as? any MemoisableExpression)?.memoised(), (rhs as? any MemoisableExpression)?.memoised())
    guard left != nil || right != nil else { return nil }
    let (one, other) = (left ?? lhs.evaluate, right ?? rhs.evaluate)
    return { try one($0) && other($0) }
  }
}

extension PredicateExpressions.Disjunction: MemoisableExpression {
  fileprivate func memoised() -> ((PredicateBindings) throws -> Bool)? {
    let (left, right) = ((lhs as? any MemoisableExpression)?.memoised(), (rhs as? any MemoisableExpression)?.memoised())
    guard left != nil || right != nil else { return nil }
    let (one, other) = (left ?? lhs.evaluate, right ?? rhs.evaluate)
    return { try one($0) || other($0) }
  }
}

extension PredicateExpressions.Negation: MemoisableExpression {
  fileprivate func memoised() -> ((PredicateBindings) throws -> Bool)? {
    (wrapped as? any MemoisableExpression)?.memoised().map { inner in { try !inner($0) } }
  }
}

extension PredicateExpressions.SequenceContains: MemoisableExpression {
  fileprivate func memoised() -> ((PredicateBindings) throws -> Bool)? {
    guard let values = (sequence as? any CapturedCollection)?.collection as? LHS.Output,
      values.underestimatedCount > 16, let type = RHS.Output.self as? any Hashable.Type
    else { return nil }
    return membership(values, type)
  }

  private func membership<H: Hashable>(_ values: LHS.Output, _: H.Type) -> ((PredicateBindings) throws -> Bool)? {
    // Built when first asked: the statement may leave nobody to ask.
    var set: Set<H>?
    return { bindings in
      let element = try self.element.evaluate(bindings)
      // The casts cannot fail: `H` is the type of the elements.
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
