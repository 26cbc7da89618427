public import Observation

/// A class whose instances a store keeps. ``Model()`` adds the conformance.
///
/// Members whose names begin with two underscores are the interface between generated code and the engine. Do not call
/// them. The protocol inherits `SendableMetatype`, so that models stay nonisolated in modules whose default isolation
/// is the main actor. (Apple's documentation, `PersistentModel`.)
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// Makes an instance with values from backing data.
  init(backingData: any BackingData<Self>)

  /// The values of the instance as a view of its storage, not a copy.
  var persistentBackingData: any BackingData<Self> { get set }

  /// The persisted properties that the class itself declares, in order, with its `#Unique` and `#Index` declarations.
  nonisolated static var schemaMetadata: [Schema.PropertyMetadata] { get }

  /// The engine's description of the class.
  nonisolated static var __entity: __Entity { get }

  /// The inline bookkeeping of the instance.
  // A mutating getter, because a plain one would copy the state with its references for each flag that is read.
  @_borrowed
  nonisolated var __state: __ModelState { get set }

  /// Decodes an instance from a row.
  /// - Throws: an error if a stored value does not fit its property.
  nonisolated init(__row row: __RowReader) throws

  /// Does with the property at an index what `access` says, without faulting, change tracking or observation.
  /// - Throws: an error if a value cannot be read or written. `get` and `set` do not throw.
  nonisolated func __access(_ index: Int, _ access: __PropertyAccess) throws

  /// Performs an engine operation on the relationship at an index.
  nonisolated func __relationship(_ index: Int, _ operation: __RelationshipOperation) -> __RelationshipContent
}

/// The moment that `__notify` reports to Observation.
public enum __ObservationPhase: Sendable {
  case access
  case willSet
  case didSet
}

extension PersistentModel {
  /// The class itself; Apple's name for it in key paths.
  public typealias Root = Self

  /// Two references are equal if they are the same object. A context has one object per row.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs === rhs }

  /// The registrar that reports reads and changes to Observation. Apple's macro declares it in each model, so that extensions use it.
  public nonisolated var _$observationRegistrar: ObservationRegistrar { __registrar }

  /// The same as ``persistentBackingData``, by the name that Apple's macro declares in each model.
  public var _$backingData: any BackingData<Self> {
    get { persistentBackingData }
    set { persistentBackingData = newValue }
  }

  /// Hashes the object's identity, which does not change when it is saved.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// The hash of the object's identity.
  ///
  /// Without this declaration the compiler makes one in each model. Swift 6.3 crashes if such a class is not final and a key path to a
  /// property of its subclass stands before it in the file.
  public var hashValue: Int { ObjectIdentifier(self).hashValue }
}
