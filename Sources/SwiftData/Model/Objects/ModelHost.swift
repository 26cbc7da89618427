/// The context of an object, as objects see it.
///
/// `ContextState` is the only subclass. The code of contexts refers to objects, so objects refer to this class. A getter reads the probe
/// of a class without a call, so this is not a protocol. Swift has no abstract members: the bodies here never run, because
/// `ContextState` overrides each of them and nothing makes a `ModelHost` itself.
package class ModelHost {
  let trackingProbe = TrackingProbe()
  package var work = WorkCounter()
  package var tuning = Tuning()

  init() {}

  /// Loads a relationship of an object, also for the other objects of the same fetch. It stays a fault if that fails.
  /// - Returns: false if it could not be loaded.
  func load(_ object: any PersistentModel, _ property: __Property) -> Bool { fatalError("abstract") }

  /// Notes a relationship that could not be loaded and whose slot gets an empty value for a getter.
  /// - Parameter key: the key of the fault.
  func noteUnloaded(_ object: any PersistentModel, _ property: __Property, key: Int64) { fatalError("abstract") }

  /// Notes that a relationship would save an object that stands for a row that is gone.
  func noteStandIn(_ object: any PersistentModel) { fatalError("abstract") }

  /// Loads an attribute that a partial fetch omitted, also for the other objects of the same fetch.
  func loadAttribute(_ object: any PersistentModel, _ index: Int) { fatalError("abstract") }

  /// Keeps the old value of a property that is about to change.
  /// - Parameter isInverse: whether another object changes, and this property follows.
  func recordChange(of object: any PersistentModel, _ index: Int, isInverse: Bool) { fatalError("abstract") }

  /// Runs a body that changes several objects as one use of the context.
  func changing(_ body: () -> Void) { fatalError("abstract") }

  /// Inserts an object and everything reachable from it.
  func insert(_ model: any PersistentModel) { fatalError("abstract") }

  /// Whether the context has ended, so that its objects may move to another one.
  var hasEnded: Bool { fatalError("abstract") }

  /// Records that an object was related to an object of another context in use.
  func noteForeign(_ object: any PersistentModel, property: __Property?, of owner: (any PersistentModel)?) {
    fatalError("abstract")
  }

  /// The registered object of a row.
  func registered(_ entity: __Entity, key: Int64) -> (any PersistentModel)? { fatalError("abstract") }

  /// Records that an in-place change of a to-many was not compared completely.
  func noteUnverified(_ object: any PersistentModel, _ index: Int) { fatalError("abstract") }

  /// Records the identity of a new object.
  func note(_ identity: TemporaryIdentity, of object: any PersistentModel) { fatalError("abstract") }

  /// The identifier of a stored object. Nil if the container does not have the class.
  func identifier(ofKey key: Int64, _ entity: __Entity) -> PersistentIdentifier? { fatalError("abstract") }

  /// A stored object of a class. Nil if the store has no object of that class.
  func example(of entity: __Entity) -> (any PersistentModel)? { fatalError("abstract") }
}

/// The public face of a host, which is `ModelContext`.
package protocol HostFacade: AnyObject {}
