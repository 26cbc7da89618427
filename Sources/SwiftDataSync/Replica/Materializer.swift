#if Sync
import Foundation
import SwiftData
import SyncProtocol

/// Writes what a view says about some records into a context of the user's store.
final class Materializer {
  private let replica: Replica
  private let view: Fold
  private let undone: [RecordName: Set<String>]
  let context: ModelContext
  /// The objects of the records that were looked for.
  private var objects = RecordMap<(any PersistentModel)?>()
  /// The records that become objects, in the order of insertion.
  private(set) var inserted: [RecordName] = []
  /// Records that have no object any more.
  private(set) var removed: [RecordName] = []
  /// Records whose object is another record's from now on: where two were merged.
  private(set) var moved: [Batch.Move] = []
  /// Values that the user's store cannot hold.
  private(set) var held: [RecordName: [String: FieldValue]] = [:]
  /// Records whose objects keep another value, since no zone has the bytes.
  private(set) var postponed: Set<RecordName> = []

  private var ledger: Ledger { replica.ledger }
  private var user: UserStore { replica.user }

  /// - Parameter undone: the properties of records whose changes were undone.
  init(_ replica: Replica, _ view: Fold, undone: [RecordName: Set<String>] = [:]) {
    (self.replica, self.view, self.undone, context) = (replica, view, undone, replica.user.makeContext())
  }

  /// - Parameters:
  ///   - names: the records that may differ from what the user's store has, sorted.
  ///   - lists: to-manys that may differ.
  func run(_ names: [RecordName], lists: ChangedLists) throws {
    try load(names)
    var alive: [RecordName] = []
    var dead: [RecordName] = []
    for name in names {
      // A change that was undone leaves an object without a state.
      guard let state = try view.state(name) else {
        dead.append(name)
        continue
      }
      if state.alias != nil { try adopt(name) }
      if state.isAlive { alive.append(name) } else { dead.append(name) }
    }
    let known = alive.filter { object(of: $0) != nil }
    for name in try inOrder(alive.filter { object(of: $0) == nil }) { try create(name) }
    for name in known { try updateAttributes(name) }
    if user.schema.hasReferences {
      try load(try alive.flatMap { try view.state($0)?.references.map(\.target) ?? [] })
    }
    var lists = lists.sorted
    try load(lists.map(\.list.target))
    let created = Dictionary(uniqueKeysWithValues: zip(inserted, inserted.indices))
    try lists.removeAll { try isAppended($0.list, $0.arrivals, created) }
    // All lists are loaded before anything is set. What the other end of a relationship adds to a loaded list is a change of
    // the list, so that the store compares its order. A list that is loaded later has the member already, without a place.
    for (list, _) in lists {
      if let (owner, property, _) = try place(of: list) { _ = try ModelCells.targets(of: owner, property) }
    }
    for (list, _) in lists { try updateList(list) }
    if user.schema.hasReferences { for name in alive { try updateReferences(name) } }
    for name in dead { try remove(name) }
  }

  /// Removes the objects of records, whatever the view says of them.
  func dismiss(_ names: [RecordName]) throws {
    try load(names)
    for name in names { try remove(name) }
  }

  /// The object of a record, as far as it was loaded.
  func object(of name: RecordName) -> (any PersistentModel)? { objects[name] ?? nil }

  // MARK: - Objects

  /// Loads the objects of records, in few statements.
  private func load(_ names: [RecordName]) throws {
    let missing = names.filter { objects.insert($0, nil).isNew }
    try ledger.prefetch(missing)
    var stored: [(name: RecordName, identifier: PersistentIdentifier)] = []
    for name in missing {
      if let text = try ledger.object(of: name), let identifier = user.identifier(text) {
        stored.append((name, identifier))
      }
    }
    guard !stored.isEmpty else { return }
    for (record, object) in zip(stored, try ModelCells.objects(at: stored.map(\.identifier), in: context)) {
      objects.set(record.name, object)
    }
  }

  private func object(_ name: RecordName) throws -> (any PersistentModel)? {
    if objects.index(of: name) == nil { try load([name]) }
    return object(of: name)
  }

  /// A record that was merged leaves its object to the survivor where that has none.
  private func adopt(_ name: RecordName) throws {
    let survivor = try view.resolve(name)
    guard let own = object(of: name), let text = try ledger.object(of: name), try object(survivor) == nil,
      let state = try view.state(survivor), state.entity == type(of: own).__entity.name
    else { return }
    objects.set(name, nil)
    objects.set(survivor, own)
    moved.append(Batch.Move(from: name, to: survivor, object: text))
  }

