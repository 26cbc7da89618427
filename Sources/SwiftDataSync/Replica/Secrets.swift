#if Sync
import Foundation
import SwiftData
import SyncProtocol

/// The keys of shares, in a file that only the user can read. A copy of the store does not have them.
///
/// The file has at least the keys whose generations the bookkeeping names. A replica gets the keys that it lacks from the server again.
final class Secrets {
  private struct Contents: Codable {
    /// The keys by zone, of all generations, the oldest first. See ``ZoneReplica/keep(_:zone:)`` for others.
    var keys: [String: [Data]] = [:]
  }

  /// The file; nil is memory.
  private let url: URL?

  // MARK: - Mutable State
  // They belong to one replica, which is used by one thread at a time.

  private var contents = Contents()

  /// - Throws: an error of the file system, or `DecodingError` for a damaged file.
  init(at url: URL? = nil) throws {
    self.url = url
    guard let url, FileManager.default.fileExists(atPath: url.path) else { return }
    contents = try SyncWire.decode(Contents.self, from: Data(contentsOf: url))
  }

  var keys: [String: [Data]] { contents.keys }

  /// - Parameter keys: nil removes them.
  /// - Throws: an error of the file system.
  func setKeys(_ keys: [Data]?, of zone: String) throws {
    guard contents.keys[zone] != keys else { return }
    contents.keys[zone] = keys
    try write()
  }

  private func write() throws {
    guard let url else { return }
    // After a power cut the file is as it was or as it is now.
    let new = url.appendingPathExtension("new")
    if FileManager.default.fileExists(atPath: new.path) { try FileManager.default.removeItem(at: new) }
    try DurableFiles.createFolder(url.deletingLastPathComponent().path)
    try DurableFiles.write(SyncWire.encode(contents), to: new.path)
    guard rename(new.path, url.path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    try DurableFiles.sync(folder: url.deletingLastPathComponent().path)
  }
}
#endif
