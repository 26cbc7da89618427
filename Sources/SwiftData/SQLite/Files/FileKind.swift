import Foundation
import GRDBSQLite

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
    // SQLite reports why a file cannot be reached.
    guard stat(path, &information) == 0 else { return .new }
    switch information.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: return .notAFile("a folder")
    case S_IFIFO: return .notAFile("a named pipe")
    case S_IFSOCK: return .notAFile("a socket")
    default: return .notAFile("a device")
    }
    guard information.st_size > 0, let file = FileHead(path) else { return .new }
    guard file.isDatabase else {
      // A crash in the first transaction leaves zeros, which SQLite replaces from the journal or the log.
      let isUnfinished = file.isZero && ["-journal", "-wal"].contains { size(real(path) + $0) > 0 }
      return isUnfinished ? .new : .other(file.content)
    }
    if file.beginsWithStoreTable || StoreConnections.hasOpen(path) { return .store }
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
    return "file:\(escaped)?\(parameters)"
  }

  // MARK: - Names of tables

  private static func unlockedLook(at path: String) -> FileKind {
    // Without locks, a look during another process's checkpoint can see half of it. Then it is repeated.
    for _ in 0..<20 {
      let before = state(path)
      let kind = names(in: path)
      if kind == .store || state(path) == before { return kind }
    }
    // A process that writes all the time has opened the file, so that no other connection merges its log.
    return .store
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
    var connection: OpaquePointer?
    // Closing a connection without locks releases the locks that others of this process have on the file, so it stays open. Only a log
    // that was never merged, of a file that this process has not opened as a store, needs such a connection.
    defer { if !hasLog { sqlite3_close_v2(connection) } }
    let uri = uri(path, hasLog ? "mode=ro&vfs=unix-none" : "mode=ro&immutable=1")
    var code = sqlite3_open_v2(uri, &connection, SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READONLY, nil)
    // This keeps the log's index in memory.
    if code == SQLITE_OK, hasLog {
      code = sqlite3_exec(connection, "PRAGMA locking_mode = EXCLUSIVE", nil, nil, nil)
    }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    if code == SQLITE_OK {
      code = sqlite3_prepare_v2(connection, "SELECT name FROM sqlite_master", -1, &statement, nil)
    }
    func failure() -> FileKind { .unreadable(code: code, connection.map { String(cString: sqlite3_errmsg($0)) }) }
    guard code == SQLITE_OK else { return failure() }
    var kind = FileKind.new
    while true {
      code = sqlite3_step(statement)
      guard code == SQLITE_ROW else { break }
      switch sqlite3_column_text(statement, 0).map({ String(cString: $0) }) {
      case "_swiftdata": kind = .store
      case "Z_METADATA" where kind != .store: kind = .apple
      default: if kind == .new { kind = .database }
      }
    }
    return code == SQLITE_DONE ? kind : failure()
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

/// The first bytes of a file.
private struct FileHead {
  private let reader: Reader
  private let page: [UInt8]

  /// Reads the file through SQLite.
  ///
  /// A process that closes a file loses all its locks on that file. SQLite knows its own connections and closes a file after the last of
  /// them, so only SQLite may open and close files that could be databases.
  private final class Reader {
    private var connection: OpaquePointer?
    private var file: UnsafeMutablePointer<sqlite3_file>?

    init?(_ path: String) {
      let flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READONLY
      guard sqlite3_open_v2(FileKind.uri(path, "mode=ro&immutable=1"), &connection, flags, nil) == SQLITE_OK,
        sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
        file?.pointee.pMethods != nil
      else { return nil }
    }

    deinit { sqlite3_close_v2(connection) }

    /// - Parameter count: bytes beyond the end of the file are left out.
    func bytes(_ count: Int, at offset: Int) -> [UInt8] {
      var size: Int64 = 0
      guard let file, let methods = file.pointee.pMethods?.pointee, methods.xFileSize(file, &size) == SQLITE_OK else {
        return []
      }
      let length = min(count, Int(size) - offset)
      guard length > 0 else { return [] }
      return [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
        let code = methods.xRead(file, buffer.baseAddress, Int32(length), Int64(offset))
        initialized = code == SQLITE_OK ? length : 0
      }
    }
  }

  /// Nil if the file cannot be read. SQLite reports the reason.
  init?(_ path: String) {
    guard let reader = Reader(path) else { return nil }
    self.reader = reader
    page = reader.bytes(4096, at: 0)
    if page.isEmpty { return nil }
  }

  var isDatabase: Bool { page.starts(with: "SQLite format 3\0".utf8) }
  var isZero: Bool { page.allSatisfy { $0 == 0 } }

  /// Whether the first table is the one that a store makes first. False does not mean that the file is not a store.
  var beginsWithStoreTable: Bool {
    let size = number(16, 2, of: page) == 1 ? 65_536 : number(16, 2, of: page) ?? 0
    guard size >= 512 else { return false }
    var (bytes, start) = (size <= page.count ? Array(page.prefix(size)) : reader.bytes(size, at: 0), 100)
    // The leftmost leaf of the tree has the first table. A tree of more levels than this is damaged.
    for _ in 0..<12 {
      guard bytes.count == size else { return false }
      switch bytes[start] {
      case 13: return Self.contains("table_swiftdata_swiftdata", in: bytes)
      case 5:
        guard let cell = number(start + 12, 2, of: bytes), let child = number(cell, 4, of: bytes), child > 1 else {
          return false
        }
        (bytes, start) = (reader.bytes(size, at: (child - 1) * size), 0)
      default: return false
      }
    }
    return false
  }

  private static func contains(_ text: String, in bytes: [UInt8]) -> Bool {
    let text = Array(text.utf8)
    return bytes.withUnsafeBytes { bytes in
      var place = 0
      while place + text.count <= bytes.count {
        if bytes[place] == text[0], memcmp(bytes.baseAddress! + place, text, text.count) == 0 { return true }
        place += 1
      }
      return false
    }
  }

  /// A big-endian number.
  private func number(_ offset: Int, _ count: Int, of bytes: [UInt8]) -> Int? {
    guard offset + count <= bytes.count else { return nil }
    return bytes[offset..<(offset + count)].reduce(0) { $0 << 8 | Int($1) }
  }

  /// A sentence about a file that is not a database, if the bytes tell what it is.
  var content: String? {
    func begins(_ bytes: [UInt8]) -> Bool { page.starts(with: bytes) }
    func begins(_ text: String) -> Bool { page.starts(with: text.utf8) }
    if begins([0x37, 0x7F, 0x06, 0x82]) || begins([0x37, 0x7F, 0x06, 0x83]) {
      return "It is a write-ahead log; name the database that it belongs to, without -wal"
    }
    if begins([0x18, 0xE2, 0x2D, 0x00]) {
      return "It is the index of a write-ahead log; name the database that it belongs to, without -shm"
    }
    if begins([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]) {
      return "It is a rollback journal; name the database that it belongs to, without -journal"
    }
    if begins("<?xml") || begins("<!DOCTYPE") {
      let isStore = String(decoding: page, as: UTF8.self).contains("CoreData.dtd")
      return isStore
        ? "It is an XML store of Core Data, which is not read; on a Mac, NSPersistentStoreCoordinator's"
          + " migratePersistentStore(_:to:options:type:) makes an SQLite store of it" : "It is an XML file"
    }
    if begins("bplist") {
      return "It is a binary property list, or a binary store of Core Data, which is not read; on a Mac,"
        + " NSPersistentStoreCoordinator's migratePersistentStore(_:to:options:type:) makes an SQLite store of it"
    }
    if begins([0x50, 0x4B, 0x03, 0x04]) { return "It is a ZIP archive; name a file inside after unpacking it" }
    if page.dropFirst(16).starts(with: "T-DB".utf8) {
      return "It is a Realm file; Realm Studio saves it as JSON, which `swiftdata import --from-realm-json` reads"
    }
    // Text has fewer different bytes in its first page, and so have most formats.
    if page.count >= 512, Set(page.prefix(512)).count > 180 {
      return "It looks encrypted or compressed; a database that is encrypted as a whole, as SQLCipher does, is not read"
    }
    return nil
  }
}
