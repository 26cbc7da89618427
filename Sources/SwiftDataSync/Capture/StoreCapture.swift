#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

/// Makes a transaction of what the program saved.
///
/// It writes the current values of the properties that the history names. All writes have one time: of two transactions that write the same
/// fields, one wins all of them.
final class StoreCapture {
  let replica: ZoneReplica
  private let context: ModelContext
  let changed: OrderedChanges
  let time: HybridTime
  /// Whether no save says which values changed, so that values are compared.
  private let isScan: Bool
  /// The rows before the saves.
  let view: ShownRows
  /// Reads attributes.
  private let writer = ValueWriter()
  /// The records of objects that others may lead to.
  private var keys: [PersistentIdentifier: RecordKey] = [:]
  /// The rows that the program deleted.
  private(set) var deleted: Set<RecordKey> = []
  /// The registers that the saves write.
  var changes: [RecordKey: Registers] = [:]
  /// The deleted owner of each record that a cascade deleted.
  private(set) var owners: [RecordKey: RecordKey] = [:]
  /// The lists whose order is compared: owner and property.
  private var lists: [(owner: any PersistentModel, key: RecordKey, rule: SyncModels.Property)] = []
  private var seenLists: Set<ListName> = []
  /// How many members came to the end of each list.
  private var arrivals: [ListName: Int] = [:]
  /// The targets that sources of an exclusive to-one gave up.
  var released: [(property: SyncModels.Property, target: RecordKey)] = []

  struct ListName: Hashable {
    let owner: RecordKey
    let property: ExactText
  }

  /// - Parameters:
  ///   - view: what the rows showed before the saves.
  ///   - time: the time of the writes.
  ///   - isScan: whether no save says which values changed.
  init(
    _ replica: ZoneReplica, _ changed: OrderedChanges, _ view: ShownRows, at time: HybridTime, isScan: Bool = false
  ) {
    (self.replica, self.changed, self.view, self.time, self.isScan) = (replica, changed, view, time, isScan)
    context = replica.user.makeContext()
  }

  var models: SyncModels { replica.models }
  private var user: UserStore { replica.user }
  private var store: StateStore { replica.store }

  /// Finds the changes.
  /// - Returns: the rows that the saves touched, each with the properties that the saves changed; nil is all.
  /// - Throws: an error of a store.
  func run() throws -> [RecordKey: Set<ExactText>?] {
    var touched: [RecordKey: Set<ExactText>?] = [:]
    deleted = Set(try store.keys(of: changed.deleted.map(UserStore.text)).compactMap(\.self))
    let gone = Set(changed.deleted)
    // By age, whatever the class: so the store orders the members of a list that have no place in it.
    let inserted = changed.inserted.sorted { ($0.key ?? 0) < ($1.key ?? 0) }
    let updated = changed.updateOrder.filter { !changed.isInserted($0) }
    let ours = (inserted + updated).filter { !gone.contains($0) && user.entities[$0.entityName] != nil }
    let found = zip(ours, try ModelCells.objects(at: ours, in: context)).compactMap { identifier, object in
      object.map { (identifier: identifier, object: $0) }
    }
    let keys = try name(found.map(\.identifier))
    try store.prepare(keys)
    if user.schema.hasReferences { try nameTargets(of: found.map(\.object)) }
    for (key, (identifier, object)) in zip(keys, found) {
      let isNew = try view.registers(of: key) == nil
      let only = isNew || changed.isInserted(identifier) ? nil : changed.updated[identifier] ?? nil
      touched[key] = .some(only.map { Set($0.map { ExactText($0) }) })
      if isNew { try write(key) { $0.born = Stamped(self.time, WireName(type(of: object).__entity.name)) } }
      try capture(object, key, only: only, isNew: isNew)
    }
    if try !lists.isEmpty && user.keepsOrder {
      for list in lists { try captureOrder(of: list.owner, list.key, list.rule) }
    }
    try releaseLosers()
    for key in deleted.sorted() {
      try delete(key)
      touched[key] = .some(nil)
    }
    return touched
  }

  // MARK: - Names

