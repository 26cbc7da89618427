import Foundation

/// Finds the persisted property that a key path reads, by the key path's steps. No getter of the program runs.
///
/// A key path of a subclass, of generic code, or without the right to set the property differs from the one that the class
/// itself declares, but has the same step.
package enum KeyPathResolver {
  /// The property or the identifier that a key path of a model reads.
  package enum Reading {
    /// A persisted property, behind to-one relationships. `rest` leads on into its value.
    case property(toOnes: [__Property], __Property, rest: [KeyPathSteps.Step])
    /// The identifier of the object, or of the target of to-one relationships.
    case identity(toOnes: [__Property])
    /// A requirement of a protocol or a captured key path of several steps, so only Swift knows what it reads.
    case requirement
    /// Nothing that the store has.
    case unknown
  }

  /// The property whose value `keyPath` returns, or nil if it does not return one.
  /// - Complexity: O(the number of properties) after the first call for a key path.
  package static func property(at keyPath: AnyKeyPath, in entity: __Entity) -> __Property? {
    if let index = entity.index(of: keyPath) { return entity.properties[index] }
    guard case .property(let toOnes, let property, let rest) = reading(of: keyPath, in: entity), toOnes.isEmpty,
      rest.isEmpty
    else { return nil }
    return property
  }

  /// Whether `keyPath` returns the identifier of the object itself.
  package static func isIdentity(_ keyPath: AnyKeyPath, in entity: __Entity) -> Bool {
    if case .identity(let toOnes) = reading(of: keyPath, in: entity) { toOnes.isEmpty } else { false }
  }

  /// The property or the identifier that `keyPath` reads of an object of the class.
  /// - Complexity: O(the number of properties) for the first call, O(1) after it.
  package static func reading(of keyPath: AnyKeyPath, in entity: __Entity) -> Reading {
    if let index = entity.index(of: keyPath) { return .property(toOnes: [], entity.properties[index], rest: []) }
    let key = Key(entity: ObjectIdentifier(entity), keyPath: keyPath)
    if let known = cache.withLock({ $0.found[key] }) { return known }
    let reading = KeyPathSteps(keyPath).map { read($0.steps[...], in: entity) } ?? .unknown
    cache.withLock { $0.found[key] = reading }
    return reading
  }

  private static func read(_ steps: ArraySlice<KeyPathSteps.Step>, in start: __Entity) -> Reading {
    var (rest, entity, toOnes) = (steps, start, [__Property]())
    while let step = rest.first {
      rest = rest.dropFirst()
      if step.kind == .requirement || step.kind == identifiable || step.kind == following { return .requirement }
      if isIdentity(step) { return isEnd(rest) ? .identity(toOnes: toOnes) : .unknown }
      guard let property = property(of: step, in: entity) else { return .unknown }
      if isEnd(rest) { return .property(toOnes: toOnes, property, rest: []) }
      guard property.isToOne, let target = property.destination else {
        return .property(toOnes: toOnes, property, rest: Array(rest))
      }
      toOnes.append(property)
      entity = target.__entity
      if let next = rest.first?.kind, next == .chain || next == .force { rest = rest.dropFirst() }
    }
    return .unknown
  }

  private static func isEnd(_ steps: ArraySlice<KeyPathSteps.Step>) -> Bool { steps.allSatisfy { $0.kind == .wrap } }

  /// The property that a step reads. The step's class is the entity's, a superclass of it, or a subclass.
  private static func property(of step: KeyPathSteps.Step, in entity: __Entity) -> __Property? {
    guard step.root is any PersistentModel.Type else { return nil }
    return entity.properties.first { property in
      guard property.valueType == step.value, let own = KeyPathSteps(property.keyPath)?.steps else { return false }
      return own.count == 1 && own[0].kind == step.kind
    }
  }

  // MARK: - Identifiers

  private static func isIdentity(_ step: KeyPathSteps.Step) -> Bool {
    step.value == PersistentIdentifier.self && step.root is any PersistentModel.Type && identities.contains(step.kind)
  }

  /// The steps of the two properties that every model has. Their getters are the same for all classes.
  private static let identities: Set<KeyPathSteps.Kind> = {
    let keyPaths: [AnyKeyPath] = [\UnknownModel.persistentModelID, \UnknownModel.id]
    return Set(keyPaths.compactMap { KeyPathSteps($0)?.steps.first?.kind })
  }()

  /// The step of `Identifiable.id` in generic code. The standard library's requirements have identities like properties.
  private static let identifiable: KeyPathSteps.Kind? = {
    func id<T: Identifiable>(_: T.Type) -> AnyKeyPath { \T.id }
    return KeyPathSteps(id(UnknownModel.self))?.steps.first?.kind
  }()

  /// The step of a captured key path (`PersistentModel.__following`).
  private static let following: KeyPathSteps.Kind? =
    KeyPathSteps(UnknownModel.__following(\.persistentModelID))?.steps.first?.kind

  // MARK: - Cache

  private struct Key: Hashable {
    let entity: ObjectIdentifier
    let keyPath: AnyKeyPath
  }

  // @unchecked Sendable because it is only accessed under the mutex, and key paths are immutable.
  private struct Cache: @unchecked Sendable { var found: [Key: Reading] = [:] }
  private static let cache = Lock(Cache())
}

extension PersistentModel {
  /// Plumbing of `#Predicate`.
  public subscript<Member>(__at keyPath: KeyPath<Self, Member>) -> Member { self[keyPath: keyPath] }

  /// A key path of one component that follows another one.
  static func __following<Member>(_ keyPath: KeyPath<Self, Member>) -> KeyPath<Self, Member> { \.[__at: keyPath] }
}
