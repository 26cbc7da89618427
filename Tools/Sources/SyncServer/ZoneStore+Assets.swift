import Crypto
import Foundation
import SwiftData
import SyncProtocol
import UntrustedInput

// Assets: bytes that transactions name.

extension ZoneStore {
  func asset(_ key: String, _ context: ModelContext) throws -> ServerAsset? {
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
    _ sha256: String, offset: Untrusted<Int64>, total: Untrusted<Int64>, _ bytes: Data, account: String,
    zone name: String
  ) throws -> AssetState {
    guard sha256.utf8.count == 64, sha256.allSatisfy({ $0.isHexDigit && !$0.isUppercase }) else {
      throw SyncFailure(.invalid, "an asset is named by its SHA-256 in 64 lowercase hexadecimal digits")
    }
    guard let total = total.value(in: 1...limits.assetSize) else {
      throw SyncFailure(.tooLarge, "an asset may have 1 to \(limits.assetSize) bytes")
    }
    // Clients send such parts. A participant that sent single bytes would make the others ask for each of them.
    guard let offset = offset.value(in: 0...(total - 1)),
      Int64(bytes.count) == min(Int64(SyncWire.chunkSize), total - offset)
    else {
      throw SyncFailure(
        .invalid, "a part lies within the asset and has \(SyncWire.chunkSize) bytes; the last one has the rest")
    }
    let (state, isDamaged) = try transaction { context -> (AssetState, Bool) in
      let zone = try writableZone(account, name, context)
      let key = "\(zone.key)/\(sha256)"
      let known = try self.asset(key, context)
      let asset = known ?? ServerAsset(key: key, total: total)
      if known == nil { context.insert(asset) }
      // The sweep of assets leaves it here for a day. An hour more or less is not worth a save.
      let time = now()
      if time - asset.touched > 3_600_000 { asset.touched = time }
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
  func assetPart(_ sha256: String, offset: Untrusted<Int64>, account: String, zone name: String) throws -> Data {
    let context = ModelContext(container)
    let offset = try offset.inRange(0...limits.assetSize, field: "offset")
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
