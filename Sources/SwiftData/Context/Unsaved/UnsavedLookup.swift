import Foundation

// Finds the unsaved objects that a predicate can match by value, instead of evaluating each.

/// The constraints of a predicate on values that an index can look up.
///
/// The result is a superset of the matches. Only `&&`, `||` and equality with captured values are used, and the
/// predicate is evaluated for each candidate.
struct UnsavedLookup {
  let state: ContextState
  /// The class of the fetch.
  let entity: __Entity
  /// The class with its subclasses.
  let family: [__Entity]
  let variable: PredicateExpressions.VariableID

  typealias Candidates = [ObjectIdentifier: any PersistentModel]

  /// The candidates, or nil if each object must be evaluated.
  func candidates(_ expression: any PredicateExpression) -> Candidates? {
    (expression as? any LookupExpression)?.candidates(self)
  }

  /// The objects whose property has one of some values.
  fileprivate func candidates(_ term: LookupTerm, _ values: some Sequence<Any>) -> Candidates? {
    var keys = [UnsavedKey]()
    for value in values {
      guard let key = key(of: value, term) else { return nil }
      keys.append(key)
    }
    if case .identity = term { return identified(by: keys) }
    var found = Candidates()
    guard case .property(let property) = term else { return nil }
    for entity in family where state.queries.unsavedCount(of: entity) > 0 {
      for id in state.queries.unsavedObjects(of: entity, property, with: keys) {
        found[id] = state.queries.unsavedObject(id)
      }
    }
    state.work.note(\.indexedCandidates, found.count)
    return found
  }

  private func identified(by keys: [UnsavedKey]) -> Candidates {
    var found = Candidates()
    for key in keys {
      switch key {
      case .object(let id): found[id] = state.queries.unsavedObject(id)
      case .row(let key):
        guard let root = try? state.core.table(for: entity).root,
          let object = state.registered(root: root, key: key)
        else { continue }
        found[ObjectIdentifier(object)] = state.queries.unsavedObject(ObjectIdentifier(object))
      default: break
      }
    }
    return found
  }

  private func key(of value: Any, _ term: LookupTerm) -> UnsavedKey? {
    if case .property(let property) = term, property.isAttribute { return UnsavedKey(value) }
    guard let value = ScalarType.unwrapped(value) else { return UnsavedKey.none }
    guard let identifier = value as? PersistentIdentifier else { return nil }
    if identifier.isTemporary {
      // No object has the identifier of an object that is no longer unsaved.
      return .object(state.registeredModel(for: identifier).map { ObjectIdentifier($0) } ?? ObjectIdentifier(state))
    }
    guard let table = state.core.table(named: identifier.entityName),
      let key = state.core.store(of: table).key(of: identifier)
    else { return nil }
    return .row(key)
  }

  /// The left side of a comparison with a captured value.
  fileprivate enum LookupTerm {
    /// An attribute of the fetched class, or the identity of a to-one's target.
    case property(__Property)
    /// The fetched object itself.
    case identity
  }

  /// The term that an expression reads, or nil.
  fileprivate func term(_ expression: any PredicateExpression) -> LookupTerm? {
    (expression as? any TermExpression)?.term(self)
  }

  fileprivate func property(at keyPath: AnyKeyPath) -> __Property? {
    KeyPathResolver.property(at: keyPath, in: entity)
  }

  fileprivate func equal(_ left: any PredicateExpression, _ right: any PredicateExpression) -> Candidates? {
    if let term = term(left), let value = (right as? any CapturedExpression)?.captured {
      return candidates(term, [value])
    }
    if let term = term(right), let value = (left as? any CapturedExpression)?.captured {
      return candidates(term, [value])
    }
    return nil
  }
}

