import Foundation
import SwiftData
import SyncProtocol
import UntrustedInput

// Reading a zone: its snapshot and its log.

extension ZoneStore {
  /// What an answer has of a zone.
  private struct Page {
    var rows: [(sequence: Int64, account: String, bytes: Data)]
    var isSnapshot = false
  }

  /// Parts of the snapshot or of the log, as the JSON of a `ChangesResponse`.
  /// - Parameters:
  ///   - version: the list of zones that the client has; nil asks for the whole list.
  ///   - snapshot: the number of the snapshot that the client is reading, 0 for none; nil for a client that knows no snapshots.
  func changes(
    after sequence: Untrusted<Int64>, account: String, zone name: String, since version: String? = nil,
    snapshot: Untrusted<Int64>? = nil
  ) throws -> Data {
    let context = ModelContext(container)
    let key = try access(account, name, context).key
    let news = name == SyncWire.privateZone ? try news(of: account, since: version, context) : nil
    let zone = try zone(key, context)
    let latest = zone?.latest ?? 0
    guard let seen = sequence.value(in: 0...latest) else {
      throw SyncFailure(
        .unknownSequence,
        "the client has seen the number \(sequence), and the zone ends with \(latest); was the server restored from a copy?"
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
    if let news {
      body += Data(",\"isPartial\":\(news.isPartial),\"version\":\"\(news.version)\",\"zones\":".utf8)
      body += try SyncWire.encode(news.zones)
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
          "the snapshot up to the number \(snapshot) was replaced; read the zone again, from its new snapshot")
      }
      return try snapshotPage(of: zone, after: sequence, context)
    }
    guard let zone else { return Page(rows: []) }
    if snapshot == 0, sequence == 0, zone.snapshot > 0 { return try snapshotPage(of: zone, after: 0, context) }
    guard sequence >= zone.compacted else { throw compacted(zone, sequence) }
    let entries = try entries(
      of: zone, after: sequence, through: zone.latest, bytes: limits.answerSize, context)
    // Another process may have begun to delete the log after the zone was read. A client must not miss an entry.
    let unbroken = zip(entries, (sequence + 1)...).prefix { $0.sequence == $1 }.map(\.0)
    guard !unbroken.isEmpty || sequence == zone.latest else { throw Self.changedMeanwhile }
    return Page(rows: unbroken.map { ($0.sequence, $0.account, $0.transaction) })
  }

  private func snapshotPage(of zone: ServerZone, after sequence: Int64, _ context: ModelContext) throws -> Page {
    // The last part has the number of the snapshot.
    let start = zone.snapshot - Int64(zone.snapshotParts)
    let first = Int(max(0, sequence - start))
    let parts = try parts(of: zone, from: first, bytes: limits.answerSize, context)
    // Another process may have replaced the snapshot after the zone was read.
    let unbroken = zip(parts, first...).prefix { $0.index == $1 }.map(\.0)
    guard !unbroken.isEmpty else { throw Self.changedMeanwhile }
    return Page(rows: unbroken.map { (start + 1 + Int64($0.index), zone.account, $0.bytes) }, isSnapshot: true)
  }

  private static var changedMeanwhile: SyncFailure {
    SyncFailure(.unavailable, "the log of the zone was replaced while it was read; try again", retryAfter: 0.1)
  }

  func compacted(_ zone: ServerZone, _ sequence: Int64) -> SyncFailure {
    SyncFailure(
      .compacted,
      "the server deleted the log of the zone up to the number \(zone.compacted), and the client has seen \(sequence). A program that"
        + " knows snapshots reads the zone again from its snapshot; update a program that does not")
  }

  // MARK: - Pages

  /// Entries behind a number and up to another one, in order: at least one, if there is one, and about as many as have so many bytes.
  ///
  /// It reads about as many as fit, so that a page costs the same whatever the length of the log.
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

  /// Parts of the snapshot of a zone from a place on, in order, as ``entries(of:after:through:bytes:_:)`` reads entries.
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

  // MARK: - Which transactions were taken

  /// Which transactions an account sent to a zone, whatever it may do there now.
  func known(_ request: KnownRequest, account: String, zone name: String) throws -> KnownResponse {
    guard request.transactions.count <= limits.transactions else {
      throw SyncFailure(.tooLarge, "a request may have \(limits.transactions) transactions; ask for fewer at once")
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
    var known = Set(found.lazy.filter { $0.sequence <= through }.map(\.key))
    // The log is looked into first: an entry that is deleted meanwhile is found among the deleted ones.
    if inLog.count < keys.count, try self.zone(zone, context)?.compacted ?? 0 > 0 {
      let rest = zip(request.transactions, keys).filter { !inLog.contains($1) }.map(\.0)
      known.formUnion(
        try taken(Set(rest), through, account: account, zone: zone).map { "\(zone)/\($0.uuidString)" })
    }
    return KnownResponse(transactions: zip(request.transactions, keys).filter { known.contains($1) }.map(\.0))
  }

  /// Those of some transactions that an account sent, up to a number, and whose entries were deleted.
  private func taken(_ identities: Set<UUID>, _ through: Int64, account: String, zone: String) throws -> Set<UUID> {
    var found = Set<UUID>()
    let descriptor = FetchDescriptor<ServerTaken>(
      predicate: #Predicate<ServerTaken> { $0.zone == zone && $0.account == account })
    // An object has up to 96 KiB.
    try ModelContext(container).enumerate(descriptor, batchSize: 16) { object in
      for (identity, sequence) in object.taken where sequence <= through && identities.contains(identity) {
        found.insert(identity)
      }
    }
    return found
  }
}

extension ServerTaken {
  private static let width = 24

  /// What ``transactions`` has.
  var taken: [(identity: UUID, sequence: Int64)] {
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
