import Foundation
import SwiftData
import SyncProtocol
import UntrustedInput

// Appending transactions to the logs of their zones.

extension ZoneStore {
  /// The largest number of concurrent entries of a zone that a push is compared with, and their largest size in bytes. A client that is
  /// further behind has to pull first.
  private static let concurrent = (count: 10_000, bytes: Int64(16 << 20))

  /// The largest number of pushes that one transaction of the database takes, and of their transactions and parts.
  private static let together = (pushes: 100, rows: 2000)

  /// A request to push, after the checks that need no store.
  struct CheckedPush {
    let request: SyncLog.PushRequest
    let account: String
    /// The time of the request, and what is wrong with each of its transactions.
    let time: Int64
    let problems: [SyncFailure?]

    /// The identities of the transactions that the request names.
    var identities: [LogIdentity] {
      (request.before + request.transactions.map(\.id)).map { LogIdentity(account: account, id: $0) }
    }

    /// The transactions that may be appended.
    var possible: [SyncLog.Transaction] { zip(request.transactions, problems).filter { $0.1 == nil }.map(\.0) }
  }

  /// The answer to a push, and the keys of the zones that the push changed.
  typealias PushAnswer = (response: SyncLog.PushResponse, zones: Set<String>)
  /// A push whose request waits for its answer.
  typealias WaitingPush = (push: CheckedPush, answer: CheckedContinuation<PushAnswer, any Error>)

  /// The records that entries after a client's cursor moved, and those that they wrote or led to.
  private struct ConcurrentNames {
    var moved: Set<RecordName>
    /// Nil until a transaction moves a record of the zone.
    var named: Set<RecordName>?
  }

  /// Pushes that one transaction of the database takes.
  private struct PushBatch {
    let context: ModelContext
    let head: LogHead
    /// The transactions that the pushes name.
    var known: KnownTransactions
    /// The zones that exist, by their keys.
    var zones: [String: LogZone] = [:]
    /// The sizes of the complete assets that the batch names, by their keys.
    var assets: [String: Int64]
    /// The parts that the batch appended, by the keys of their zones. They are not stored yet.
    var appended: [String: [(commit: Int64, records: [RecordName: Registers])]] = [:]
  }

  /// One of these pushes: what its transactions need of the store.
  private struct Push {
    let account: String
    let cursor: Int64
    let time: Int64
    /// The commits of the client's own transactions that precede the next one. They do not count as concurrent.
    var own: Set<Int64>
    var access: [ZoneName: Access] = [:]
    var concurrent: [ZoneName: ConcurrentNames] = [:]
    /// The prefixes of the assets' keys in the zones that the account may read.
    var readable: [String]?
    /// The keys of the zones that the push changed.
    var changed = Set<String>()
    /// The number of parts that the push appended.
    var parts = 0
  }

  /// Appends transactions, each to the logs of all of its zones or to none. The first refused one ends the push.
  ///
  /// Requests that come while the database takes others wait, and the next transaction of the database takes them together.
  func push(_ request: SyncLog.PushRequest, account: String) async throws -> PushAnswer {
    let push = try check(request, account)
    return try await withCheckedThrowingContinuation { answer in
      waitingPushes.append((push, answer))
      if waitingPushes.count == 1 { Task { takeWaitingPushes() } }
    }
  }

  /// Makes the checks that need no store.
  func check(_ request: SyncLog.PushRequest, _ account: String) throws -> CheckedPush {
    guard request.before.count + request.transactions.count <= limits.transactions else {
      throw SyncFailure(
        .tooLarge, "a push may name \(limits.transactions) transactions; send fewer in one request")
    }
    let time = now()
    return CheckedPush(
      request: request, account: account, time: time, problems: request.transactions.map { problem($0, time) })
  }

  /// Takes the pushes that wait, in the order in which they came.
  private func takeWaitingPushes() {
    while !waitingPushes.isEmpty {
      var (count, rows) = (0, 0)
      for (push, _) in waitingPushes.prefix(Self.together.pushes) {
        rows += push.identities.count + push.possible.reduce(0) { $0 + $1.parts.count }
        guard count == 0 || rows <= Self.together.rows else { break }
        count += 1
      }
      let pushes = Array(waitingPushes.prefix(count))
      waitingPushes.removeFirst(count)
      take(pushes)
    }
  }

