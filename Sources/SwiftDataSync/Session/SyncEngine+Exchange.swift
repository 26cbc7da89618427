#if Sync
import Foundation
import SyncCore
import SyncProtocol
import UntrustedInput

// The receiving and the sending half of an exchange. All zones of the account have one cursor.

extension SyncEngine {
  /// How many refusals in a row the engine acts upon. A faulty server would have it try again without end.
  static let mostFailures = 10

  // MARK: - Receiving

  /// Takes in what the server has when it answers first. What others write meanwhile is for the next exchange: they may write faster than
  /// this replica reads.
  func pull(_ replica: ZoneReplica) async throws {
    var event: SyncEvent?
    // The next answer comes while this one is taken in. An exchange is over when no request of it is under way.
    var ahead: RequestAhead?
    defer { status.setProgress(nil) }
    do {
      let invitations = replica.store.replica.invitations ?? 0
      var (progress, isMore) = (PullProgress(replica.store.replica.cursor), true)
      while isMore {
        try Task.checkCancellation()
        var request = replica.pullRequest()
        let unsent = request.unsent
        var response: SyncLog.PullResponse
        do {
          if let coming = ahead, coming.request.isSame(as: request) {
            // The answer is to that request, which names the transactions of an earlier moment.
            (request, ahead) = (coming.request, nil)
            response = try await withTaskCancellationHandler {
              try await coming.answer.value
            } onCancel: {
              coming.answer.cancel()
            }
          } else {
            await ahead?.end()
            ahead = nil
            response = try await client.pull(request)
          }
        } catch let failure as SyncFailure where failure.code == .unknownSequence && replica.store.replica.cursor > 0 {
          try progress.noteUnknownCursor()
          try await fetching(replica) { try replica.takeUnknownCursor(of: request) }
          continue
        }
        try response.check(request)
        progress.begin(response)
        ahead = request.following(response, isEnough: progress.isEnough(response.cursor)).map { next in
          RequestAhead(request: next, answer: Task { [client] in try await client.pull(next) })
        }
        response.keepTaken(of: unsent)
        if response.newsCount > 0, event == nil { event = begin(.import) }
        event?.transactions += response.newsCount
        let parts = replica.newParts
        isMore = try await fetching(replica) { try replica.take(response, for: request) }
        if replica.hasZonesWhole, progress.isEnough(replica.store.replica.cursor) { isMore = false }
        try progress.note(
          response, isLater: Untrusted(replica.store.replica.cursor) > request.cursor, isNew: replica.newParts > parts)
        if isMore { status.setProgress(progress.fraction(response)) }
      }
      await ahead?.end()
      client.expect(account: replica.store.replica.account)
      if let event { end(event, nil) }
      if replica.store.replica.invitations ?? 0 != invitations { end(begin(.sharing), nil) }
    } catch {
      await ahead?.end()
      if let event { end(event, error) }
      throw error
    }
  }

  // MARK: - Sending

  /// Sends what the log does not have, and takes in that the log has it. What the program saves meanwhile is for the next exchange: it
  /// may save faster than the server answers.
  func push(_ replica: ZoneReplica) async throws {
    replica.savesDuringPush = []
    defer { replica.savesDuringPush = nil }
    guard var next = try replica.nextPush() else { return }
    var event = begin(.export)
    status.setUploading(true)
    defer { status.setUploading(false) }
    do {
      var failures = 0
      while true {
        try Task.checkCancellation()
        let (taken, refusal) = try await send(next, replica)
        event.transactions += taken
        failures = taken > 0 ? 0 : failures + 1
        if let refusal, failures > Self.mostFailures || !refusal.isForRebase {
          throw replica.naming(refusal, next.transactions.dropFirst(taken).first)
        }
        // It says what the log has, and what others wrote in between.
        try await pull(replica)
        guard let following = try replica.nextPush() else {
          if replica.isNextSavedDuringPush { signals.continuation.yield() }
          break
        }
        if taken > 0, following.transactions[0].id == next.transactions[0].id {
          throw SyncFailure(
            .invalid, "the server accepted changes, and its log lacks them; report the fault to the server's operator")
        }
        next = following
      }
      end(event, nil)
    } catch {
      end(event, error)
      throw error
    }
  }

