/// A value with the time of its write. The later write wins. Two writes of one time are told apart by their values, so that the
/// result does not depend on the order.
public struct Stamped<Value: Hashable & Comparable & Sendable>: Hashable, Comparable, Sendable {
  /// The time of the write.
  public var time: HybridTime
  /// The value.
  public var value: Value

  /// Makes a write.
  public init(_ time: HybridTime, _ value: Value) { (self.time, self.value) = (time, value) }

  /// Orders writes by time, then by value. The greater write wins.
  public static func < (left: Stamped, right: Stamped) -> Bool {
    left.time == right.time ? left.value < right.value : left.time < right.time
  }
}

/// The zone that a record is in. The greater number of moves wins, then the later move.
public struct Home: Hashable, Comparable, Sendable {
  /// The number of the record's moves.
  public var moves: Int
  /// The time of the last move, and the zone that it led to.
  public var place: Stamped<ZoneName>

  /// Makes a home.
  public init(moves: Int, time: HybridTime, zone: ZoneName) { (self.moves, place) = (moves, Stamped(time, zone)) }

  /// The zone that the record is in.
  public var zone: ZoneName { place.value }

  /// Orders homes by the number of moves, then by the last move.
  public static func < (left: Home, right: Home) -> Bool {
    left.moves == right.moves ? left.place < right.place : left.moves < right.moves
  }
}

/// The place of a member in a list.
public struct Place: Hashable, Comparable, Sendable {
  /// A fractional key. Members are ordered by the bytes of their keys, then by name.
  public var key: ExactText
  /// The zone of the member, as the hint of a ``Reference``.
  public var hint: ZoneName?

  /// Makes a place.
  public init(_ key: ExactText, hint: ZoneName? = nil) { (self.key, self.hint) = (key, hint) }

  /// Orders places by key, then by hint.
  public static func < (left: Place, right: Place) -> Bool {
    left.key == right.key ? precedes(left.hint, right.hint) : left.key < right.key
  }
}

/// A member of a to-many that the record itself stores.
///
/// It is present while the newest addition is later than all additions that removals saw. A removal keeps that time, so that an
/// addition which arrives again does not bring the member back.
public struct Edge: Hashable, Sendable {
  /// The time of the newest addition.
  public var added: HybridTime
  /// The newest addition that a removal saw.
  public var removed: HybridTime
  /// The place in the list, and when it was written.
  public var place: Stamped<Place>?

  /// Makes an edge.
  public init(added: HybridTime = .zero, removed: HybridTime = .zero, place: Stamped<Place>? = nil) {
    (self.added, self.removed, self.place) = (added, removed, place)
  }

  /// Whether the member is in the list.
  public var isPresent: Bool { added > removed }
  /// The zone that the edge names for its member.
  public var hint: ZoneName? { place?.value.hint }

  /// Takes the maximum of each part.
  public mutating func join(_ other: Edge) {
    added = max(added, other.added)
    removed = max(removed, other.removed)
    place = joined(place, other.place)
  }
}

/// The registers of one record, or the registers that a transaction writes.
///
/// Each register is a join semilattice: ``join(_:)`` is commutative, associative and idempotent. So the state of a zone is the join of
/// its log, in whatever order and however often an entry is taken in. Nothing here knows a model class.
public struct Registers: Hashable, Sendable {
  // A reference, copied on write. A step of a replica puts the registers of each record into several dictionaries and sorts them. That would
  // move two hundred bytes each time, and retain each text and dictionary in them.
  @usableFromInline var storage: Storage

  @usableFromInline struct Values: Hashable {
    @usableFromInline var born: Stamped<WireName>?
    @usableFromInline var dead: HybridTime?
    @usableFromInline var home: Home?
    @usableFromInline var fields: [WireName: Stamped<RegisterValue>] = [:]
    @usableFromInline var edges: [WireName: [RecordName: Edge]] = [:]
    @usableFromInline var commit: Int64?
  }

