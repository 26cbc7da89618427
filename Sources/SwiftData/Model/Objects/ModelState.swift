package import Observation

/// The inline bookkeeping of a model instance.
///
/// An object that was only fetched allocates nothing else. The state is not copyable, so that it ends with its object.
public struct __ModelState: ~Copyable {
  // MARK: - Mutable State
  // The state belongs to the object's context and is accessed only on the context's thread or actor.
  //
  // Some references are counted by hand. The end of an object would otherwise release them through their metadata, and
  // retain the page to remove the entry.
  //
  // The getters are mutating although they change nothing: a protocol then lends the state in place. Otherwise each
  // read of a flag would copy the state with its references.

  /// The host or the former identifier of the object. One word holds either, because no object has both.
  private enum Home {
    case none
    case host(ModelHost)
    case former(FormerIdentity)
  }
  private var home = Home.none
  /// The context that the object is registered with. It is nil before the insertion and after a saved deletion.
  package var host: ModelHost? {
    mutating get { if case .host(let host) = home { host } else { nil } }
    set {
      home = newValue.map(Home.host) ?? .none
      probe = newValue.map { Unmanaged.passUnretained($0.trackingProbe) }
    }
  }
  /// The context's probe, which the context keeps alive. An unmanaged reference avoids reference counting in getters.
  @usableFromInline
  private(set) var probe: Unmanaged<TrackingProbe>?
  private var ownKey: Int64 = 0
  /// The primary key in the store, or 0 before the first save.
  package var key: Int64 {
    mutating get { ownKey }
    set { ownKey = newValue }
  }
  private var ownFlags: Flags = []
  package var flags: Flags {
    mutating get { ownFlags }
    _modify { yield &ownFlags }
  }
  private var ownBatch: Unmanaged<FetchBatch>?
  /// The objects of the same fetch, which share relationship loads.
  package var batch: FetchBatch? {
    mutating get { ownBatch?.takeUnretainedValue() }
    set {
      let old = ownBatch
      ownBatch = newValue.map { .passRetained($0) }
      old?.release()
    }
  }
  /// The page of the identity map with the object's entry, and the object's address there. Invariant: while the entry
  /// exists, the key does not change.
  private var ownPage: Unmanaged<IdentityPage>?
  private var address: ObjectIdentifier?
  /// State that only some objects need, allocated on demand.
  @usableFromInline
  private(set) var ownExtras: Unmanaged<Extras>?
  private var extras: Extras? { mutating get { ownExtras?.takeUnretainedValue() } }

  /// State of an object that was observed, partially fetched, or identified before its first save, that has a long to-many, or
  /// that is an alias.
  @usableFromInline
  package final class Extras {
    fileprivate var temporaryIdentity: TemporaryIdentity?
    fileprivate var unloaded: PropertySet?
    fileprivate var lateChanges: PropertySet?
    fileprivate var registrar: ObservationRegistrar?
    fileprivate var isObserved = false
    fileprivate var runningObservers: PropertySet?
    fileprivate var lists: [Int: AnyObject] = [:]
    fileprivate var lastLink: Int64 = 0
    fileprivate var aliased: (any PersistentModel)?
  }

  private mutating func makeExtras() -> Extras {
    if let extras { return extras }
    let extras = Extras()
    ownExtras = .passRetained(extras)
    return extras
  }

  /// The identity before the first save, made on demand.
  package var temporaryIdentity: TemporaryIdentity? {
    mutating get { extras?.temporaryIdentity }
    set { makeExtras().temporaryIdentity = newValue }
  }
  /// The attributes that a partial fetch omitted, or nil if all are loaded.
  package var unloaded: PropertySet? {
    mutating get { extras?.unloaded }
    set { if newValue != nil || ownExtras != nil { makeExtras().unloaded = newValue } }
  }
  /// The properties that changed after the end of the context, or nil if none did.
  package var lateChanges: PropertySet? {
    mutating get { extras?.lateChanges }
    set { if newValue != nil || ownExtras != nil { makeExtras().lateChanges = newValue } }
  }
  /// The registrar, made when an observer first reads the object.
  package var registrar: ObservationRegistrar? {
    mutating get { extras?.registrar }
    set {
      let extras = makeExtras()
      extras.registrar = newValue
      extras.isObserved = newValue != nil
    }
  }
  /// Whether there is a registrar. Reading the registrar itself is slower.
  @usableFromInline
  var isObserved: Bool { mutating get { extras?.isObserved ?? false } }
  /// Properties whose `didSet` or `willSet` runs, so that it does not run again for its own assignment.
  package var runningObservers: PropertySet? {
    mutating get { extras?.runningObservers }
    set { makeExtras().runningObservers = newValue }
  }
  /// The identity of an object that left its context.
  package var former: FormerIdentity? {
    mutating get { if case .former(let identity) = home { identity } else { nil } }
  }

