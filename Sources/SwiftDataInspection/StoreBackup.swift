import Foundation
import SwiftData
import SwiftDataAppleStore

/// The result of a backup.
public struct StoreBackup: Sendable, Codable {
  /// The store that was read.
  public var source: String
  /// The file that was written.
  public var destination: String
  /// The size of the file in bytes, without external data.
  public var bytes: Int64
  /// The number of files with external data.
  public var externalFiles: Int
  /// Their size in bytes.
  public var externalBytes: Int64
  /// The files with external data that rows name and that the store lacks.
  public var missing: [String]

  /// The result as text.
  public var text: String {
    var lines = ["\(source) is backed up in \(destination), \(ByteText.text(bytes))"]
    if externalFiles > 0 {
      let noun = externalFiles == 1 ? "file" : "files"
      lines[0] += " and \(externalFiles) external \(noun), \(ByteText.text(externalBytes))"
    }
    return (lines + missing.map { "the store lacks the external file \($0)" }).joined(separator: "\n")
  }
}

/// A file that another name had until it was complete.
public enum FinishedFile {
  /// Gives a complete file its own name, and syncs the folder.
  /// - Throws: `SwiftDataError` if something has the name already, or the folder cannot be written. The name then leads to the
  ///   same file or folder as before.
  public static func move(_ file: URL, to destination: URL) throws {
    do {
      try DurableFiles.rename(file.path, toFree: destination.path)
      try DurableFiles.sync(folder: destination.deletingLastPathComponent().path)
    } catch let error as POSIXError where error.code == .EEXIST {
      throw taken(destination.path)
    } catch {
      throw failure(error, destination)
    }
  }

  fileprivate static func taken(_ path: String) -> SwiftDataError {
    SwiftDataError(.io, message: "\"\(path)\" exists already; name a new file")
  }

  fileprivate static func failure(_ error: any Error, _ destination: URL) -> SwiftDataError {
    SwiftDataError(
      .io,
      message:
        "\"\(destination.path)\" cannot be written (\(error.localizedDescription)); name a file in a folder that you"
        + " may write to", underlying: error)
  }
}

/// Sizes for people.
enum ByteText {
  static func text(_ bytes: Int64) -> String {
    var (value, unit) = (Double(bytes), 0)
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while value >= 1024, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
    return unit == 0 ? "\(bytes) bytes" : "\(String(format: "%.1f", value)) \(units[unit])"
  }
}

extension InspectedStore {
  /// Copies a file of OpenSwiftData and its external data, as they are at one moment. Other programs may save meanwhile.
  ///
  /// The copy is complete and on the disk when it gets its name.
  /// - Parameter destination: the new file. Its folder is made if it is missing.
  /// - Throws: `SwiftDataError` if the destination exists, or a file cannot be read or written. Then there is no copy.
  public func backUp(to destination: URL) throws -> StoreBackup {
    guard kind == .sqlite else {
      throw SwiftDataError(
        .unsupportedFeature,
        message:
          "\"\(location)\" is not a file of OpenSwiftData; `swiftdata import` copies a store of Apple's frameworks")
    }
    let target = BackupTarget(destination)
    try target.checkFree()
    do {
      try DurableFiles.createFolder(target.staging.path)
      let missing = try copy(to: target)
      let result = StoreBackup(
        source: location, destination: destination.path, bytes: target.size, externalFiles: target.externalNames.count,
        externalBytes: target.externalSize, missing: missing)
      try target.checkFree()
      try target.finish()
      return result
    } catch {
      try? FileManager.default.removeItem(at: target.staging)
      if let error = error as? SwiftDataError { throw error }
      throw FinishedFile.failure(error, destination)
    }
  }

  /// The tables of a PostgreSQL store whose rows are on other servers. A copy of its schema lacks them.
  /// - Throws: `SwiftDataError` if the server cannot be reached.
  public func shardedTables() throws -> [String] { try server?.shardedTables() ?? [] }

  /// - Returns: the names of the external files that the store lacks.
  ///
  /// A program removes an external file only after the commit that dropped its last row. A file that is missing although a
  /// transaction that began later names it is therefore lost. Otherwise the copy begins again with a newer state and keeps what it
  /// has.
  private func copy(to target: BackupTarget) throws -> [String] {
    var vanished = Set<String>()
    for _ in 0..<100 {
      let missing = try readLive { connection -> [String]? in
        let names = try Self.externalNames(connection, location)
        let missing = try names.sorted().filter { try !target.take($0, from: externalFolder) }
        guard vanished.isSuperset(of: missing) else {
          vanished.formUnion(missing)
          return nil
        }
        try target.removeFiles(except: names)
        try target.removeDatabase()
        try connection.copy(to: target.database.path)
        return missing
      }
      guard let missing else { continue }
      try target.settle()
      return missing
    }
    throw SwiftDataError(
      .storeLocked,
      message:
        "other programs replace the external data of \"\(location)\" faster than it is copied; try again, or to a"
        + " destination on the same disk")
  }

