public import Observation

/// A class whose instances a store keeps: what `@Model` makes of a class.
///
/// Attach ``Model()`` to a class; nobody conforms by hand. The members whose names begin with two underscores are
/// the engine's side of the contract, written by the macro and called by nobody else.
/// It inherits `SendableMetatype`, so that modules whose default isolation is the main actor leave models nonisolated.
/// (Apple's documentation, `PersistentModel`.)
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// Makes an instance whose values come from backing data.
  init(backingData: any BackingData<Self>)

  /// The values of the instance, seen as backing data: a view over its storage, not a copy.
  var persistentBackingData: any BackingData<Self> { get set }

  /// The persisted properties that the class itself declares, in order, and its uniqueness and index declarations.
  nonisolated static var schemaMetadata: [Schema.PropertyMetadata] { get }

  /// The engine's description of the class, made once.
  nonisolated static var __entity: __Entity { get }

  /// The inline bookkeeping of the instance.
  // Borrowed, because a getter would copy all of it, references included, for each flag that is read.
  @_borrowed
  nonisolated var __state: __ModelState { get set }

  /// Decodes an instance from a row. Throws where a stored value does not fit its property.
  nonisolated init(__row row: __RowReader) throws

  /// Overwrites the properties of `properties` (indices) from a row, without change tracking.
  nonisolated func __reload(_ index: Int, from row: __RowReader) throws

  /// Writes the property at an index to a writer.
  nonisolated func __encode(_ index: Int, to writer: __ColumnWriter) throws

  /// The value of the property at an index, without faulting or observation.
  nonisolated func __value(at index: Int) -> Any

  /// Replaces the value of the property at an index, without change tracking.
  nonisolated func __setValue(_ value: Any, at index: Int)

  /// Performs an engine operation on the relationship at an index.
  nonisolated func __relationship(_ index: Int, _ operation: __RelationshipOperation) -> __RelationshipContent

  /// Tells observers, from where the key path may be formed, that the property at an index is about to change or has.
  nonisolated func __notify(_ index: Int, _ phase: __ObservationPhase)
}

/// Which half of a change `__notify` reports.
public enum __ObservationPhase: Sendable {
  case willSet
  case didSet
}

extension PersistentModel {
  /// The class itself; Apple's name for it in key paths.
  public typealias Root = Self

  /// Two references are equal when they are the same object: a context has one object for one row.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs === rhs }

  /// Hashes the object's identity, which does not change when it is saved.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
