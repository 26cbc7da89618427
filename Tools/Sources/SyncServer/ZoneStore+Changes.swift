import Foundation
import SwiftData
import SyncProtocol
import UntrustedInput

// Reading a zone: its snapshot and its log.

extension ZoneStore {
  /// A page of a zone: consecutive entries of its log or parts of its snapshot.
  private struct Page {
    var rows: [(sequence: Int64, account: String, bytes: Data)]
    var isSnapshot = false
  }

  /// Returns the next page of a zone as the JSON of a `ChangesResponse`.
  /// - Parameters:
  ///   - sequence: the last sequence number that the client has read.
  ///   - account: the account of the client.
  ///   - name: the name of the zone.
  ///   - version: the version of the client's list of zones; nil asks for the whole list.
  ///   - snapshot: the sequence number of the snapshot that the client is reading, 0 for none; nil for a client without support for
  ///     snapshots.
  func changes(
    after sequence: Untrusted<Int64>, account: String, zone name: String, since version: String? = nil,
    snapshot: Untrusted<Int64>? = nil
  ) throws -> Data {
    let context = ModelContext(container)
    let key = try access(account, name, context).key
    let listChanges = name == SyncWire.privateZone ? try listChanges(of: account, since: version, context) : nil
    let zone = try zone(key, context)
    let latest = zone?.latest ?? 0
    guard let seen = sequence.value(in: 0...latest) else {
      throw SyncFailure(
        .unknownSequence,
        "the client has read the zone up to the number \(sequence), and the zone ends with \(latest); the server was restored from"
          + " a backup"
      )
    }
    let number = try snapshot?.inRange(SyncWire.sequenceNumbers, field: "snapshot")
    let page = try page(of: zone, after: seen, number, context)
    var body = Data("{\"compacted\":\(zone?.compacted ?? 0),\"entries\":[".utf8)
    var isFirst = true
    for row in page.rows {
      if !isFirst { body.append(UInt8(ascii: ",")) }
      isFirst = false
      body += Data("{\"account\":".utf8) + (try SyncWire.encode(row.account))
      body += Data(",\"sequence\":\(row.sequence),\"transaction\":\"".utf8)
      body += row.bytes.base64EncodedData() + Data("\"}".utf8)
    }
    body += Data("],\"latest\":\(latest),\"time\":\(now())".utf8)
    if page.isSnapshot { body += Data(",\"isSnapshot\":true".utf8) }
    if let zone, zone.snapshot > 0 {
      body += Data(",\"snapshot\":".utf8)
      body += try SyncWire.encode(SnapshotInfo(through: zone.snapshot, rules: zone.snapshotRules))
    }
    if snapshot != nil, let wanted = zone.flatMap({ snapshotWanted($0, account) }) {
      body += Data(",\"snapshotWanted\":\(wanted)".utf8)
    }
    if let listChanges {
      body += Data(",\"isPartial\":\(listChanges.isPartial),\"version\":\"\(listChanges.version)\",\"zones\":".utf8)
      body += try SyncWire.encode(listChanges.zones)
    }
    body.append(UInt8(ascii: "}"))
    return body
  }

  private func page(
    of zone: ServerZone?, after sequence: Int64, _ snapshot: Int64?, _ context: ModelContext
  ) throws -> Page {
    if let snapshot, sequence < snapshot {
      guard let zone, zone.snapshot == snapshot else {
        throw SyncFailure(
          .compacted,
          "a newer snapshot replaced the snapshot of the zone at the number \(snapshot); read the zone again from its new snapshot"
        )
      }
      return try snapshotPage(of: zone, after: sequence, context)
    }
    guard let zone else { return Page(rows: []) }
    if snapshot == 0, sequence == 0, zone.snapshot > 0 { return try snapshotPage(of: zone, after: 0, context) }
    guard sequence >= zone.compacted else { throw logCompacted(zone, sequence) }
    let entries = try entries(
      of: zone, after: sequence, through: zone.latest, bytes: limits.answerSize, context)
    // Another process may start a compaction between the two reads. The page ends before the first gap, so that the client misses no
    // entry.
    let unbroken = zip(entries, (sequence + 1)...).prefix { $0.sequence == $1 }.map(\.0)
    guard !unbroken.isEmpty || sequence == zone.latest else { throw Self.changedMeanwhile }
    return Page(rows: unbroken.map { ($0.sequence, $0.account, $0.transaction) })
  }

  private func snapshotPage(of zone: ServerZone, after sequence: Int64, _ context: ModelContext) throws -> Page {
    // The parts are numbered so that the last one has the sequence number of the snapshot.
    let start = zone.snapshot - Int64(zone.snapshotParts)
    let first = Int(max(0, sequence - start))
    let parts = try parts(of: zone, from: first, bytes: limits.answerSize, context)
    // Another process may replace the snapshot between the two reads.
    let unbroken = zip(parts, first...).prefix { $0.index == $1 }.map(\.0)
    guard !unbroken.isEmpty else { throw Self.changedMeanwhile }
    return Page(rows: unbroken.map { (start + 1 + Int64($0.index), zone.account, $0.bytes) }, isSnapshot: true)
  }

  private static var changedMeanwhile: SyncFailure {
    SyncFailure(.unavailable, "the log of the zone changed while the server read it; try again", retryAfter: 0.1)
  }

  /// Returns the failure for a client that has to read the deleted beginning of a log.
  func logCompacted(_ zone: ServerZone, _ sequence: Int64) -> SyncFailure {
    SyncFailure(
      .compacted,
      "the server deleted the log of the zone up to the number \(zone.compacted), and the client has read it up to \(sequence). A"
        + " client with support for snapshots reads the zone again from its snapshot; update a client without it")
  }

  // MARK: - Pages

