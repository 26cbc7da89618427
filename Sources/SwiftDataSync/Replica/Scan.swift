#if Sync
import Foundation
import SwiftData
import SyncProtocol

extension Replica {
  /// Turns what the program saved since the last scan into transactions that are to be sent.
  /// - Returns: how many transactions it made.
  /// - Throws: an error of the user's store or of the ledger; then what was taken is complete.
  @discardableResult
  func scan() throws -> Int {
    var made = try scanSaves()
    while isScanning { made += try scanNextPart() }
    return made
  }

  /// Whether the program, or another one, saved since the last scan.
  var hasUnseenSaves: Bool {
    guard let seen = ledger.replica.seenTransaction else { return false }
    return (try? user.newestTransaction()).flatMap(\.self).map { $0 != seen } ?? false
  }

  /// Does what ``scan()`` does, but looks at one part only of a store that had objects before it synced, and at none as long as
  /// something is to be sent.
  @discardableResult
  func scanPart() throws -> Int {
    let made = try scanSaves()
    return ledger.pending.isEmpty ? try scanNextPart() : made
  }

  /// Does what ``scan()`` does, but leaves the first scan of a store as it is.
  func scanSaves() throws -> Int {
    // Most exchanges find nothing, and need no transaction.
    if let seen = ledger.replica.seenTransaction, try user.newestTransaction() == seen { return 0 }
    return try transaction(takeSaves)
  }

  private func takeSaves() throws -> Int {
    guard let newest = try user.newestTransaction() else { return try scanEverything(seen: nil) }
    guard let seen = ledger.replica.seenTransaction else {
      guard ledger.isEmpty else { return try scanEverything(seen: newest) }
      ledger.replica.seenTransaction = newest
      ledger.replica.firstScan = FirstScan()
      ledger.replica.knownProperties = user.propertyNames
      return 0
    }
    guard newest != seen else { return 0 }
    guard let saves = try user.saves(after: seen, limit: 1000) else { return try scanEverything(seen: newest) }
    var (made, unsaved) = (0, 0)
    for group in Self.groups(saves) {
      let own = group.filter { !$0.isSync }
      if !own.isEmpty {
        made += try export(own)
        // The first scan would put the members of lists that it has not looked at before these, whatever the order is.
        ledger.replica.firstScan?.hasParts = true
      }
      ledger.replica.seenTransaction = group.last!.number
      unsaved += own.reduce(0) { $0 + $1.count }
      // Few saves, because each has the memory read again, and not one, because the ledger has the records in memory.
      if unsaved > 10_000 {
        try correctExport()
        try ledger.save()
        unsaved = 0
      }
    }
    try correctExport()
    try ledger.save()
    return saves.count == 1000 ? made + (try takeSaves()) : made
  }

  /// Divides saves where no object was changed both before and after. What is read of an object is its newest value, so the
  /// saves that changed it have to travel together.
  private static func groups(_ saves: [UserStore.Save]) -> [[UserStore.Save]] {
    // An object that was only inserted is in one save.
    var last: [PersistentIdentifier: Int] = [:]
    for (index, save) in saves.enumerated() {
      for (object, _) in save.updated { last[object] = index }
      for object in save.deleted { last[object] = index }
    }
    for (index, save) in saves.enumerated() where !last.isEmpty {
      for object in save.inserted { if let other = last[object] { last[object] = max(other, index) } }
    }
    var groups: [[UserStore.Save]] = []
    var (start, reach) = (0, 0)
    for (index, save) in saves.enumerated() {
      reach = max(reach, index)
      if !last.isEmpty { for object in save.all { reach = max(reach, last[object] ?? index) } }
      if reach == index {
        groups.append(Array(saves[start...index]))
        start = index + 1
      }
    }
    return groups
  }

  /// One transaction of what some saves changed.
  private func export(_ saves: [UserStore.Save]) throws -> Int {
    var changed = OrderedChanges()
    for save in saves { changed.add(save) }
    return try export(changed)
  }

