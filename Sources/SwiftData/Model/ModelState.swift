package import Observation

/// The bookkeeping that each model instance carries inline.
///
/// Nothing in it is allocated for an object that was only fetched.
public struct __ModelState {
  // MARK: - Mutable State
  // All of it belongs to the context of the object and is touched only where the object may be: on its context's
  // thread or actor.
  //
  // The getters are mutating though they change nothing: through a protocol, a model's state is then lent in place.
  // Else all of it would be copied, references included, for each flag that is read.

  private var ownContext: ContextState?
  /// The context that the object is registered with; nil before insertion and after the deletion was saved.
  package var context: ContextState? {
    mutating get { ownContext }
    set {
      ownContext = newValue
      probe = newValue.map { Unmanaged.passUnretained($0.trackingProbe) }
    }
  }
  /// That of the context, which keeps it alive: a getter reads it without counting references.
  @usableFromInline
  private(set) var probe: Unmanaged<TrackingProbe>?
  private var ownKey: Int64 = 0
  /// The primary key in its store; 0 until the first save.
  package var key: Int64 {
    mutating get { ownKey }
    set { ownKey = newValue }
  }
  private var ownFlags: Flags = []
  package var flags: Flags {
    mutating get { ownFlags }
    _modify { yield &ownFlags }
  }
  private var ownBatch: FetchBatch?
  /// The objects that came with the same fetch and share their relationship loads.
  package var batch: FetchBatch? {
    mutating get { ownBatch }
    set { ownBatch = newValue }
  }
  /// What only some objects need, made when one does.
  @usableFromInline
  package private(set) var extras: Extras?

  /// The bookkeeping of an object that was observed, fetched in part, identified before it was saved, or deleted, or
  /// that has a long to-many.
  @usableFromInline
  package final class Extras {
    fileprivate var temporaryIdentity: TemporaryIdentity?
    fileprivate var unloaded: PropertySet?
    fileprivate var registrar: ObservationRegistrar?
    fileprivate var isObserved = false
    fileprivate var runningObservers: PropertySet?
    fileprivate var former: FormerIdentity?
    fileprivate var lists: [Int: AnyObject] = [:]
    fileprivate var lastLink: Int64 = 0
  }

  private mutating func makeExtras() -> Extras {
    if let extras { return extras }
    let extras = Extras()
    self.extras = extras
    return extras
  }

  /// The identity before the first save, made when first asked for.
  package var temporaryIdentity: TemporaryIdentity? {
    mutating get { extras?.temporaryIdentity }
    set { makeExtras().temporaryIdentity = newValue }
  }
  /// The attributes that a partial fetch left out; nil when all are loaded.
  package var unloaded: PropertySet? {
    mutating get { extras?.unloaded }
    set { if newValue != nil || extras != nil { makeExtras().unloaded = newValue } }
  }
  /// Made when an observer first reads the object.
  package var registrar: ObservationRegistrar? {
    mutating get { extras?.registrar }
    set {
      let extras = makeExtras()
      extras.registrar = newValue
      extras.isObserved = newValue != nil
    }
  }
  /// Whether there is one; to look at the registrar itself takes much longer.
  @usableFromInline
  var isObserved: Bool { mutating get { extras?.isObserved ?? false } }
  /// Properties whose `didSet` or `willSet` is running, so that it does not run again for its own assignment.
  package var runningObservers: PropertySet? {
    mutating get { extras?.runningObservers }
    set { makeExtras().runningObservers = newValue }
  }
  /// The identity of an object that left its context, by a saved deletion or otherwise.
  package var former: FormerIdentity? {
    mutating get { extras?.former }
    set { makeExtras().former = newValue }
  }

  /// The index beside the long to-many at a property's index.
  func list(at index: Int) -> AnyObject? { extras?.lists[index] }

  mutating func setList(_ list: AnyObject?, at index: Int) {
    if list != nil || extras != nil { makeExtras().lists[index] = list }
  }

  /// A number, not 0, that no list of the object had.
  mutating func makeLink() -> Int64 {
    let extras = makeExtras()
    extras.lastLink += 1
    return extras.lastLink
  }

  package struct Flags: OptionSet {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let inserted = Flags(rawValue: 1)
    package static let deleted = Flags(rawValue: 2)
    package static let changed = Flags(rawValue: 4)
    /// An instance that only notes what is read of it.
    package static let probe = Flags(rawValue: 8)
    /// A required to-one lost its target from the other side and still shows it; the save is refused until it is
    /// replaced.
    package static let orphaned = Flags(rawValue: 16)
  }

  /// The state of a new object.
  public init() {}

  /// Gives an object without a context the identity of one that could not be found.
  mutating func standIn(for identifier: PersistentIdentifier) {
    if let temporary = identifier.temporary {
      temporaryIdentity = temporary
    } else {
      // Any key but 0, which says that the object was never saved; without a context nobody reads it.
      key = identifier.key ?? -1
      former = FormerIdentity(identifier)
    }
  }

  /// Makes the object that of a row.
  /// - Parameter batch: the fetch that returned it; nil keeps what is there.
  mutating func register(_ context: ContextState, _ key: Int64, _ batch: FetchBatch?) {
    self.context = context
    self.key = key
    if let batch { self.batch = batch }
  }
}

/// A set of property indices.
package struct PropertySet: Hashable, Sendable {
  private var low: UInt64 = 0
  private var high: Set<Int> = []

  package init() {}
  package init(_ indices: some Sequence<Int>) { for index in indices { insert(index) } }

  package var isEmpty: Bool { low == 0 && high.isEmpty }

  package mutating func insert(_ index: Int) {
    if index < 64 { low |= 1 << UInt64(index) } else { high.insert(index) }
  }

  package mutating func remove(_ index: Int) {
    if index < 64 { low &= ~(1 << UInt64(index)) } else { high.remove(index) }
  }

  package func contains(_ index: Int) -> Bool {
    index < 64 ? low & (1 << UInt64(index)) != 0 : high.contains(index)
  }

  package func intersects(_ other: PropertySet) -> Bool {
    low & other.low != 0 || !high.isDisjoint(with: other.high)
  }

  package mutating func formUnion(_ other: PropertySet) {
    low |= other.low
    high.formUnion(other.high)
  }

  /// The indices in ascending order.
  package var indices: [Int] {
    (0..<64).filter { low & (1 << UInt64($0)) != 0 } + high.sorted()
  }
}

/// The identity that an object had in a context.
package final class FormerIdentity: Sendable {
  let identifier: PersistentIdentifier
  init(_ identifier: PersistentIdentifier) { self.identifier = identifier }
}
