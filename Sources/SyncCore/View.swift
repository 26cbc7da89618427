/// The value of a property of a row.
public enum RowValue: Hashable, Sendable {
  /// The value of an attribute.
  case value(RegisterValue)
  /// The row that a to-one leads to.
  case toOne(RecordKey?)
  /// The rows of a to-many, in their order.
  case toMany([RecordKey])

  /// The row that a to-one leads to; nil for another value.
  public var target: RecordKey? { if case .toOne(let target) = self { target } else { nil } }
  /// The rows of a to-many; empty for another value.
  public var targets: [RecordKey] { if case .toMany(let targets) = self { targets } else { [] } }
}

/// An object as a store shows it.
public struct Row: Hashable, Sendable {
  /// The class.
  public var entity: WireName
  /// The values, by property.
  public var values: [ExactText: RowValue]

  /// Makes a row.
  public init(_ entity: WireName, _ values: [ExactText: RowValue] = [:]) {
    (self.entity, self.values) = (entity, values)
  }
}

/// The rows that a store shows. They are a pure function of the states of its zones and of the program's models.
///
/// A view has no state. After an update of the program, the view is made again from the same states. ``ViewUpdate`` finds what an entry
/// of the log changes in a view without making the view.
public struct View: Sendable {
  /// A property of a row.
  struct Holder: Hashable {
    var row: RecordKey
    var property: ExactText
  }

  private struct Source {
    var row: RecordKey
    var entity: WireName
    var place: ExactText
  }

  /// The states.
  public let states: ZoneStates
  /// The models.
  public let models: SyncModels
  /// The records that are shown.
  public let presence: Presence
  /// The row that shows each record.
  public let groups: RowGroups
  /// The rows.
  public private(set) var rows: [RecordKey: Row] = [:]
  /// The writes that to-ones show.
  private(set) var held: [Holder: Stamped<RegisterValue>] = [:]

  /// Makes the view of states.
  public init(_ states: ZoneStates, _ models: SyncModels) {
    (self.states, self.models) = (states, models)
    presence = Presence(states, models)
    groups = RowGroups(presence.here, models)
    for (key, members) in groups.members { rows[key] = makeRow(key, members.compactMap { presence.here[$0] }) }
    keepOneSource()
    derive()
  }

  /// The row that a reference leads to; nil if it leads to no row of the class.
  public func resolve(_ reference: Reference, from zone: ZoneName, entity: WireName) -> RecordKey? {
    guard let key = states.locate(reference, from: zone, searchesOtherZones: true), let row = groups.row[key],
      let actual = states[row]?.born?.value, models.isKind(actual, of: entity)
    else { return nil }
    return row
  }

  /// The row of a group of records: its fields are the joins of theirs, its lists the unions. Derived relationships come later.
  private mutating func makeRow(_ key: RecordKey, _ records: [Registers]) -> Row {
    var row = Row(presence.here[key]?.born?.value ?? "")
    for property in models.classes[row.entity] ?? [] {
      switch property.kind {
      case .attribute:
        row.values[property.name] = .value(records.compactMap { $0.field(property) }.max()?.value ?? .null)
      case .toOne(let entity, _, _):
        let write = records.compactMap { $0.field(property) }.max() ?? Stamped(.zero, .null)
        held[Holder(row: key, property: property.name)] = write
        row.values[property.name] = .toOne(
          write.value.reference.flatMap { resolve($0, from: key.zone, entity: entity) })
      case .members(let entity, _):
        var found: [RecordKey: Stamped<Place>?] = [:]
        for record in records {
          for (member, edge) in record.members(property) where edge.isPresent {
            let reference = Reference(member, hint: edge.hint)
            guard let target = resolve(reference, from: key.zone, entity: entity) else { continue }
            if let known = found[target], !precedes(known, edge.place) { continue }
            found[target] = .some(edge.place)
          }
        }
        row.values[property.name] = .toMany(
          found.map { ListPlace(place: $1?.value.key ?? "", row: $0) }.sorted().map(\.row))
      case .inverseToOne: row.values[property.name] = .toOne(nil)
      case .list, .inverseMembers: row.values[property.name] = .toMany([])
      }
    }
    return row
  }

  /// Shows one source of each one-to-one.
  private mutating func keepOneSource() {
    var rivals: [OneToOne: [OneToOne.Rank]] = [:]
    for (key, row) in rows {
      for property in models.classes[row.entity] ?? [] where property.isExclusive {
        guard let target = row.values[property.name]?.target else { continue }
        let relationship = OneToOne(
          target: target, declaringClass: property.declaringClass, property: property.name)
        let time = held[Holder(row: key, property: property.name)]?.time ?? .zero
        rivals[relationship, default: []].append(.init(isOwn: key.zone == target.zone, time: time, row: key))
      }
    }
    for (relationship, ranks) in rivals {
      let kept = ranks.max()
      for rank in ranks where rank != kept { rows[rank.row]?.values[relationship.property] = .toOne(nil) }
    }
  }

  /// Derives relationships from those that records store.
  private mutating func derive() {
    var sources: [Holder: [Source]] = [:]
    for (key, row) in rows {
      for property in models.classes[row.entity] ?? [] where property.inverse == nil {
        let records = (groups.members[key] ?? []).compactMap { presence.here[$0] }
        var source = Source(row: key, entity: row.entity, place: "")
        if case .text(let place)? = records.compactMap({ $0.place(property) }).max()?.value { source.place = place }
        for target in row.values[property.name].map({ $0.target.map { [$0] } ?? $0.targets }) ?? [] {
          sources[Holder(row: target, property: property.name), default: []].append(source)
        }
      }
    }
    for (key, row) in rows {
      for property in models.classes[row.entity] ?? [] {
        guard let inverse = property.inverse, let entity = property.destination else { continue }
        var list = (sources[Holder(row: key, property: inverse)] ?? []).filter { models.isKind($0.entity, of: entity) }
        if case .inverseToOne = property.kind {
          rows[key]?.values[property.name] = .toOne(list.first?.row)
          continue
        }
        if case .inverseMembers = property.kind {
          for index in list.indices { list[index].place = place(of: list[index].row, in: key, property) }
        }
        rows[key]?.values[property.name] = .toMany(
          list.map { ListPlace(place: $0.place, row: $0.row) }.sorted().map(\.row))
      }
    }
  }

  /// The place of a row in the list of another row that stores the order of a derived to-many.
  private func place(of member: RecordKey, in row: RecordKey, _ property: SyncModels.Property) -> ExactText {
    let names = (groups.members[member] ?? []).map(\.name)
    let places = (groups.members[row] ?? []).flatMap { record in
      let members = presence.here[record]?.members(property) ?? [:]
      return names.compactMap { members[$0]?.place }
    }
    return places.max()?.value.key ?? ""
  }
}