  /// The records of objects, which get new ones in the account's own zone if they have none.
  @discardableResult
  private func name(_ identifiers: [PersistentIdentifier]) throws -> [RecordKey] {
    let texts = identifiers.map(UserStore.text)
    return try zip(zip(identifiers, texts), try store.keys(of: texts)).map { object, known in
      let (identifier, text) = object
      if let key = keys[identifier] { return key }
      let key = known ?? RecordKey(replica.ownZone, replica.makeName())
      keys[identifier] = key
      if known == nil { try store.setObject(text, of: key) }
      return key
    }
  }

  /// Names all that the changed objects lead to, in few statements.
  private func nameTargets(of objects: [any PersistentModel]) throws {
    var targets: [PersistentIdentifier] = []
    for object in objects {
      for property in type(of: object).__entity.properties where !property.isAttribute {
        if property.isToMany, isLeftOut(object, property) { continue }
        targets += try ModelCells.targets(of: object, property).map(\.persistentModelID)
      }
    }
    try name(targets.filter { keys[$0] == nil })
  }

  /// Whether a to-many did not change, so that it need not be read.
  private func isLeftOut(_ object: any PersistentModel, _ property: __Property) -> Bool {
    guard case .some(.some(let only)) = changed.updated[object.persistentModelID] else { return false }
    return !only.contains(property.name) && !changed.isInserted(object.persistentModelID)
  }

  func key(of object: any PersistentModel) throws -> RecordKey {
    let identifier = object.persistentModelID
    return try keys[identifier] ?? name([identifier])[0]
  }

  /// The object of a row.
  func object(of key: RecordKey) throws -> (any PersistentModel)? {
    guard let text = try store.object(of: key), let identifier = user.identifier(text),
      let object = try ModelCells.objects([identifier], in: context)[identifier], !object.isDeleted
    else { return nil }
    return object
  }

  // MARK: - Writing

  /// Writes to all records of a row. Otherwise the old value of another one comes back after a rename.
  func write(_ key: RecordKey, _ body: (inout Registers) -> Void) throws {
    for record in try records(of: key) { body(&changes[record, default: Registers()]) }
  }

  /// The records of a row; for a new one, its own.
  func records(of key: RecordKey) throws -> [RecordKey] {
    let members = try view.members(of: key)
    return members.isEmpty ? [key] : members
  }

  func writeEdge(_ key: RecordKey, _ property: WireName, _ member: RecordName, _ edge: Edge) throws {
    try write(key) { registers in
      var members = registers.edges[property] ?? [:]
      members[member, default: Edge()].join(edge)
      registers.edges[property] = members
    }
  }

  /// A reference names the record of the holder's own zone where the row has one there.
  func link(_ zone: ZoneName, _ key: RecordKey) throws -> Reference {
    if let name = try view.name(of: key, in: zone) { return Reference(name) }
    return Reference(key.name, hint: key.zone == zone ? nil : key.zone)
  }

  // MARK: - Objects

  /// - Parameter only: the properties that changed; nil is all.
  private func capture(
    _ object: any PersistentModel, _ key: RecordKey, only: Set<String>?, isNew: Bool
  ) throws {
    let entity = type(of: object).__entity
    for (property, rule) in user.properties[entity.name] ?? [] where only?.contains(property.name) ?? true {
      if rule.isPersonal {
        try capturePersonal(object, key, property)
        continue
      }
      guard let model = models[WireName(entity.name), ExactText(property.name)] else { continue }
      switch rule.kind {
      case .attribute:
        try captureAttribute(object, key, property, model, compares: (isScan || only == nil) && !isNew, isNew: isNew)
      case .reference: try captureReference(of: object, key, property, model)
      case .derivedReference: try captureHolder(of: object, key, property, model)
      case .members:
        try captureMembers(of: object, key, property, model)
        note(object, key, model)
      case .derivedFromReference: note(object, key, model)
      case .derivedFromMembers:
        try captureOwners(of: object, key, property, model)
        note(object, key, model)
      }
    }
  }