  /// Sorts new records by their places in lists. The store orders a list by the age of its members, and writes a position for each member
  /// only if the list has another order.
  private func inOrder(_ names: [RecordName]) throws -> [RecordName] {
    guard user.schema.hasReferences else { return names }
    let placed = try names.map { name in
      let place = try view.state(name)?.fields.first { SyncSchema.isPlace($0.key) }
      return (place: ListView.place(place?.value) ?? "", name: name)
    }
    return placed.sorted { ($0.place, $0.name) < ($1.place, $1.name) }.map(\.name)
  }

  private func create(_ name: RecordName) throws {
    guard let state = try view.state(name), let entity = user.entities[state.entity], !lacksUnique(state, entity) else {
      return
    }
    var cells = [SQLValue?](repeating: nil, count: entity.properties.count)
    let personal = try personal(name, entity)
    for (property, rule) in user.attributes[entity.name] ?? [] {
      guard let field = (rule.isPersonal ? personal : state)?.fields[property.name] else { continue }
      cells[property.index] = try cell(field.value, name, property, rule)
      if cells[property.index] == nil { held[name, default: [:]][property.name] = .null }
    }
    while true {
      do {
        let object = try ModelCells.make(entity, cells)
        ModelCells.insert(object, into: context)
        objects.set(name, object)
        inserted.append(name)
        for (property, value) in held[name] ?? [:] where value == .null {
          // What the object has instead is what the program is not to have changed.
          if let property = entity.property(named: property) {
            held[name]![property.name] = try UserStore.value(of: object, property)
          }
        }
        return
      } catch let error as SwiftDataError {
        // A newer schema's value, which this one has no case for: the default stands in.
        guard let property = error.property.flatMap(entity.property), cells[property.index] != nil else { return }
        cells[property.index] = nil
        held[name, default: [:]][property.name] = .null
      }
    }
  }

  /// Whether a record lacks a unique value: a newer program wrote it under a name that this one does not know. Objects that have the value of
  /// the declaration instead would become one.
  private func lacksUnique(_ state: RecordState, _ entity: __Entity) -> Bool {
    (user.schema[entity.name]?.unique ?? []).flatMap(\.properties).contains { name in
      state.fields[name] == nil && entity.property(named: name).map { UserStore.defaultCell(of: $0) != .null } ?? false
    }
  }

  private func cell(
    _ value: FieldValue, _ name: RecordName, _ property: __Property, _ rule: SyncSchema.Property
  ) throws -> SQLValue? {
    let cell = try Self.cell(value, rule.isPersonal ? name.personal : name, property, replica)
    if cell == nil, case .asset = value { postponed.insert(name) }
    return cell
  }

  /// The record with the values that are one account's. Most classes have none, and looking for it costs a statement.
  private func personal(_ name: RecordName, _ entity: __Entity) throws -> RecordState? {
    user.schema[entity.name]?.hasPersonal == true ? try view.state(name.personal) : nil
  }

  /// - Returns: nil if the value cannot be read without a key that the replica does not have, or if no zone has its bytes.
  /// - Throws: ``MissingAsset`` if the bytes of the value have to be fetched first.
  static func cell(
    _ value: FieldValue, _ name: RecordName, _ property: __Property, _ replica: Replica
  ) throws -> SQLValue? {
    switch value {
    case .null, .record: return .null
    case .integer(let number): return .integer(number)
    case .real(let number): return .real(number)
    case .text(let text): return .text(text)
    case .data(let data): return .blob(data)
    case .asset(let sha256, let size):
      guard let data = try replica.ledger.asset(sha256) else {
        if replica.unavailable.contains(sha256) { return nil }
        throw MissingAsset(record: name, sha256: sha256, size: size)
      }
      return .blob(data)
    case .sealed(let data):
      // A participant with another key, or one who sends nonsense, must not stop the others.
      let entity = name.subject == nil ? property.entityName : SyncSchema.personal(property.entityName)
      guard let value = replica.open(data, of: name, entity, property.name) else { return nil }
      return try cell(value, name, property, replica)
    }
  }

  private func updateAttributes(_ name: RecordName) throws {
    guard let object = try object(name), let state = try view.state(name) else { return }
    let entity = type(of: object).__entity
    let personal = try personal(name, entity)
    for (property, rule) in user.attributes[entity.name] ?? [] where !property.isConstant {
      guard let field = (rule.isPersonal ? personal : state)?.fields[property.name] else {
        if try isGone(property.name, of: rule.isPersonal ? name.personal : name) {
          try reset(property, of: object, name)
        }
        continue
      }
      let actual = try UserStore.value(of: object, property)
      if actual.isSame(as: field.value) { continue }
      guard let cell = try cell(field.value, name, property, rule) else {
        try hold(actual, property.name, of: name)
        continue
      }
      if case .sealed = field.value, try UserStore.value(cell, asset: { _, _ in }) == actual { continue }
      do {
        try ModelCells.set(object, property, cell)
        try forget(held: property.name, of: name)
      } catch is SwiftDataError {
        try hold(actual, property.name, of: name)
      }
    }
  }

