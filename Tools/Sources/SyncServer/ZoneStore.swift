import Crypto
import Foundation
import SwiftData
import SwiftDataPostgres
import SyncProtocol

/// The zones of all accounts, in a store of SwiftData.
///
/// It writes only if no other save followed its read, so that several processes can use one database: sequence numbers
/// have no gaps, and a transaction is in the log once.
actor ZoneStore {
  let container: ModelContainer
  let limits: ServerLimits
  private let now: @Sendable () -> Int64
  /// The author of this process' saves in the history.
  nonisolated let author = UUID().uuidString
  /// What accounts may read. See `ZoneStore+Lists.swift`.
  let lists = ZoneLists()

  static let models: [any PersistentModel.Type] = [
    ServerZone.self, ServerEntry.self, ServerAsset.self, ServerChunk.self, ServerShare.self, ServerGrant.self,
    ServerLink.self, ServerAccountKey.self, ServerZoneKey.self, ServerFormerKey.self,
  ]

  init(_ container: ModelContainer, _ limits: ServerLimits, now: @escaping @Sendable () -> Int64) {
    (self.container, self.limits, self.now) = (container, limits, now)
  }

  /// Opens the store at a place: `postgres://…`, or the path of a file.
  /// - Throws: `SwiftDataError` if the store cannot be opened.
  static func container(at place: String) throws -> ModelContainer {
    let schema = Schema(models)
    if place.hasPrefix("postgres") {
      let configuration = PostgresConfiguration(
        "sync-server", url: place, schema: schema, namespace: "swiftdata_sync", historyRetention: 3600)
      return try ModelContainer(for: schema, configurations: configuration)
    }
    var configuration = ModelConfiguration(
      "sync-server", schema: schema, url: URL(fileURLWithPath: place), cloudKitDatabase: .none)
    configuration.historyRetention = 3600
    // What the server acknowledged survives a power cut.
    configuration.durability = .full
    return try ModelContainer(for: schema, configurations: configuration)
  }

  // MARK: - Writing

  /// Reads and writes until nothing else was saved in between.
  func transaction<Result>(_ body: (ModelContext) throws -> Result) throws -> Result {
    for _ in 0..<1000 {
      let context = ModelContext(container)
      context.author = author
      let token = try context.newestHistoryToken()
      let result = try body(context)
      if try !context.hasChanges || context.save(ifNothingFollows: token) { return result }
    }
    throw SyncFailure(.unavailable, "the server is too busy; try again", retryAfter: 1)
  }

  private func zone(_ key: String, _ context: ModelContext) throws -> ServerZone? {
    try context.fetch(FetchDescriptor<ServerZone>(predicate: #Predicate<ServerZone> { $0.key == key })).first
  }

  /// The zone that an account writes to. The first write makes it.
  private func writableZone(_ account: String, _ name: String, _ context: ModelContext) throws -> ServerZone {
    let access = try access(account, name, context)
    guard access.isWritable else {
      throw SyncFailure(
        .forbidden, "the account may only read the share; ask \(access.owner) for the permission to write")
    }
    if let zone = try zone(access.key, context) { return zone }
    let zone = ServerZone(account: access.owner, name: name)
    context.insert(zone)
    return zone
  }

  /// Appends transactions to the log of a zone, all or none.
  /// - Returns: the answer, and the key of the zone.
  func push(
    _ request: PushRequest, account: String, zone name: String
  ) throws -> (response: PushResponse, zone: String) {
    let time = now()
    try check(request, time)
    let encoded = request.transactions.map(\.encoded)
    return try transaction { context in
      let zone = try writableZone(account, name, context)
      guard request.base <= zone.latest else {
        throw SyncFailure(
          .unknownSequence,
          "the client has seen the number \(request.base), and the zone ends with \(zone.latest); was the server restored from"
            + " a copy?")
      }
      let keys = request.transactions.map { "\(zone.key)/\($0.id.uuidString)" }
      let known = try context.fetch(
        FetchDescriptor<ServerEntry>(predicate: #Predicate<ServerEntry> { keys.contains($0.key) }))
      var sequences = Dictionary(known.map { ($0.key, $0.sequence) }) { first, _ in first }
      for (index, key) in keys.enumerated() where sequences[key] == nil {
        try checkAssets(request.transactions[index], zone.key, context)
        zone.latest += 1
        zone.size += Int64(encoded[index].count)
        sequences[key] = zone.latest
        context.insert(
          ServerEntry(
            key: key, zone: zone.key, sequence: zone.latest, account: account, transaction: encoded[index]))
      }
      guard zone.size <= limits.zoneSize else { throw full(zone) }
      return (PushResponse(sequences: keys.map { sequences[$0]! }, time: time), zone.key)
    }
  }

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
    let found = try context.fetch(
      FetchDescriptor<ServerEntry>(
        predicate: #Predicate<ServerEntry> { keys.contains($0.key) && $0.account == account }))
    let known = Set(found.map(\.key))
    return KnownResponse(transactions: zip(request.transactions, keys).filter { known.contains($1) }.map(\.0))
  }

  private func full(_ zone: ServerZone) -> SyncFailure {
    SyncFailure(
      .quotaExceeded,
      "the zone has \(zone.size) of \(limits.zoneSize) bytes; ask who runs the server for a larger --quota (deleting objects frees"
        + " none, because the log keeps what was)")
  }

  private func check(_ request: PushRequest, _ time: Int64) throws {
    guard request.transactions.count <= limits.transactions else {
      throw SyncFailure(.tooLarge, "a request may have \(limits.transactions) transactions; send fewer at once")
    }
    guard request.base >= 0 else { throw SyncFailure(.unknownSequence, "sequence numbers are not negative") }
    for transaction in request.transactions {
      guard transaction.changes.count <= limits.changes else {
        throw SyncFailure(.tooLarge, "a transaction may have \(limits.changes) changes; save less at once")
      }
      for change in transaction.changes {
        guard (1...64).contains(change.record.text.utf8.count), change.entity.utf8.count <= 256 else {
          throw SyncFailure(.invalid, "a record needs a name of 1 to 64 bytes and an entity of at most 256 bytes")
        }
      }
      if let moment = transaction.latestTime, moment.milliseconds > time + SyncWire.clockTolerance {
        throw SyncFailure(
          .clockAhead,
          "a change is dated \((moment.milliseconds - time) / 1000) seconds ahead of the server; at most"
            + " \(SyncWire.clockTolerance / 1000) are accepted. Set the clock",
          time: time)
      }
    }
  }

  private func checkAssets(_ transaction: SyncTransaction, _ zone: String, _ context: ModelContext) throws {
    for asset in transaction.assets {
      guard try self.asset("\(zone)/\(asset.sha256)", context)?.isComplete == true else {
        throw SyncFailure(
          .missingAsset, "the asset \(asset.sha256.prefix(64)) is not here; send it before the transaction")
      }
    }
  }

  // MARK: - Reading

  /// Whether the store answers.
  func checkHealth() throws { _ = try zone("", ModelContext(container)) }

  /// A part of the log, as the JSON of a `ChangesResponse`.
  /// - Parameter version: the list of zones that the client has; nil asks for the whole list.
  func changes(after sequence: Int64, account: String, zone name: String, since version: String? = nil) throws -> Data {
    let context = ModelContext(container)
    let key = try access(account, name, context).key
    let news = name == SyncWire.privateZone ? try news(of: account, since: version, context) : nil
    let zone = try zone(key, context)
    let latest = zone?.latest ?? 0
    guard sequence >= 0, sequence <= latest else {
      throw SyncFailure(
        .unknownSequence,
        "the client has seen the number \(sequence), and the zone ends with \(latest); was the server restored from a copy?"
      )
    }
    var body = Data("{\"compacted\":\(zone?.compacted ?? 0),\"entries\":[".utf8)
    var isFirst = true
    for entry in try entries(of: zone, after: sequence, context) {
      if !isFirst { body.append(UInt8(ascii: ",")) }
      isFirst = false
      body += Data("{\"account\":".utf8) + (try SyncWire.encode(entry.account))
      body += Data(",\"sequence\":\(entry.sequence),\"transaction\":\"".utf8)
      body += entry.transaction.base64EncodedData() + Data("\"}".utf8)
    }
    body += Data("],\"latest\":\(latest),\"time\":\(now())".utf8)
    if let news {
      body += Data(",\"isPartial\":\(news.isPartial),\"version\":\"\(news.version)\",\"zones\":".utf8)
      body += try SyncWire.encode(news.zones)
    }
    body.append(UInt8(ascii: "}"))
    return body
  }

  /// The entries of an answer: at least one, if there is one.
  ///
  /// It reads about as many as fit, so that an answer costs the same whatever the length of the log.
  private func entries(
    of zone: ServerZone?, after sequence: Int64, _ context: ModelContext
  ) throws -> [ServerEntry] {
    guard let zone, zone.latest > sequence else { return [] }
    let key = zone.key
    var (found, size, last) = ([ServerEntry](), 0, sequence)
    var count = Int64(limits.answerSize) / max(1, zone.size / zone.latest) + 1
    while size < limits.answerSize, last < zone.latest, found.count < 500 {
      count = min(max(count, 1), 500 - Int64(found.count))
      let end = last + count
      let part = try context.fetch(
        FetchDescriptor<ServerEntry>(
          predicate: #Predicate<ServerEntry> { $0.zone == key && $0.sequence > last && $0.sequence <= end },
          sortBy: [SortDescriptor(\.sequence)]))
      for entry in part where size < limits.answerSize {
        found.append(entry)
        size += entry.transaction.count
      }
      guard !part.isEmpty else { break }
      (last, count) = (end, count * 2)
    }
    return found
  }

  // MARK: - Assets

  private func asset(_ key: String, _ context: ModelContext) throws -> ServerAsset? {
    try context.fetch(FetchDescriptor<ServerAsset>(predicate: #Predicate<ServerAsset> { $0.key == key })).first
  }

  /// How much of an asset is here.
  func assetState(_ sha256: String, account: String, zone name: String) throws -> AssetState {
    let context = ModelContext(container)
    let found = try asset("\(try access(account, name, context).key)/\(sha256)", context)
    return AssetState(size: found?.received ?? 0, isComplete: found?.isComplete ?? false)
  }

  /// Takes a part of an asset. The last part completes it where the checksum is right; otherwise the server drops all parts.
  func putAsset(
    _ sha256: String, offset: Int64, total: Int64, _ bytes: Data, account: String, zone name: String
  ) throws -> AssetState {
    guard sha256.utf8.count == 64, sha256.allSatisfy({ $0.isHexDigit && !$0.isUppercase }) else {
      throw SyncFailure(.invalid, "an asset is named by its SHA-256 in 64 lowercase hexadecimal digits")
    }
    guard (1...limits.assetSize).contains(total) else {
      throw SyncFailure(.tooLarge, "an asset may have 1 to \(limits.assetSize) bytes")
    }
    guard !bytes.isEmpty, bytes.count <= SyncWire.chunkSize, offset >= 0, offset + Int64(bytes.count) <= total else {
      throw SyncFailure(.invalid, "a part has 1 to \(SyncWire.chunkSize) bytes and lies within the asset")
    }
    let (state, isDamaged) = try transaction { context -> (AssetState, Bool) in
      let zone = try writableZone(account, name, context)
      let key = "\(zone.key)/\(sha256)"
      let known = try self.asset(key, context)
      let asset = known ?? ServerAsset(key: key, total: total)
      if known == nil { context.insert(asset) }
      // The part was sent before or comes too early. The answer tells the client which part to send next.
      guard !asset.isComplete, asset.received == offset, asset.total == total else {
        return (AssetState(size: asset.received, isComplete: asset.isComplete), false)
      }
      context.insert(ServerChunk(asset: key, offset: offset, bytes: bytes))
      asset.received += Int64(bytes.count)
      zone.size += Int64(bytes.count)
      guard zone.size <= limits.zoneSize else { throw full(zone) }
      guard asset.received == total else { return (AssetState(size: asset.received, isComplete: false), false) }
      if try checksum(key, context) == sha256 {
        asset.isComplete = true
        return (AssetState(size: total, isComplete: true), false)
      }
      for chunk in try chunks(of: key, from: 0, context) { context.delete(chunk) }
      context.delete(asset)
      zone.size -= total
      return (AssetState(size: 0, isComplete: false), true)
    }
    if isDamaged {
      throw SyncFailure(.invalid, "the bytes of the asset do not have the checksum \(sha256); send it again")
    }
    return state
  }

  private func chunks(of key: String, from offset: Int64, _ context: ModelContext) throws -> [ServerChunk] {
    try context.fetch(
      FetchDescriptor<ServerChunk>(
        predicate: #Predicate<ServerChunk> { $0.asset == key && $0.offset >= offset },
        sortBy: [SortDescriptor(\.offset)]))
  }

  private func checksum(_ key: String, _ context: ModelContext) throws -> String {
    var hash = SHA256()
    for chunk in try chunks(of: key, from: 0, context) { hash.update(data: chunk.bytes) }
    return Data(hash.finalize()).hexadecimal
  }

  /// A part of an asset that is complete.
  func assetPart(_ sha256: String, offset: Int64, account: String, zone name: String) throws -> Data {
    let context = ModelContext(container)
    let key = "\(try access(account, name, context).key)/\(sha256)"
    guard let asset = try asset(key, context), asset.isComplete else {
      throw SyncFailure(.missingAsset, "the asset \(sha256.prefix(64)) is not here")
    }
    let chunks = try context.fetch(
      FetchDescriptor<ServerChunk>(predicate: #Predicate<ServerChunk> { $0.asset == key && $0.offset == offset }))
    guard let chunk = chunks.first else {
      throw SyncFailure(.invalid, "no part of the asset begins at \(offset); parts begin where the last one ended")
    }
    return chunk.bytes
  }
}