  // @unchecked Sendable because only a mutation writes `values`, and it makes a copy of a storage that another value has too.
  @usableFromInline final class Storage: @unchecked Sendable {
    // The compiler checks the accesses to the structure, and nothing else leads here.
    @exclusivity(unchecked) @usableFromInline var values: Values
    @usableFromInline init(_ values: Values) { self.values = values }
  }

  private static let none = Storage(Values())

  /// Makes registers without a write.
  public init() { storage = Self.none }

  @usableFromInline var values: Values {
    @inlinable get { storage.values }
    @inlinable _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.values) }
      yield &storage.values
    }
  }

  /// The time of the record's creation, and its class.
  public var born: Stamped<WireName>? {
    @inlinable get { storage.values.born }
    @inlinable _modify { yield &values.born }
  }

  /// The time of the deletion. A deletion wins against all other writes.
  public var dead: HybridTime? {
    @inlinable get { storage.values.dead }
    @inlinable _modify { yield &values.dead }
  }

  /// The zone that the record is in. A record without a home is where its registers are.
  public var home: Home? {
    @inlinable get { storage.values.home }
    @inlinable _modify { yield &values.home }
  }

  /// The fields, by property.
  public var fields: [WireName: Stamped<RegisterValue>] {
    @inlinable get { storage.values.fields }
    @inlinable _modify { yield &values.fields }
  }

  /// The members of to-many relationships, by property.
  public var edges: [WireName: [RecordName: Edge]] {
    @inlinable get { storage.values.edges }
    @inlinable _modify { yield &values.edges }
  }

  /// The commit of the last change, which the server's log gives.
  public var commit: Int64? {
    @inlinable get { storage.values.commit }
    @inlinable _modify { yield &values.commit }
  }

  /// Compares the registers. Two values with one storage are equal without a look at them.
  public static func == (left: Registers, right: Registers) -> Bool {
    left.storage === right.storage || left.storage.values == right.storage.values
  }

  /// Hashes the registers.
  public func hash(into hasher: inout Hasher) { storage.values.hash(into: &hasher) }

  /// Whether no register is written.
  public var isEmpty: Bool { self == Registers() }

  /// Joins other registers into these.
  ///
  /// A tombstone keeps its references, because a cascade may go through it, and of attributes the times alone.
  public mutating func join(_ other: Registers) {
    if dead == nil, storage === other.storage || other.storage === Self.none { return }
    if storage === Self.none, other.dead == nil, other.edges.isEmpty {
      self = other
      return
    }
    born = joined(born, other.born)
    dead = joined(dead, other.dead)
    home = joined(home, other.home)
    commit = joined(commit, other.commit)
    fields.merge(other.fields, uniquingKeysWith: max)
    for (property, members) in other.edges where !members.isEmpty {
      edges[property, default: [:]].merge(members) { old, new in
        var edge = old
        edge.join(new)
        return edge
      }
    }
    guard dead != nil else { return }
    for (property, write) in fields where write.value != .null && write.value.reference == nil {
      fields[property] = Stamped(write.time, .null)
    }
  }

  /// Whether other registers differ at most in their commit.
  func isEqual(toValuesOf other: Registers) -> Bool {
    born == other.born && dead == other.dead && home == other.home && fields == other.fields && edges == other.edges
  }

  /// The registers after a join with others.
  public func joining(_ other: Registers) -> Registers {
    var result = self
    result.join(other)
    return result
  }

  /// Whether the record is in the zone that holds its registers: born, not dead, and not moved away.
  public func isHere(_ zone: ZoneName) -> Bool { born != nil && dead == nil && (home.map { $0.zone == zone } ?? true) }

  /// Whether a pointer of another zone may lead to the record: it has made that move, or a later one. A move writes one home to both zones.
  func confirms(_ pointer: Home?) -> Bool { !precedes(home, pointer) }

  /// Whether a move may join the record with what its new zone has of its name: nothing, the pointer of an earlier move, or late writes to
  /// a forgotten record. Anything else belongs to another record.
  func mayMove(to zone: ZoneName, with other: Registers?) -> Bool {
    other.map { $0.dead == nil && !$0.isHere(zone) && confirms($0.home) } ?? true
  }

  /// The write of a property, or nil. A renamed property has two names on the wire. Of their writes the later one counts.
  func field(_ property: SyncModels.Property) -> Stamped<RegisterValue>? {
    var write = fields[property.readNames[0]]
    for name in property.readNames.dropFirst() { write = joined(write, fields[name]) }
    return write
  }

  /// The members that the record stores of a property, also those that are not present.
  func members(_ property: SyncModels.Property) -> [RecordName: Edge] {
    var members = edges[property.readNames[0]] ?? [:]
    for name in property.readNames.dropFirst() {
      for (member, edge) in edges[name] ?? [:] { members[member, default: Edge()].join(edge) }
    }
    return members
  }

  /// The names that a property leads to: of the reference, or of the present edges.
  func targets(_ property: SyncModels.Property) -> [RecordName] {
    switch property.kind {
    case .toOne: field(property)?.value.reference.map { [$0.name] } ?? []
    case .members: members(property).filter(\.value.isPresent).map(\.key)
    case .attribute, .inverseToOne, .list, .inverseMembers: []
    }
  }

  /// The names of the records that the record owns by relationships that it stores.
  func ownedNames(_ models: SyncModels) -> [RecordName] {
    guard !models.owningNames.isEmpty, let entity = born?.value, let owning = models.rules[entity]?.owning else {
      return []
    }
    return owning.isEmpty ? [] : owning.flatMap(targets)
  }

  /// The names of the records that own the record by relationships that it stores.
  func ownerNames(_ models: SyncModels) -> [RecordName] {
    guard !models.ownedNames.isEmpty, let entity = born?.value, let owned = models.rules[entity]?.owned else {
      return []
    }
    return owned.isEmpty ? [] : owned.flatMap(targets)
  }

  /// The place of the record in the list that a to-one makes. A record without a place goes first.
  func place(_ property: SyncModels.Property) -> Stamped<RegisterValue>? {
    var write: Stamped<RegisterValue>?
    for name in property.placeFields { write = joined(write, fields[name]) }
    return write
  }

  /// Whether a view can show the record: it is in its zone, and the models know its class.
  func isHere(_ zone: ZoneName, _ models: SyncModels) -> Bool {
    isHere(zone) && born.map { models.rules[$0.value] != nil } ?? false
  }

  /// The names that the registers lead to.
  public var referencedNames: Set<RecordName> {
    var names = Set<RecordName>()
    for write in fields.values { if let name = write.value.reference?.name { names.insert(name) } }
    for members in edges.values { names.formUnion(members.keys) }
    return names
  }

  /// The relationships alone: edges, and fields that hold a reference.
  public var relationships: Registers {
    var result = Registers()
    result.fields = fields.filter { $0.value.value.reference != nil }
    result.edges = edges
    return result
  }

  /// The registers as another zone holds them: a reference without a hint means a record of the zone that it leaves.
  public func leaving(_ zone: ZoneName) -> Registers {
    var result = self
    for (property, write) in fields {
      guard let reference = write.value.reference, reference.hint == nil else { continue }
      result.fields[property]?.value = .reference(Reference(reference.name, hint: zone))
    }
    for (property, members) in edges {
      for (member, edge) in members where edge.place != nil && edge.hint == nil {
        result.edges[property]?[member]?.place?.value.hint = zone
      }
    }
    return result
  }
}

extension Registers: CustomReflectable {
  /// The registers, as a structure without a reference shows them.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "born": born as Any, "dead": dead as Any, "home": home as Any, "fields": fields, "edges": edges,
        "commit": commit as Any,
      ], displayStyle: .struct)
  }
}

/// The greater one of two values. A missing value is the least.
func joined<Value: Comparable>(_ left: Value?, _ right: Value?) -> Value? {
  precedes(left, right) ? right : left
}