  /// Sends transactions with their assets, and does what a refusal asks for before the next pull.
  /// - Returns: the number of transactions that the log has, and why the server refused the next one.
  private func send(
    _ request: SyncLog.PushRequest, _ replica: ZoneReplica
  ) async throws -> (taken: Int, refusal: SyncFailure?) {
    try await upload(request, replica, replica.asset)
    let response: SyncLog.PushResponse
    do { response = try await client.push(request) } catch let failure as SyncFailure where failure.code == .tooLarge {
      throw replica.naming(failure, request.transactions.first)
    }
    let taken = try response.taken.inRange(0...request.transactions.count, field: "push.taken")
    try replica.adjustClock(toServer: response.time, field: "push.time")
    replica.didPush(request, response)
    guard let refusal = response.refusal else {
      guard taken == request.transactions.count else {
        throw SyncFailure(
          .invalid, "the server did not take all changes and gave no reason; report the fault to the server's operator")
      }
      uploaded.didPush()
      return (taken, nil)
    }
    uploaded.didFail(refusal)
    switch refusal.code {
    case .clockAhead:
      guard let time = refusal.time else { throw refusal }
      try await fetching(replica) { try replica.restamp(toServer: time) }
    case .missingAsset:
      var rest = request
      rest.transactions.removeFirst(taken)
      try await upload(rest, replica, replica.bytes)
      _ = try await fetching(replica) { try replica.dropLostAssets() }
    default: break
    }
    return (taken, refusal)
  }

  /// Tells the program of changes that were undone, because the account may only read their zones.
  /// - Returns: what the program is told; nil if there were none.
  func reportUndone(_ replica: ZoneReplica) -> SyncError? {
    var error: SyncError?
    for (zone, transactions) in replica.undone.sorted(by: { $0.key < $1.key }) {
      let owner = replica.store.zones[zone]?.owner ?? ""
      let undone = SyncError(
        code: .forbidden,
        message:
          "the account may only read the share of \(owner); \(transactions.count) unsent transactions were undone. Ask \(owner) for the"
          + " permission to write")
      // The status has the error only until the next exchange, which has nothing to undo.
      end(begin(.export), undone)
      error = undone
    }
    replica.undone = [:]
    return error
  }
}

/// A request that is under way before its answer is needed.
private struct RequestAhead {
  let request: SyncLog.PullRequest
  let answer: Task<SyncLog.PullResponse, any Error>

  /// Ends the request, and waits for its end.
  func end() async {
    answer.cancel()
    _ = await answer.result
  }
}

/// How much of what the server had is here.
private struct PullProgress {
  private let first: Int64
  /// The newest commit of the server when it answered first; nil before, and after an answer that named other epochs.
  private var latest: Int64?
  /// How many answers brought nothing since the cursor advanced, and how many named other epochs or refused the cursor.
  private var (idle, restarts) = (0, 0)

  /// - Parameter cursor: what the replica had seen before.
  init(_ cursor: Int64) { first = cursor }

  /// Notes an answer before it is taken in.
  mutating func begin(_ response: SyncLog.PullResponse) {
    latest = response.epochs == nil ? latest ?? response.latest : nil
  }

  /// Whether a cursor has passed all that the server had when it answered first.
  func isEnough(_ cursor: Int64) -> Bool { latest.map { cursor >= $0 } ?? false }

  /// Notes an answer that was taken in.
  /// - Parameters:
  ///   - isLater: whether the cursor advanced.
  ///   - isNew: whether parts of zones brought what was not here.
  /// - Throws: ``SyncFailure`` for a server that says without end that there is more.
  mutating func note(_ response: SyncLog.PullResponse, isLater: Bool, isNew: Bool) throws {
    if response.epochs != nil { restarts += 1 } else if isLater { idle = 0 } else if !isNew { idle += 1 }
    try check()
  }

  /// Notes that the server's log lacks the cursor, so that all zones come whole.
  /// - Throws: ``SyncFailure`` for a server that says so without end.
  mutating func noteUnknownCursor() throws {
    latest = nil
    restarts += 1
    try check()
  }

  private func check() throws {
    guard max(idle, restarts) <= SyncEngine.mostFailures else {
      throw SyncFailure(
        .invalid, "the server announces changes that it does not send; report the fault to the server's operator")
    }
  }

  func fraction(_ response: SyncLog.PullResponse) -> Double? {
    // While zones come whole, nothing says how much of them follows.
    guard response.loads.isEmpty, let latest, latest > first else { return nil }
    return min(1, max(0, Double(response.cursor - first) / Double(latest - first)))
  }
}

extension ZoneReplica {
  /// The next transactions to send; nil if the log has all of them, except for what the program saved during the push. The next part of a
  /// store that had objects before it synced is made when the last one was sent.
  func nextPush() throws -> SyncLog.PushRequest? {
    while pendingCount == 0 || isNextSavedDuringPush, isScanning, knownOwnZone != nil {
      // The part comes after these saves.
      if savesDuringPush != nil { savesDuringPush = [] }
      try scanNextPart()
    }
    return isNextSavedDuringPush ? nil : try pushRequest()
  }

  /// Whether the outbox has nothing but what the program saved during the push.
  var isNextSavedDuringPush: Bool {
    guard let savesDuringPush, let next = outbox.outgoing.first else { return false }
    return savesDuringPush.contains(next.id)
  }

