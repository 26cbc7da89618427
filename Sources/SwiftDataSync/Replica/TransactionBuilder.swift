#if Sync
import Foundation
import SwiftData
import SyncProtocol

/// Makes transactions of what the program changed: what differs from the view, object by object.
///
/// It shows each change in the view at once, so that a relationship that is seen from both ends is exported once.
final class TransactionBuilder {
  private let replica: Replica
  private let context: ModelContext
  private let changed: OrderedChanges
  /// Reads attributes.
  private let writer = ValueWriter()
  /// The moment of all writes of the transaction: of two transactions that write the same fields, one wins all of them.
  private let time: HybridTime
  /// The names of objects that others may lead to.
  private var names: [PersistentIdentifier: RecordName] = [:]
  private var changes: [RecordChange] = []
  /// The records that no transaction had before.
  private var newRecords: Set<RecordName> = []
  /// Lists whose order is to be compared: owner and property.
  private var lists: [(owner: any PersistentModel, property: __Property)] = []
  private var seenLists: Set<RecordState.Reference> = []
  /// How many members came to the end of lists.
  private var arrivals: [RecordState.Reference: Int] = [:]
  /// Records that a to-one led to which may lead to one record only. Another one that leads there, and lost, has them now.
  private var released: [(property: SyncSchema.Property, target: RecordName)] = []

  /// Whether the values are from before the store synced.
  private let isFirst: Bool

  /// - Parameter isFirst: whether the values are from before the store synced. Then they are older than all changes that replicas made.
  init(_ replica: Replica, _ context: ModelContext, _ changed: OrderedChanges, isFirst: Bool) throws {
    (self.replica, self.context, self.changed, self.isFirst) = (replica, context, changed, isFirst)
    time = isFirst ? replica.tick().beforeSync : replica.tick()
  }

  private func tick() -> HybridTime { isFirst ? replica.tick().beforeSync : replica.tick() }

  /// The moment of a write that follows another one. If this replica made the other one since its store synced, a moment from before
  /// the sync would lose to it.
  private func tick(after former: HybridTime?) -> HybridTime {
    let moment = tick()
    guard let former, former > moment, ledger.replica.isOwn(former.replica) else { return moment }
    return replica.tick()
  }

  private var view: Fold { replica.view }
  private var ledger: Ledger { replica.ledger }
  private var schema: SyncSchema { replica.user.schema }

  /// - Returns: changes by zone.
  func build() throws -> [(zone: String, changes: [RecordChange])] {
    let (gone, deletions) = (Set(changed.deleted), view.deleted.count)
    // By age, whatever the class: so the store orders the members of a list that have no place in it.
    let inserted = changed.inserted.sorted { ($0.key ?? 0) < ($1.key ?? 0) }
    let updated = changed.updateOrder.filter { !changed.isInserted($0) }
    let ours = (inserted + updated).filter { !gone.contains($0) && replica.user.entities[$0.entityName] != nil }
    let found = zip(ours, try ModelCells.objects(at: ours, in: context)).compactMap { identifier, object in
      object.map { (identifier: identifier, object: $0) }
    }
    let names = try name(found.map(\.identifier))
    if schema.hasReferences { try nameTargets(of: found.map(\.object)) }
    for (name, (identifier, object)) in zip(names, found) {
      let state = try view.state(name)
      let isKnown = state?.isAlive ?? false
      let only = !isKnown || changed.isInserted(identifier) ? nil : changed.updated[identifier] ?? nil
      try export(object, name, state, only: only, isNew: !isKnown)
    }
    for list in lists { try exportOrder(of: list.owner, list.property) }
    try exportDeletions()
    for (property, target) in released { try exportLosers(of: target, property) }
    try ledger.prefetchUniques(changes, schema)
    try view.mergeChanged()
    try replica.noteTaken(view.deleted[deletions...])
    return try replica.distribute(changes, new: newRecords)
  }

  // MARK: - Names