  private func take(_ pushes: [WaitingPush]) {
    do {
      let answers = try answers(to: pushes.map(\.push))
      for ((_, waiting), answer) in zip(pushes, answers) { waiting.resume(returning: answer) }
    } catch {
      guard pushes.count > 1 else { return pushes.forEach { $0.answer.resume(throwing: error) } }
      // One of them may be the reason.
      for push in pushes { take([push]) }
    }
  }

  /// Takes pushes in one transaction of the database.
  func answers(to pushes: [CheckedPush]) throws -> [PushAnswer] {
    let (answers, newest) = try transaction(author: author) { context in
      let known = try self.known(pushes.flatMap(\.identities), context)
      var batch = PushBatch(
        context: context, head: try currentHead(context), known: known,
        assets: try completeAssets(of: pushes.flatMap(\.possible), context))
      return (try pushes.map { try answer(to: $0, &batch) }, batch.head.commit)
    }
    newestCommit.store(newest, ordering: .relaxed)
    return answers
  }

  private func answer(to checked: CheckedPush, _ batch: inout PushBatch) throws -> PushAnswer {
    let (request, account) = (checked.request, checked.account)
    var push = Push(
      account: account, cursor: request.cursor.clamped(to: 0...batch.head.commit), time: checked.time,
      own: Set(request.before.compactMap { batch.known.commits[LogIdentity(account: account, id: $0)] }))
    var refusal: SyncFailure?
    var (taken, repeated) = (0, [UUID]())
    for (transaction, problem) in zip(request.transactions, checked.problems) {
      let identity = LogIdentity(account: account, id: transaction.id)
      if let commit = batch.known.commits[identity] {
        push.own.insert(commit)
        repeated.append(transaction.id)
      } else {
        refusal = try problem ?? behind(request, account, batch) ?? append(transaction, &push, &batch)
        if refusal != nil { break }
        // A request may have a transaction twice.
        batch.known.commits[identity] = batch.head.commit
      }
      taken += 1
    }
    let response = SyncLog.PushResponse(
      taken: taken, repeated: repeated.isEmpty ? nil : repeated, refusal: refusal, time: checked.time)
    return (response, push.changed)
  }

  /// Returns why the client has to pull before it pushes.
  private func behind(_ request: SyncLog.PushRequest, _ account: String, _ batch: PushBatch) throws -> SyncFailure? {
    guard request.epoch == batch.head.epoch, request.cursor.value(in: 0...batch.head.commit) != nil else {
      return SyncFailure(.behind, "the server was started again since the client pulled; pull, then push again")
    }
    guard request.before.allSatisfy({ batch.known.commits[LogIdentity(account: account, id: $0)] != nil }) else {
      return SyncFailure(
        .behind, "the log lacks a transaction that precedes this one; pull, then push all transactions again")
    }
    return nil
  }

