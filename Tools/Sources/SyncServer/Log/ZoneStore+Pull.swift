import Foundation
import SwiftData
import SyncProtocol
import UntrustedInput

// Reading the log: what follows one cursor in all zones of an account, up to one commit.

extension ZoneStore {
  /// An answer to a pull. The bytes of registers go from the store into the JSON as they are.
  private struct Answer {
    var cursor: Int64
    let latest: Int64
    /// The parts of the entries, in the order of their commits.
    var parts: [(zone: ZoneName, part: LogPart)] = []
    var loads: [Load] = []
    var taken: [UUID] = []
    /// The transactions whose parts the client has, by their commits.
    var held: [Int64: UUID] = [:]
    var epochs: [SyncLog.Epoch]?
    var list: SyncLog.ZoneList?
  }

  /// A part of a zone that comes whole.
  struct Load {
    let zone: ZoneName
    let isStart: Bool
    /// The bytes of a page; nil for none.
    var page: Data?
    var parts: [LogPart] = []
    /// Nil for the last part.
    var position: LoadPosition?
  }

  /// Returns what follows a cursor, as the JSON of a `SyncLog.PullResponse`.
  func pull(_ request: SyncLog.PullRequest, account: String) throws -> Data {
    let held = Set(request.held ?? []).intersection(request.unsent)
    guard request.unsent.count <= limits.transactions else {
      throw SyncFailure(
        .tooLarge,
        "a pull may name \(limits.transactions) transactions; name fewer in one request")
    }
    try noticeRestore()
    let context = ModelContext(container)
    let head = try head(context)
    newestCommit.max(head.commit, ordering: .relaxed)
    guard request.epoch == head.epoch else {
      let cursor = try request.cursor.inRange(SyncWire.sequenceNumbers, field: "cursor")
      return try json(Answer(cursor: cursor, latest: head.commit, epochs: try epochs(context)))
    }
    guard let cursor = request.cursor.value(in: 0...head.commit) else {
      throw SyncFailure(
        .unknownSequence,
        "the client has seen the commit \(request.cursor), and the log ends with \(head.commit): the database was restored. Pull with the"
          + " cursor 0 and without known zones, and send what the log lacks"
      )
    }
    // The list comes after the newest commit, so that it knows all zones with entries up to this commit.
    let list = try list(of: account, context)
    guard let named = request.known.map(Set.init) ?? knownZones(request, list) else {
      var answer = Answer(cursor: cursor, latest: head.commit)
      answer.list = list.readable
      return try json(answer)
    }
    let behind = cursor < head.floor ? try foldedZones(list.keys, after: cursor) : []
    let known = named.filter { list.latest[$0] != nil && !behind.contains($0.text) }

    var answer = Answer(cursor: head.commit, latest: head.commit)
    let commits = try self.known(request.unsent.map { LogIdentity(account: account, id: $0) }, context).commits
    for (identity, commit) in commits where held.contains(identity.id) { answer.held[commit] = identity.id }
    let active = known.filter { list.latest[$0].map { $0 > cursor } ?? false }
    (answer.parts, answer.cursor) = try entries(of: active, after: cursor, through: head.commit, without: answer.held)
    answer.held = answer.held.filter { $0.key > cursor && $0.key <= answer.cursor }
    // Each answer has something of a zone that is loading.
    var budget = max(1, limits.answerSize - answer.parts.reduce(0) { $0 + Int($1.part.size) })
    for zone in list.latest.keys.filter({ !known.contains($0) }).sorted() {
      // A zone that the client takes for complete is in the answer, so that the client learns that it is not.
      guard budget > 0 || named.contains(zone) else { continue }
      let position = request.loading[zone].flatMap(LoadPosition.init)
      answer.loads += try loads(of: zone, from: position, head.epoch, through: answer.cursor, &budget)
    }
    answer.taken = request.unsent.filter { id in
      commits[LogIdentity(account: account, id: id)].map { $0 <= answer.cursor } ?? false
    }
    answer.list = list.readable.version == request.version ? nil : list.readable
    // Another process may have folded a log between the reads.
    guard try self.head(ModelContext(container)).folds == head.folds else {
      throw SyncFailure(.unavailable, "the server folded a log while it read the log; try again", retryAfter: 0.1)
    }
    return try json(answer)
  }