  private func captureAttribute(
    _ object: any PersistentModel, _ key: RecordKey, _ property: __Property, _ model: SyncModels.Property,
    compares: Bool, isNew: Bool
  ) throws {
    let cell = try ModelCells.cell(of: object, property, writer: writer)
    let isSealed = property.isSensitive
    let value = isSealed ? RegisterValue(inline: cell) : RegisterValue(cell) { _, _ in }
    if isNew, value == .null, property.defaultValue == nil { return }
    if compares {
      let shown = try view.write(model, of: key).map { readable($0.value, key, property) }
      // A value that was never written is what the declaration says.
      let known = shown ?? RegisterValue(UserStore.defaultCell(of: property)) { _, _ in }
      guard !value.isSame(as: known) else { return }
      if let shown, isScan, try isStandIn(value, for: shown, of: object, key, property) { return }
    }
    if case .asset = value { _ = try RegisterValue(cell) { try replica.keepAsset($0, $1) } }
    for record in try records(of: key) {
      let kept = isSealed ? try sealed(value, record.name, model.wire) : value
      changes[record, default: Registers()].fields[model.wire] = Stamped(time, kept)
    }
  }

  /// Whether an object has a value because the program cannot show the value of the record. Then a scan must not write it.
  private func isStandIn(
    _ value: RegisterValue, for shown: RegisterValue, of object: any PersistentModel, _ key: RecordKey,
    _ property: __Property
  ) throws -> Bool {
    let cell: SQLValue?
    do { cell = try replica.cell(shown, of: key, property) } catch is MissingAssets { return true }
    guard let cell else { return true }
    if try ModelCells.fits(cell, property, of: object) { return false }
    // An attribute without a default kept the value before.
    return value.isSame(as: RegisterValue(UserStore.defaultCell(of: property)) { _, _ in })
      || property.defaultValue == nil && !property.isOptional
  }

  /// A sensitive value as the outbox keeps it: encrypted with the account's key, if there is one. The key of the zone that it goes to
  /// replaces that key when it is sent.
  private func sealed(_ value: RegisterValue, _ name: RecordName, _ property: WireName) throws -> RegisterValue {
    guard let key = replica.keyring?.newest(replica.ownZone) else { return value }
    return .sealed(try key.seal(value, Sealing.place(name, property.text)))
  }

  /// The content of an encrypted value, if its key is here. Encrypting a value twice gives two results.
  private func readable(_ value: RegisterValue, _ key: RecordKey, _ property: __Property) -> RegisterValue {
    guard case .sealed(let data) = value else { return value }
    return replica.open(data, of: key, property) ?? value
  }

  /// Writes an attribute that only the devices of the account share. A default value need not travel: the other devices have it already.
  private func capturePersonal(_ object: any PersistentModel, _ key: RecordKey, _ property: __Property) throws {
    let entity = type(of: object).__entity
    guard let wire = user.schema[entity.name]?.wire(of: property.name) else { return }
    let cell = try ModelCells.cell(of: object, property, writer: writer)
    let value = property.isSensitive ? RegisterValue(inline: cell) : RegisterValue(cell) { _, _ in }
    let shown = try replica.personalField(property.name, of: key, in: view).map { readable($0.value, key, property) }
    let known = shown ?? RegisterValue(UserStore.defaultCell(of: property)) { _, _ in }
    guard !value.isSame(as: known) else { return }
    if let shown, isScan, try isStandIn(value, for: shown, of: object, key, property) { return }
    if case .asset = value { _ = try RegisterValue(cell) { try replica.keepAsset($0, $1) } }
    for personal in try replica.personalKeys(of: key, in: view) {
      var registers = changes[personal] ?? Registers()
      if try view.registers(of: personal) == nil {
        registers.born = Stamped(time, WireName(SyncSchema.personal(entity.name)))
      }
      registers.fields[wire] = Stamped(time, property.isSensitive ? try sealed(value, personal.name, wire) : value)
      changes[personal] = registers
    }
  }

  // MARK: - To-manys

