import Foundation
import SwiftData
import SyncProtocol
import UntrustedInput

// Appending transactions to the logs of their zones.

extension ZoneStore {
  /// The largest number of concurrent entries of a zone that a push is compared with, and their largest size in bytes. A client that is
  /// further behind has to pull first.
  private static let concurrent = (count: 10_000, bytes: Int64(16 << 20))

  /// The records that entries after a client's cursor moved, and those that they wrote or led to.
  private struct ConcurrentNames {
    var moved: Set<RecordName>
    /// Nil until a transaction moves a record of the zone.
    var named: Set<RecordName>?
  }

  /// A push on its way: what its transactions need of the store.
  private struct Push {
    let account: String
    let cursor: Int64
    let time: Int64
    /// The commits of the client's own transactions that precede the next one. They do not count as concurrent.
    var own: Set<Int64>
    let context: ModelContext
    let head: LogHead
    var access: [ZoneName: Access] = [:]
    /// The zones that exist, by their keys.
    var zones: [String: ServerZone] = [:]
    var concurrent: [ZoneName: ConcurrentNames] = [:]
    /// The prefixes of the assets' keys in the zones that the account may read.
    var readable: [String]?
    /// The keys of the zones that the push changed.
    var changed = Set<String>()
  }

  /// Appends transactions, each to the logs of all of its zones or to none. The first refused one ends the push.
  /// - Returns: the answer, and the keys of the zones that changed.
  func push(_ request: SyncLog.PushRequest, account: String) throws -> (
    response: SyncLog.PushResponse, zones: Set<String>
  ) {
    guard request.before.count + request.transactions.count <= limits.transactions else {
      throw SyncFailure(
        .tooLarge, "a push may name \(limits.transactions) transactions; send fewer in one request")
    }
    let time = now()
    let problems = request.transactions.map { problem($0, time) }
    try noticeRestore()
    let (response, changed, newest) = try transaction { context in
      let head = try head(context)
      let identities = request.before + request.transactions.map(\.id)
      var known = try commits(of: identities, account: account, context)
      var push = Push(
        account: account, cursor: request.cursor.clamped(to: 0...head.commit), time: time,
        own: Set(request.before.compactMap { known[$0] }), context: context, head: head)
      var refusal: SyncFailure?
      var taken = 0
      for (transaction, problem) in zip(request.transactions, problems) {
        if let commit = known[transaction.id] {
          push.own.insert(commit)
        } else {
          refusal = try problem ?? behind(request, head, known) ?? append(transaction, &push)
          if refusal != nil { break }
          // A request may have a transaction twice.
          known[transaction.id] = head.commit
        }
        taken += 1
      }
      return (SyncLog.PushResponse(taken: taken, refusal: refusal, time: time), push.changed, head.commit)
    }
    newestCommit = max(newestCommit, newest)
    return (response, changed)
  }

  /// Returns why the client has to pull before it pushes.
  private func behind(_ request: SyncLog.PushRequest, _ head: LogHead, _ known: [UUID: Int64]) throws -> SyncFailure? {
    guard request.epoch == head.epoch, request.cursor.value(in: 0...head.commit) != nil else {
      return SyncFailure(.behind, "the server was started again since the client pulled; pull, then push again")
    }
    guard request.before.allSatisfy({ known[$0] != nil }) else {
      return SyncFailure(
        .behind, "the log lacks a transaction that precedes this one; pull, then push all transactions again")
    }
    return nil
  }

  /// Appends a transaction to the logs of all of its zones.
  /// - Returns: the reason why it was not appended.
  private func append(_ transaction: SyncLog.Transaction, _ push: inout Push) throws -> SyncFailure? {
    for (zone, part) in transaction.parts.sorted(by: { $0.key < $1.key }) {
      if let refusal = try checkAccess(zone, &push) { return refusal }
      if let refusal = try checkMoves(part, zone, &push) { return refusal }
    }
    var links: [AssetLink] = []
    var sizes: [String: Int64] = [:]
    let bytes = transaction.encodedParts
    for (zone, part) in transaction.parts {
      guard let access = push.access[zone] else { continue }
      if let refusal = try checkAssets(
        part, in: access.key, of: push.account, readable: &push.readable, &links, push.context)
      {
        return refusal
      }
      sizes[access.key] =
        Int64(bytes[zone]?.count ?? 0) + links.filter { $0.zone == access.key }.reduce(0) { $0 + $1.growth }
    }
    for (key, size) in sizes {
      let used = push.zones[key]?.size ?? 0
      guard used + size <= limits.zoneSize else { return quotaExceeded(key, used + size) }
    }
    push.head.commit += 1
    push.own.insert(push.head.commit)
    push.context.insert(
      LogTransaction(
        account: push.account, identity: transaction.id, commit: push.head.commit, time: push.time))
    for (zone, bytes) in bytes {
      guard let access = push.access[zone] else { continue }
      let moves = transaction.parts[zone]?.values.contains { $0.home != nil } ?? false
      let stored = push.zones[access.key] ?? insertZone(access, push.context)
      push.zones[access.key] = stored
      append(bytes, moves: moves, to: stored, push.head.commit, push.time, push.context)
      push.changed.insert(access.key)
    }
    for link in links { try make(link, push.time, push.context) }
    return nil
  }