  /// The names of objects, which get new ones if they have none.
  @discardableResult
  private func name(_ identifiers: [PersistentIdentifier]) throws -> [RecordName] {
    // Inserted objects may have names, too: an object that was exported before may lead to one of a later save.
    let texts = identifiers.map(UserStore.text)
    return try zip(zip(identifiers, texts), try ledger.names(of: texts)).map { object, known in
      let (identifier, text) = object
      if let name = names[identifier] { return name }
      let name = try known.map(view.resolve) ?? replica.makeName()
      if schema.hasReferences { names[identifier] = name }
      if known == nil { try ledger.addObject(text, of: name, identifier.entityName) }
      return name
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
    try name(targets.filter { names[$0] == nil })
  }

  /// Whether a to-many did not change, so that it need not be read.
  private func isLeftOut(_ object: any PersistentModel, _ property: __Property) -> Bool {
    guard case .some(.some(let only)) = changed.updated[object.persistentModelID] else { return false }
    return !only.contains(property.name) && !changed.isInserted(object.persistentModelID)
  }

  private func name(of object: any PersistentModel) throws -> RecordName {
    let identifier = object.persistentModelID
    return try names[identifier] ?? name([identifier])[0]
  }

  // MARK: - Objects

  /// - Parameter only: the properties that changed; nil is all.
  private func export(
    _ object: any PersistentModel, _ name: RecordName, _ state: RecordState?, only: Set<String>?, isNew: Bool
  ) throws {
    let entity = type(of: object).__entity
    guard let rules = schema[entity.name], let properties = replica.user.properties[entity.name] else { return }
    var change = RecordChange(name, entity.name)
    change.fields.reserveCapacity(properties.count)
    // Most classes have no personal attributes, and the name of such a record is a text to make.
    var personal: RecordChange?
    var personalState: RecordState?
    if rules.hasPersonal {
      personal = RecordChange(name.personal, SyncSchema.personal(entity.name))
      personalState = try view.state(name.personal)
    }
    let held = try ledger.held(name)
    for (property, rule) in properties where only?.contains(property.name) ?? true {
      switch rule.kind {
      case .attribute(let isSealed) where rule.isPersonal:
        // A default value need not travel: the account's other devices have it already.
        let (base, held) = (personalState?.fields[property.name], held[property.name])
        try write(object, property, isSealed: isSealed, over: base, held: held, isNew: false, to: &personal!)
      case .attribute(let isSealed):
        let (base, held) = (state?.fields[property.name], held[property.name])
        try write(object, property, isSealed: isSealed, over: base, held: held, isNew: isNew, to: &change)
      case .reference: try write(reference: property, rule, of: object, isNew: isNew, to: &change)
      case .derivedReference: try exportHolder(of: object, property, rule)
      case .members, .derivedFromReference, .derivedFromMembers: note(object, name, property)
      }
    }
    if isNew && state == nil { newRecords.insert(name) }
    if isNew || !change.isEmpty { try emit(change) }
    if let personal, !personal.isEmpty { try emit(personal) }
    for (property, rule) in properties where property.isToMany && only?.contains(property.name) ?? true {
      if rule.kind == .members { try exportMembers(of: object, property, rule, name) }
      if rule.kind == .derivedFromMembers { try exportOwners(of: object, property, rule, name) }
    }
  }

  private func note(_ owner: any PersistentModel, _ name: RecordName, _ property: __Property) {
    if seenLists.insert(.init(property.name, name)).inserted { lists.append((owner, property)) }
  }

  private func write(
    _ object: any PersistentModel, _ property: __Property, isSealed: Bool, over base: RecordState.Field?,
    held: FieldValue?, isNew: Bool, to change: inout RecordChange
  ) throws {
    let keepAsset: (String, Data) throws -> Void = { try self.ledger.keepAsset($0, $1, isOutgoing: true) }
    if isSealed {
      try writeSealed(object, property, over: base, held: held, to: &change)
      return
    }
    let cell = try ModelCells.cell(of: object, property, writer: writer)
    let value = try UserStore.value(cell) { _, _ in }
    guard value != held, !value.isSame(as: base?.value) else { return }
    // A value that was never written is what the declaration says, on every replica.
    if base == nil, value == .null, property.defaultValue == nil { return }
    if base == nil, !isNew, try isDefault(value, property) { return }
    if case .asset = value { _ = try UserStore.value(cell, asset: keepAsset) }
    if held != nil { try release(property.name, of: change.record) }
    change.fields[property.name] = FieldWrite(value, time, over: base?.time)
  }

  /// An encrypted value travels in its record, also a large one: the bytes of an asset are not encrypted.
  private func writeSealed(
    _ object: any PersistentModel, _ property: __Property, over base: RecordState.Field?, held: FieldValue?,
    to change: inout RecordChange
  ) throws {
    let cell = try ModelCells.cell(of: object, property)
    if let held, try UserStore.value(cell, asset: { _, _ in }) == held { return }
    let plain = UserStore.inlineValue(cell)
    if base == nil, plain == .null { return }
    if case .sealed(let data)? = base?.value,
      replica.open(data, of: change.record, change.entity, property.name) == plain
    {
      return
    }
    guard let sealed = try replica.seal(plain, of: change.record, property.name) else { return }
    if held != nil { try release(property.name, of: change.record) }
    change.fields[property.name] = FieldWrite(sealed, time, over: base?.time)
  }

  /// The program gave a property another value than the one that stood in for what cannot be shown.
  private func release(_ property: String, of record: RecordName) throws {
    // What stands in is noted at the object's own record, also for a property that is one account's.
    let record = record.subject ?? record
    var rest = try ledger.held(record)
    rest[property] = nil
    try ledger.setHeld(rest, of: record)
  }

  private func isDefault(_ value: FieldValue, _ property: __Property) throws -> Bool {
    try UserStore.value(UserStore.defaultCell(of: property)) { _, _ in } == value
  }

  private func write(
    reference property: __Property, _ rule: SyncSchema.Property, of object: any PersistentModel, isNew: Bool,
    to change: inout RecordChange
  ) throws {
    let target = try ModelCells.targets(of: object, property).first
    let name = try target.map(name)
    let state = try view.state(change.record)
    let base = state?.fields[property.name]
    // A source that lost its target to another one leads there still, if nothing says otherwise.
    let isLost = try name == nil && state?.target(property.name).map(view.isAlive) ?? false
    guard try view.effectiveTarget(of: change.record, rule) != name || isLost else {
      if changed.isRepeated(object.persistentModelID, property.name) { try noteInverse(of: rule, at: target) }
      return
    }
    if let state { noteReleased(by: state, rule) }
    change.fields[property.name] = FieldWrite(name.map { .record($0) } ?? .null, time, over: base?.time)
    guard let target, let inverse = schema.inverse(of: rule), inverse.kind == .derivedFromReference else { return }
    // It comes to the end of its new list, unless the list says otherwise.
    let place = SyncSchema.place(of: property.name)
    let moment = tick()
    change.fields[place] = FieldWrite(
      .text(ListPlaces.end(moment)), moment, over: try view.state(change.record)?.fields[place]?.time)
    if !isNew { try noteInverse(of: rule, at: target) }
  }

  /// Notes the list at the other end of a relationship.
  private func noteInverse(of rule: SyncSchema.Property, at target: (any PersistentModel)?) throws {
    guard let target, let inverse = rule.inverse, let list = type(of: target).__entity.property(named: inverse),
      list.isToMany
    else { return }
    note(target, try name(of: target), list)
  }

  /// Notes a list to whose end several members came: the store may have them in another order.
  private func noteArrival(of rule: SyncSchema.Property, at target: any PersistentModel) throws {
    guard let inverse = rule.inverse else { return }
    let list = RecordState.Reference(inverse, try name(of: target))
    arrivals[list, default: 0] += 1
    if arrivals[list]! > 1 { try noteInverse(of: rule, at: target) }
  }

  /// The end of a one-to-one that holds nothing: the other end is compared.
  private func exportHolder(of object: any PersistentModel, _ property: __Property, _ rule: SyncSchema.Property) throws
  {
    guard let inverse = rule.inverse else { return }
    let name = try name(of: object)
    var holders = try ModelCells.targets(of: object, property)
    for source in try view.sources(of: name, rule) {
      guard let text = try ledger.object(of: source), let identifier = replica.user.identifier(text) else {
        continue
      }
      holders += try ModelCells.objects([identifier], in: context).values.filter { !$0.isDeleted }
    }
    for holder in holders {
      let entity = type(of: holder).__entity
      guard let end = entity.property(named: inverse), let rule = schema[entity.name]?.properties[inverse] else {
        continue
      }
      var change = RecordChange(try self.name(of: holder), entity.name)
      // A new one is exported with all that it has.
      guard try view.state(change.record) != nil else { continue }
      try write(reference: end, rule, of: holder, isNew: false, to: &change)
      if !change.isEmpty { try emit(change) }
    }
  }

  private func noteReleased(by state: RecordState, _ rule: SyncSchema.Property) {
    if rule.isExclusive, let target = state.target(rule.name) { released.append((rule, target)) }
  }

  /// The object that lost a target to another one does not get it back when that one gives it up: the program saw it without.
  private func exportLosers(of target: RecordName, _ rule: SyncSchema.Property) throws {
    guard try view.isAlive(target), let inverse = schema.inverse(of: rule) else { return }
    for source in try view.sources(of: target, inverse) where try view.effectiveTarget(of: source, rule) == target {
      guard let text = try ledger.object(of: source), let identifier = replica.user.identifier(text),
        let object = try ModelCells.objects([identifier], in: context)[identifier],
        let property = type(of: object).__entity.property(named: rule.name)
      else { continue }
      var change = RecordChange(source, type(of: object).__entity.name)
      try write(reference: property, rule, of: object, isNew: false, to: &change)
      if !change.isEmpty { try emit(change) }
    }
  }

  // MARK: - To-manys

  private func exportMembers(
    of object: any PersistentModel, _ property: __Property, _ rule: SyncSchema.Property, _ name: RecordName
  ) throws {
    let targets = try ModelCells.targets(of: object, property)
    let actual = try targets.map(self.name)
    let base = try view.state(name)?.members[property.name] ?? [:]
    let isRepeated = changed.isRepeated(object.persistentModelID, property.name)
    var writes: [RecordName: MemberWrite] = [:]
    for (target, member) in zip(targets, actual) {
      if isRepeated { try noteInverse(of: rule, at: target) }
      guard base[member] == nil else { continue }
      writes[member] = added(place: true)
      try noteArrival(of: rule, at: target)
    }
    let kept = Set(actual)
    for (member, entry) in base where try !kept.contains(member) && view.isAlive(member) {
      var write = MemberWrite()
      write.remove = entry.tags.sorted()
      writes[member] = write
    }
    guard !writes.isEmpty else { return }
    var change = RecordChange(name, type(of: object).__entity.name)
    change.members = [property.name: writes]
    try emit(change)
  }

  private func added(place isPlaced: Bool) -> MemberWrite {
    var write = MemberWrite()
    write.add = time
    let moment = tick()
    write.place = FieldWrite(.text(ListPlaces.end(moment)), moment, over: nil)
    write.inversePlace = write.place
    return write
  }

  /// The end of a many-to-many that holds nothing: the sets of the owners are compared.
  private func exportOwners(
    of object: any PersistentModel, _ property: __Property, _ rule: SyncSchema.Property, _ name: RecordName
  ) throws {
    guard let inverse = rule.inverse else { return }
    let owners = try ModelCells.targets(of: object, property)
    let actual = try owners.map(self.name)
    let base = try view.sources(of: name, rule)
    let isRepeated = changed.isRepeated(object.persistentModelID, property.name)
    for (owner, ownerName) in zip(owners, actual) {
      if isRepeated { try noteInverse(of: rule, at: owner) }
      guard !base.contains(ownerName) else { continue }
      try noteArrival(of: rule, at: owner)
      var change = RecordChange(ownerName, type(of: owner).__entity.name)
      change.members = [inverse: [name: added(place: true)]]
      try emit(change)
    }
    for owner in base where !actual.contains(owner) {
      guard let state = try view.state(owner), let entry = state.members[inverse]?[name] else { continue }
      var change = RecordChange(owner, state.entity)
      var write = MemberWrite()
      write.remove = entry.tags.sorted()
      change.members = [inverse: [name: write]]
      try emit(change)
    }
  }

  /// Gives places to members that are not where their places say.
  private func exportOrder(of owner: any PersistentModel, _ property: __Property) throws {
    let name = try name(of: owner)
    guard !owner.isDeleted, let rule = schema[type(of: owner).__entity.name]?.properties[property.name] else { return }
    let members = try ModelCells.targets(of: owner, property).map(self.name)
    let list = try ListView(view, name, rule, isProgram: true)
    for (member, place) in ListPlaces.changes(members, place: { list.places[$0]?.place }, tick: replica.tick) {
      guard let old = list.places[member] else { continue }
      let write = FieldWrite(.text(place), tick(after: old.time), over: old.time)
      try emit(list.change(of: member, place: write, view))
    }
  }

  // MARK: - Deletions

  private func exportDeletions() throws {
    let names = try ledger.names(of: changed.deleted.map(UserStore.text))
    let kept = try replica.goneWithUndeletable(try names.compactMap { try $0.map(view.resolve) })
    for (identifier, known) in zip(changed.deleted, names) {
      guard let known else { continue }
      let name = try view.resolve(known)
      try ledger.setObject(nil, of: known, identifier.entityName, zone: SyncWire.privateZone)
      if kept.contains(name) { ledger.replica.noteToShow(name) }
      guard !kept.contains(name), let state = try view.state(name), state.isAlive else { continue }
      for rule in schema[state.entity]?.properties.values.map(\.self) ?? [] where rule.kind == .reference {
        noteReleased(by: state, rule)
      }
      try emit(deletion(of: name, state))
      if schema[state.entity]?.hasPersonal == true, let personal = try view.state(name.personal), personal.isAlive {
        try emit(deletion(of: name.personal, personal))
      }
    }
  }

  private func deletion(of name: RecordName, _ state: RecordState) -> RecordChange {
    RecordChange(deleting: name, state.entity, at: time, seen: state.fields.lazy.map(\.value.time))
  }

  private func emit(_ change: RecordChange) throws {
    changes.append(change)
    try replica.show(change)
  }
}
#endif
