#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

/// Writes the rows of a view into a context of the user's store.
final class RowWriter {
  private let replica: ZoneReplica
  private let view: ShownRows
  private var work: RowWork
  /// Rows that are gone, whose objects other rows may take; nil if any zone may have such rows.
  private let leaving: Set<RecordKey>?
  let context: ModelContext
  /// The objects of the rows that were looked for.
  private var objects: [RecordKey: any PersistentModel] = [:]
  private var sought: Set<RecordKey> = []
  /// The rows that become objects, in the order of insertion.
  private var inserted: [RecordKey] = []
  /// The rows that objects showed, by the rows that they show now.
  private var moved: [RecordKey: RecordKey] = [:]
  /// The rows that have no object any more.
  private var removed: [RecordKey] = []
  /// Rows whose objects keep another value, since no zone has the bytes.
  private(set) var postponed: Set<RecordKey> = []
  /// The rows that lead to a row without an object.
  private(set) var incomplete: Set<RecordKey> = []
  /// The assets without which the rows cannot be written.
  private var missing: [MissingAssets.Asset] = []

  private var store: StateStore { replica.store }
  private var user: UserStore { replica.user }
  private var models: SyncModels { view.models }

  init(_ replica: ZoneReplica, _ work: RowWork, _ view: ShownRows, leaving: Set<RecordKey>?) {
    (self.replica, self.work, self.view, self.leaving) = (replica, work, view, leaving)
    context = replica.user.makeContext()
  }

  /// Brings objects to what the view says.
  /// - Throws: an error of a store; ``MissingAssets`` if the bytes of a value have to be fetched first.
  func run() throws {
    try addHolders()
    var alive: [RecordKey] = []
    // A row that moved to the key of another object leaves its own object behind.
    var absent = try work.gone.union(work.former.values).filter { try !view.exists($0) }
    for row in work.rows.keys { if try view.exists(row) { alive.append(row) } else { absent.insert(row) } }
    alive.sort()
    let gone = absent.sorted()
    try findMoved(alive, leaving.map { $0.union(gone) })
    try load(alive + gone)
    if user.transactionStore == nil {
      // The store is not locked, so the program may have deleted an object since the scan. The next scan captures the deletion.
      alive = try alive.filter { key in
        try objects[key] != nil || moved[key] != nil || store.object(of: key) == nil
      }
    }
    // A participant may write another class than the record had. No object changes its class.
    for key in alive {
      guard let object = objects[key], try view.entity(of: key)?.text != type(of: object).__entity.name else {
        continue
      }
      try remove(key)
      objects[key] = nil
    }
    let known = alive.filter { objects[$0] != nil }
    let new = alive.filter { objects[$0] == nil }
    for key in try inOrder(new) { try create(key) }
    for key in known { try updateAttributes(key) }
    let places = Dictionary(uniqueKeysWithValues: inserted.enumerated().map { ($1, $0) })
    for (row, lists) in work.appended {
      for (property, members) in lists where try !isAppended(members, to: row, property, insertedAt: places) {
        work.add(row, [property])
      }
    }
    // All lists are loaded before anything is set. An addition by the other end of a relationship to a loaded list is a change of
    // the list, so that the store compares its order. A list that is loaded later has the member already, without a place.
    var lists: [(row: RecordKey, owner: any PersistentModel, property: __Property, members: [RecordKey])] = []
    var references: [(row: RecordKey, holder: any PersistentModel, property: __Property, target: RecordKey?)] = []
    // New members come to a list in the order in which their to-ones are set, which has to be the order of their places.
    for key in known + inserted {
      guard let object = objects[key] else { continue }
      for model in try view.entity(of: key).flatMap({ models.classes[$0] }) ?? [] {
        guard places[key] != nil || isNamed(model, key),
          let property = type(of: object).__entity.property(named: model.name.text), !property.isAttribute
        else { continue }
        switch try work.created[key]?.values[model.name] ?? view.value(model, of: key) {
        case .toMany(let members)? where property.isToMany: lists.append((key, object, property, members))
        case .toOne(let target)? where model.inverse == nil: references.append((key, object, property, target))
        default: continue
        }
      }
    }
    try load(lists.flatMap(\.members) + references.compactMap(\.target))
    for (_, owner, property, _) in lists { _ = try ModelCells.targets(of: owner, property) }
    for (row, owner, property, members) in lists {
      let desired = members.compactMap { objects[$0] }
      if desired.count < members.count { incomplete.insert(row) }
      let actual = try ModelCells.targets(of: owner, property)
      if !desired.elementsEqual(actual, by: { $0 === $1 }) { ModelCells.assign(desired, to: property, of: owner) }
    }
    for (row, holder, property, target) in references where !holder.isDeleted {
      let desired = target.flatMap { objects[$0] }
      if target != nil, desired == nil { incomplete.insert(row) }
      let actual = try ModelCells.targets(of: holder, property).first
      if desired !== actual { ModelCells.assign(desired.map { [$0] } ?? [], to: property, of: holder) }
    }
    for key in gone { try remove(key) }
    // All of them at once: each try writes all rows.
    if !missing.isEmpty { throw MissingAssets(assets: missing) }
  }

