import Foundation

/// A predicate for evaluation over many objects in memory. It turns captured collections into sets once.
///
/// `captured.contains($0.key)` scans the collection for each object. With 100,000 captured values and a thousand
/// objects, that scan dominates a fetch.
struct MemoisedCondition<M: PersistentModel> {
  private let predicate: Predicate<M>
  /// Nil if memoisation gains nothing.
  private let condition: ((PredicateBindings) throws -> Bool)?

  init(_ predicate: Predicate<M>) {
    self.predicate = predicate
    condition = (predicate.expression as? any MemoisableExpression)?.memoised()
  }

  /// Whether the predicate matches an object. An object for which it throws does not match.
  func takes(_ object: M) -> Bool {
    guard let condition else { return (try? predicate.evaluate(object)) == true }
    return (try? condition(PredicateBindings((predicate.variable, object)))) == true
  }
}

/// A condition that may contain a captured collection.
private protocol MemoisableExpression {
  /// A faster equivalent of `evaluate(_:)`, or nil if there is none.
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
    // Built on the first evaluation, which the statement may make unnecessary.
    var set: Set<H>?
    return { bindings in
      let element = try self.element.evaluate(bindings)
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