  /// Appends a transaction to the logs of all of its zones.
  /// - Returns: the reason why it was not appended.
  private func append(
    _ transaction: SyncLog.Transaction, _ push: inout Push, _ batch: inout PushBatch
  ) throws -> SyncFailure? {
    var transaction = transaction
    // The quota of the account's own zone counts a transaction without parts.
    if transaction.parts.isEmpty { transaction.parts = [.account(ExactText(push.account)): [:]] }
    push.parts += transaction.parts.count
    guard push.parts <= limits.parts else {
      return SyncFailure(.behind, "a push may write \(limits.parts) parts of zones; pull, then push the rest")
    }
    guard !batch.known.fullGroups.contains(LogTransactions.key(LogIdentity(account: push.account, id: transaction.id)))
    else { return identitiesExceeded() }
    for (zone, part) in transaction.parts.sorted(by: { $0.key < $1.key }) {
      if let refusal = try checkAccess(zone, &push, &batch) { return refusal }
      if let refusal = try checkMoves(part, zone, &push, batch) { return refusal }
    }
    var links: [AssetLink] = []
    var sizes: [String: Int64] = [:]
    let bytes = transaction.encodedParts
    for (zone, part) in transaction.parts {
      guard let access = push.access[zone] else { continue }
      if let refusal = try checkAssets(
        part, in: access.key, of: push.account, readable: &push.readable, &links, batch.assets, batch.context)
      {
        return refusal
      }
      sizes[access.key] =
        LogPart.size(of: bytes[zone] ?? Data()) + links.filter { $0.zone == access.key }.reduce(0) { $0 + $1.total }
    }
    for (key, size) in sizes {
      let used = batch.zones[key]?.size ?? 0
      guard used + size <= limits.zoneSize else { return quotaExceeded(used + size) }
    }
    let commit = batch.head.commit + 1
    batch.head.commit = commit
    push.own.insert(commit)
    batch.context.insert(
      LogTransaction(account: push.account, identity: transaction.id, commit: commit, time: push.time))
    for (zone, bytes) in bytes {
      guard let access = push.access[zone], let part = transaction.parts[zone] else { continue }
      let stored = batch.zones[access.key] ?? insertZone(access, batch.context)
      batch.zones[access.key] = stored
      batch.appended[access.key, default: []].append((commit, part))
      append(bytes, moves: Self.moves(part), to: stored, commit, push.time, batch.context)
      push.changed.insert(access.key)
    }
    for link in links {
      make(link, push.time, batch.context)
      batch.zones[link.zone]?.size += link.total
      batch.assets[link.key] = link.total
    }
    return nil
  }

  /// Appends the part of an entry to the log of a zone.
  func append(
    _ bytes: Data, moves: Bool, to zone: LogZone, _ commit: Int64, _ time: Int64, _ context: ModelContext
  ) {
    let part = LogPart(zone: zone.key, commit: commit, time: time, moves: moves, bytes: bytes)
    zone.latest = commit
    zone.size += part.size
    zone.logSize += part.size
    context.insert(part)
  }

  // MARK: - Checks without the store