  /// The zones that a client knows which does not name them; nil if its list of zones is out of date.
  private func knownZones(_ request: SyncLog.PullRequest, _ list: ZoneListCache.List) -> Set<ZoneName>? {
    guard request.version == list.readable.version else { return nil }
    return Set(list.latest.keys).subtracting(request.loading.keys)
  }

  /// Returns those among some zones whose logs are folded beyond a cursor.
  private func foldedZones(_ keys: Set<String>, after cursor: Int64) throws -> Set<String> {
    var descriptor = FetchDescriptor<LogZone>(
      predicate: #Predicate<LogZone> { keys.contains($0.key) && $0.folded > cursor })
    descriptor.propertiesToFetch = [\.key]
    return Set(try ModelContext(container).fetch(descriptor).map(\.key))
  }

  /// Returns the entries of some zones after a commit: about as many bytes as an answer may have, at least one commit, and all entries of
  /// each commit.
  ///
  /// Commits have no gaps, so that a range of them has a bounded number of entries in all zones together. The ranges grow, because the log
  /// may have many commits without an entry in these zones.
  /// - Returns: the entries, and the commit up to which they go.
  /// - Complexity: O(log(*c*)) statements for *c* commits, whatever the number of zones.
  private func entries(
    of zones: Set<ZoneName>, after cursor: Int64, through latest: Int64, without held: [Int64: UUID]
  ) throws -> (parts: [(zone: ZoneName, part: LogPart)], end: Int64) {
    guard !zones.isEmpty else { return ([], latest) }
    let keys = zones.map(\.text)
    var (found, size) = ([LogPart](), Int64(0))
    // A range with large entries has more than an answer.
    var (end, range) = (cursor, Int64(max(1, limits.scannedEntries / 4)))
    while end < latest, found.count < limits.scannedEntries, size < limits.answerSize {
      let (start, last, most) = (end, min(latest, end + range), 2 * limits.scannedEntries - found.count)
      var descriptor = FetchDescriptor<LogPart>(
        predicate: #Predicate<LogPart> { keys.contains($0.zone) && $0.commit > start && $0.commit <= last },
        sortBy: [SortDescriptor(\.commit)])
      descriptor.propertiesToFetch = [\.commit, \.size]
      descriptor.fetchLimit = most
      let next = try ModelContext(container).fetch(descriptor)
      found += next
      size += next.reduce(0) { $0 + (held[$1.commit] == nil ? $1.size : 0) }
      guard next.count < most else {
        // Other parts of the last commit may follow.
        end = max(found[0].commit, found[found.count - 1].commit - 1)
        break
      }
      (end, range) = (last, 8 * range)
    }
    var sizes: [Int64: Int64] = [:]
    for part in found { sizes[part.commit, default: 0] += held[part.commit] == nil ? part.size : 0 }
    var (sum, last) = (Int64(0), cursor)
    for (commit, size) in sizes.sorted(by: { $0.key < $1.key }) where commit <= end {
      guard sum == 0 || sum + size <= limits.answerSize else {
        end = last
        break
      }
      (sum, last) = (sum + size, commit)
    }
    let names = Dictionary(uniqueKeysWithValues: zones.map { ($0.text, $0) })
    let parts = try self.parts(of: keys, after: cursor, through: end, without: Set(held.keys)).compactMap { part in
      names[part.zone].map { (zone: $0, part: part) }
    }
    return (parts.sorted { ($0.part.commit, $0.zone) < ($1.part.commit, $1.zone) }, end)
  }

  /// Finds out how many entries of a zone fit into a number of bytes: at least one if there is any.
  /// - Parameter most: the largest number of entries.
  /// - Returns: the commit of the last one, nil if there is none; and whether these are all.
  func sizes(
    of key: String, after commit: Int64, through latest: Int64, bytes: Int, most: Int
  ) throws -> (last: Int64?, isComplete: Bool) {
    var descriptor = FetchDescriptor<LogPart>(
      predicate: #Predicate<LogPart> { $0.zone == key && $0.commit > commit && $0.commit <= latest },
      sortBy: [SortDescriptor(\.commit)])
    descriptor.propertiesToFetch = [\.commit, \.size]
    descriptor.fetchLimit = most
    let found = try ModelContext(container).fetch(descriptor)
    var (size, last) = (Int64(0), Int64?.none)
    for part in found {
      guard size < bytes else { return (last, false) }
      (size, last) = (size + part.size, part.commit)
    }
    return (last, found.count < most)
  }

  /// Returns the entries of some zones after one commit and up to another one, in order.
  /// - Parameter held: commits that are left out.
  func parts(
    of keys: [String], after commit: Int64, through end: Int64, without held: Set<Int64> = []
  ) throws -> [LogPart] {
    guard commit < end, !keys.isEmpty else { return [] }
    let left = Array(held.filter { $0 > commit && $0 <= end })
    let predicate =
      left.isEmpty
      ? #Predicate<LogPart> { keys.contains($0.zone) && $0.commit > commit && $0.commit <= end }
      : #Predicate<LogPart> {
        keys.contains($0.zone) && $0.commit > commit && $0.commit <= end && !left.contains($0.commit)
      }
    return try ModelContext(container).fetch(
      FetchDescriptor<LogPart>(predicate: predicate, sortBy: [SortDescriptor(\.commit)]))
  }

