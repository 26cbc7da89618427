/// A one-to-one: an exclusive to-one that leads to a target. Subclasses inherit the to-one.
struct OneToOne: Hashable {
  var target: RecordKey
  var declaringClass: WireName
  var property: ExactText

  /// The rank of a source. The target shows the greatest one: a source in its own zone, then the later write.
  struct Rank: Comparable {
    var isOwn: Bool
    var time: HybridTime
    var row: RecordKey

    static func < (left: Rank, right: Rank) -> Bool {
      if left.isOwn != right.isOwn { return right.isOwn }
      return left.time == right.time ? left.row < right.row : left.time < right.time
    }
  }
}

/// A place in a list. A row without a place goes first. Rows at one place are ordered by name.
package struct ListPlace: Hashable, Comparable {
  package var place: ExactText
  package var row: RecordKey

  package init(place: ExactText, row: RecordKey) { (self.place, self.row) = (place, row) }

  package static func < (left: ListPlace, right: ListPlace) -> Bool {
    if left.place != right.place { return left.place < right.place }
    return left.row.name == right.row.name ? left.row < right.row : left.row.name < right.row.name
  }
}

/// Reads rows of a source, one property at a time. It reads what the value depends on, and nothing else.
final class RowReader<Source: RowSource> {
  let source: Source
  let models: SyncModels
  private var rows: [RecordKey: KnownRow] = [:]
  private var winners: [OneToOne: RecordKey?] = [:]
  private let noRow = KnownRow(nil, nil)

  /// A row as far as it was read.
  private final class KnownRow {
    /// The class; nil if there is no such row.
    let entity: WireName?
    let rules: SyncModels.Rules?
    /// The records that make the values, in order.
    var records: [Registers]?

    init(_ entity: WireName?, _ rules: SyncModels.Rules?) { (self.entity, self.rules) = (entity, rules) }
  }

  init(_ source: Source, _ models: SyncModels) { (self.source, self.models) = (source, models) }

  private func known(_ row: RecordKey) throws -> KnownRow {
    if let known = rows[row] { return known }
    let entity = try source.row(showing: row) == row ? source.registers(of: row)?.born?.value : nil
    let known = entity.map { KnownRow($0, models.rules[$0]) } ?? noRow
    rows[row] = known
    return known
  }

  /// Whether there is a row of a key.
  func exists(_ row: RecordKey) throws -> Bool { try known(row).entity != nil }

  /// The class of a row; nil if there is no such row.
  func entity(of row: RecordKey) throws -> WireName? { try known(row).entity }

  /// The rules of the class of a row; nil if there is no such row.
  func rules(of row: RecordKey) throws -> SyncModels.Rules? { try known(row).rules }

  /// The records that make the values of a row, in order; none if there is no such row.
  func members(of row: RecordKey) throws -> [RecordKey] {
    guard try exists(row) else { return [] }
    let records = try source.records(shownBy: row)
    return records.count == 1 ? records : records.filter { $0.zone == row.zone }.sorted()
  }

  private func registers(of row: RecordKey) throws -> [Registers] {
    let known = try known(row)
    if known.entity == nil { return [] }
    if let records = known.records { return records }
    let found = try members(of: row).compactMap { try source.registers(of: $0) }
    known.records = found
    return found
  }

  // MARK: - References

  /// The row that a reference leads to, with its class; nil if it leads to no row.
  func resolve(_ reference: Reference, from zone: ZoneName) throws -> (row: RecordKey, entity: WireName)? {
    guard let key = try source.locate(reference, from: zone, searchesOtherZones: true),
      let row = try source.row(showing: key), let entity = try source.registers(of: row)?.born?.value
    else { return nil }
    return (row, entity)
  }

  private func resolve(_ reference: Reference, from zone: ZoneName, _ entity: WireName) throws -> RecordKey? {
    guard let (row, actual) = try resolve(reference, from: zone), models.isKind(actual, of: entity) else { return nil }
    return row
  }