  /// The names of external files in the rows of a store: texts in columns for data, also of models that the last program did not
  /// list, and of properties that are not external any more.
  private static func externalNames(_ connection: FileConnection, _ place: String) throws -> Set<String> {
    var names = Set<String>()
    for table in try layout(connection, place).tables {
      let columns = try connection.rows(
        "SELECT name FROM pragma_table_info(\(bind: .text(table.name))) WHERE upper(type) IN ('', 'BLOB')")
      for case .text(let column)? in columns.map(\.first) {
        let cells = try connection.rows(
          "SELECT \(name: column) FROM \(name: table.name) WHERE typeof(\(name: column)) = 'text'")
        for case .text(let name)? in cells.map(\.first) where ExternalName(name) != nil { names.insert(name) }
      }
    }
    return names
  }
}

/// The files that a backup writes.
///
/// They are made in a folder of their own next to the destination, so that no other program takes a part of a backup for one.
private final class BackupTarget {
  let staging: URL
  let database: URL
  private let folder: URL
  private let destination: URL
  private let files: URL
  /// Hard links to files of the store. A link is made at once, and keeps the file if a program removes its name.
  private let links: URL
  private(set) var externalNames = Set<String>()
  private(set) var externalSize: Int64 = 0

  init(_ destination: URL) {
    self.destination = destination
    folder = destination.deletingLastPathComponent()
    staging = folder.appendingPathComponent(".\(destination.lastPathComponent)-backup-\(UUID().uuidString)")
    database = staging.appendingPathComponent("store")
    files = staging.appendingPathComponent("files")
    links = staging.appendingPathComponent("links")
  }

  private var externalFolder: URL { NewStore.externalFolder(of: destination) }

  /// The size of the database in bytes.
  var size: Int64 { Self.size(of: database) }

  func checkFree() throws {
    // SQLite would play the log or the journal of a former file back into the copy.
    let logs = ["-wal", "-journal"].map { destination.path + $0 }
    for url in [destination.path] + logs + [externalFolder.path] where Self.exists(url) {
      throw FinishedFile.taken(url)
    }
  }

  /// Keeps an external file for the copy.
  /// - Returns: whether there is such a file.
  func take(_ name: String, from store: URL) throws -> Bool {
    if externalNames.contains(name) { return true }
    let source = store.appendingPathComponent(name).path
    for folder in [files, links] { try DurableFiles.createFolder(folder.path) }
    // The destination may be on another disk, and not everyone may link to files of others.
    if link(source, links.appendingPathComponent(name).path) != 0 {
      guard let data = try Self.contents(of: source) else { return false }
      try DurableFiles.write(data, to: files.appendingPathComponent(name).path)
    }
    externalNames.insert(name)
    return true
  }

  func removeFiles(except names: Set<String>) throws {
    for name in externalNames.subtracting(names) {
      for folder in [files, links] { unlink(folder.appendingPathComponent(name).path) }
    }
    externalNames.formIntersection(names)
  }

  func removeDatabase() throws {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(database.path + suffix) }
  }

  /// Replaces the links by copies, which no damage of the store's files reaches.
  func settle() throws {
    for name in externalNames {
      let (copy, link) = (files.appendingPathComponent(name).path, links.appendingPathComponent(name).path)
      if let data = try Self.contents(of: link) {
        try DurableFiles.write(data, to: copy)
        unlink(link)
      }
      externalSize += Self.size(of: URL(fileURLWithPath: copy))
    }
    rmdir(links.path)
    if !externalNames.isEmpty { try DurableFiles.sync(folder: files.path) }
  }

  /// Gives the files their names, the database last.
  func finish() throws {
    if externalNames.isEmpty { rmdir(files.path) } else { try FinishedFile.move(files, to: externalFolder) }
    do {
      try FinishedFile.move(database, to: destination)
    } catch {
      // Another backup to the destination would find the folder.
      if !externalNames.isEmpty { rename(externalFolder.path, files.path) }
      throw error
    }
    try FileManager.default.removeItem(at: staging)
    try DurableFiles.sync(folder: folder.path)
  }

  /// Nil if there is no such file.
  private static func contents(of path: String) throws -> Data? {
    do {
      return try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
    } catch {
      if !exists(path) { return nil }
      throw error
    }
  }

  private static func exists(_ path: String) -> Bool {
    var information = stat()
    return lstat(path, &information) == 0
  }

  private static func size(of url: URL) -> Int64 {
    var information = stat()
    return stat(url.path, &information) == 0 ? Int64(information.st_size) : 0
  }
}
