import CSwiftDataSQLite
import Foundation

/// The kind of a file, told without a change to the file, its log or its folder.
///
/// SQLite changes a file that it opens for writing: it switches the journal mode, and the last connection merges the log into
/// the file and deletes the log. So each opening finds out first what the file is, and refuses a file of another program
/// before SQLite opens it for writing.
package enum FileKind: Equatable, Sendable {
  /// There is no file, or it has no tables yet.
  case new
  /// A store of this library.
  case store
  /// A store of Apple's SwiftData or Core Data.
  case apple
  /// An SQLite database of another program.
  case database
  /// A file that is not an SQLite database, with a sentence about its content if the first bytes tell it.
  case other(String?)
  /// A folder, pipe, socket or device.
  case notAFile(String)
  /// A database whose list of tables SQLite cannot read, with SQLite's code and message.
  case unreadable(code: Int32, String?)

  /// Looks at the file.
  ///
  /// The first page of most stores tells that they are stores. Otherwise SQLite reads the names of the tables through a
  /// connection that takes no locks and keeps the log's index in memory.
  package static func of(_ url: URL) -> FileKind {
    let path = url.path
    var information = stat()
    guard stat(path, &information) == 0 else {
      let isMissing = errno == ENOENT || errno == ENOTDIR
      return isMissing ? .new : .unreadable(code: SQLITE_CANTOPEN, String(cString: strerror(errno)))
    }
    switch information.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: return .notAFile("a folder")
    case S_IFIFO: return .notAFile("a named pipe")
    case S_IFSOCK: return .notAFile("a socket")
    default: return .notAFile("a device")
    }
    guard information.st_size > 0 else { return .new }
    do {
      return try DatabaseFile(real(path)).withHead { kind(of: $0, at: path) }
    } catch {
      return unreadable(error)
    }
  }

  private static func unreadable(_ error: any Error) -> FileKind {
    let error = error as? SQLiteError
    return .unreadable(code: error?.primaryCode ?? SQLITE_IOERR, error?.message)
  }

  private static func kind(of file: FileHead, at path: String) -> FileKind {
    guard file.isDatabase else {
      // A crash in the first transaction leaves zeros, which SQLite replaces from the journal or the log.
      let isUnfinished = file.isZero && ["-journal", "-wal"].contains { size(real(path) + $0) > 0 }
      return isUnfinished ? .new : .other(file.content)
    }
    if file.beginsWithStoreTable { return .store }
    return unlockedLook(at: real(path))
  }

  private static func size(_ path: String) -> Int64 {
    var information = stat()
    return stat(path, &information) == 0 ? Int64(information.st_size) : 0
  }

  /// The path without symbolic links. SQLite keeps a log next to the file that a link leads to.
  package static func real(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// A path with parameters for `sqlite3_open_v2`.
  package static func uri(_ path: String, _ parameters: String) -> String {
    var allowed = CharacterSet.urlPathAllowed
    allowed.remove(charactersIn: "?#%;")
    let escaped = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
    // An empty authority stands before an absolute path. Without it SQLite would read the name of a host in a path that begins with //.
    return "file:\(path.hasPrefix("/") ? "//" : "")\(escaped)?\(parameters)"
  }

  // MARK: - Names of tables

  private static func unlockedLook(at path: String) -> FileKind {
    // Without locks, a look during another process's checkpoint can see half of it. Then it is repeated.
    for attempt in 0..<20 {
      let before = state(path)
      let kind = names(in: path)
      if kind == .store || state(path) == before { return kind }
      usleep(1_000 * UInt32(attempt))
    }
    return .unreadable(code: SQLITE_BUSY, nil)
  }

  /// The state that changes when the file or its log does.
  private static func state(_ path: String) -> [Int] {
    ["", "-wal"].flatMap { suffix -> [Int] in
      var information = stat()
      guard stat(path + suffix, &information) == 0 else { return [0] }
      #if canImport(Darwin)
        let time = information.st_mtimespec
      #else
        let time = information.st_mtim
      #endif
      return [Int(information.st_size), time.tv_sec, time.tv_nsec]
    }
  }

  private static func names(in path: String) -> FileKind {
    let hasLog = size(path + "-wal") > 0
    do {
      let connection = try DatabaseFile.connection(to: path, hasLog ? "mode=ro" : "mode=ro&immutable=1")
      if hasLog { try DatabaseFile.removeLocks(of: connection) }
      var kind = FileKind.new
      _ = try connection.rows("SELECT name FROM sqlite_master") { row in
        switch row.text(0) {
        case "_swiftdata": kind = .store
        case "Z_METADATA" where kind != .store: kind = .apple
        default: if kind == .new { kind = .database }
        }
      }
      return kind
    } catch {
      return unreadable(error)
    }
  }

  // MARK: - Refusals

  /// Why a ``ModelConfiguration`` does not open the file, or nil if it does.
  package func refusal(of path: String) -> SwiftDataError? {
    switch self {
    case .new, .store: nil
    case .apple:
      SwiftDataError(
        .notADatabase,
        message: "\"\(path)\" was written by Apple's SwiftData or Core Data; the file was left untouched. Open it with"
          + " AppleStoreConfiguration(url:) of the product SwiftDataAppleStore, or copy it into a store of this library"
          + " with `swiftdata import \"\(path)\" --into NEW.store`")
    case .database:
      SwiftDataError(
        .notADatabase,
        message: "\"\(path)\" is an SQLite database of another program. Give the ModelConfiguration another url")
    case .other(let content):
      SwiftDataError(
        .notADatabase,
        message: "\"\(path)\" is not an SQLite database; the file was left untouched."
          + (content.map { " \($0)." } ?? "") + " If it was a store: \(StoreErrors.salvage)")
    case .notAFile(let kind):
      SwiftDataError(.io, message: "\"\(path)\" is \(kind); give the ModelConfiguration the url of a file")
    case .unreadable(let code, let message):
      StoreErrors.error(
        code: code, message: message, sql: nil, configuration: ModelConfiguration(url: URL(fileURLWithPath: path)),
        layout: nil)
    }
  }
}