  /// Returns what is wrong with a transaction itself.
  private func problem(_ transaction: SyncLog.Transaction, _ time: Int64) -> SyncFailure? {
    let records = transaction.parts.values.reduce(0) { $0 + $1.count }
    guard records <= limits.changes else {
      return SyncFailure(
        .tooLarge, "a transaction may write \(limits.changes) records; change fewer objects in one save")
    }
    guard transaction.parts.count <= limits.parts else {
      return SyncFailure(
        .tooLarge, "a transaction may write to \(limits.parts) zones; change objects of fewer shares in one save")
    }
    for (zone, part) in transaction.parts {
      guard Self.isValidText(zone.text, 1...256) else {
        return SyncFailure(.invalid, "the name of a zone has at most 256 bytes and no U+0000")
      }
      for (name, registers) in part {
        guard Self.hasValidNames(name, registers, in: zone) else {
          return SyncFailure(
            .invalid,
            "the name of a record has 1 to 64 bytes (60 in a share), and the names of its class and its properties have 1 to 256 bytes, without U+0000"
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

  private static func hasValidNames(_ name: RecordName, _ registers: Registers, in zone: ZoneName) -> Bool {
    func isValid(_ name: RecordName) -> Bool { name.isUUID || isValidText(name.text, 1...64) }
    func isValid(_ zone: ZoneName?) -> Bool { zone.map { isValidText($0.text, 1...256) } ?? true }
    // Each account keeps what it alone thinks of a shared record under the name with four more bytes, in its own zone.
    guard isValid(name), !zone.isShare || name.text.utf8.count <= 60, isValid(registers.home?.zone),
      registers.referencedNames.allSatisfy(isValid),
      (Array(registers.fields.keys) + Array(registers.edges.keys) + [registers.born?.value].compactMap(\.self))
        .allSatisfy({ isValidText($0.text, 1...256) })
    else { return false }
    return registers.fields.values.allSatisfy { isValid($0.value.reference?.hint) }
      && registers.edges.values.allSatisfy { $0.values.allSatisfy { isValid($0.hint) } }
  }

  // MARK: - Checks with the store

  /// Checks that the account may write to a zone, and that the client has seen the zone's last fold.
  private func checkAccess(_ zone: ZoneName, _ push: inout Push, _ batch: inout PushBatch) throws -> SyncFailure? {
    guard push.access[zone] == nil else { return nil }
    do {
      let access = try access(push.account, zone, batch.context)
      guard access.isWritable else {
        return SyncFailure(
          .forbidden,
          "the account may read the share but not write to it; pull, or ask \(access.owner) for the permission to write"
        )
      }
      let stored = try batch.zones[access.key] ?? self.zone(access.key, batch.context)
      if let folded = stored?.folded, push.cursor < folded {
        return SyncFailure(
          .behind,
          "the server folded the log of the zone up to the commit \(folded), and the client has seen the commit \(push.cursor); pull, then"
            + " push again")
      }
      (push.access[zone], batch.zones[access.key]) = (access, stored)
      return nil
    } catch let failure as SyncFailure where failure.code == .notFound {
      return SyncFailure(.forbidden, failure.message)
    }
  }

  /// Checks that neither the part nor a concurrent entry moves a record that the other one writes or leads to.
  private func checkMoves(
    _ part: [RecordName: Registers], _ zone: ZoneName, _ push: inout Push, _ batch: PushBatch
  ) throws -> SyncFailure? {
    let moved = Self.moved(part)
    let named = Self.names(of: part)
    let tooFar = SyncFailure(
      .behind, "too many entries follow the last commit that the client has seen; pull, then push again")
    if push.concurrent[zone] == nil {
      guard let moves = try concurrentParts(of: zone, moves: true, push, batch) else { return tooFar }
      push.concurrent[zone] = ConcurrentNames(moved: moves.reduce(into: []) { $0.formUnion(Self.moved($1)) })
    }
    if !moved.isEmpty, push.concurrent[zone]?.named == nil {
      guard let all = try concurrentParts(of: zone, moves: false, push, batch) else { return tooFar }
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

  /// The records that a part moves.
  private static func moved(_ part: [RecordName: Registers]) -> Set<RecordName> {
    Set(part.lazy.filter { $0.value.home != nil }.map(\.key))
  }

  private static func moves(_ part: [RecordName: Registers]) -> Bool { part.values.contains { $0.home != nil } }

  /// Returns the changes of a zone that the client has not seen and did not make.
  /// - Parameter moves: whether to return those alone that move a record.
  /// - Returns: nil if there are too many.
  private func concurrentParts(
    of zone: ZoneName, moves: Bool, _ push: Push, _ batch: PushBatch
  ) throws -> [[RecordName: Registers]]? {
    guard let key = push.access[zone]?.key, let stored = batch.zones[key], stored.latest > push.cursor else {
      return []
    }
    // The entries of this batch are in no other context.
    let appended = (batch.appended[key] ?? []).filter { commit, records in
      !push.own.contains(commit) && (!moves || Self.moves(records))
    }.map(\.records)
    let cursor = push.cursor
    let predicate =
      moves
      ? #Predicate<LogPart> { $0.zone == key && $0.moves && $0.commit > cursor }
      : #Predicate<LogPart> { $0.zone == key && $0.commit > cursor }
    var sizes = FetchDescriptor<LogPart>(predicate: predicate)
    sizes.propertiesToFetch = [\.commit, \.size]
    sizes.fetchLimit = Self.concurrent.count + 1
    let found = try ModelContext(container).fetch(sizes)
    guard found.count <= Self.concurrent.count, found.reduce(0, { $0 + $1.size }) <= Self.concurrent.bytes else {
      return nil
    }
    guard found.contains(where: { !push.own.contains($0.commit) }) else { return appended }
    let parts = try ModelContext(container).fetch(FetchDescriptor<LogPart>(predicate: predicate))
    return try appended
      + parts.filter { !push.own.contains($0.commit) }.compactMap { part in
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
