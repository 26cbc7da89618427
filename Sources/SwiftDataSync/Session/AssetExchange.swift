#if Sync
import Foundation
import SyncProtocol

// Which assets an exchange sends and brings. Nothing here waits or sends.

/// The assets of the next push that the server has. A retry does not send them again: a server limits the requests of an account,
/// so many assets need several tries.
struct UploadedAssets {
  private var known: Set<String> = []

  func contains(_ sha256: String, _ zone: String) -> Bool { known.contains("\(zone)/\(sha256)") }
  mutating func insert(_ sha256: String, _ zone: String) { known.insert("\(zone)/\(sha256)") }

  /// Forgets what only one push needed.
  mutating func didPush() { known = [] }

  /// Forgets what the server does not have any more.
  mutating func didFail(_ failure: SyncFailure) { if failure.code == .missingAsset { known = [] } }
}

extension Replica {
  /// The assets that have to be on the server before a push, with the changes that name them.
  func assetsToUpload(_ request: PushRequest) -> [(sha256: String, change: RecordChange)] {
    // Several changes may name an asset, of which not each has an object with the bytes.
    request.transactions.map(user.schema.current).flatMap(\.changes).flatMap { change in
      change.assets.map { ($0.sha256, change) }
    }
  }

  /// The assets that have to be here before a part of a log is taken in.
  func assetsToFetch(_ response: ChangesResponse) -> [(sha256: String, size: Int)] {
    response.entries.filter { !isOwn($0.transaction) }.flatMap(\.transaction.assets)
  }

  /// The zones that may have an asset, the most likely one first: a record that is shown now may be in another zone than the one
  /// whose log is taken in, and may be on its way to a zone that does not have its bytes yet.
  /// - Parameter zone: the zone whose log is taken in; nil if none is.
  func zones(with missing: MissingAsset, pulling zone: String? = nil) throws -> [String] {
    let record = missing.record.subject ?? missing.record
    let likely = try [zone, self.zone(of: record), SyncWire.privateZone].compactMap(\.self) + shares.map(\.name)
    var seen = Set<String>()
    return likely.filter { seen.insert($0).inserted }
  }

  /// Keeps bytes that were fetched for a value.
  func keepFetched(_ sha256: String, _ bytes: Data) throws {
    try transaction { try ledger.keepAsset(sha256, bytes, isOutgoing: false) }
  }

  /// Removes bytes that were fetched, since the user's store has them now.
  func didShow(_ fetched: [String]) throws {
    guard !fetched.isEmpty else { return }
    try transaction { try ledger.dropAssets(fetched) }
  }
}
#endif