  /// Appends the part of an entry to the log of a zone.
  func append(
    _ bytes: Data, moves: Bool, to zone: ServerZone, _ commit: Int64, _ time: Int64, _ context: ModelContext
  ) {
    zone.latest = commit
    zone.size += Int64(bytes.count)
    zone.logSize += Int64(bytes.count)
    context.insert(LogPart(zone: zone.key, commit: commit, time: time, moves: moves, bytes: bytes))
  }

  private func quotaExceeded(_ key: String, _ size: Int64) -> SyncFailure {
    SyncFailure(
      .quotaExceeded,
      "the zone would have \(size) bytes, and its quota is \(limits.zoneSize) bytes. Deleted and replaced values count until the server"
        + " folds its log, after \(Self.days(limits.retention)). For more room, ask the operator of the server for a larger --quota"
    )
  }

  // MARK: - Checks without the store

  /// Returns what is wrong with a transaction itself.
  private func problem(_ transaction: SyncLog.Transaction, _ time: Int64) -> SyncFailure? {
    let records = transaction.parts.values.reduce(0) { $0 + $1.count }
    guard records <= limits.changes else {
      return SyncFailure(
        .tooLarge, "a transaction may write \(limits.changes) records; change fewer objects in one save")
    }
    for (zone, part) in transaction.parts {
      guard Self.isValidText(zone.text, 1...256) else {
        return SyncFailure(.invalid, "the name of a zone has at most 256 bytes and no U+0000")
      }
      for (name, registers) in part {
        guard Self.hasValidNames(name, registers) else {
          return SyncFailure(
            .invalid,
            "the name of a record has 1 to 64 bytes, and the names of its class and its properties have 1 to 256 bytes, without U+0000"
          )
        }
        if let latest = registers.latestTime, latest.milliseconds > time + SyncWire.clockTolerance {
          return SyncFailure(
            .clockAhead,
            "the time of a change is \((latest.milliseconds - time) / 1000) seconds ahead of the server's clock, and at most"
              + " \(SyncWire.clockTolerance / 1000) are allowed; set the clock of the device",
            time: time)
        }
      }
    }
    return nil
  }

  private static func hasValidNames(_ name: RecordName, _ registers: Registers) -> Bool {
    func isValid(_ name: RecordName) -> Bool { name.isUUID || isValidText(name.text, 1...64) }
    func isValid(_ zone: ZoneName?) -> Bool { zone.map { isValidText($0.text, 1...256) } ?? true }
    guard isValid(name), isValid(registers.home?.zone), registers.referencedNames.allSatisfy(isValid),
      (Array(registers.fields.keys) + Array(registers.edges.keys) + [registers.born?.value].compactMap(\.self))
        .allSatisfy({ isValidText($0.text, 1...256) })
    else { return false }
    return registers.fields.values.allSatisfy { isValid($0.value.reference?.hint) }
      && registers.edges.values.allSatisfy { $0.values.allSatisfy { isValid($0.hint) } }
  }

  // MARK: - Checks with the store

  /// Checks that the account may write to a zone, and that the client has seen the zone's last fold.
  private func checkAccess(_ zone: ZoneName, _ push: inout Push) throws -> SyncFailure? {
    guard push.access[zone] == nil else { return nil }
    do {
      let access = try access(push.account, zone, push.context)
      guard access.isWritable else {
        return SyncFailure(
          .forbidden,
          "the account may read the share but not write to it; pull, or ask \(access.owner) for the permission to write"
        )
      }
      let stored = try self.zone(access.key, push.context)
      if let folded = stored?.folded, push.cursor < folded {
        return SyncFailure(
          .behind,
          "the server folded the log of the zone up to the commit \(folded), and the client has seen the commit \(push.cursor); pull, then"
            + " push again")
      }
      (push.access[zone], push.zones[access.key]) = (access, stored)
      return nil
    } catch let failure as SyncFailure where failure.code == .notFound {
      return SyncFailure(.forbidden, failure.message)
    }
  }

