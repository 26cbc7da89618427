import Crypto
import Foundation
import SwiftData
import SyncProtocol
import UntrustedInput

// Assets: large values that registers name by checksum.

extension ZoneStore {
  func asset(_ key: String, _ context: ModelContext) throws -> ServerAsset? {
    try context.fetch(FetchDescriptor<ServerAsset>(predicate: #Predicate<ServerAsset> { $0.key == key })).first
  }

  /// Returns an asset of a zone: the complete one, else the one that an account has begun to send.
  private func asset(_ part: AssetPart, _ context: ModelContext) throws -> ServerAsset? {
    if let asset = try asset(part.key, context), asset.isComplete { return asset }
    return try asset(part.unfinishedKey, context)
  }

  /// Returns the number of bytes of an asset that have arrived from an account.
  func assetState(_ sha256: String, account: String, zone name: String) throws -> AssetState {
    let context = ModelContext(container)
    let zone = try access(account, name, context).key
    let found = try asset(AssetPart(zone: zone, sha256: sha256, account: account), context)
    return AssetState(size: found?.received ?? 0, isComplete: found?.isComplete ?? false)
  }

  /// A part of an asset that an account sends to a zone.
  struct AssetPart {
    let zone: String
    let sha256: String
    let account: String
    var offset: Int64 = 0
    /// The size of the asset.
    var total: Int64 = 0
    var bytes = Data()

    /// The key of the asset when it is complete, and before that.
    var key: String { "\(zone)/\(sha256)" }
    var unfinishedKey: String { "\(key)/\(account)" }
    /// The offset of the next part.
    var end: Int64 { offset + Int64(bytes.count) }
  }

  /// The checksum of an asset that lacks its last part, with this part.
  struct AssetChecksum {
    /// The value of ``ServerAsset/chunks``; nil without other parts.
    var chunks: String?
    var sha256: String
  }

  /// Stores a part of an asset. With the last part the server checks the checksum, and deletes all parts if it is wrong.
  func putAsset(
    _ sha256: String, offset: Untrusted<Int64>, total: Untrusted<Int64>, _ bytes: Data, account: String,
    zone name: String
  ) async throws -> AssetState {
    guard sha256.utf8.count == 64, sha256.allSatisfy({ $0.isHexDigit && !$0.isUppercase }) else {
      throw SyncFailure(.invalid, "the name of an asset is its SHA-256 in 64 lowercase hexadecimal digits")
    }
    guard let total = total.value(in: 1...limits.assetSize) else {
      throw SyncFailure(.tooLarge, "an asset has 1 to \(limits.assetSize) bytes; store less in one value")
    }
    // Parts of one size bound the number of requests: with parts of single bytes, a participant would make all others send one
    // request for each byte.
    guard let offset = offset.value(in: 0...(total - 1)),
      Int64(bytes.count) == min(Int64(SyncWire.chunkSize), total - offset)
    else {
      throw SyncFailure(
        .invalid,
        "a part of an asset lies within the asset and has \(SyncWire.chunkSize) bytes; only the last part may have fewer"
      )
    }
    let zone = try access(account, name, ModelContext(container)).key
    let part = AssetPart(zone: zone, sha256: sha256, account: account, offset: offset, total: total, bytes: bytes)
    return try take(part, part.end == total ? try await checksum(part) : nil)
  }

  /// Hashes an asset with its last part. Other requests are answered meanwhile.
  /// - Returns: nil if the part is not the next one.
  func checksum(_ part: AssetPart) async throws -> AssetChecksum? {
    var hash = SHA256()
    var chunks: String?
    if part.offset > 0 {
      guard let asset = try asset(part, ModelContext(container)), !asset.isComplete, asset.received == part.offset
      else { return nil }
      guard hashing.insert(part.unfinishedKey).inserted else {
        throw SyncFailure(.unavailable, "the server checks the bytes of the asset; try again", retryAfter: 1)
      }
      defer { hashing.remove(part.unfinishedKey) }
      chunks = asset.chunks
      var position: Int64 = 0
      while position < part.offset {
        let next = try self.chunks(of: asset.chunks, from: position)
        guard !next.isEmpty else { return nil }
        for chunk in next {
          hash.update(data: chunk.bytes)
          position += Int64(chunk.bytes.count)
        }
        await Task.yield()
      }
    }
    hash.update(data: part.bytes)
    return AssetChecksum(chunks: chunks, sha256: Data(hash.finalize()).hexadecimal)
  }

  /// Returns the next parts of an asset: up to 16, which bounds the memory.
  private func chunks(of key: String, from offset: Int64) throws -> [ServerChunk] {
    var descriptor = FetchDescriptor<ServerChunk>(
      predicate: #Predicate<ServerChunk> { $0.asset == key && $0.offset >= offset }, sortBy: [SortDescriptor(\.offset)])
    descriptor.fetchLimit = 16
    return try ModelContext(container).fetch(descriptor)
  }

  /// Stores a part of an asset.
  /// - Parameter checksum: nil if the part was not the last one.
  func take(_ part: AssetPart, _ checksum: AssetChecksum?) throws -> AssetState {
    let (state, isDamaged) = try transaction { context -> (AssetState, Bool) in
      let zone = try writableZone(part.account, part.zone, context)
      let existing = try self.asset(part, context)
      let asset = existing ?? ServerAsset(key: part.unfinishedKey, total: part.total)
      // The sweep keeps the asset for a day after its last part. An hour of error saves a write for each part.
      let time = now()
      if time - asset.touched > 3_600_000 { asset.touched = time }
      if !asset.isComplete, asset.total != part.total {
        // The parts before had a wrong size.
        try restart(asset, in: zone, context)
        asset.total = part.total
      }
      // The part was sent before, or it arrives too early. The response tells the client which part to send next.
      guard !asset.isComplete, asset.received == part.offset,
        part.end < part.total || checksum.map({ $0.chunks ?? asset.chunks == asset.chunks }) == true
      else { return (AssetState(size: asset.received, isComplete: asset.isComplete), false) }
      guard part.end < part.total || checksum?.sha256 == part.sha256 else {
        try restart(asset, in: zone, context)
        if existing != nil { context.delete(asset) }
        return (AssetState(size: 0, isComplete: false), true)
      }
      if existing == nil { context.insert(asset) }
      context.insert(ServerChunk(asset: asset.chunks, offset: part.offset, bytes: part.bytes))
      asset.received = part.end
      zone.size += Int64(part.bytes.count)
      guard zone.size <= limits.zoneSize else { throw quotaExceeded(zone.size) }
      if part.end == part.total { (asset.key, asset.isComplete) = (part.key, true) }
      return (AssetState(size: asset.received, isComplete: asset.isComplete), false)
    }
    if isDamaged {
      throw SyncFailure(
        .invalid, "the bytes of the asset do not have the checksum \(part.sha256); send the asset again")
    }
    return state
  }

  /// Deletes the parts of an unfinished asset.
  private func restart(_ asset: ServerAsset, in zone: LogZone, _ context: ModelContext) throws {
    let chunks = asset.chunks
    try context.delete(model: ServerChunk.self, where: #Predicate<ServerChunk> { $0.asset == chunks })
    zone.size -= asset.received
    (asset.received, asset.chunks) = (0, UUID().uuidString)
  }

  /// Returns the part of a complete asset that begins at an offset.
  func assetPart(_ sha256: String, offset: Untrusted<Int64>, account: String, zone name: String) throws -> Data {
    let context = ModelContext(container)
    let offset = try offset.inRange(0...limits.assetSize, field: "offset")
    let key = "\(try access(account, name, context).key)/\(sha256)"
    guard let asset = try asset(key, context), asset.isComplete else {
      throw SyncFailure(
        .missingAsset, "the server does not have the asset \(sha256.prefix(64)); wait until a device has sent it")
    }
    let parts = asset.chunks
    let chunks = try context.fetch(
      FetchDescriptor<ServerChunk>(predicate: #Predicate<ServerChunk> { $0.asset == parts && $0.offset == offset }))
    guard let chunk = chunks.first else {
      throw SyncFailure(
        .invalid, "no part of the asset begins at the offset \(offset); a part begins at the end of the part before it")
    }
    return chunk.bytes
  }
}