  // MARK: - Stored properties

  /// The write that a field of a row shows.
  func write(_ row: RecordKey, _ property: SyncModels.Property) throws -> Stamped<RegisterValue>? {
    let registers = try registers(of: row)
    return registers.count == 1 ? registers[0].field(property) : registers.lazy.compactMap { $0.field(property) }.max()
  }

  /// The row that a to-one leads to, also if the target shows another source.
  func claimed(_ row: RecordKey, _ property: SyncModels.Property) throws -> RecordKey? {
    guard let entity = property.destination, let reference = try write(row, property)?.value.reference else {
      return nil
    }
    return try resolve(reference, from: row.zone, entity)
  }

  /// The row that a to-one leads to.
  func target(_ row: RecordKey, _ property: SyncModels.Property) throws -> RecordKey? {
    guard let target = try claimed(row, property) else { return nil }
    guard property.isExclusive else { return target }
    return try winner(OneToOne(target: target, declaringClass: property.declaringClass, property: property.name)) == row
      ? target : nil
  }

  /// The source that a one-to-one shows. The target's own zone goes first, then the later write.
  func winner(_ relationship: OneToOne) throws -> RecordKey? {
    if let known = winners[relationship] { return known }
    var best: OneToOne.Rank?
    let (zone, name, entity) = (relationship.target.zone, relationship.property, relationship.declaringClass)
    for row in try sources(of: relationship.target, name, entity) {
      guard let property = try property(of: row, name) else { continue }
      let rank = OneToOne.Rank(isOwn: row.zone == zone, time: try write(row, property)?.time ?? .zero, row: row)
      if best.map({ $0 < rank }) ?? true { best = rank }
    }
    winners[relationship] = .some(best?.row)
    return best?.row
  }

  private func property(of row: RecordKey, _ name: ExactText) throws -> SyncModels.Property? {
    try rules(of: row)?.properties.first { $0.name == name }
  }

  /// The rows of a class whose to-one or stored to-many leads to a target.
  func sources(of target: RecordKey, _ name: ExactText, _ entity: WireName) throws -> Set<RecordKey> {
    guard let declared = models[entity, name] else { return [] }
    let wires = Set([declared.wire, declared.name])
    var rows = Set<RecordKey>()
    for target in Set(try source.records(shownBy: target).map(\.name)) {
      for zone in try source.zones(leadingTo: target) {
        for wire in wires {
          for holder in try source.holders(of: target, in: zone, by: wire) {
            if let row = try source.row(showing: RecordKey(zone, holder)), row.zone == zone { rows.insert(row) }
          }
        }
      }
    }
    return try rows.filter { row in
      guard let actual = try self.entity(of: row), models.isKind(actual, of: entity),
        let property = try property(of: row, name)
      else { return false }
      if case .members = property.kind { return try places(row, property)[target] != nil }
      return try claimed(row, property) == target
    }
  }

  /// The members of a stored to-many, with their places.
  func places(_ row: RecordKey, _ property: SyncModels.Property) throws -> [RecordKey: ExactText] {
    guard let entity = property.destination else { return [:] }
    var found: [RecordKey: Stamped<Place>?] = [:]
    for record in try registers(of: row) {
      for (member, edge) in record.members(property) where edge.isPresent {
        guard let target = try resolve(Reference(member, hint: edge.hint), from: row.zone, entity) else { continue }
        found[target] = .some(joined(found[target] ?? nil, edge.place))
      }
    }
    return found.mapValues { $0?.value.key ?? "" }
  }

  /// The value of a property, unless it is a derived to-many.
  func value(_ row: RecordKey, _ property: SyncModels.Property) throws -> RowValue? {
    switch property.kind {
    case .attribute: .value(try write(row, property)?.value ?? .null)
    case .toOne: .toOne(try target(row, property))
    case .members: .toMany(try places(row, property).map { ListPlace(place: $1, row: $0) }.sorted().map(\.row))
    case .inverseToOne(let entity, let inverse, _): .toOne(try inverseTarget(row, entity, inverse))
    case .list, .inverseMembers: nil
    }
  }

