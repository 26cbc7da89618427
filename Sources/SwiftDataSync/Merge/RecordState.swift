#if Sync
import Foundation
import SyncProtocol

/// What a replica knows of a record.
struct RecordState: Equatable {
  struct Field: Equatable {
    var value: FieldValue
    var time: HybridTime
  }

  /// A member of a set. It is in the set while it has tags.
  struct Member: Equatable {
    var tags: Set<HybridTime> = []
    var place: Field?
    var inversePlace: Field?
  }

  var entity: String
  var fields = PropertyMap<Field>()
  var members: [String: [RecordName: Member]] = [:]
  var deleted: HybridTime?
  /// The record that this one was merged with.
  var alias: RecordName?
  /// True for a record that moved to a zone which the account cannot read, and for a state that is kept apart.
  var isAway: Bool?
  /// The zone whose log says this; nil is the private zone.
  var zone: String?

  init(entity: String) { self.entity = entity }

  var isAlive: Bool { deleted == nil && alias == nil && isAway != true }

  /// The zone that the record moved to, as the log names it; nil for a record that never moved.
  var home: String? {
    if case .text(let home)? = fields[SyncSchema.home]?.value { home } else { nil }
  }

  /// The zone whose log says this.
  var place: String { zone ?? SyncWire.privateZone }

  /// The records that a register leads to.
  func target(_ property: String) -> RecordName? {
    if case .record(let name)? = fields[property]?.value { name } else { nil }
  }

  func contains(_ member: RecordName, in property: String) -> Bool {
    members[property]?[member].map { !$0.tags.isEmpty } ?? false
  }

  /// The latest moment that it carries; nil if it carries none.
  var latestTime: HybridTime? {
    let members = members.values.joined().map(\.value)
    let places = members.flatMap { [$0.place?.time, $0.inversePlace?.time].compactMap(\.self) }
    return (fields.values.map(\.time) + members.flatMap(\.tags) + places + [deleted].compactMap(\.self)).max()
  }

  /// All that it leads to, by property.
  var references: Set<Reference> {
    var found = Set<Reference>()
    // Most records lead to nothing.
    let hasTargets = fields.containsValue { if case .record = $0.value { true } else { false } }
    guard hasTargets || !members.isEmpty else { return found }
    for (property, field) in fields {
      if case .record(let name) = field.value { found.insert(Reference(property, name)) }
    }
    for (property, members) in members {
      for (name, member) in members where !member.tags.isEmpty { found.insert(Reference(property, name)) }
    }
    return found
  }

  struct Reference: Hashable {
    let property: String
    let target: RecordName
    init(_ property: String, _ target: RecordName) { (self.property, self.target) = (property, target) }
  }
}

/// A record that leads to another.
struct Referrer: Hashable {
  let owner: RecordName
  let property: String
}

/// Where states of records come from.
protocol RecordSource: AnyObject {
  func state(_ name: RecordName) throws -> RecordState?
  /// What a record was merged with, by one step.
  func alias(_ name: RecordName) throws -> RecordName?
  /// The record that has a unique value.
  func holder(of unique: String) throws -> RecordName?
  /// The records that may lead to a record, those that are deleted or in another zone among them. Each is to be checked by its
  /// state.
  func possibleReferrers(to target: RecordName) throws -> Set<Referrer>
  /// The zones whose logs may say something of a record that is in another zone.
  func zonesApart(of name: RecordName) throws -> Set<String>
}
#endif
