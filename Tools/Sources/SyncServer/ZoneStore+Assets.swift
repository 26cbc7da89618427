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

  /// Returns the number of bytes of an asset that have arrived.
  func assetState(_ sha256: String, account: String, zone name: String) throws -> AssetState {
    let context = ModelContext(container)
    let found = try asset("\(try access(account, name, context).key)/\(sha256)", context)
    return AssetState(size: found?.received ?? 0, isComplete: found?.isComplete ?? false)
  }

  /// Stores a part of an asset. After the last part the server checks the checksum, and deletes all parts if it is wrong.
  func putAsset(
    _ sha256: String, offset: Untrusted<Int64>, total: Untrusted<Int64>, _ bytes: Data, account: String,
    zone name: String
  ) throws -> AssetState {
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
    let (state, isDamaged) = try transaction { context -> (AssetState, Bool) in
      let zone = try writableZone(account, name, context)
      let key = "\(zone.key)/\(sha256)"
      let existing = try self.asset(key, context)
      let asset = existing ?? ServerAsset(key: key, total: total)
      if existing == nil { context.insert(asset) }
      // The sweep keeps the asset for a day after its last part. An hour of error saves a write for each part.
      let time = now()
      if time - asset.touched > 3_600_000 { asset.touched = time }
      // The part was sent before, or it arrives too early. The response tells the client which part to send next.
      guard !asset.isComplete, asset.received == offset, asset.total == total else {
        return (AssetState(size: asset.received, isComplete: asset.isComplete), false)
      }
      context.insert(ServerChunk(asset: asset.chunks, offset: offset, bytes: bytes))
      asset.received += Int64(bytes.count)
      zone.size += Int64(bytes.count)
      guard zone.size <= limits.zoneSize else { throw quotaExceeded(zone.size) }
      guard asset.received == total else { return (AssetState(size: asset.received, isComplete: false), false) }
      if try checksum(asset.chunks, context) == sha256 {
        asset.isComplete = true
        return (AssetState(size: total, isComplete: true), false)
      }
      for chunk in try chunks(of: asset.chunks, from: 0, context) { context.delete(chunk) }
      context.delete(asset)
      zone.size -= total
      return (AssetState(size: 0, isComplete: false), true)
    }
    if isDamaged {
      throw SyncFailure(.invalid, "the bytes of the asset do not have the checksum \(sha256); send the asset again")
    }
    return state
  }

  func chunks(of key: String, from offset: Int64, _ context: ModelContext) throws -> [ServerChunk] {
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