  /// Checks that neither the part nor a concurrent entry moves a record that the other one writes or leads to.
  private func checkMoves(
    _ part: [RecordName: Registers], _ zone: ZoneName, _ push: inout Push
  ) throws -> SyncFailure? {
    let moved = Set(part.lazy.filter { $0.value.home != nil }.map(\.key))
    let named = Self.names(of: part)
    let tooFar = SyncFailure(
      .behind, "too many entries follow the last commit that the client has seen; pull, then push again")
    if push.concurrent[zone] == nil {
      guard let moves = try concurrentParts(of: zone, moves: true, push) else { return tooFar }
      let names = moves.reduce(into: Set<RecordName>()) {
        $0.formUnion($1.lazy.filter { $0.value.home != nil }.map(\.key))
      }
      push.concurrent[zone] = ConcurrentNames(moved: names, named: nil)
    }
    if !moved.isEmpty, push.concurrent[zone]?.named == nil {
      guard let all = try concurrentParts(of: zone, moves: false, push) else { return tooFar }
      push.concurrent[zone]?.named = all.reduce(into: []) { $0.formUnion(Self.names(of: $1)) }
    }
    guard let others = push.concurrent[zone], others.moved.isDisjoint(with: named),
      moved.isEmpty || moved.isDisjoint(with: others.named ?? [])
    else {
      return SyncFailure(
        .moved,
        "another transaction moved a record of this transaction, or this one moves a record of another transaction; pull, then push again"
      )
    }
    return nil
  }

  /// The records that a part writes or leads to.
  private static func names(of part: [RecordName: Registers]) -> Set<RecordName> {
    part.values.reduce(into: Set(part.keys)) { $0.formUnion($1.referencedNames) }
  }

  /// Returns the changes of a zone that the client has not seen and did not make.
  /// - Parameter moves: whether to return those alone that move a record.
  /// - Returns: nil if there are too many.
  private func concurrentParts(
    of zone: ZoneName, moves: Bool, _ push: Push
  ) throws -> [[RecordName: Registers]]? {
    guard let key = push.access[zone]?.key else { return [] }
    let (cursor, newest) = (push.cursor, push.head.commit)
    guard cursor < newest else { return [] }
    let predicate =
      moves
      ? #Predicate<LogPart> { $0.zone == key && $0.moves && $0.commit > cursor }
      : #Predicate<LogPart> { $0.zone == key && $0.commit > cursor }
    var sizes = FetchDescriptor<LogPart>(predicate: predicate)
    sizes.propertiesToFetch = [\.commit, \.size]
    sizes.fetchLimit = Self.concurrent.count + 1
    // The transactions of this push are not stored yet, and do not count.
    let found = try ModelContext(container).fetch(sizes)
    guard found.count <= Self.concurrent.count, found.reduce(0, { $0 + $1.size }) <= Self.concurrent.bytes else {
      return nil
    }
    guard found.contains(where: { !push.own.contains($0.commit) }) else { return [] }
    let parts = try ModelContext(container).fetch(FetchDescriptor<LogPart>(predicate: predicate))
    return try parts.filter { !push.own.contains($0.commit) }.compactMap { part in
      guard case .change(let changes) = try ZoneStates.Entry.Part(encoded: part.bytes) else { return nil }
      return changes
    }
  }
}

extension Registers {
  /// The latest time that the registers carry; nil for registers without a write.
  var latestTime: HybridTime? {
    var latest = [born?.time, dead, home?.place.time].compactMap(\.self).max()
    func take(_ time: HybridTime) { if latest.map({ $0 < time }) ?? true { latest = time } }
    for write in fields.values { take(write.time) }
    for edge in edges.values.lazy.flatMap(\.values) {
      take(max(edge.added, edge.removed))
      if let place = edge.place { take(place.time) }
    }
    return latest
  }

  /// The assets that the registers name. A tombstone has none.
  var assets: [(sha256: String, size: Int)] {
    guard dead == nil else { return [] }
    return fields.values.compactMap { write in
      if case .asset(let name, let size) = write.value { (name.text, size) } else { nil }
    }
  }
}