  /// Returns the entries after one sequence number and up to another one, in order: at least one if there is any, and about `bytes`
  /// bytes of them.
  ///
  /// The function estimates the number of entries that fit, so the cost of a page does not grow with the log.
  func entries(
    of zone: ServerZone, after sequence: Int64, through latest: Int64, bytes: Int, _ context: ModelContext
  ) throws -> [ServerEntry] {
    let key = zone.key
    let average = max(1, zone.logBytes / max(1, zone.latest - zone.compacted))
    var (found, size, last) = ([ServerEntry](), 0, sequence)
    var count = Int64(bytes) / average + 1
    while size < bytes, last < latest, found.count < 500 {
      count = min(max(count, 1), 500 - Int64(found.count))
      let end = min(last + count, latest)
      let part = try context.fetch(
        FetchDescriptor<ServerEntry>(
          predicate: #Predicate<ServerEntry> { $0.zone == key && $0.sequence > last && $0.sequence <= end },
          sortBy: [SortDescriptor(\.sequence)]))
      for entry in part where size < bytes {
        found.append(entry)
        size += entry.transaction.count
      }
      guard !part.isEmpty else { break }
      (last, count) = (end, count * 2)
    }
    return found
  }

  /// Returns the parts of a zone's snapshot from an index on, in order: at least one if there is any, and about `bytes` bytes of them.
  func parts(
    of zone: ServerZone, from first: Int, bytes: Int, _ context: ModelContext
  ) throws -> [ServerSnapshotPart] {
    let (key, through, all) = (zone.key, zone.snapshot, zone.snapshotParts)
    let average = max(1, Int(zone.snapshotSize) / max(1, all))
    var (found, size, next) = ([ServerSnapshotPart](), 0, first)
    var count = bytes / average + 1
    while size < bytes, next < all, found.count < 500 {
      count = min(count, 500 - found.count)
      let (start, end) = (next, min(next + count, all))
      let part = try context.fetch(
        FetchDescriptor<ServerSnapshotPart>(
          predicate: #Predicate<ServerSnapshotPart> {
            $0.zone == key && $0.through == through && $0.index >= start && $0.index < end
          }, sortBy: [SortDescriptor(\.index)]))
      for one in part where size < bytes {
        found.append(one)
        size += one.bytes.count
      }
      guard !part.isEmpty else { break }
      (next, count) = (end, count * 2)
    }
    return found
  }

  // MARK: - Received transactions

  /// Returns the transactions of a request that the account has sent to a zone, even if it may not use the zone any more.
  func receivedTransactions(_ request: KnownRequest, account: String, zone name: String) throws -> KnownResponse {
    guard request.transactions.count <= limits.transactions else {
      throw SyncFailure(
        .tooLarge, "a request may name \(limits.transactions) transactions; ask for fewer in one request")
    }
    let context = ModelContext(container)
    let isPrivate = name == SyncWire.privateZone
    guard let owner = isPrivate ? account : try share(name, context)?.owner else {
      return KnownResponse(transactions: [])
    }
    let zone = ServerZone.key(owner, name)
    let keys = request.transactions.map { "\(zone)/\($0.uuidString)" }
    let through = request.through?.clamped(to: 0...(.max)) ?? .max
    let found = try context.fetch(
      FetchDescriptor<ServerEntry>(
        predicate: #Predicate<ServerEntry> { keys.contains($0.key) && $0.account == account }))
    let inLog = Set(found.map(\.key))
    var received = Set(found.lazy.filter { $0.sequence <= through }.map(\.key))
    // The log comes first: a compaction in between moves an entry from the log to the compacted transactions.
    if inLog.count < keys.count, try self.zone(zone, context)?.compacted ?? 0 > 0 {
      let rest = zip(request.transactions, keys).filter { !inLog.contains($1) }.map(\.0)
      received.formUnion(
        try compactedTransactions(Set(rest), through, account: account, zone: zone)
          .map { "\(zone)/\($0.uuidString)" })
    }
    return KnownResponse(transactions: zip(request.transactions, keys).filter { received.contains($1) }.map(\.0))
  }

  /// Returns the transactions that an account has sent, up to a sequence number, and whose entries a compaction deleted.
  private func compactedTransactions(
    _ identities: Set<UUID>, _ through: Int64, account: String, zone: String
  ) throws -> Set<UUID> {
    var found = Set<UUID>()
    let descriptor = FetchDescriptor<ServerTaken>(
      predicate: #Predicate<ServerTaken> { $0.zone == zone && $0.account == account })
    // An object has up to 96 KiB, so a batch has up to 1.5 MiB.
    try ModelContext(container).enumerate(descriptor, batchSize: 16) { object in
      for (identity, sequence) in object.entries where sequence <= through && identities.contains(identity) {
        found.insert(identity)
      }
    }
    return found
  }
}

extension ServerTaken {
  /// The size of an entry in bytes: an identity of 16 bytes and a sequence number of 8 bytes.
  private static let width = 24

  /// The entries that ``transactions`` encodes: the identity and the sequence number of each transaction.
  var entries: [(identity: UUID, sequence: Int64)] {
    transactions.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count / Self.width * Self.width, by: Self.width).map { start in
        (
          UUID(uuid: bytes.loadUnaligned(fromByteOffset: start, as: uuid_t.self)),
          Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 16, as: Int64.self))
        )
      }
    }
  }

  func append(_ added: ArraySlice<(identity: UUID, sequence: Int64)>) {
    var transactions = transactions
    for (identity, sequence) in added {
      withUnsafeBytes(of: identity.uuid) { transactions.append(contentsOf: $0) }
      withUnsafeBytes(of: sequence.littleEndian) { transactions.append(contentsOf: $0) }
    }
    self.transactions = transactions
    count += added.count
  }
}