  /// Adds the relationships that lead to a row which had no object before and may get one: its unique value was missing, or the program had no
  /// value for it.
  private func addHolders() throws {
    let changed = work.rows.filter { $0.value != nil }.keys.sorted()
    try store.prepare(changed)
    for key in changed where try store.object(of: key) == nil {
      for model in try view.entity(of: key).flatMap({ models.classes[$0] }) ?? [] {
        guard let inverse = model.inverse, let value = try view.value(model, of: key) else { continue }
        for target in value.targets + [value.target].compactMap(\.self) { work.add(target, [inverse]) }
      }
    }
  }

  /// Whether a property of a row may differ from its object.
  private func isNamed(_ property: SyncModels.Property, _ key: RecordKey) -> Bool {
    (work.rows[key] ?? nil)?.contains(property.name) ?? true
  }

  // MARK: - Objects

  /// Gives rows without objects the objects of removed rows that showed the same record, or had the same unique value.
  private func findMoved(_ keys: [RecordKey], _ leaving: Set<RecordKey>?) throws {
    var taken = Set<RecordKey>()
    try store.prepare(keys)
    let named = leaving.map { Dictionary(grouping: $0.sorted(), by: \.name) }
    var unique: [UniqueValue: RecordKey] = [:]
    for (row, values) in work.unique { for value in values { unique[value] = min(row, unique[value] ?? row) } }
    for key in keys where try store.object(of: key) == nil {
      // A device that does not have the object makes none for a row without its unique value.
      guard let entity = try view.entity(of: key).flatMap({ user.entities[$0.text] }), try !lacksUnique(key, entity)
      else { continue }
      let others =
        try [work.former[key]].compactMap(\.self) + view.records(shownBy: key)
        + (named.map { $0[key.name] ?? [] } ?? replica.zones.sorted().map { RecordKey($0, key.name) })
        + replica.leavingRows(key.name)
        + (unique.isEmpty ? [] : try view.uniqueValues(of: key).compactMap { unique[$0] })
      for other in others where try other != key && !view.exists(other) && !taken.contains(other) {
        guard let text = try store.object(of: other), let identifier = user.identifier(text),
          identifier.entityName == entity.name
        else { continue }
        taken.insert(other)
        moved[key] = other
        break
      }
    }
  }

  /// Loads the objects of rows, in few statements.
  private func load(_ keys: [RecordKey]) throws {
    var stored: [(key: RecordKey, identifier: PersistentIdentifier)] = []
    let given = Set(moved.values)
    try store.prepare(keys.map { moved[$0] ?? $0 })
    for key in keys where sought.insert(key).inserted && !given.contains(key) {
      if let text = try store.object(of: moved[key] ?? key), let identifier = user.identifier(text) {
        stored.append((key, identifier))
      }
    }
    guard !stored.isEmpty else { return }
    for (row, object) in zip(stored, try ModelCells.objects(at: stored.map(\.identifier), in: context)) {
      objects[row.key] = object
    }
  }