  /// Whether the view before this one had a property that this one does not have.
  ///
  /// A property that no view had may have a value all the same: a migration stage gave it one.
  private func isGone(_ property: String, of record: RecordName) throws -> Bool {
    try undone[record]?.contains(property) == true || replica.view.state(record)?.fields[property] != nil
  }

  private func reset(_ property: __Property, of object: any PersistentModel, _ name: RecordName) throws {
    let cell = UserStore.defaultCell(of: property)
    guard try ModelCells.cell(of: object, property) != cell else { return }
    do {
      try ModelCells.set(object, property, cell)
      try forget(held: property.name, of: name)
    } catch is SwiftDataError {
      // The declaration has no value, and the property needs one.
    }
  }

  /// Notes a value that the object has in place of one that cannot be shown.
  private func hold(_ actual: FieldValue, _ property: String, of name: RecordName) throws {
    var values = try held[name] ?? ledger.held(name)
    values[property] = actual
    held[name] = values
  }

  private func forget(held property: String, of name: RecordName) throws {
    var values = try held[name] ?? ledger.held(name)
    if values.removeValue(forKey: property) != nil { held[name] = values }
  }

  private func updateReferences(_ name: RecordName) throws {
    guard let object = try object(name) else { return }
    let entity = type(of: object).__entity
    guard entity.properties.contains(where: \.isToOne), let state = try view.state(name) else { return }
    for property in entity.properties where property.isToOne {
      guard let rule = user.schema[entity.name]?.properties[property.name], rule.kind == .reference,
        try state.fields[property.name] != nil || isGone(property.name, of: name)
      else { continue }
      let target = try view.effectiveTarget(of: name, rule).flatMap(self.object)
      let actual = try ModelCells.targets(of: object, property).first
      if target !== actual { ModelCells.assign(target.map { [$0] } ?? [], to: property, of: object) }
    }
  }

  /// The object and property of a to-many; nil if the user's store does not have it.
  private func place(
    of list: RecordState.Reference
  ) throws -> (any PersistentModel, __Property, SyncSchema.Property)? {
    guard try view.isAlive(list.target), let owner = try object(list.target), !owner.isDeleted,
      let property = type(of: owner).__entity.property(named: list.property),
      let rule = user.schema[type(of: owner).__entity.name]?.properties[list.property]
    else { return nil }
    return (owner, property, rule)
  }

  /// Whether a to-many only gets new objects behind all its members. The store puts new objects there by itself, so the replica does not
  /// read the other members, and a new member costs the same whatever the length of the list.
  /// - Parameters:
  ///   - arrivals: the members that came; nil if the list changes otherwise.
  ///   - created: the records whose objects are new, with the order of their creation.
  private func isAppended(
    _ list: RecordState.Reference, _ arrivals: [RecordName]?, _ created: [RecordName: Int]
  ) throws -> Bool {
    guard let arrivals, let (owner, property, rule) = try place(of: list), rule.kind == .derivedFromReference,
      let last = try ModelCells.lastTarget(of: owner, property, in: context),
      let name = try ledger.names(of: [UserStore.text(last.persistentModelID)])[0]
    else { return false }
    let reference = rule.inverse ?? ""
    func position(_ name: RecordName) throws -> (String, RecordName)? {
      guard let state = try view.state(name), state.isAlive, state.target(reference) == list.target else { return nil }
      return (ListView.place(state.fields[SyncSchema.place(of: reference)]) ?? ListView.unplaced, name)
    }
    guard var end = try position(name) else { return false }
    guard arrivals.allSatisfy({ created[$0] != nil }) else { return false }
    for name in arrivals.sorted(by: { created[$0]! < created[$1]! }) {
      guard let next = try position(name), end < next else { return false }
      end = next
    }
    return true
  }

  private func updateList(_ list: RecordState.Reference) throws {
    guard let (owner, property, rule) = try place(of: list) else { return }
    let members = try ListView(view, list.target, rule).members
    try load(members)
    let desired = members.compactMap { object(of: $0) }
    let actual = try ModelCells.targets(of: owner, property)
    if !desired.elementsEqual(actual, by: { $0 === $1 }) { ModelCells.assign(desired, to: property, of: owner) }
  }

  private func remove(_ name: RecordName) throws {
    guard let object = object(of: name) else { return }
    try remove(object)
    objects.set(name, nil)
    removed.append(name)
  }

  /// The views of related records say what becomes of them; the delete rules of the store must not.
  func remove(_ object: any PersistentModel) throws {
    for property in type(of: object).__entity.properties where !property.isAttribute {
      if try !ModelCells.targets(of: object, property).isEmpty { ModelCells.assign([], to: property, of: object) }
    }
    ModelCells.delete(object, from: context)
  }
}
#endif