extension QueryExecutor {
  /// The unsaved objects of a class and its subclasses that a predicate can match, without deleted ones: changed ones,
  /// which a statement may have missed, then new ones, each in order.
  func unsaved<M: PersistentModel>(_ type: M.Type, for predicate: Predicate<M>?) -> [M] {
    guard let predicate, let table = try? context.core.table(for: M.__entity) else { return unsaved(type) }
    let lookup = UnsavedLookup(
      state: context, entity: table.entity, family: table.family, variable: predicate.variable.key)
    // For a few objects, evaluating each is as fast.
    guard table.family.reduce(0, { $0 + unsavedCount(of: $1) }) > context.tuning.askedCount,
      let found = lookup.candidates(predicate.expression)
    else { return unsaved(type) }
    func place(_ id: ObjectIdentifier) -> (Int, Int) {
      context.changed.place(of: id).map { (0, $0) } ?? (1, context.inserted.place(of: id) ?? 0)
    }
    // The cast cannot fail, because all classes belong to the family.
    return found.map { (place($0), $1 as! M) }.sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// Whether the unsaved objects that a predicate can take are found by their values.
  func isLookedUp<M: PersistentModel>(_ predicate: Predicate<M>?) -> Bool {
    guard let predicate, let table = try? context.core.table(for: M.__entity) else { return false }
    let lookup = UnsavedLookup(
      state: context, entity: table.entity, family: table.family, variable: predicate.variable.key)
    return lookup.candidates(predicate.expression) != nil
  }

  /// The number of inserted and changed objects of a class, without subclasses.
  func unsavedCount(of entity: __Entity) -> Int {
    context.inserted.count(of: entity) + context.changed.count(of: entity)
  }

  /// An inserted or changed object.
  func unsavedObject(_ id: ObjectIdentifier) -> (any PersistentModel)? {
    context.inserted[id] ?? context.changed[id]?.object
  }

  /// The inserted and changed objects of one class that may have one of some keys for a property, unordered.
  func unsavedObjects(
    of entity: __Entity, _ property: __Property, with keys: some Sequence<UnsavedKey>
  ) -> [ObjectIdentifier] {
    let (inserted, changed) = (context.inserted, context.changed)
    return context.unsavedIndices.objects(of: entity, property, with: keys) {
      inserted.entries(of: entity).map(\.entry) + changed.entries(of: entity).map(\.entry.object)
    } _: {
      // The object that the index knew may be gone, and an object of another class may have its address.
      guard let object = inserted[$0] ?? changed[$0]?.object, type(of: object).__entity === entity else {
        return nil
      }
      return object
    }
  }
}

// MARK: - Conditions

/// A condition with values that an index can look up.
private protocol LookupExpression {
  func candidates(_ lookup: UnsavedLookup) -> UnsavedLookup.Candidates?
}

extension PredicateExpressions.Conjunction: LookupExpression {
  fileprivate func candidates(_ lookup: UnsavedLookup) -> UnsavedLookup.Candidates? {
    let left = lookup.candidates(lhs)
    if let left, left.count <= 8 { return left }
    guard let right = lookup.candidates(rhs) else { return left }
    return left.map { $0.count < right.count ? $0 : right } ?? right
  }
}

extension PredicateExpressions.Disjunction: LookupExpression {
  fileprivate func candidates(_ lookup: UnsavedLookup) -> UnsavedLookup.Candidates? {
    guard let left = lookup.candidates(lhs), let right = lookup.candidates(rhs) else { return nil }
    return left.merging(right) { first, _ in first }
  }
}

extension PredicateExpressions.Equal: LookupExpression {
  fileprivate func candidates(_ lookup: UnsavedLookup) -> UnsavedLookup.Candidates? { lookup.equal(lhs, rhs) }
}

extension PredicateExpressions.SequenceContains: LookupExpression {
  fileprivate func candidates(_ lookup: UnsavedLookup) -> UnsavedLookup.Candidates? {
    guard let term = lookup.term(element), let values = (sequence as? any CapturedExpression)?.captured as? LHS.Output,
      // With more values than objects, evaluating the objects is faster.
      values.underestimatedCount <= lookup.family.reduce(0, { $0 + lookup.state.queries.unsavedCount(of: $1) })
    else { return nil }
    return lookup.candidates(term, values.lazy.map { $0 as Any })
  }
}

// MARK: - Captured values

/// An expression that does not depend on the object.
private protocol CapturedExpression {
  /// Its value, or nil.
  var captured: Any? { get }
}

extension PredicateExpressions.Value: CapturedExpression {
  fileprivate var captured: Any? { value }
}

extension PredicateExpressions.NilLiteral: CapturedExpression {
  fileprivate var captured: Any? { Output.none as Any }
}

extension PredicateExpressions.KeyPath: CapturedExpression {
  fileprivate var captured: Any? {
    guard let value = (root as? any CapturedExpression)?.captured as? Root.Output else { return nil }
    return value[keyPath: keyPath as Swift.KeyPath<Root.Output, Output>]
  }
}

extension PredicateExpressions.ConditionalCast: CapturedExpression {
  /// Only a cast to an optional of the same type.
  fileprivate var captured: Any? {
    Desired.self == Input.Output.self ? (input as? any CapturedExpression)?.captured : nil
  }
}

// MARK: - Terms

/// An expression that may be a term.
private protocol TermExpression {
  func term(_ lookup: UnsavedLookup) -> UnsavedLookup.LookupTerm?
}

extension PredicateExpressions.KeyPath: TermExpression {
  fileprivate func term(_ lookup: UnsavedLookup) -> UnsavedLookup.LookupTerm? {
    if (root as? any VariableExpression)?.id == lookup.variable {
      guard let property = lookup.property(at: keyPath) else {
        return KeyPathResolver.isIdentity(keyPath, in: lookup.entity) ? .identity : nil
      }
      return property.isAttribute ? (property.isHashed ? .property(property) : nil) : nil
    }
    // `$0.parent.persistentModelID`
    guard Output.self == PersistentIdentifier.self, let model = Root.Output.self as? any PersistentModel.Type,
      KeyPathResolver.isIdentity(keyPath, in: model.__entity)
    else { return nil }
    return (root as? any ToOneExpression)?.toOne(lookup).map { .property($0) }
  }
}

extension PredicateExpressions.ConditionalCast: TermExpression {
  fileprivate func term(_ lookup: UnsavedLookup) -> UnsavedLookup.LookupTerm? {
    Desired.self == Input.Output.self ? lookup.term(input) : nil
  }
}

extension PredicateExpressions.OptionalFlatMap: TermExpression {
  /// `$0.parent?.persistentModelID`
  fileprivate func term(_ lookup: UnsavedLookup) -> UnsavedLookup.LookupTerm? {
    guard Wrapped.self is any PersistentModel.Type, (transform as? any IdentityExpression)?.variable == variable.key
    else { return nil }
    return (wrapped as? any ToOneExpression)?.toOne(lookup).map { .property($0) }
  }
}

private protocol VariableExpression { var id: PredicateExpressions.VariableID { get } }

extension PredicateExpressions.Variable: VariableExpression {
  fileprivate var id: PredicateExpressions.VariableID { key }
}

/// `$0.parent`
private protocol ToOneExpression {
  func toOne(_ lookup: UnsavedLookup) -> __Property?
}

extension PredicateExpressions.KeyPath: ToOneExpression {
  fileprivate func toOne(_ lookup: UnsavedLookup) -> __Property? {
    guard (root as? any VariableExpression)?.id == lookup.variable, let property = lookup.property(at: keyPath) else {
      return nil
    }
    return property.isToOne ? property : nil
  }
}

/// `$0.persistentModelID`
private protocol IdentityExpression {
  /// The variable whose identity it is.
  var variable: PredicateExpressions.VariableID? { get }
}

extension PredicateExpressions.KeyPath: IdentityExpression {
  fileprivate var variable: PredicateExpressions.VariableID? {
    // A property of the class with that name is not its identity.
    guard Output.self == PersistentIdentifier.self, let model = Root.Output.self as? any PersistentModel.Type,
      KeyPathResolver.isIdentity(keyPath, in: model.__entity)
    else { return nil }
    return (root as? any VariableExpression)?.id
  }
}
