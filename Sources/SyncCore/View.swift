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

/// The rows that a store shows. They are a pure function of the states of its zones and of the program's models (design, 3.3).
///
/// A view has no state. After an update of the program, the view is made again from the same states.
public struct View: Sendable {
  /// A property of a row.
  struct Holder: Hashable {
    var row: RecordKey
    var property: ExactText
  }

  /// A list that a to-one makes: the holders of the to-one that lead to one target.
  private struct ListKey: Hashable {
    var target: RecordKey
    var entity: WireName
    var property: ExactText
  }
  private typealias ListMember = (place: ExactText, row: RecordKey)

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
    var lists: [ListKey: [ListMember]] = [:]
    for (key, members) in groups.members { rows[key] = makeRow(key, members, &lists) }
    for (key, row) in rows {
      for property in models.classes[row.entity] ?? [] {
        guard case .list(let entity, let inverse, _) = property.kind else { continue }
        let list = lists[ListKey(target: key, entity: entity, property: inverse)] ?? []
        rows[key]?.values[property.name] = .toMany(Self.sorted(list))
      }
    }
    for (key, rivals) in lists { keepOne(of: rivals.map(\.row), key) }
  }

  /// The row that a reference leads to; nil if it leads to no row of the class.
  public func resolve(_ reference: Reference, from zone: ZoneName, entity: WireName) -> RecordKey? {
    guard let key = states.locate(reference, from: zone, searchesOtherZones: true), let row = groups.row[key],
      states[row]?.born?.value == entity
    else { return nil }
    return row
  }

  /// The row of a group of records: its fields are the joins of theirs, its lists the unions. Lists that to-ones make come later.
  private mutating func makeRow(
    _ key: RecordKey, _ members: [RecordKey], _ lists: inout [ListKey: [ListMember]]
  ) -> Row {
    let records = members.compactMap { presence.here[$0] }
    let fields = records.dropFirst().reduce(records.first?.fields ?? [:]) {
      $0.merging($1.fields, uniquingKeysWith: max)
    }
    var row = Row(presence.here[key]?.born?.value ?? "")
    for property in models.classes[row.entity] ?? [] {
      let write = fields[property.wire] ?? Stamped(.zero, .null)
      switch property.kind {
      case .attribute: row.values[property.name] = .value(write.value)
      case .toOne(let entity, let isExclusive):
        let target = write.value.reference.flatMap { resolve($0, from: key.zone, entity: entity) }
        row.values[property.name] = .toOne(target)
        held[Holder(row: key, property: property.name)] = write
        guard let target, isExclusive || models.isOwner(property, of: row.entity) else { continue }
        var place: ExactText = ""
        if case .text(let text)? = fields[property.placeField]?.value { place = text }
        let list = ListKey(target: target, entity: row.entity, property: property.name)
        lists[list, default: []].append((place, key))
      case .list: row.values[property.name] = .toMany([])
      case .members(let entity, _):
        var found: [RecordKey: Stamped<Place>?] = [:]
        for record in records {
          for (member, edge) in record.edges[property.wire] ?? [:] where edge.isPresent {
            let reference = Reference(member, hint: edge.hint)
            guard let target = resolve(reference, from: key.zone, entity: entity) else { continue }
            if let known = found[target], !precedes(known, edge.place) { continue }
            found[target] = .some(edge.place)
          }
        }
        row.values[property.name] = .toMany(Self.sorted(found.map { ($1?.value.key ?? "", $0) }))
      }
    }
    return row
  }

  /// The members of a list, ordered by place, then by name.
  private static func sorted(_ list: [ListMember]) -> [RecordKey] {
    list.sorted { left, right in
      if left.place != right.place { return left.place < right.place }
      return left.row.name == right.row.name ? left.row < right.row : left.row.name < right.row.name
    }
    .map(\.row)
  }

  /// Shows one source of a one-to-one. The target's own zone goes first, then the later write.
  private mutating func keepOne(of rivals: [RecordKey], _ list: ListKey) {
    guard case .toOne(_, isExclusive: true)? = models[list.entity, list.property]?.kind else { return }
    func precedes(_ left: RecordKey, _ right: RecordKey) -> Bool {
      let isOwn = (left.zone == list.target.zone, right.zone == list.target.zone)
      if isOwn.0 != isOwn.1 { return isOwn.1 }
      let times = [left, right].map { held[Holder(row: $0, property: list.property)]?.time ?? .zero }
      return times[0] == times[1] ? left < right : times[0] < times[1]
    }
    let kept = rivals.max(by: precedes)
    for rival in rivals where rival != kept { rows[rival]?.values[list.property] = .toOne(nil) }
  }
}