  /// The registered object, if this one is an alias of it (``Alias``).
  package var aliased: (any PersistentModel)? { mutating get { extras?.aliased } }

  /// Makes an object without unsaved changes an alias. It keeps the key, which says that it was saved.
  mutating func becomeAlias(of object: any PersistentModel, key: Int64) {
    leave(as: nil)
    ownKey = key
    let extras = makeExtras()
    extras.unloaded = nil
    extras.aliased = object
    // The accessors then report each access, which `Alias` forwards.
    extras.isObserved = true
  }

  /// Ends the registration with a context.
  /// - Parameter identity: the identity that a stored object keeps.
  mutating func leave(as identity: FormerIdentity?) {
    host = nil
    home = identity.map(Home.former) ?? .none
    batch = nil
  }

  /// The index of the long to-many at a property's index.
  mutating func list(at index: Int) -> AnyObject? { extras?.lists[index] }

  mutating func setList(_ list: AnyObject?, at index: Int) {
    if list != nil || ownExtras != nil { makeExtras().lists[index] = list }
  }

  /// A non-zero number that no list of the object has had.
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
    /// A required to-one lost its target from the other side and still shows it. The save throws unless it is replaced.
    package static let orphaned = Flags(rawValue: 16)
    /// A relationship gained the object after its deletion.
    package static let regained = Flags(rawValue: 32)
    /// The object stands for a row that is gone. Inserting it makes it a new object like any other.
    package static let standIn = Flags(rawValue: 64)
  }

  /// The state of a new object.
  public init() {}

  /// Runs on the thread that releases the object last, before the object's memory is freed.
  deinit {
    if let ownPage {
      if let address { ownPage._withUnsafeGuaranteedRef { $0.remove(address, ownKey) } }
      ownPage.release()
    }
    ownBatch?.release()
    ownExtras?.release()
  }

  /// Gives an object without a context the identity of a missing row.
  mutating func standIn(for identifier: PersistentIdentifier) {
    if let temporary = identifier.temporary {
      temporaryIdentity = temporary
    } else {
      // Any key but 0, which would mean that the object was never saved. Without a context the key is not used.
      key = identifier.key ?? -1
      home = .former(FormerIdentity(identifier))
    }
  }

  /// Registers the object as a row's.
  /// - Parameters:
  ///   - batch: the fetch that returned the object, or nil to keep the current one.
  ///   - page: the page of the identity map that has the object, retained for it.
  ///   - address: the object's address.
  mutating func register(
    _ host: ModelHost, _ key: Int64, _ page: Unmanaged<IdentityPage>, _ address: ObjectIdentifier,
    _ batch: FetchBatch?
  ) {
    home = .host(host)
    probe = .passUnretained(host.trackingProbe)
    ownKey = key
    ownPage?.release()
    ownPage = page
    self.address = address
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
    var (found, rest) = ([Int](), low)
    while rest != 0 {
      found.append(rest.trailingZeroBitCount)
      rest &= rest - 1
    }
    return high.isEmpty ? found : found + high.sorted()
  }
}

/// The identity that an object had in a context.
package final class FormerIdentity: Sendable {
  private enum Value {
    case identifier(PersistentIdentifier)
    /// The store of an object whose class and key say the rest, so that many deleted objects share one identity.
    case store(String)
  }
  private let value: Value

  init(_ identifier: PersistentIdentifier) { value = .identifier(identifier) }

  /// - Parameter store: the identifier of a store for which ``EngineStore/isPlain(key:)`` is true.
  init(store: String) { value = .store(store) }

  func identifier(_ entity: __Entity, key: Int64) -> PersistentIdentifier {
    switch value {
    case .identifier(let identifier): identifier
    case .store(let store): PersistentIdentifier(entityName: entity.name, storeIdentifier: store, key: key)
    }
  }

  /// Whether all objects that a context deleted from the store share this value.
  func isShared(in store: String) -> Bool { if case .store(store) = value { true } else { false } }
}
