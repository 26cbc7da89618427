/// The state of a zone: the registers of its records. It is the join of the zone's log.
public struct ZoneState: Hashable, Sendable {
  /// The registers, by the record's name.
  public var records: [RecordName: Registers]

  /// Makes a state.
  public init(_ records: [RecordName: Registers] = [:]) { self.records = records }

  /// The registers of a record; nil for a record that the zone does not know.
  public subscript(name: RecordName) -> Registers? { records[name] }

  /// Joins registers into a record.
  public mutating func join(_ name: RecordName, _ registers: Registers) {
    records[name, default: Registers()].join(registers)
  }

  /// Joins the changes that the log's entry of a commit makes in this zone.
  public mutating func join(_ changes: [RecordName: Registers], commit: Int64?) {
    for (name, var registers) in changes {
      registers.commit = commit
      join(name, registers)
    }
  }

  /// Joins another state of the zone.
  public mutating func join(_ other: ZoneState) {
    for (name, registers) in other.records { join(name, registers) }
  }

  /// Removes records that the server forgot.
  public mutating func forget(_ names: Set<RecordName>) {
    for name in names { records[name] = nil }
  }

  /// The dead and departed records among the given ones that no view needs, whatever its models.
  ///
  /// A view needs a record if a living record leads to it. It also needs a dead record that leads to a living one, because a cascade
  /// may go through it.
  public func forgettable(among names: Set<RecordName>, in zone: ZoneName) -> Set<RecordName> {
    var needed = Set<RecordName>()
    for (name, record) in records {
      if record.isHere(zone) {
        needed.formUnion(record.referencedNames)
      } else if record.referencedNames.contains(where: { records[$0]?.isHere(zone) ?? false }) {
        needed.insert(name)
      }
    }
    return names.filter { name in
      guard let record = records[name] else { return false }
      return !needed.contains(name) && !record.isHere(zone)
    }
  }
}

/// The states of all zones that a replica has.
public struct ZoneStates: Hashable, Sendable {
  /// The states, by zone.
  public var zones: [ZoneName: ZoneState]

  /// Makes states.
  public init(_ zones: [ZoneName: ZoneState] = [:]) { self.zones = zones }

  /// The state of a zone; empty for a zone that the replica does not have.
  public subscript(zone: ZoneName) -> ZoneState {
    _read { yield zones[zone, default: ZoneState()] }
    _modify { yield &zones[zone, default: ZoneState()] }
  }

  /// The registers of a record; nil for a record that its zone does not know.
  public subscript(key: RecordKey) -> Registers? { zones[key.zone]?.records[key.name] }

  /// Whether a record is in its zone.
  public func isHere(_ key: RecordKey) -> Bool { self[key]?.isHere(key.zone) ?? false }

  /// Applies an entry of the log.
  ///
  /// Between two entries that forget, the order of the entries does not matter, and a repeated entry changes nothing.
  public mutating func reduce(_ entry: Entry) {
    for (zone, part) in entry.parts {
      switch part {
      case .change(let changes): self[zone].join(changes, commit: entry.commit)
      case .forget(let names): self[zone].forget(names)
      }
    }
  }

  /// The record that a reference held in a zone leads to; nil if it is dead, unreadable or unknown.
  ///
  /// The zone's own record of that name counts first, with its forwarding pointer, then the record of the zone that the hint names.
  /// - Parameter searchesOtherZones: whether a name that neither zone knows is looked for in the other zones. Only a view does so.
  ///   A write must not follow a name that any participant may have given to a record.
  public func locate(
    _ reference: Reference, from holder: ZoneName, searchesOtherZones: Bool = false
  ) -> RecordKey? {
    let name = reference.name
    var zone = holder
    if self[RecordKey(holder, name)] == nil, let hint = reference.hint, self[RecordKey(hint, name)] != nil {
      zone = hint
    }
    if self[RecordKey(zone, name)] != nil {
      // A hostile participant can make pointers that lead in a circle, and pointers to private records of other accounts.
      var (seen, pointer) = (Set<ZoneName>(), Home?.none)
      while seen.insert(zone).inserted {
        guard let record = self[RecordKey(zone, name)], record.dead == nil, record.confirms(pointer) else { return nil }
        if record.isHere(zone) { return RecordKey(zone, name) }
        (zone, pointer) = (record.home?.zone ?? zone, record.home)
      }
      return nil
    }
    guard searchesOtherZones else { return nil }
    return zones.keys.filter { isHere(RecordKey($0, name)) }.min().map { RecordKey($0, name) }
  }
}

extension ZoneStates {
  /// An entry of the log: the changes of one transaction in all zones, or the records that the server forgot.
  public struct Entry: Hashable, Sendable {
    /// The effect of an entry on a zone.
    public enum Part: Hashable, Sendable {
      /// Joins registers, by the record's name.
      case change([RecordName: Registers])
      /// Removes records.
      case forget(Set<RecordName>)
    }

    /// The number of the entry, which ascends over the whole database of the server.
    public var commit: Int64
    /// The effects, by zone.
    public var parts: [ZoneName: Part]

    /// Makes an entry.
    public init(commit: Int64, parts: [ZoneName: Part]) { (self.commit, self.parts) = (commit, parts) }
  }
}