  private func captureMembers(
    of object: any PersistentModel, _ key: RecordKey, _ property: __Property, _ model: SyncModels.Property
  ) throws {
    let targets = try ModelCells.targets(of: object, property)
    let actual = Set(try targets.map(self.key))
    let found = try edges(of: key, model)
    for target in targets {
      let member = try self.key(of: target)
      guard found[member] == nil else {
        if changed.isRepeated(object.persistentModelID, property.name) { try noteInverse(of: property, at: target) }
        continue
      }
      try add(member, target, to: key, object, property, model)
    }
    for (target, edges) in found where !actual.contains(target) && !deleted.contains(target) {
      for (member, edge) in edges { try writeEdge(key, model.wire, member, Edge(removed: edge.added)) }
    }
  }

  /// The edges of a row by the rows that they lead to, with those that this capture writes.
  func edges(
    of key: RecordKey, _ model: SyncModels.Property
  ) throws -> [RecordKey: [(member: RecordName, edge: Edge)]] {
    guard case .members(let entity, _) = model.kind else { return [:] }
    var found: [RecordKey: [(member: RecordName, edge: Edge)]] = [:]
    for (record, member, edge) in try view.edges(model, of: key) where edge.isPresent {
      let reference = Reference(member, hint: edge.hint)
      guard let target = try view.resolve(reference, from: record.zone, entity: entity) else { continue }
      found[target, default: []].append((member, edge))
    }
    return found
  }

  private func add(
    _ member: RecordKey, _ target: any PersistentModel, to key: RecordKey, _ owner: any PersistentModel,
    _ property: __Property, _ model: SyncModels.Property
  ) throws {
    let reference = try link(key.zone, member)
    guard changes[key]?.edges[model.wire]?[reference.name]?.isPresent != true else { return }
    let place = try arrive(in: ListName(owner: key, property: model.name), owner, key, model)
    try writeEdge(
      key, model.wire, reference.name,
      Edge(added: time, place: Stamped(time, Place(place, hint: reference.hint))))
    guard let inverse = inverse(of: property, at: target) else { return }
    let placeThere = try arrive(at: target, member, property)
    let back = try link(member.zone, key)
    try writeEdge(member, inverse.wire, back.name, Edge(place: Stamped(time, Place(placeThere, hint: back.hint))))
  }

  /// The end of a many-to-many that stores nothing: the edges of the owners are compared.
  private func captureOwners(
    of object: any PersistentModel, _ key: RecordKey, _ property: __Property, _ model: SyncModels.Property
  ) throws {
    guard case .inverseMembers(_, let inverse, _) = model.kind else { return }
    let owners = try ModelCells.targets(of: object, property)
    let actual = try owners.map(self.key)
    let remaining = Set(actual)
    let shown = Set(try view.value(model, of: key)?.targets ?? [])
    for (owner, ownerKey) in zip(owners, actual) {
      let entity = type(of: owner).__entity
      guard let end = entity.property(named: inverse.text), let rule = models[WireName(entity.name), inverse] else {
        continue
      }
      if changed.isRepeated(object.persistentModelID, property.name) { note(owner, ownerKey, rule) }
      guard !shown.contains(ownerKey) else { continue }
      try add(key, object, to: ownerKey, owner, end, rule)
    }
    for owner in shown.sorted() where !remaining.contains(owner) && !deleted.contains(owner) {
      guard let rule = try view.property(inverse, of: owner) else { continue }
      for (member, edge) in try edges(of: owner, rule)[key] ?? [] {
        try writeEdge(owner, rule.wire, member, Edge(removed: edge.added))
      }
    }
  }

  // MARK: - Places

  private func note(_ owner: any PersistentModel, _ key: RecordKey, _ rule: SyncModels.Property) {
    if seenLists.insert(ListName(owner: key, property: rule.name)).inserted { lists.append((owner, key, rule)) }
  }

  /// Notes the list at the other end of a relationship.
  func noteInverse(of property: __Property, at target: (any PersistentModel)?) throws {
    guard let target, let rule = inverse(of: property, at: target) else { return }
    note(target, try key(of: target), rule)
  }

