#if Sync
import Foundation
import SyncCore
import SyncProtocol

/// The assets of the next push that the server has. A retry does not send them again: a server limits the requests of an account,
/// so many assets need several tries.
struct UploadedAssets {
  private struct Asset: Hashable {
    let sha256: String
    let zone: ZoneName
  }

  private var known: Set<Asset> = []

  func contains(_ sha256: String, _ zone: ZoneName) -> Bool { known.contains(Asset(sha256: sha256, zone: zone)) }
  mutating func insert(_ sha256: String, _ zone: ZoneName) { known.insert(Asset(sha256: sha256, zone: zone)) }

  /// Forgets what only one push needed.
  mutating func didPush() { known = [] }

  /// Forgets what the server does not have any more.
  mutating func didFail(_ failure: SyncFailure) { if failure.code == .missingAsset { known = [] } }
}

extension SyncEngine {
  /// Sends the assets of a push that the server may lack.
  /// - Parameter bytes: the bytes of an asset. Those that were kept go before a push. The server has the others, unless it refuses the push.
  func upload(
    _ request: SyncLog.PushRequest, _ replica: ZoneReplica, _ bytes: (String) throws -> Data?
  ) async throws {
    for (sha256, zone) in replica.assetsToUpload(request) where !uploaded.contains(sha256, zone) {
      guard let bytes = try bytes(sha256) else { continue }
      try await client.upload(bytes, sha256: sha256, zone: zone)
      uploaded.insert(sha256, zone)
    }
  }

  /// Does a step that shows values in the user's store, and brings the bytes that it lacks.
  func fetching<T>(_ replica: ZoneReplica, _ step: () throws -> T) async throws -> T {
    while true {
      do { return try step() } catch let missing as MissingAssets {
        for asset in missing.assets { try await fetch(asset, replica) }
      }
    }
  }

  /// Brings the bytes of an asset from one of several zones. An asset that no zone has must not stop the exchange of the rest.
  private func fetch(_ asset: MissingAssets.Asset, _ replica: ZoneReplica) async throws {
    guard try replica.asset(asset.sha256) == nil else { return }
    for zone in replica.zones(with: asset) {
      do {
        let bytes = try await client.download(sha256: asset.sha256, size: asset.size, zone: zone)
        return try replica.keepFetched(asset.sha256, bytes)
      } catch let failure as SyncFailure where [.missingAsset, .notFound].contains(failure.code) {}
    }
    replica.unavailable.insert(asset.sha256)
  }
}
#endif
