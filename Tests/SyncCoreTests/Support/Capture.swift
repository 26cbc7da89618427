import SyncCore
import SyncProtocol

/// What a program did to its rows since the last capture, as a store's history says it.
enum RowEdit: Hashable {
  case insert(RecordKey)
  case set(RecordKey, ExactText)
  case delete(RecordKey)
}

/// The changes of records that a program saved: `capture` of the model.
struct Capture {
  private let view: View
  private let rows: [RecordKey: Row]
  private let time: HybridTime
  private let deleted: Set<RecordKey>
  private(set) var changes: [RecordKey: Registers] = [:]

  init(_ view: View, _ rows: [RecordKey: Row], _ edits: [RowEdit], at time: HybridTime) {
    (self.view, self.rows, self.time) = (view, rows, time)
    deleted = Set(edits.compactMap { if case .delete(let key) = $0 { key } else { nil } })
    for case .insert(let key) in edits {
      guard let row = rows[key] else { continue }
      write(key) { $0.born = Stamped(time, row.entity) }
    }
    for case .set(let key, let name) in edits {
      guard let row = rows[key], let property = view.models[row.entity, name] else { continue }
      set(key, row, property)
    }
    releaseLosers()
    for key in deleted { delete(key) }
  }

  /// A row that stands for several records of its zone writes to all of them. Otherwise the old value comes back after a rename.
  private mutating func write(_ key: RecordKey, _ body: (inout Registers) -> Void) {
    for record in view.groups.members[key] ?? [key] { body(&changes[record, default: Registers()]) }
  }

  private mutating func writeEdge(_ key: RecordKey, _ property: WireName, _ member: RecordName, _ edge: Edge) {
    write(key) { registers in
      var members = registers.edges[property] ?? [:]
      members[member, default: Edge()].join(edge)
      registers.edges[property] = members
    }
  }

  /// A reference names the record of the holder's own zone where the row has one there.
  private func link(_ zone: ZoneName, _ key: RecordKey) -> Reference {
    if let name = view.groups.aliases[key]?[zone] { return Reference(name) }
    return Reference(key.name, hint: key.zone == zone ? nil : key.zone)
  }

  private mutating func set(_ key: RecordKey, _ row: Row, _ property: SyncModels.Property) {
    let time = time
    switch (property.kind, row.values[property.name]) {
    case (.attribute, .value(let value)?):
      write(key) { $0.fields[property.wire] = Stamped(time, value) }
    case (.toOne, .toOne(let target)?):
      if target == nil, let old = view.rows[key]?.values[property.name]?.target, deleted.contains(old),
        !property.isOwnedByTarget
      {
        return  // The deletion says it already.
      }
      let value = target.map { RegisterValue.reference(link(key.zone, $0)) } ?? .null
      write(key) { $0.fields[property.wire] = Stamped(time, value) }
    case (.list(let entity, let inverse, _), .toMany(let members)?):
      guard let field = view.models[entity, inverse]?.placeField else { return }
      var known: [RecordKey: ExactText] = [:]
      for member in members where view.rows[member]?.values[inverse]?.target == key {
        if case .text(let place)? = view.states[member]?.fields[field]?.value { known[member] = place }
      }
      for (member, place) in Places.positions(members, known) {
        write(member) { $0.fields[field] = Stamped(time, .text(place)) }
      }
    case (.members(let entity, _), .toMany(let members)?): setMembers(key, members, property.wire, entity)
    default: return
    }
  }

  private mutating func setMembers(
    _ key: RecordKey, _ members: [RecordKey], _ property: WireName, _ entity: WireName
  ) {
    var found: [RecordKey: [(member: RecordName, edge: Edge)]] = [:]
    for record in view.groups.members[key] ?? [] {
      for (member, edge) in view.states[record]?.edges[property] ?? [:] where edge.isPresent {
        let reference = Reference(member, hint: edge.hint)
        guard let target = view.resolve(reference, from: record.zone, entity: entity) else { continue }
        found[target, default: []].append((member, edge))
      }
    }
    for (target, edges) in found where !members.contains(target) && !deleted.contains(target) {
      for (member, edge) in edges { writeEdge(key, property, member, Edge(removed: edge.added)) }
    }
    let known = found.filter { members.contains($0.key) }.compactMapValues { edges in
      edges.compactMap(\.edge.place).max()?.value.key
    }
    for (target, place) in Places.positions(members, known) {
      guard let edges = found[target] else {
        let reference = link(key.zone, target)
        let edge = Edge(added: time, place: Stamped(time, Place(place, hint: reference.hint)))
        writeEdge(key, property, reference.name, edge)
        continue
      }
      for (member, edge) in edges {
        writeEdge(key, property, member, Edge(place: Stamped(time, Place(place, hint: edge.hint))))
      }
    }
  }

  /// A source of a one-to-one that lost against another one does not come to the fore when the winner gives the target up.
  private mutating func releaseLosers() {
    for (key, row) in view.rows {
      for property in view.models.classes[row.entity] ?? [] {
        guard case .toOne(let entity, isExclusive: true, _) = property.kind, row.values[property.name]?.target == nil,
          let saved = rows[key], saved.values[property.name]?.target == nil,
          let reference = view.states[key]?.fields[property.wire]?.value.reference,
          let target = view.resolve(reference, from: key.zone, entity: entity),
          let winner = view.rows.first(where: { $0.value.values[property.name]?.target == target })?.key, winner != key,
          rows[winner]?.values[property.name]?.target != target
        else { continue }
        let time = time
        write(key) { $0.fields[property.wire] = Stamped(time, .null) }
      }
    }
  }

  /// What a program kept although it deleted the owner is detached. Otherwise the view hides it.
  private mutating func delete(_ key: RecordKey) {
    for record in view.groups.members[key] ?? [key] {
      var registers = Registers()
      registers.dead = time
      for (property, members) in view.states[record]?.edges ?? [:] {
        for (member, edge) in members where edge.isPresent {
          guard let row = view.groups.row[RecordKey(record.zone, member)], !deleted.contains(row) else { continue }
          registers.edges[property, default: [:]][member] = Edge(removed: edge.added)
        }
      }
      changes[record] = registers
    }
  }
}

/// Fractional keys of lists: hexadecimal digits that never end with a zero, so that there is room between any two.
enum Places {
  static func between(_ low: ExactText?, _ high: ExactText?) -> ExactText {
    func digit(_ text: ExactText, _ index: Int) -> Int? {
      let bytes = Array(text.text.utf8)
      return index < bytes.count ? Int(String(UnicodeScalar(bytes[index])), radix: 16) : nil
    }
    var (key, isBounded) = ("", high != nil)
    for index in 0... {
      let least = low.flatMap { digit($0, index) } ?? 0
      let greatest = isBounded ? high.flatMap { digit($0, index) } ?? 0 : 16
      if greatest - least > 1 {
        return ExactText(key + String((least + greatest) / 2, radix: 16))
      }
      key += String(least, radix: 16)
      if least < greatest { isBounded = false }
    }
    return ExactText(key)
  }

  /// New keys for the members of a list that are not in ascending order.
  static func positions(_ wanted: [RecordKey], _ known: [RecordKey: ExactText]) -> [RecordKey: ExactText] {
    var result: [RecordKey: ExactText] = [:]
    var last: ExactText?
    for (index, member) in wanted.enumerated() {
      if let place = known[member], last.map({ $0 < place }) ?? true {
        last = place
        continue
      }
      let later = wanted[(index + 1)...].compactMap { known[$0] }.filter { place in last.map { $0 < place } ?? true }
      last = between(last, later.min())
      result[member] = last
    }
    return result
  }
}
