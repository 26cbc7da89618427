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
  /// The sources of exclusive to-ones that lead to one target, shown or not.
  private var rivals: [ListKey: [RecordKey]] = [:]

  /// Makes the view of states.
  public init(_ states: ZoneStates, _ models: SyncModels) {
    (self.states, self.models) = (states, models)
    presence = Presence(states, models)
    groups = RowGroups(presence.here, models)
    var lists: [ListKey: [ListMember]] = [:]
    for (key, members) in groups.members { rows[key] = makeRow(key, members, &lists) }
    var holders: [ListKey: RecordKey] = [:]
    for (key, sources) in lists {
      guard let kept = keepOne(of: sources.map(\.row), key) else { continue }
      holders[key] = kept
      if sources.count > 1 { rivals[key] = sources.map(\.row) }
    }
    for (key, row) in rows {
      for property in models.classes[row.entity] ?? [] {
        switch property.kind {
        case .list(let entity, let inverse, _), .memberOf(let entity, let inverse, _):
          let list = lists[listKey(key, entity, inverse)] ?? []
          rows[key]?.values[property.name] = .toMany(Self.sorted(list))
        case .holder(let entity, let inverse, _):
          let holder = holders[listKey(key, entity, inverse)]
          rows[key]?.values[property.name] = .toOne(holder)
        case .attribute, .toOne, .members: continue
        }
      }
    }
  }

  /// The sources of an exclusive to-one that lead to a target and lost against another source.
  public func losers(of target: RecordKey, entity: WireName, property: ExactText) -> [RecordKey] {
    (rivals[listKey(target, entity, property)] ?? []).filter { rows[$0]?.values[property]?.target == nil }
  }

  /// The fields of a row: the joins of those of its records.
  public func fields(of row: RecordKey) -> [WireName: Stamped<RegisterValue>] {
    Self.joinedFields((groups.members[row] ?? []).compactMap { presence.here[$0] })
  }

  private static func joinedFields(_ records: [Registers]) -> [WireName: Stamped<RegisterValue>] {
    records.dropFirst().reduce(records.first?.fields ?? [:]) { $0.merging($1.fields, uniquingKeysWith: max) }
  }

  private func listKey(_ target: RecordKey, _ entity: WireName, _ property: ExactText) -> ListKey {
    ListKey(target: target, entity: models.declaring(property, of: entity), property: property)
  }

  /// The row that a reference leads to; nil if it leads to no row of the class.
  public func resolve(_ reference: Reference, from zone: ZoneName, entity: WireName) -> RecordKey? {
    guard let key = states.locate(reference, from: zone, searchesOtherZones: true), let row = groups.row[key],
      let found = states[row]?.born?.value, models.isKind(found, of: entity)
    else { return nil }
    return row
  }

  /// The row of a group of records: its fields are the joins of theirs, its lists the unions. Lists that to-ones make come later.
  private mutating func makeRow(
    _ key: RecordKey, _ members: [RecordKey], _ lists: inout [ListKey: [ListMember]]
  ) -> Row {
    let records = members.compactMap { presence.here[$0] }
    let fields = Self.joinedFields(records)
    var row = Row(presence.here[key]?.born?.value ?? "")
    for property in models.classes[row.entity] ?? [] {
      let write = fields[property.wire] ?? Stamped(.zero, .null)
      switch property.kind {
      case .attribute: row.values[property.name] = .value(write.value)
      case .toOne(let entity, let isExclusive):
        let target = write.value.reference.flatMap { resolve($0, from: key.zone, entity: entity) }
        row.values[property.name] = .toOne(target)
        held[Holder(row: key, property: property.name)] = write
        guard let target, isExclusive || models.isListed(property, of: row.entity) else { continue }
        var place: ExactText = ""
        if case .text(let text)? = fields[property.placeField]?.value { place = text }
        lists[listKey(target, row.entity, property.name), default: []].append((place, key))
      case .list, .memberOf: row.values[property.name] = .toMany([])
      case .holder: row.values[property.name] = .toOne(nil)
      case .members(let entity, _):
        var found: [RecordKey: Stamped<Place>?] = [:]
        let isListed = models.isListed(property, of: row.entity)
        var placesThere: [RecordKey: Stamped<Place>] = [:]
        for record in records {
          for (member, edge) in record.edges[property.wire] ?? [:] where edge.isPresent {
            let reference = Reference(member, hint: edge.hint)
            guard let target = resolve(reference, from: key.zone, entity: entity) else { continue }
            if isListed, let place = record.edges[property.placeField]?[member]?.place {
              placesThere[target] = max(placesThere[target] ?? place, place)
            }
            if let known = found[target], !precedes(known, edge.place) { continue }
            found[target] = .some(edge.place)
          }
        }
        row.values[property.name] = .toMany(Self.sorted(found.map { ($1?.value.key ?? "", $0) }))
        guard isListed else { continue }
        for target in found.keys {
          let list = listKey(target, row.entity, property.name)
          lists[list, default: []].append((placesThere[target]?.value.key ?? "", key))
        }
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
  /// - Returns: the source that is shown; nil for a list of another kind.
  private mutating func keepOne(of rivals: [RecordKey], _ list: ListKey) -> RecordKey? {
    guard case .toOne(_, isExclusive: true)? = models[list.entity, list.property]?.kind else { return nil }
    func precedes(_ left: RecordKey, _ right: RecordKey) -> Bool {
      let isOwn = (left.zone == list.target.zone, right.zone == list.target.zone)
      if isOwn.0 != isOwn.1 { return isOwn.1 }
      let times = [left, right].map { held[Holder(row: $0, property: list.property)]?.time ?? .zero }
      return times[0] == times[1] ? left < right : times[0] < times[1]
    }
    let kept = rivals.max(by: precedes)
    for rival in rivals where rival != kept { rows[rival]?.values[list.property] = .toOne(nil) }
    return kept
  }
}