  /// - Parameters:
  ///   - limit: how many changes a transaction may have, which is also limited by its size then; nil for one transaction for each zone.
  ///   - isFirst: whether the values are from before the store synced.
  func export(_ changed: OrderedChanges, limit: Int? = nil, isFirst: Bool = false) throws -> Int {
    beginExport()
    let context = user.makeContext()
    let builder = try TransactionBuilder(self, context, changed, isFirst: isFirst)
    var made = 0
    for (zone, changes) in try builder.build() where !changes.isEmpty {
      let parts = try limit.map { Self.parts(of: changes, limit: $0) } ?? [shrink(changes)[...]]
      for part in parts { try ledger.append(makeTransaction(Array(part)), zone: zone) }
      made += parts.count
    }
    return made
  }

  /// Compares all objects with the ledger: the first time, and where there is no history.
  private func scanEverything(seen: Int64?) throws -> Int {
    var changed = OrderedChanges()
    let context = user.makeContext()
    let isFirst = ledger.isEmpty
    let (properties, shown) = (user.propertyNames, ledger.replica.knownProperties)
    for entity in user.entities.values.sorted(by: { $0.name < $1.name }) {
      // Properties that the store has since a moment ago do not have their values yet.
      let only = shown[entity.name].flatMap { $0 == properties[entity.name] ? nil : Set($0) }
      let objects = try ModelCells.identifiers(of: entity, in: context)
      let known = try ledger.objects(of: entity.name)
      let alive = Set(objects.map(UserStore.text))
      let names = Set(known.map(\.object))
      for object in objects {
        if names.contains(UserStore.text(object)) { changed.update(object, only) } else { changed.insert(object) }
      }
      for (_, object) in known where !alive.contains(object) {
        if let identifier = user.identifier(object) { changed.delete(identifier) }
      }
    }
    // No save says which objects belong together, so that a large store travels in parts.
    let made = try export(changed, limit: 1000, isFirst: isFirst)
    ledger.replica.seenTransaction = seen
    ledger.replica.firstScan = nil
    if shown.isEmpty { ledger.replica.knownProperties = properties }
    try correctExport()
    try ledger.save()
    return made
  }
}

/// What several saves did, by object.
struct OrderedChanges {
  private(set) var inserted: [PersistentIdentifier] = []
  private(set) var updated: [PersistentIdentifier: Set<String>?] = [:]
  private(set) var updateOrder: [PersistentIdentifier] = []
  private(set) var deleted: [PersistentIdentifier] = []
  private var insertedSet: Set<PersistentIdentifier> = []
  /// The properties that several saves changed.
  private var repeated: [PersistentIdentifier: Set<String>] = [:]

  /// Whether several saves changed a property, so that what they did may be more than what is left of it.
  func isRepeated(_ object: PersistentIdentifier, _ property: String) -> Bool {
    repeated[object]?.contains(property) == true
  }

  func isInserted(_ object: PersistentIdentifier) -> Bool { insertedSet.contains(object) }

  mutating func add(_ save: UserStore.Save) {
    insertedSet.reserveCapacity(insertedSet.count + save.inserted.count)
    for object in save.inserted { insert(object) }
    for (object, names) in save.updated { update(object, names) }
    for object in save.deleted { delete(object) }
  }

  mutating func insert(_ object: PersistentIdentifier) {
    if updated[object] == nil, insertedSet.insert(object).inserted { inserted.append(object) }
  }

  /// - Parameter names: the properties; nil is all.
  mutating func update(_ object: PersistentIdentifier, _ names: Set<String>?) {
    if let old = updated[object] {
      if let both = old.flatMap({ names?.intersection($0) }), !both.isEmpty {
        repeated[object, default: []].formUnion(both)
      }
      updated[object] = .some(names.flatMap { names in old.map { $0.union(names) } })
    } else {
      updated[object] = .some(names)
      updateOrder.append(object)
    }
  }

  mutating func delete(_ object: PersistentIdentifier) { deleted.append(object) }
}

extension UserStore {
  /// The names of all synced properties, by entity.
  var propertyNames: [String: [String]] { schema.entities.mapValues { $0.properties.keys.sorted() } }
}
#endif
