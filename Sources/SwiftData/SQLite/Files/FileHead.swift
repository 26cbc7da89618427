import CSwiftDataSQLite
import Foundation

/// The first bytes of a file.
struct FileHead {
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let page: [UInt8]

  /// - Parameter file: a file that stays open while this value is used.
  /// - Throws: ``SQLiteError``.
  init(_ file: UnsafeMutablePointer<sqlite3_file>) throws {
    self.file = file
    page = DatabaseFile.bytes(4096, at: 0, of: file)
    if page.isEmpty { throw SQLiteError(SQLITE_IOERR) }
  }

  var isDatabase: Bool { page.starts(with: "SQLite format 3\0".utf8) }
  var isZero: Bool { page.allSatisfy { $0 == 0 } }

  /// Whether the first table is the one that a store makes first. False does not mean that the file is not a store.
  var beginsWithStoreTable: Bool {
    let size = number(16, 2, of: page) == 1 ? 65_536 : number(16, 2, of: page) ?? 0
    guard size >= 512 else { return false }
    var (bytes, start) = (
      size <= page.count ? Array(page.prefix(size)) : DatabaseFile.bytes(size, at: 0, of: file), 100
    )
    // The leftmost leaf of the tree has the first table. A tree of more levels than this is damaged.
    for _ in 0..<12 {
      guard bytes.count == size else { return false }
      switch bytes[start] {
      case 13: return Self.contains("table_swiftdata_swiftdata", in: bytes)
      case 5:
        guard let cell = number(start + 12, 2, of: bytes), let child = number(cell, 4, of: bytes), child > 1 else {
          return false
        }
        (bytes, start) = (DatabaseFile.bytes(size, at: (child - 1) * size, of: file), 0)
      default: return false
      }
    }
    return false
  }

  private static func contains(_ text: String, in bytes: [UInt8]) -> Bool {
    let text = Array(text.utf8)
    return bytes.withUnsafeBytes { bytes in
      var place = 0
      while place + text.count <= bytes.count,
        let found = memchr(bytes.baseAddress! + place, Int32(text[0]), bytes.count - text.count - place + 1)
      {
        if memcmp(found, text, text.count) == 0 { return true }
        place = UnsafeRawPointer(found) - bytes.baseAddress! + 1
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

/// Refuses a file that is not a store before anything of it is read for real, through the connection that opens it anyway.
final class FirstLook: Sendable {
  /// The first page does not tell that the file is a store.
  struct Unknown: Error {}

  private let isDone = Lock(false)

  /// Whether the first page can tell what the file is: a regular file that is not empty.
  static func isPossible(at url: URL) -> Bool {
    var information = stat()
    return stat(url.path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG && information.st_size > 0
  }

  /// Lets all connections from now on pass.
  func pass() { isDone.withLock { $0 = true } }

  /// - Throws: ``Unknown``.
  func check(_ connection: OpaquePointer) throws {
    guard !isDone.withLock({ $0 }) else { return }
    guard let file = try? DatabaseFile.file(of: connection), let head = try? FileHead(file), head.isDatabase,
      head.beginsWithStoreTable
    else { throw Unknown() }
    pass()
  }
}