  /// The values of a row, without derived to-manys; nil if there is no such row.
  func storedRow(_ key: RecordKey) throws -> Row? {
    let known = try known(key)
    guard let entity = known.entity, let properties = known.rules?.properties else { return nil }
    var row = Row(entity)
    row.values.reserveCapacity(properties.count)
    let records = try registers(of: key)
    for property in properties {
      if case .attribute = property.kind, records.count == 1 {
        row.values[property.name] = .value(records[0].field(property)?.value ?? .null)
      } else {
        row.values[property.name] = try value(key, property)
      }
    }
    return row
  }

  // MARK: - Derived properties

  private func inverseTarget(_ row: RecordKey, _ entity: WireName, _ inverse: ExactText) throws -> RecordKey? {
    guard let property = models[entity, inverse] else { return nil }
    let winner = try winner(
      OneToOne(target: row, declaringClass: property.declaringClass, property: property.name))
    guard let winner, let actual = try self.entity(of: winner), models.isKind(actual, of: entity) else { return nil }
    return winner
  }

  /// The place of a row in the list that its to-one makes.
  func place(_ row: RecordKey, _ property: SyncModels.Property) throws -> ExactText {
    let write = try registers(of: row).lazy.compactMap { $0.place(property) }.max()
    if case .text(let place)? = write?.value { return place }
    return ""
  }

  /// The place of a row in the list of another row that stores the order of a derived to-many.
  func place(of member: RecordKey, in row: RecordKey, _ property: SyncModels.Property) throws -> ExactText {
    let names = try members(of: member).map(\.name)
    let places = try registers(of: row).lazy.flatMap { record in
      let members = record.members(property)
      return names.compactMap { members[$0]?.place }
    }
    return places.max()?.value.key ?? ""
  }

  /// The places that a row stores for the members of a derived to-many, by name.
  func storedPlaces(_ row: RecordKey, _ property: SyncModels.Property) throws -> [RecordName: Stamped<Place>] {
    var places: [RecordName: Stamped<Place>] = [:]
    for record in try registers(of: row) {
      for (name, edge) in record.members(property) { places[name] = joined(places[name], edge.place) }
    }
    return places
  }

  /// The members of a derived to-many, in their order.
  func list(_ row: RecordKey, _ property: SyncModels.Property) throws -> [RecordKey] {
    guard let entity = property.destination, let inverse = property.inverse else { return [] }
    let places = try sources(of: row, inverse, entity).compactMap { member -> ListPlace? in
      guard let stored = try self.property(of: member, inverse) else { return nil }
      if case .inverseMembers = property.kind {
        return ListPlace(place: try place(of: member, in: row, property), row: member)
      }
      guard try target(member, stored) == row else { return nil }
      return ListPlace(place: try place(member, stored), row: member)
    }
    return places.sorted().map(\.row)
  }
}

extension RowSource {
  /// A row with all of its values; nil if there is no such row.
  /// - Complexity: O(the length of the lists).
  /// - Throws: an error of the source.
  public func row(at key: RecordKey, _ models: SyncModels) throws -> Row? {
    let reader = RowReader(self, models)
    guard var row = try reader.storedRow(key) else { return nil }
    for property in models.classes[row.entity] ?? [] where row.values[property.name] == nil {
      row.values[property.name] = .toMany(try reader.list(key, property))
    }
    return row
  }

  /// The rows of a to-many, in their order; empty for another property.
  /// - Complexity: O(the length of the list).
  /// - Throws: an error of the source.
  public func list(_ key: ViewUpdate.ListKey, _ models: SyncModels) throws -> [RecordKey] {
    let reader = RowReader(self, models)
    guard let property = try reader.rules(of: key.row)?.properties.first(where: { $0.name == key.property }) else {
      return []
    }
    return try reader.value(key.row, property)?.targets ?? reader.list(key.row, property)
  }
}
