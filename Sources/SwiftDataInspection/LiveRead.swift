import Foundation
import SwiftData
import SwiftDataAppleStore

extension InspectedStore {
  /// Reads a file of OpenSwiftData at one moment while other programs save to it.
  ///
  /// A file without a log has no program that saves to it, so it is read without locks, which changes nothing next to it. Otherwise
  /// the connection takes SQLite's locks, which need the log's index to be writable.
  /// - Parameter body: reads the file in a transaction. It may run again.
  func readLive<T>(_ body: (FileConnection) throws -> T) throws -> T {
    guard let file else {
      throw SwiftDataError(.unsupportedFeature, message: "\"\(location)\" is not a file of OpenSwiftData")
    }
    return try Self.readLive(file, location, body)
  }

  /// - Parameter file: the file at the location, without locks.
  static func readLive<T>(_ file: FileAccess, _ location: String, _ body: (FileConnection) throws -> T) throws -> T {
    for _ in 0..<10 {
      if hasLog(location) {
        let connection = try FileConnection(reading: FileKind.real(location), place: location)
        return try connection.atOneMoment { try body(connection) }
      }
      // The error says that a program started to save meanwhile. It has a log then.
      do { return try file.read(body) } catch SwiftDataError.storeLocked where hasLog(location) {}
    }
    return try file.read(body)
  }

  private static func hasLog(_ location: String) -> Bool {
    let path = FileKind.real(location)
    let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
    guard let size = (attributes?[.size] as? NSNumber)?.int64Value, size > 0 else { return false }
    return access(path + "-shm", W_OK) == 0 || access((path as NSString).deletingLastPathComponent, W_OK) == 0
  }
}
