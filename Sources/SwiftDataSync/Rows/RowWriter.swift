#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

/// Writes the rows of a view into a context of the user's store.
final class RowWriter {
  private let replica: ZoneReplica
  /// What the rows showed before.
  private let old: View
  private let view: View
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

  private var store: StateStore { replica.store }
  private var user: UserStore { replica.user }
  private var models: SyncModels { view.models }

  init(_ replica: ZoneReplica, from old: View, to view: View) {
    (self.replica, self.old, self.view) = (replica, old, view)
    context = replica.user.makeContext()
  }

  /// Brings objects to what the view says.
  /// - Parameter keys: the rows that may differ from their objects, and those that are gone.
  /// - Throws: an error of a store; ``MissingAsset`` if the bytes of a value have to be fetched first.
  func run(_ keys: Set<RecordKey>) throws {
    let alive = keys.filter { view.rows[$0] != nil }.sorted()
    let gone = keys.filter { view.rows[$0] == nil }.sorted()
    try findMoved(alive)
    try load(alive + gone)
    let known = alive.filter { objects[$0] != nil }
    for key in inOrder(alive.filter { objects[$0] == nil }) { try create(key) }
    for key in known { try updateAttributes(key) }
    try load(alive.flatMap { view.rows[$0]?.values.values.flatMap(\.leads) ?? [] })
    // All lists are loaded before anything is set. What the other end of a relationship adds to a loaded list is a change of
    // the list, so that the store compares its order. A list that is loaded later has the member already, without a place.
    var lists: [(owner: any PersistentModel, property: __Property, members: [RecordKey])] = []
    for key in alive {
      guard let object = objects[key], let row = view.rows[key] else { continue }
      for property in type(of: object).__entity.properties where property.isToMany {
        guard case .toMany(let members)? = row.values[ExactText(property.name)] else { continue }
        _ = try ModelCells.targets(of: object, property)
        lists.append((object, property, members))
      }
    }
    for (owner, property, members) in lists {
      let desired = members.compactMap { objects[$0] }
      let actual = try ModelCells.targets(of: owner, property)
      if !desired.elementsEqual(actual, by: { $0 === $1 }) { ModelCells.assign(desired, to: property, of: owner) }
    }
    for key in alive { try updateReferences(key) }
    for key in gone { try remove(key) }
  }

  // MARK: - Objects

