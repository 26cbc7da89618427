#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

extension ZoneReplica {
  /// How many changes of the program a transaction may get from several saves.
  private static let batchSize = 1000
  /// How many objects a part of the first scan has.
  private static let partSize = 1000
  /// How many objects have their lists compared at once, with all members.
  private static let listsSize = 10

  /// Makes transactions of what the program saved since the last capture.
  /// - Throws: an error of the store; then nothing was captured.
  func capture() throws {
    try captureSaves()
    while isScanning, knownOwnZone != nil { try scanNextPart() }
  }

  /// Does what ``capture()`` does, but looks at one part only of a store that had objects before it synced, and at none as long as
  /// something is to be sent.
  func capturePart() throws {
    try captureSaves()
    if outbox.isEmpty { try scanNextPart() }
  }

  /// Does what ``capture()`` does, but leaves the first scan of a store as it is.
  func captureSaves() throws {
    // Records are in the account's own zone, which the server names.
    guard knownOwnZone != nil else { return }
    // Most exchanges find nothing, and need no transaction.
    if let seen = store.replica.seenTransaction, try user.newestTransaction() == seen { return }
    try transaction { try takeSaves() }
  }

  /// Whether the program, or another one, saved since the last capture.
  var hasUnseenSaves: Bool {
    guard let seen = store.replica.seenTransaction else { return false }
    return (try? user.newestTransaction()).flatMap(\.self).map { $0 != seen } ?? false
  }

  /// Whether the store has saves that were not captured.
  /// - Throws: an error of the store.
  var isBehindStore: Bool {
    get throws { try user.newestTransaction().map { $0 > store.replica.seenTransaction ?? 0 } ?? false }
  }

  private func takeSaves() throws {
    guard let newest = try user.newestTransaction() else { return try scanEverything(seen: nil) }
    guard var position = store.replica.seenTransaction else { return try scanEverything(seen: newest) }
    var saves: [UserStore.Save] = []
    while position < newest {
      guard let part = try user.saves(after: position, limit: 1000), let last = part.last else {
        return try scanEverything(seen: newest)
      }
      saves += part.filter { !$0.isSync }
      position = last.number
    }
    store.replica.seenTransaction = position
    for (index, batch) in Self.batches(saves).enumerated() {
      // A look-up in a small dictionary is faster, because more of it is in the processor's cache.
      if index > 0 { try store.flush() }
      var changed = OrderedChanges()
      for save in batch { changed.add(save) }
      // Rows that are written between two batches would lose what the later one has.
      // The exchange that made a decision sends it.
      try capture(changed, at: tick(), isOfProgram: !batch.contains(where: \.isDecision), isWriting: false)
      // The first scan would put the members of lists that it has not looked at before these, whatever the order is.
      store.replica.firstScan?.hasParts = true
    }
    try writeRows()
  }

  /// Divides saves where no object was changed both before and after. The capture reads the newest value of an object, so the
  /// saves that changed the object travel together.
  private static func batches(_ saves: [UserStore.Save]) -> [[UserStore.Save]] {
    var last: [PersistentIdentifier: Int] = [:]
    for (index, save) in saves.enumerated() { for object in save.all { last[object] = index } }
    var batches: [[UserStore.Save]] = []
    var (start, reach, size) = (0, 0, 0)
    for (index, save) in saves.enumerated() {
      reach = max(reach, index)
      for object in save.all { reach = max(reach, last[object] ?? index) }
      size += save.count
      guard reach == index, size >= batchSize || index == saves.count - 1 else { continue }
      batches.append(Array(saves[start...index]))
      (start, size) = (index + 1, 0)
    }
    return batches
  }

  /// Makes transactions of changes of the program.
  /// - Parameters:
  ///   - isScan: whether no save says which changes belong together. A large scan travels in parts.
  ///   - isOfProgram: whether the program saved the changes since the last capture. During a push they wait for the next one.
  private func capture(
    _ changed: OrderedChanges, at time: HybridTime, isScan: Bool = false, isOfProgram: Bool, isWriting: Bool = true
  ) throws {
    let transactions: [LocalTransaction]
    let saved: [RecordKey: Set<ExactText>?]
    do {
      // The replica must not keep values that it read before the change.
      let capture = StoreCapture(self, changed, rows, at: time, isScan: isScan)
      saved = try capture.run()
      let parts = isScan ? TransactionSize.parts(of: capture.changes) : try parts(ofSave: capture.changes)
      transactions = parts.filter { !$0.isEmpty }.map { part in
        var transaction = makeTransaction(time, part)
        transaction.owners = capture.owners.filter { part[$0.key] != nil }
        return transaction
      }
    }
    if isOfProgram { savesDuringPush?.formUnion(transactions.map(\.id)) }
    try update(appended: transactions, saved: saved, isWriting: isWriting)
  }

