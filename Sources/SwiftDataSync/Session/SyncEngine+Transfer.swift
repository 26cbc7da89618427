#if Sync
import Foundation
import SyncProtocol
import UntrustedInput

// What an exchange receives and sends, zone by zone.

extension SyncEngine {
  /// How many refusals of one step the engine acts upon. A faulty server would have it try again without end.
  static let mostFailures = 10

  func pull(_ replica: Replica, _ zone: String) async throws {
    var event: SyncEvent?
    do {
      var (more, failures) = (true, 0)
      // The number before the first part of a snapshot.
      var origin: Int64 = 0
      // The next part comes while this one is taken in.
      var ahead: Task<ChangesResponse, any Error>?
      defer { ahead?.cancel() }
      while more {
        try Task.checkCancellation()
        let response: ChangesResponse
        do {
          if let coming = ahead {
            ahead = nil
            response = try await withTaskCancellationHandler {
              try await coming.value
            } onCancel: {
              coming.cancel()
            }
          } else {
            response = try await client.changes(
              zone: zone, after: replica.position(zone), snapshot: replica.ledger.places.unfinishedSnapshot(zone),
              since: known.version)
          }
        } catch let failure as SyncFailure {
          failures += 1
          guard failures <= Self.mostFailures else { throw failure }
          try await recover(from: failure, replica, zone)
          continue
        }
        let latest = try response.newest
        try note(response.snapshotWanted, of: zone, "changes")
        if let zones = response.zones { known.note(zones, isPartial: response.isPartial) }
        guard !response.entries.isEmpty else {
          if let zones = response.allZones { try replica.didSee(zones, taken: try await taken(replica, response)) }
          if response.zones != nil { known.didTake(response.version) }
          break
        }
        if event == nil { event = begin(.import) }
        if response.isSnapshot == true, replica.position(zone) == 0 { origin = response.entries[0].sequence - 1 }
        event!.transactions += response.entries.count
        if let last = response.entries.last?.sequence, last < latest {
          let snapshot =
            response.isSnapshot == true ? response.snapshot.map(\.through).flatMap { last < $0 ? $0 : nil } : nil
          ahead = Task { [client, known] in
            try await client.changes(zone: zone, after: last, snapshot: snapshot, since: known.version)
          }
        }
        for part in response.parts {
          try Task.checkCancellation()
          more = try await take(part, replica, zone)
        }
        if response.zones != nil { known.didTake(response.version) }
        let (done, all) = (replica.position(zone) - origin, latest - origin)
        status.setProgress(more ? Double(done) / Double(max(1, all)) : nil)
      }
      if let event { end(event, nil) }
    } catch {
      if let event { end(event, error) }
      throw error
    }
  }

  /// Notes how many bytes of log a snapshot would replace.
  private func note(_ snapshotWanted: Untrusted<Int64>?, of zone: String, _ answer: String) throws {
    snapshotsWanted[zone] = try snapshotWanted?.inRange(0...(.max), field: "\(answer).snapshotWanted")
  }

  /// Does what a refusal asks for.
  /// - Throws: the failure, if that does not help.
  private func recover(from failure: SyncFailure, _ replica: Replica, _ zone: String) async throws {
    let position = replica.position(zone)
    guard try replica.didFail(failure, zone: zone) else { throw failure }
    guard failure.code == .compacted else { return }
    try await catchUp(replica)
    guard replica.position(zone) > position else { throw failure }
  }

  private func take(_ response: ChangesResponse, _ replica: Replica, _ zone: String) async throws -> Bool {
    let assets = replica.assetsToFetch(response)
    for asset in assets { try await fetch(asset.sha256, asset.size, replica, zone) }
    let taken = try await taken(replica, response)
    let unsent = replica.unsentInSnapshot(response, zone: zone)
    let sent = unsent.isEmpty ? [] : try await client.known(unsent, zone: zone, through: response.snapshot?.through)
    return try await fetching(replica, pulling: zone, fetched: assets.map(\.sha256)) {
      try replica.didPull(response, zone: zone, taken: taken, sent: sent)
    }
  }

  /// Does a step that shows values in the user's store, and brings the bytes that it lacks.
  /// - Parameters:
  ///   - zone: the zone whose log is taken in; nil if none is.
  ///   - fetched: assets that were fetched for the step already.
  func fetching<T>(
    _ replica: Replica, pulling zone: String? = nil, fetched: [String] = [], _ step: () throws -> T
  ) async throws -> T {
    var fetched = fetched
    while true {
      do {
        let result = try step()
        try replica.didShow(fetched)
        return result
      } catch let missing as MissingAsset {
        try await fetch(missing, replica, try replica.zones(with: missing, pulling: zone))
        fetched.append(missing.sha256)
      }
    }
  }

