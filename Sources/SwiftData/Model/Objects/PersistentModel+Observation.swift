import Observation

extension PersistentModel {
  /// Registers a read of a property with Observation.
  ///
  /// The accessors that `@Model` writes do this by themselves. Call it in the getter of a computed property whose value
  /// lives outside the model. (Apple's `@Model` writes this method into each class.)
  public nonisolated func access<Member>(keyPath: KeyPath<Self, Member>) {
    guard __isObserved || __isReadTracked(by: __state.probe) else { return }
    let object = __resolved
    object.__registrar.access(object, keyPath: keyPath)
  }

  /// Runs a closure that changes what a computed property reads, and tells observers of the property.
  /// - Parameters:
  ///   - keyPath: the computed property.
  ///   - mutation: changes the value.
  /// - Returns: the result of `mutation`.
  /// - Throws: what `mutation` throws. Observers are told in that case too. (Apple's `@Model` writes this method into
  ///   each class.)
  public nonisolated func withMutation<Member, MutationResult>(
    keyPath: KeyPath<Self, Member>, _ mutation: () throws -> MutationResult
  ) rethrows -> MutationResult {
    guard __isObserved else { return try mutation() }
    let object = __resolved
    return try object.__registrar.withMutation(of: object, keyPath: keyPath, mutation)
  }
}