  /// Moves a row with all that it owns into the zone of a share.
  ///
  /// A move that is too large for one request is several transactions. Owned objects go first, so that each object goes with all that it
  /// still owns, and the rest of a move that was interrupted is a move of the same row.
  /// - Parameters:
  ///   - limit: the most objects of a transaction. Each is written in both zones.
  ///   - size: the most bytes of a transaction, roughly.
  /// - Throws: an error of the store.
  func move(
    _ row: RecordKey, to zone: ZoneName, objects limit: Int = TransactionSize.records / 2,
    bytes size: Int = TransactionSize.request
  ) throws {
    try transaction {
      try capture()
      let time = tick()
      let parts = try partsOfMove(row, objects: limit, bytes: size)
      try update(
        appended: parts.map { part in
          var transaction = makeTransaction(time, [:])
          transaction.moves = part.map { LocalTransaction.Move($0, to: zone) }
          return transaction
        })
    }
  }

  private func partsOfMove(_ row: RecordKey, objects limit: Int, bytes size: Int) throws -> [[RecordKey]] {
    let view = rows
    var (found, work, seen) = ([RecordKey](), [row], Set([row]))
    while let key = work.popLast() {
      found.append(key)
      let others = try view.owned(by: key).union(view.members(of: key)).sorted()
      for other in others where seen.insert(other).inserted { work.append(other) }
    }
    var (parts, part, filled) = ([[RecordKey]](), [RecordKey](), 0)
    for key in found.reversed() {
      let added = try view.registers(of: key)?.roughSize ?? 0
      if !part.isEmpty, part.count == limit || filled + added > size {
        parts.append(part)
        (part, filled) = ([], 0)
      }
      part.append(key)
      filled += added
    }
    return parts.isEmpty ? [[row]] : parts + [part]
  }

  // MARK: - Scans

  /// Whether objects are left that the first scan has not looked at.
  var isScanning: Bool { store.replica.firstScan != nil }

  /// Notes that all objects of the store are from before the sync. The history has all later saves of the program.
  func beginFirstScan() throws {
    store.replica.seenTransaction = try user.newestTransaction()
    // The first save after this one would count twice, as a save and as an object from before the sync.
    if try store.replica.seenTransaction != nil && !user.hasObjects() { return noteAllShown() }
    store.replica.firstScan = FirstScan()
  }

  /// Looks at the next part of the store.
  /// - Throws: an error of the store; then nothing was captured.
  func scanNextPart() throws {
    guard isScanning, knownOwnZone != nil else { return }
    try transaction {
      try captureSaves()
      guard var position = store.replica.firstScan else { return }
      var changed = OrderedChanges()
      // The collected objects belong to the pass that begins here.
      let time = position.isOrdering ? tick() : tick().beforeSync
      let isLeft = try collect(&changed, &position)
      try capture(changed, at: time, isScan: true, isOfProgram: false)
      store.replica.firstScan = isLeft ? position : nil
      if !isLeft { try showAll() }
    }
  }

  /// Takes the objects that follow a position, and moves the position past them.
  /// - Returns: whether there may be more.
  private func collect(_ changed: inout OrderedChanges, _ position: inout FirstScan) throws -> Bool {
    let context = user.makeContext()
    var room = position.isOrdering ? Self.listsSize : Self.partSize
    while let name = nextClass(position), let entity = user.entities[name] {
      let found = try ModelCells.identifiers(of: entity, after: position.last, limit: room, in: context)
      let lists = Set(user.schema[name]?.lists.map(\.name) ?? [])
      for object in found where object.entityName == name {
        if position.isOrdering { changed.update(object, lists) } else { changed.insert(object) }
      }
      (position.entity, position.last) = (name, found.count < room ? nil : found.last)
      room -= found.count
      if room == 0 {
        position.hasParts = true
        return true
      }
    }
    guard position.hasParts, !position.isOrdering else { return false }
    position = FirstScan(hasParts: true, isOrdering: true)
    return true
  }

  /// The class of the objects at a position; nil at the end.
  private func nextClass(_ position: FirstScan) -> String? {
    user.entities.keys.filter { name in
      guard !position.isOrdering || user.schema[name]?.lists.isEmpty == false else { return false }
      guard let current = position.entity else { return true }
      return position.last == nil ? name > current : name >= current
    }.min()
  }

  /// Compares all objects with the rows: where there is no history, or not all of it any more.
  private func scanEverything(seen: Int64?) throws {
    var changed = OrderedChanges()
    let context = user.makeContext()
    let (properties, shown) = (user.propertyNames, store.replica.shownProperties ?? [:])
    let known = try allObjects()
    let isFirst = known.isEmpty && isScanning
    var alive = Set<String>()
    for entity in user.entities.values.sorted(by: { $0.name < $1.name }) {
      // Properties that the store has since a moment ago do not have their values yet.
      let only = shown[entity.name].flatMap { $0 == properties[entity.name] ? nil : Set($0) }
      for object in try ModelCells.identifiers(of: entity, in: context) {
        let text = UserStore.text(object)
        alive.insert(text)
        if known.contains(text) { changed.update(object, only) } else { changed.insert(object) }
      }
    }
    for object in known.subtracting(alive).sorted() {
      if let identifier = user.identifier(object) { changed.delete(identifier) }
    }
    let time = isFirst ? tick().beforeSync : tick()
    store.replica.firstScan = nil
    store.replica.seenTransaction = seen
    try capture(changed, at: time, isScan: true, isOfProgram: true)
  }
}
#endif