  /// Says whether there is something to pull.
  /// - Returns: this, and the keys of the zones whose changes end a wait.
  func isChanged(for request: SyncLog.WaitRequest, account: String) throws -> (isChanged: Bool, keys: Set<String>) {
    try noticeRestore()
    let context = ModelContext(container)
    let list = try list(of: account, context)
    let head = try head(context)
    guard request.epoch == head.epoch, request.version == list.readable.version,
      request.cursor <= Untrusted(head.commit)
    else { return (true, list.keys) }
    return (list.latest.values.contains { Untrusted($0) > request.cursor }, list.keys)
  }

  // MARK: - JSON

  private func json(_ answer: Answer) throws -> Data {
    var body = Data("{\"cursor\":\(answer.cursor),\"entries\":[".utf8)
    let parts = Dictionary(grouping: answer.parts) { $0.part.commit }
    for (index, commit) in Set(parts.keys).union(answer.held.keys).sorted().enumerated() {
      body += Data("\(index > 0 ? "," : ""){\"commit\":\(commit),".utf8)
      if let id = answer.held[commit] { body += Data("\"id\":\"\(id)\",".utf8) }
      body += Data("\"parts\":{".utf8)
      for (index, (zone, part)) in (parts[commit] ?? []).enumerated() {
        if index > 0 { body.append(UInt8(ascii: ",")) }
        try Self.append(zone, part.bytes, &body)
      }
      body += Data("}}".utf8)
    }
    body += Data("]".utf8)
    if let epochs = answer.epochs { body += Data(",\"epochs\":".utf8) + (try SyncWire.encode(epochs)) }
    body += Data(",\"latest\":\(answer.latest)".utf8)
    if let list = answer.list { body += Data(",\"list\":".utf8) + (try SyncWire.encode(list)) }
    body += Data(",\"loads\":[".utf8)
    for (index, load) in answer.loads.enumerated() {
      if index > 0 { body.append(UInt8(ascii: ",")) }
      try Self.append(load, &body)
    }
    body += Data("],\"taken\":".utf8) + (try SyncWire.encode(answer.taken))
    body += Data(",\"time\":\(now())}".utf8)
    return body
  }

  private static func append(_ load: Load, _ body: inout Data) throws {
    body += Data("{\"entries\":[".utf8)
    for (index, part) in load.parts.enumerated() {
      body += Data("\(index > 0 ? "," : ""){\"commit\":\(part.commit),\"parts\":{".utf8)
      try append(load.zone, part.bytes, &body)
      body += Data("}}".utf8)
    }
    body += Data("],\"isStart\":\(load.isStart)".utf8)
    if let position = load.position { body += Data(",\"position\":\"\(position.text)\"".utf8) }
    body += Data(",\"records\":\"".utf8) + (load.page ?? emptyPart).base64EncodedData()
    body += Data("\",\"zone\":".utf8) + (try SyncWire.encode(load.zone)) + Data("}".utf8)
  }

  private static func append(_ zone: ZoneName, _ bytes: Data, _ body: inout Data) throws {
    body += (try SyncWire.encode(zone)) + Data(":\"".utf8) + bytes.base64EncodedData() + Data("\"".utf8)
  }

  private static let emptyPart = ZoneStates.Entry.Part.change([:]).encoded
}
