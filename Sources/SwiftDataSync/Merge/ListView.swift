#if Sync
import SyncProtocol

extension Fold {
  /// The record that a to-one leads to: alive, and where it may have one source only, not another source's.
  func effectiveTarget(of name: RecordName, _ property: SyncSchema.Property) throws -> RecordName? {
    guard let state = try state(name), let target = state.target(property.name), try isAlive(target) else { return nil }
    guard property.isExclusive, let inverse = schema.inverse(of: property) else { return target }
    // Of several sources the one that said so last has the target. One of another zone does not take it away.
    let place = try self.state(target)?.place
    var winner: (Int, HybridTime, RecordName)?
    for source in try sources(of: target, inverse) {
      guard let state = try self.state(source), let time = state.fields[property.name]?.time else { continue }
      let rival = (state.place == place ? 1 : 0, time, source)
      if winner.map({ $0 < rival }) ?? true { winner = rival }
    }
    return winner?.2 == name ? target : nil
  }
}

/// The members of a to-many and their places.
struct ListView {
  let owner: RecordName
  let property: SyncSchema.Property
  /// The place of each member that is alive, and when it was given.
  let places: [RecordName: (place: String?, time: HybridTime?)]

  /// - Parameter isProgram: whether the program says who the members are. Those that it has just added may still be in another
  ///   zone.
  init(_ view: Fold, _ owner: RecordName, _ property: SyncSchema.Property, isProgram: Bool = false) throws {
    (self.owner, self.property) = (owner, property)
    var places: [RecordName: (place: String?, time: HybridTime?)] = [:]
    func add(_ member: RecordName, _ field: RecordState.Field?) {
      let place = Self.place(field)
      places[member] = (place, place.flatMap { _ in field?.time })
    }
    switch property.kind {
    case .members:
      guard let state = try view.state(owner) else { break }
      for (member, entry) in state.members[property.name] ?? [:] where !entry.tags.isEmpty {
        guard let other = try view.state(member), other.isAlive else { continue }
        // What a record owns is in its zone. A record of another zone cannot be taken by naming it.
        if !isProgram, property.cascades, property.inverse == nil, other.place != state.place,
          !view.zones.isRoot(member, in: other.place)
        {
          continue
        }
        add(member, entry.place)
      }
    case .derivedFromReference, .derivedFromMembers:
      let inverse = property.inverse ?? ""
      for source in try view.sources(of: owner, property) {
        guard let state = try view.state(source) else { continue }
        add(
          source,
          property.kind == .derivedFromReference
            ? state.fields[SyncSchema.place(of: inverse)] : state.members[inverse]?[owner]?.inversePlace)
      }
    case .attribute, .reference, .derivedReference: break
    }
    self.places = places
  }

  /// The members in order.
  var members: [RecordName] {
    places.sorted { ($0.value.place ?? Self.unplaced, $0.key) < ($1.value.place ?? Self.unplaced, $1.key) }.map(\.key)
  }

  /// What members without a place are sorted by: behind all places.
  static let unplaced = "g"

  static func place(_ field: RecordState.Field?) -> String? {
    if case .text(let text)? = field?.value { text } else { nil }
  }

  /// The change that gives a member another place.
  func change(of member: RecordName, place: FieldWrite, _ view: Fold) throws -> RecordChange {
    func entity(_ name: RecordName) throws -> String { try view.state(name)?.entity ?? "" }
    switch property.kind {
    case .derivedFromReference:
      var change = RecordChange(member, try entity(member))
      change.fields[SyncSchema.place(of: property.inverse ?? "")] = place
      return change
    case .derivedFromMembers:
      var (change, write) = (RecordChange(member, try entity(member)), MemberWrite())
      write.inversePlace = place
      change.members = [property.inverse ?? "": [owner: write]]
      return change
    default:
      var (change, write) = (RecordChange(owner, try entity(owner)), MemberWrite())
      write.place = place
      change.members = [property.name: [member: write]]
      return change
    }
  }
}
#endif