  /// Sorts new rows by their places in lists. The store orders a list by the age of its members, and writes a position for each member
  /// only if the list has another order.
  private func inOrder(_ keys: [RecordKey]) throws -> [RecordKey] {
    guard user.schema.hasReferences else { return keys }
    return try keys.map { key in (place: try place(of: key), key: key) }
      .sorted { ($0.place, $0.key.name) < ($1.place, $1.key.name) }.map(\.key)
  }

  private func place(of key: RecordKey) throws -> ExactText {
    for property in try view.entity(of: key).flatMap({ models.classes[$0] }) ?? [] {
      if case .toOne = property.kind, let place = try view.place(property, of: key) { return place }
    }
    return ""
  }

  private func create(_ key: RecordKey) throws {
    guard let entity = try view.entity(of: key).flatMap({ user.entities[$0.text] }), try !lacksUnique(key, entity)
    else { return }
    var cells = [SQLValue?](repeating: nil, count: entity.properties.count)
    for (property, rule) in user.attributes[entity.name] ?? [] {
      guard let value = try value(property, rule, of: key) else { continue }
      cells[property.index] = try cell(value, key, property)
    }
    let values = cells
    let object: any PersistentModel
    do { object = try ModelCells.make(entity, leavingOut: &cells) } catch is SwiftDataError { return }
    // The default stands in for a newer schema's value. Objects that have the default of a unique property would become one.
    for property in entity.properties where values[property.index] != nil && cells[property.index] == nil {
      guard try !isUnique(property, key) else { return }
    }
    ModelCells.insert(object, into: context)
    objects[key] = object
    inserted.append(key)
  }

  /// Whether a row lacks a unique value: a newer program wrote it under a name that this one does not know. Objects that have the value of the
  /// declaration instead would become one.
  private func lacksUnique(_ key: RecordKey, _ entity: __Entity) throws -> Bool {
    try (user.schema[entity.name]?.unique ?? []).flatMap(\.properties).contains { name in
      guard let property = entity.property(named: name), let model = models[WireName(entity.name), ExactText(name)]
      else { return false }
      return try view.write(model, of: key) == nil && UserStore.defaultCell(of: property) != .null
    }
  }

  // MARK: - Lists

  /// Whether new members of a list are new objects behind all others. The store puts new objects there by itself, so that the others are
  /// not read, and a new member costs the same whatever the length of the list.
  /// - Parameter places: the places of new objects in the order of insertion.
  private func isAppended(
    _ members: Set<RecordKey>, to list: RecordKey, _ name: ExactText, insertedAt places: [RecordKey: Int]
  ) throws -> Bool {
    guard let owner = objects[list], let entity = try view.entity(of: list),
      case .list(let destination, let inverse, _)? = models[entity, name]?.kind,
      let property = type(of: owner).__entity.property(named: name.text),
      let last = try ModelCells.lastTarget(of: owner, property, in: context),
      let key = try store.keys(of: [UserStore.text(last.persistentModelID)])[0]
    else { return false }
    func place(_ row: RecordKey) throws -> ListPlace? {
      guard let model = try view.property(inverse, of: row) ?? models[destination, inverse],
        try view.value(model, of: row)?.target == list
      else { return nil }
      return ListPlace(place: try view.place(model, of: row) ?? "", row: row)
    }
    guard var end = try place(key) else { return false }
    let created = members.compactMap { member in places[member].map { (place: $0, row: member) } }
    guard created.count == members.count else { return false }
    for (_, member) in created.sorted(by: { $0.place < $1.place }) {
      guard let next = try place(member), end < next else { return false }
      end = next
    }
    return true
  }

  // MARK: - Values

  /// The value of an attribute; nil if no record of the row has one.
  private func value(
    _ property: __Property, _ rule: SyncSchema.Property, of key: RecordKey
  ) throws -> RegisterValue? {
    if rule.isPersonal { return try replica.personalField(property.name, of: key, in: view)?.value }
    // A null there may also mean that no record has a value.
    if case .value(let value)? = work.created[key]?.values[ExactText(property.name)], value != .null { return value }
    return try view.property(ExactText(property.name), of: key).flatMap { try view.write($0, of: key)?.value }
  }

