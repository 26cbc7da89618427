#if Sync
import Foundation
import SyncProtocol

// A snapshot is made at once, since the replica must not change meanwhile, and sent beside the exchanges that follow: it may be large,
// and no change waits for it. What is sent is kept in a temporary file, so that memory holds one part.

extension SyncEngine {
  /// How often a part is sent before the snapshot is given up. The server asks again.
  private static let tries = 5
  /// How long no snapshot is made after one could not be sent, in seconds. The server asks for it with each answer.
  private static let pause = 600.0

  /// Whether a snapshot is being sent.
  @_spi(Wire) public var isSendingSnapshot: Bool { snapshotUpload != nil }

  /// Makes a snapshot that the server wants, and begins to send it.
  func makeSnapshot(_ replica: Replica) throws {
    guard snapshotUpload == nil, snapshotsNotBefore <= Date() else { return }
    for (zone, bytes) in snapshotsWanted.sorted(by: { $0.key < $1.key }) {
      guard var snapshot = try replica.beginSnapshot(zone: zone) else { continue }
      snapshotsWanted[zone] = nil
      var parts = SnapshotParts()
      while !snapshot.isComplete {
        guard let part = try replica.nextPart(of: &snapshot) else { return }
        do {
          try parts.append(part.encoded)
        } catch {
          // A full disk must not keep changes from being exchanged.
          snapshotsNotBefore = Date().addingTimeInterval(Self.pause)
          return logger.notice("\(configuration): the snapshot of \(zone) cannot be kept in a file: \(error)")
        }
        // The rest is about as large, so that the first part decides.
        guard Double(parts.size) / snapshot.progress <= Double(bytes) / 2, parts.count < snapshot.through else {
          parts = SnapshotParts()
          break
        }
      }
      let request = SnapshotRequest(through: snapshot.through, parts: parts.count, rules: snapshot.rules)
      let maker = replica.ledger.replica.clock.replica
      snapshotUpload = Task { [parts, through = snapshot.through] in
        do {
          for index in 0..<parts.count { try await send(parts, index, of: through, by: maker, zone) }
          try await client.finish(request, by: maker, zone: zone)
        } catch {
          // Nothing depends on it.
          snapshotsNotBefore = Date().addingTimeInterval(Self.pause)
          logger.notice("\(configuration): the snapshot of \(zone) was not sent: \(SyncError(error).message)")
        }
        snapshotUpload = nil
      }
      return
    }
  }

  private func send(
    _ parts: SnapshotParts, _ index: Int, of through: Int64, by maker: UInt64, _ zone: String
  ) async throws {
    var backoff = Backoff()
    while true {
      do {
        return try await client.put(
          try parts.bytes(of: index), index, ofSnapshot: through, by: maker, zone: zone)
      } catch let error where error is URLError || (error as? SyncFailure)?.isTransient == true {
        let delay = backoff.next(least: SyncError(error).retryAfter, jitter: Double.random(in: 0...1))
        guard backoff.failures < Self.tries else { throw error }
        try await Task.sleep(for: .seconds(delay))
      }
    }
  }
}

/// The encoded parts of a snapshot in a temporary file.
struct SnapshotParts: Sendable {
  private let file = TemporaryFile()
  private var ends: [UInt64] = []

  var count: Int { ends.count }
  /// The bytes of all parts.
  var size: UInt64 { ends.last ?? 0 }

  mutating func append(_ part: Data) throws {
    try file.append(part)
    ends.append(size + UInt64(part.count))
  }

  func bytes(of index: Int) throws -> Data {
    let start = index == 0 ? 0 : ends[index - 1]
    return try file.read(from: start, count: Int(ends[index] - start))
  }

  /// A file that is made when it is first written to, and removed with this object.
  private final class TemporaryFile: Sendable {
    private let url = FileManager.default.temporaryDirectory.appendingPathComponent("snapshot-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: url) }

    func append(_ bytes: Data) throws {
      if !FileManager.default.fileExists(atPath: url.path),
        !FileManager.default.createFile(atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
      {
        throw CocoaError(.fileWriteUnknown)
      }
      let handle = try FileHandle(forWritingTo: url)
      defer { try? handle.close() }
      try handle.seekToEnd()
      try handle.write(contentsOf: bytes)
    }

    func read(from start: UInt64, count: Int) throws -> Data {
      let handle = try FileHandle(forReadingFrom: url)
      defer { try? handle.close() }
      try handle.seek(toOffset: start)
      return try handle.read(upToCount: count) ?? Data()
    }
  }
}
#endif