  /// The to-many at the other end of a relationship.
  func inverse(of property: __Property, at target: any PersistentModel) -> SyncModels.Property? {
    guard let name = user.schema[property.entityName]?.properties[property.name]?.inverse else { return nil }
    let rule = models[WireName(type(of: target).__entity.name), ExactText(name)]
    switch rule?.kind {
    case .list, .members, .inverseMembers: return rule
    default: return nil
    }
  }

  /// The place of a member that comes to the end of the list at the other end of a relationship.
  func arrive(at target: any PersistentModel, _ key: RecordKey, _ property: __Property) throws -> ExactText {
    guard let rule = inverse(of: property, at: target) else { return ListEnd.place(time, 0) }
    return try arrive(in: ListName(owner: key, property: rule.name), target, key, rule)
  }

  private func arrive(
    in list: ListName, _ owner: any PersistentModel, _ key: RecordKey, _ rule: SyncModels.Property
  ) throws -> ExactText {
    let count = arrivals[list, default: 0]
    arrivals[list] = count + 1
    // The store may have several new members in another order.
    if count > 0 { note(owner, key, rule) }
    return ListEnd.place(time, count)
  }

  /// Gives places to members that are not where their places say.
  private func captureOrder(of owner: any PersistentModel, _ key: RecordKey, _ model: SyncModels.Property) throws {
    guard !owner.isDeleted, let property = type(of: owner).__entity.property(named: model.name.text) else { return }
    let members = try ModelCells.targets(of: owner, property).map(self.key)
    let list = try CapturedList(self, key, model)
    let places = Dictionary(try members.map { ($0, try list.place(of: $0)) }) { first, _ in first }
    var count = 0
    let changes = ListOrder.changes(members, place: { places[$0].flatMap(\.self) }) {
      count += 1
      return ListEnd.place(time, (arrivals[ListName(owner: key, property: model.name)] ?? 0) + count)
    }
    for (member, place) in changes { try list.setPlace(place, of: member) }
  }

  // MARK: - Deletions

  private func delete(_ key: RecordKey) throws {
    try store.setObject(nil, of: key)
    for record in try records(of: key) {
      // An object that came and went since the last capture has no record.
      guard let state = try view.registers(of: record) else { continue }
      var registers = Registers()
      registers.dead = time
      // Detaches members that the program kept although it deleted the owner. Otherwise the view hides them.
      for (property, members) in state.edges {
        for (member, edge) in members where edge.isPresent {
          guard let row = try view.row(showing: RecordKey(record.zone, member)), !deleted.contains(row) else {
            continue
          }
          registers.edges[property, default: [:]][member] = Edge(removed: edge.added)
        }
      }
      for model in models.classes[state.born?.value ?? ""] ?? [] where model.isCascade {
        guard case .toOne = model.kind, let target = state.fields[model.wire]?.value.reference,
          let row = try view.row(showing: RecordKey(record.zone, target.name)), !deleted.contains(row)
        else { continue }
        registers.fields[model.wire] = Stamped(time, .null)
      }
      changes[record] = registers
      let personal = RecordKey(replica.ownZone, record.name.personal)
      if try view.registers(of: personal)?.isHere(replica.ownZone) == true {
        changes[personal] = Registers()
        changes[personal]?.dead = time
        // It stays if the record stays.
        owners[personal] = record
      }
      for child in try view.owned(by: record) {
        if let row = try view.row(showing: child) { try noteOwner(key, of: row) }
      }
    }
    // A cascade also deletes what is in another zone.
    for model in try view.entity(of: key).flatMap({ models.classes[$0] }) ?? [] where model.isCascade {
      guard let value = try view.value(model, of: key) else { continue }
      for child in value.targets + [value.target].compactMap(\.self) { try noteOwner(key, of: child) }
    }
  }

  /// Notes that a cascade deleted a row, if the program deleted it.
  private func noteOwner(_ owner: RecordKey, of row: RecordKey) throws {
    guard row != owner, deleted.contains(row) else { return }
    for member in try view.members(of: row) { owners[member] = owners[member] ?? owner }
  }
}
#endif