  private func cell(_ value: RegisterValue, _ key: RecordKey, _ property: __Property) throws -> SQLValue? {
    do {
      let cell = try replica.cell(value, of: key, property)
      if cell == nil, case .asset = value { postponed.insert(key) }
      return cell
    } catch let error as MissingAssets {
      missing += error.assets
      return nil
    }
  }

  private func updateAttributes(_ key: RecordKey) throws {
    guard let object = objects[key], let entity = try view.entity(of: key)?.text else { return }
    let names = work.rows[key] ?? nil
    for (property, rule) in user.attributes[entity] ?? [] where !property.isConstant {
      guard names?.contains(ExactText(property.name)) ?? true else { continue }
      guard let value = try value(property, rule, of: key) else {
        // A property that no view had may still have a value: a migration stage gave it one.
        let rows = [key, moved[key]].compactMap(\.self)
        if rows.contains(where: { work.written[$0]?.contains(ExactText(property.name)) == true }) {
          try reset(property, of: object)
        }
        continue
      }
      let actual = try RegisterValue(ModelCells.cell(of: object, property)) { _, _ in }
      if actual.isSame(as: value) { continue }
      guard let cell = try cell(value, key, property) else {
        // No device decrypts a value of an attribute that is not an encrypted one. A new device shows the default, too.
        if case .sealed = value, !property.isSensitive, try !isUnique(property, key) { try reset(property, of: object) }
        continue
      }
      if case .sealed = value, RegisterValue(inline: cell).isSame(as: actual) { continue }
      do { try ModelCells.set(object, property, cell) } catch is SwiftDataError {
        // The program has no case for the value. It shows what a new device shows.
        if try !isUnique(property, key) { try reset(property, of: object) }
      }
    }
  }

  private func isUnique(_ property: __Property, _ key: RecordKey) throws -> Bool {
    try view.entity(of: key).flatMap { user.schema[$0.text] }?.unique.contains {
      $0.properties.contains(property.name)
    } ?? false
  }

  private func reset(_ property: __Property, of object: any PersistentModel) throws {
    let cell = UserStore.defaultCell(of: property)
    guard try ModelCells.cell(of: object, property) != cell else { return }
    do { try ModelCells.set(object, property, cell) } catch is SwiftDataError {
      // The declaration has no value, and the property needs one.
    }
  }

  private func remove(_ key: RecordKey) throws {
    guard let object = objects[key] else { return }
    // The rows of related objects say what becomes of them; the delete rules of the store must not.
    for property in type(of: object).__entity.properties where !property.isAttribute {
      if try !ModelCells.targets(of: object, property).isEmpty { ModelCells.assign([], to: property, of: object) }
    }
    ModelCells.delete(object, from: context)
    removed.append(key)
  }

  // MARK: - Afterwards

  /// Notes which objects show which rows, after the save.
  /// - Throws: an error of the store.
  func note() throws {
    for key in removed { try store.setObject(nil, of: key) }
    for (key, former) in moved {
      guard let text = try store.object(of: former) else { continue }
      try store.setObject(nil, of: former)
      try store.setObject(text, of: key)
    }
    let new = inserted.compactMap { key -> (key: RecordKey, text: String)? in
      guard let object = objects[key], !object.isDeleted else { return nil }
      return (key, UserStore.text(object.persistentModelID))
    }
    // Few statements read the rows of the table in which the new objects are noted.
    _ = try store.keys(of: new.map(\.text))
    for (key, text) in new { try store.setObject(text, of: key) }
  }
}

extension ModelCells {
  /// A new object without a context. The cells that the program has no case for, because a newer one wrote them, become nil, and the defaults
  /// stand in.
  /// - Throws: ``SwiftDataError`` if the object can still not be made.
  static func make(_ entity: __Entity, leavingOut cells: inout [SQLValue?]) throws -> any PersistentModel {
    while true {
      do { return try make(entity, cells) } catch let error as SwiftDataError {
        guard let property = error.property.flatMap(entity.property), cells[property.index] != nil else { throw error }
        cells[property.index] = nil
      }
    }
  }
}
#endif