  /// A refusal that names the transaction which the server does not take as it is. The later ones wait for it.
  func naming(_ refusal: SyncFailure, _ transaction: SyncLog.Transaction?) -> SyncFailure {
    guard [.tooLarge, .invalid, .quotaExceeded].contains(refusal.code), let transaction,
      let place = outbox.outgoing.firstIndex(where: { $0.id == transaction.id })
    else { return refusal }
    let names = Set(transaction.parts.values.flatMap(\.keys))
    let classes = names.sorted().prefix(100).compactMap { name in
      transaction.parts.lazy.compactMap { [shown] zone, part in
        part[name]?.born?.value.text
          ?? (try? shown.registers(of: RecordKey(zone, name))?.born?.value.text).flatMap(\.self)
      }.first
    }
    let date = Date(timeIntervalSince1970: Double(outbox.outgoing[place].time.milliseconds) / 1000)
    let waiting = outbox.count - place - 1
    var refusal = refusal
    refusal.message =
      "the server does not take the transaction of \(date.formatted(.iso8601)) with \(names.count) record\(names.count == 1 ? "" : "s")"
      + " of \(Set(classes).sorted().joined(separator: ", ")): \(refusal.message)."
      + " \(waiting) later transaction\(waiting == 1 ? " waits" : "s wait") for it"
    return refusal
  }

  /// How many transactions the server does not have yet. None is made before the server named the account: until then each save counts, and
  /// the objects from before the sync count as one.
  func unsentCount() throws -> Int {
    guard knownOwnZone == nil else { return pendingCount }
    let saves = try store.replica.seenTransaction.flatMap { try user.saves(after: $0, limit: 1000) } ?? []
    return try saves.count { !$0.isSync } + (isScanning && user.hasObjects() ? 1 : 0)
  }

  /// Asks to be told when there is something to pull; nil before the first pull.
  func waitRequest(seconds: Double) -> SyncLog.WaitRequest? {
    guard let epoch = store.replica.epochs.last?.name, let version = store.replica.zoneList else { return nil }
    return SyncLog.WaitRequest(cursor: store.replica.cursor, epoch: epoch, version: version, seconds: seconds)
  }
}

extension SyncFailure {
  /// Whether the next push may succeed, after a pull and what the refusal itself asks for.
  fileprivate var isForRebase: Bool { [.behind, .moved, .forbidden, .clockAhead, .missingAsset].contains(code) }
}

extension SyncLog.PullRequest {
  /// The request that follows an answer; nil if no request follows.
  ///
  /// It names the transactions again that the answer acknowledges. One that writes to a zone which comes in parts stays in the outbox until
  /// the zone is shown, and a later answer has to acknowledge it.
  ///
  /// - Parameter isEnough: whether the pull needs no later commits.
  func following(_ response: SyncLog.PullResponse, isEnough: Bool = false) -> SyncLog.PullRequest? {
    guard response.epochs == nil else { return nil }
    var next = self
    next.cursor = Untrusted(response.cursor)
    guard let known else {
      guard response.list == nil, response.loads.isEmpty, response.cursor < response.latest, !isEnough else {
        return nil
      }
      return next
    }
    var complete = Set(known)
    for load in response.loads {
      next.loading[load.zone] = load.position
      if load.position == nil { complete.insert(load.zone) } else { complete.remove(load.zone) }
    }
    if let list = response.list {
      let readable = Set(list.zones.map(\.name))
      complete.formIntersection(readable)
      next.loading = next.loading.filter { readable.contains($0.key) }
      next.version = list.version
    }
    guard (response.cursor < response.latest && !isEnough) || !next.loading.isEmpty else { return nil }
    next.known = complete.sorted()
    return next
  }
}

extension SyncLog.PullResponse {
  /// Leaves out the acknowledgements that an earlier answer gave.
  /// - Parameter unsent: the transactions in the outbox.
  mutating func keepTaken(of unsent: [UUID]) {
    let unsent = Set(unsent)
    taken.removeAll { !unsent.contains($0) }
  }

  /// The number of entries and pages that other replicas made.
  fileprivate var newsCount: Int {
    let loaded = loads.reduce(0) { $0 + $1.entries.count + ($1.records.isEmpty ? 0 : 1) }
    return max(0, entries.count + loaded - Set(taken).count)
  }

  /// - Throws: ``SyncFailure`` for numbers that no server gives.
  fileprivate func check(_ request: SyncLog.PullRequest) throws {
    var last = request.cursor
    var isPossible = Untrusted(cursor) >= request.cursor && (cursor <= latest || epochs != nil)
    for entry in entries {
      isPossible = isPossible && Untrusted(entry.commit) > last && entry.commit <= cursor
      last = Untrusted(entry.commit)
    }
    for entry in loads.flatMap(\.entries) { isPossible = isPossible && entry.commit <= cursor }
    guard isPossible else {
      throw SyncFailure(
        .invalid,
        "the numbers of changes in the answer do not follow each other; report the fault to the server's operator")
    }
  }
}
#endif