  /// Gives rows without objects those of rows that are gone and showed the same record.
  private func findMoved(_ keys: [RecordKey]) throws {
    var members: [RecordKey: [RecordKey]]?
    func shown(by row: RecordKey) -> [RecordKey] {
      if members == nil { members = Dictionary(grouping: view.groups.row.keys) { view.groups.row[$0] ?? $0 } }
      return members?[row] ?? []
    }
    var taken = Set<RecordKey>()
    for key in keys where try store.object(of: key) == nil {
      let others = shown(by: key).sorted() + replica.zones.sorted().map { RecordKey($0, key.name) }
      for other in others where other != key && view.rows[other] == nil && !taken.contains(other) {
        guard let text = try store.object(of: other), let identifier = user.identifier(text),
          identifier.entityName == view.rows[key]?.entity.text
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
  private func inOrder(_ keys: [RecordKey]) -> [RecordKey] {
    guard user.schema.hasReferences else { return keys }
    return keys.map { key in (place: place(of: key), key: key) }
      .sorted { ($0.place, $0.key.name) < ($1.place, $1.key.name) }.map(\.key)
  }

  private func place(of key: RecordKey) -> ExactText {
    guard let row = view.rows[key] else { return "" }
    for property in models.classes[row.entity] ?? [] {
      if case .toOne = property.kind, let place = view.place(property, of: key) { return place }
    }
    return ""
  }

  private func create(_ key: RecordKey) throws {
    guard let row = view.rows[key], let entity = user.entities[row.entity.text], !lacksUnique(key, entity) else {
      return
    }
    var cells = [SQLValue?](repeating: nil, count: entity.properties.count)
    for (property, rule) in user.attributes[entity.name] ?? [] {
      guard let value = value(property, rule, of: key, row) else { continue }
      cells[property.index] = try cell(value, key, property)
    }
    while true {
      do {
        let object = try ModelCells.make(entity, cells)
        ModelCells.insert(object, into: context)
        objects[key] = object
        inserted.append(key)
        return
      } catch let error as SwiftDataError {
        // A newer schema's value, which this one has no case for: the default stands in.
        guard let property = error.property.flatMap(entity.property), cells[property.index] != nil else { return }
        cells[property.index] = nil
      }
    }
  }

  /// Whether a row lacks a unique value: a newer program wrote it under a name that this one does not know. Objects that have the value of the
  /// declaration instead would become one.
  private func lacksUnique(_ key: RecordKey, _ entity: __Entity) -> Bool {
    (user.schema[entity.name]?.unique ?? []).flatMap(\.properties).contains { name in
      guard let property = entity.property(named: name), let model = models[WireName(entity.name), ExactText(name)]
      else { return false }
      return view.field(model, of: key) == nil && UserStore.defaultCell(of: property) != .null
    }
  }

  // MARK: - Values

  /// The value of an attribute; nil if no record of the row has one.
  private func value(
    _ property: __Property, _ rule: SyncSchema.Property, of key: RecordKey, _ row: Row
  ) -> RegisterValue? {
    if rule.isPersonal { return replica.personalField(property.name, of: key, in: view)?.value }
    guard let model = models[row.entity, ExactText(property.name)] else { return nil }
    return view.field(model, of: key)?.value
  }

  private func cell(_ value: RegisterValue, _ key: RecordKey, _ property: __Property) throws -> SQLValue? {
    let cell = try replica.cell(value, of: key, property)
    if cell == nil, case .asset = value { postponed.insert(key) }
    return cell
  }

  private func updateAttributes(_ key: RecordKey) throws {
    guard let object = objects[key], let row = view.rows[key] else { return }
    for (property, rule) in user.attributes[row.entity.text] ?? [] where !property.isConstant {
      guard let value = value(property, rule, of: key, row) else {
        if isGone(property, rule, of: key, row) { try reset(property, of: object) }
        continue
      }
      let actual = try RegisterValue(ModelCells.cell(of: object, property)) { _, _ in }
      if actual.isSame(as: value) { continue }
      guard let cell = try cell(value, key, property) else { continue }
      if case .sealed = value, RegisterValue(inline: cell).isSame(as: actual) { continue }
      do { try ModelCells.set(object, property, cell) } catch is SwiftDataError {
        // The program has no case for the value, and keeps the one that it has.
      }
    }
  }

  /// Whether the view before this one had a property that this one does not have.
  ///
  /// A property that no view had may have a value all the same: a migration stage gave it one.
  private func isGone(
    _ property: __Property, _ rule: SyncSchema.Property, of key: RecordKey, _ row: Row
  ) -> Bool {
    if rule.isPersonal { return replica.personalField(property.name, of: moved[key] ?? key, in: old) != nil }
    guard let model = models[row.entity, ExactText(property.name)] else { return false }
    return old.field(model, of: moved[key] ?? key) != nil
  }

  private func reset(_ property: __Property, of object: any PersistentModel) throws {
    let cell = UserStore.defaultCell(of: property)
    guard try ModelCells.cell(of: object, property) != cell else { return }
    do { try ModelCells.set(object, property, cell) } catch is SwiftDataError {
      // The declaration has no value, and the property needs one.
    }
  }

  private func updateReferences(_ key: RecordKey) throws {
    guard let object = objects[key], !object.isDeleted, let row = view.rows[key] else { return }
    for property in type(of: object).__entity.properties where property.isToOne {
      guard let model = models[row.entity, ExactText(property.name)], model.inverse == nil,
        case .toOne(let target)? = row.values[model.name]
      else { continue }
      let desired = target.flatMap { objects[$0] }
      let actual = try ModelCells.targets(of: object, property).first
      if desired !== actual { ModelCells.assign(desired.map { [$0] } ?? [], to: property, of: object) }
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
    for key in inserted {
      guard let object = objects[key], !object.isDeleted else { continue }
      try store.setObject(UserStore.text(object.persistentModelID), of: key)
    }
  }
}

extension RowValue {
  /// The rows that a relationship leads to.
  fileprivate var leads: [RecordKey] { target.map { [$0] } ?? targets }
}
#endif
