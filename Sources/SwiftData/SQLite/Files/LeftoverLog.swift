import Foundation
import Logging

/// A write-ahead log whose database was removed.
///
/// SQLite would delete the log, which may have the only copy of acknowledged saves. The library renames it instead,
/// together with the external files of its rows. `ModelContainer.recover(from:to:for:)` accepts the new name and reads
/// the log.
enum LeftoverLog {
  private static let logger = Logger(label: "SwiftData.Store")
  /// The size of a log header in bytes, without a page.
  private static let headerSize = 32

  /// Renames the log of a store whose database is missing or empty. Does nothing if the database exists.
  /// - Throws: ``SwiftDataError/storeDamaged`` if the store is opened read-only, ``SwiftDataError/io`` if the log
  ///   cannot be renamed. In both cases nothing changes.
  static func setAside(_ configuration: ModelConfiguration) throws {
    let path = configuration.url.resolvingSymlinksInPath().path
    guard isLeftOver(path) else { return }
    guard configuration.allowsSave else {
      throw SwiftDataError(
        .storeDamaged,
        message:
          "\"\(path)-wal\" has saves that belong to \"\(path)\", which is missing or empty; put the database back"
          + " next to it, or salvage what the log has with ModelContainer.recover(from:to:for:) of SwiftDataRecovery."
          + " Nothing was touched")
    }
    do {
      while isLeftOver(path), try !moveLog(path, configuration) {}
    } catch {
      throw SwiftDataError(
        .io,
        message: "\"\(path)-wal\" belongs to a database that is gone, and cannot be renamed; check the permissions of"
          + " its folder", underlying: error)
    }
  }

  private static func isLeftOver(_ path: String) -> Bool { size(path + "-wal") > 0 && size(path) == 0 }

  /// - Returns: whether the log was renamed. False means that another process renamed it meanwhile.
  private static func moveLog(_ path: String, _ configuration: ModelConfiguration) throws -> Bool {
    let descriptor = open(path + "-wal", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno == ENOENT }
    defer { close(descriptor) }
    // Two processes may get here at once. The second must not take a log that the first one started. Under the lock of
    // this file, its name must still lead to it; a log that was started again has a database.
    guard flock(descriptor, LOCK_EX) == 0 else { throw failure() }
    var (opened, named) = (stat(), stat())
    guard fstat(descriptor, &opened) == 0 else { throw failure() }
    guard stat(path + "-wal", &named) == 0, opened.st_ino == named.st_ino, opened.st_dev == named.st_dev,
      isLeftOver(path)
    else { return false }
    let place = freeName(path)
    // The log is renamed last. Until then, the next opening starts again.
    for name in ["-shm", "-wal"] where rename(path + name, place + name) != 0 && errno != ENOENT { throw failure() }
    moveExternalFiles(configuration, to: place)
    try? DurableFiles.sync(folder: (path as NSString).deletingLastPathComponent)
    if opened.st_size > headerSize {
      logger.warning(
        """
        "\(path)" is missing or empty and its log was left behind; the log is now "\(place)-wal", and the store starts \
        empty. Saves that only the log has: ModelContainer.recover(from: URL(fileURLWithPath: "\(place)"), to:for:) of \
        SwiftDataRecovery. To put the database back, put the log back next to it
        """)
    } else {
      for name in ["-shm", "-wal"] { unlink(place + name) }
    }
    return true
  }

  /// Moves the external files that a recovery reads with the log. A new store would remove them, because no row names
  /// them.
  private static func moveExternalFiles(_ configuration: ModelConfiguration, to place: String) {
    var aside = ModelConfiguration(url: URL(fileURLWithPath: place))
    aside.schema = configuration.schema
    let (from, to) = (ExternalStorage(configuration).directory.path, ExternalStorage(aside).directory.path)
    guard rename(from, to) != 0, errno != ENOENT else { return }
    logger.error("\"\(from)\" belongs to the store that is gone, and cannot be renamed to \"\(to)\"")
  }

  private static func freeName(_ path: String) -> String {
    let folder = (path as NSString).deletingLastPathComponent
    let stamp = Int(Date().timeIntervalSince1970)
    // A file name has at most 255 bytes. This leaves room for the additions.
    var base = (path as NSString).lastPathComponent
    while base.utf8.count > 190 { base.removeLast() }
    for number in 0... {
      let name = "\(base)-left-behind-\(stamp)" + (number == 0 ? "" : "-\(number)")
      let place = folder.isEmpty ? name : (folder as NSString).appendingPathComponent(name)
      if ["", "-wal", "-shm"].allSatisfy({ access(place + $0, F_OK) != 0 }) { return place }
    }
    preconditionFailure("every number is taken")
  }

  private static func size(_ path: String) -> Int {
    var information = stat()
    return stat(path, &information) == 0 ? Int(information.st_size) : 0
  }

  private static func failure() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