  /// Brings the bytes of an asset from one of several zones. What no zone has must not keep the replica from hearing of the rest.
  private func fetch(_ missing: MissingAsset, _ replica: Replica, _ zones: [String]) async throws {
    for zone in zones {
      do {
        return try await fetch(missing.sha256, missing.size, replica, zone)
      } catch let failure as SyncFailure where [.missingAsset, .notFound].contains(failure.code) {}
    }
    replica.unavailable.insert(missing.sha256)
  }

  /// The unsent transactions of shares which the account lost that the server took all the same: its answers were lost.
  func taken(_ replica: Replica, _ response: ChangesResponse) async throws -> Set<UUID> {
    guard let zones = response.allZones else { return [] }
    var taken = Set<UUID>()
    for (zone, transactions) in replica.unsentInLostShares(zones) {
      taken.formUnion(try await client.known(transactions, zone: zone))
    }
    return taken
  }

  /// Brings the bytes of an asset, unless they are here.
  private func fetch(_ sha256: String, _ size: Int, _ replica: Replica, _ zone: String) async throws {
    guard try replica.ledger.asset(sha256) == nil else { return }
    let bytes = try await client.download(sha256: sha256, size: size, zone: zone)
    try replica.keepFetched(sha256, bytes)
  }

  func push(_ replica: Replica, _ zone: String) async throws {
    guard try replica.hasUnsent(zone: zone) else { return }
    var event = begin(.export)
    status.setUploading(true)
    do {
      var failures = 0
      while try replica.hasUnsent(zone: zone) {
        try Task.checkCancellation()
        try replica.sealUnsent(zone: zone)
        guard let request = replica.nextPush(zone: zone) else { break }
        do {
          try await upload(request, replica, zone)
          let response = try await client.push(request, zone: zone)
          uploaded.didPush()
          event.transactions += request.transactions.count
          try note(response.snapshotWanted, of: zone, "push")
          try await fetching(replica, pulling: zone) {
            try replica.didPush(request, response, zone: zone, account: replica.ledger.replica.account ?? "")
          }
        } catch let failure as SyncFailure {
          uploaded.didFail(failure)
          failures += 1
          guard failures <= Self.mostFailures else { throw failure }
          let position = replica.position(zone)
          guard failure.code == .compacted else {
            guard try replica.didFail(failure, zone: zone) else { throw failure }
            continue
          }
          // The log may have had these transactions. The snapshot comes first.
          try await pull(replica, zone)
          guard replica.position(zone) > position else { throw failure }
          continue
        }
        // Others came in between: their changes come first.
        func isUnsent() -> Bool {
          replica.nextPush(zone: zone)?.transactions.first?.id == request.transactions.first?.id
        }
        if isUnsent() {
          let position = replica.position(zone)
          try await pull(replica, zone)
          guard !isUnsent() || replica.position(zone) > position else {
            throw SyncFailure(
              .invalid, "the server accepted changes, and its log of the zone \(zone) does not have them; it is faulty")
          }
        }
      }
      end(event, nil)
    } catch {
      end(event, error)
      throw error
    }
  }

  private func upload(_ request: PushRequest, _ replica: Replica, _ zone: String) async throws {
    for (sha256, change) in replica.assetsToUpload(request) where !uploaded.contains(sha256, zone) {
      // If this replica has no bytes, the server refuses the push unless it has them.
      guard let bytes = try replica.bytes(of: sha256, in: change) else { continue }
      try await client.upload(bytes, sha256: sha256, zone: zone)
      uploaded.insert(sha256, zone)
    }
  }
}

extension ChangesResponse {
  /// The bytes of assets that a part may have, so that a replica holds few of them and a kill loses few.
  private static let partSize = 16 << 20

  /// The answer in parts: whole entries, in order.
  fileprivate var parts: [ChangesResponse] {
    var parts: [ChangesResponse] = []
    var (start, size) = (0, 0)
    for (index, entry) in entries.enumerated() {
      // Any sender can name a thousand large assets. What fills a part need not be counted to the end.
      let added = entry.transaction.assets.reduce(0) { min($0 + $1.size, Self.partSize) }
      if index > start, size + added > Self.partSize {
        parts.append(part(start..<index))
        (start, size) = (index, 0)
      }
      size += added
    }
    return parts + [part(start..<entries.count)]
  }

  private func part(_ range: Range<Int>) -> ChangesResponse {
    var part = self
    part.entries = Array(entries[range])
    return part
  }
}
#endif
