import CSwiftDataSQLite
import Foundation

/// A file that SQLite opened, whose bytes are read without SQL.
///
/// A process that closes a file loses all its locks on that file, whichever descriptor took them. SQLite knows its own
/// connections and closes a file after the last of them, so only SQLite may open and close a file that can be a database.
package final class DatabaseFile {
  private let connection: SQLiteDatabase
  private let file: UnsafeMutablePointer<sqlite3_file>

  /// - Parameter path: a path without symbolic links.
  /// - Throws: ``SQLiteError``.
  package init(_ path: String) throws {
    connection = try Self.connection(to: path, "mode=ro&immutable=1")
    file = try Self.file(of: connection.handle)
  }

  /// Reads bytes. Bytes beyond the end of the file are left out.
  package func bytes(_ count: Int, at offset: Int) -> [UInt8] { Self.bytes(count, at: offset, of: file) }

  /// Copies the file.
  /// - Throws: an error of the new file, or `CocoaError` if the copy is shorter than the file.
  package func copy(to url: URL) throws {
    guard FileManager.default.createFile(atPath: url.path, contents: nil) else { throw CocoaError(.fileWriteUnknown) }
    let target = try FileHandle(forWritingTo: url)
    defer { try? target.close() }
    var copied = 0
    while copied < size {
      let piece = bytes(1 << 20, at: copied)
      guard !piece.isEmpty else { throw CocoaError(.fileReadUnknown) }
      try target.write(contentsOf: piece)
      copied += piece.count
    }
  }

  func withHead<T>(_ body: (FileHead) throws -> T) throws -> T { try body(FileHead(file)) }

  package var size: Int { Self.size(of: file) }

  // MARK: - Through SQLite's file system

  static func connection(to path: String, _ parameters: String) throws -> SQLiteDatabase {
    try SQLiteDatabase(FileKind.uri(path, parameters), flags: SQLITE_OPEN_READONLY)
  }

  /// The file of the main database of a connection.
  static func file(of connection: OpaquePointer) throws -> UnsafeMutablePointer<sqlite3_file> {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard code == SQLITE_OK, let file, file.pointee.pMethods != nil else {
      throw SQLiteError(code == SQLITE_OK ? SQLITE_CANTOPEN : code)
    }
    return file
  }

  static func size(of file: UnsafeMutablePointer<sqlite3_file>) -> Int {
    var size: Int64 = 0
    return file.pointee.pMethods.pointee.xFileSize(file, &size) == SQLITE_OK ? Int(size) : 0
  }

  static func bytes(_ count: Int, at offset: Int, of file: UnsafeMutablePointer<sqlite3_file>) -> [UInt8] {
    let length = min(count, size(of: file) - offset)
    guard length > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
      let code = file.pointee.pMethods.pointee.xRead(file, buffer.baseAddress, Int32(length), Int64(offset))
      initialized = code == SQLITE_OK ? length : 0
    }
  }

  // MARK: - Connections without locks

  /// Makes a connection that was just opened with `mode=ro` read its file and the log without locks, and leave both as they
  /// are.
  ///
  /// SQLite's own `vfs=unix-none` cannot do so. Closing it releases the locks that other connections
  /// of the process have on the file. And it deletes a log without committed rows, in which another process may be writing
  /// its first transaction.
  /// - Throws: ``SQLiteError``.
  package static func removeLocks(of connection: SQLiteDatabase) throws {
    let file = try file(of: connection.handle)
    file.pointee.pMethods = unlocked(file.pointee.pMethods)
    var isKept: Int32 = 1
    let code = sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
    guard code == SQLITE_OK else { throw SQLiteError(code) }
    // This keeps the log's index in memory.
    try connection.execute("PRAGMA main.locking_mode = EXCLUSIVE")
  }

  private typealias Methods = UnsafePointer<sqlite3_io_methods>

  /// The methods of files without locks, by the methods that they were made from. SQLite has a few, and keeps them forever.
  private static let methods = Lock<[UInt: UInt]>([:])

  private static func unlocked(_ original: Methods) -> Methods {
    methods.withLock { known in
      let key = UInt(bitPattern: original)
      if let made = known[key].flatMap({ Methods(bitPattern: $0) }) { return made }
      let made = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
      var copy = sqlite3_io_methods()
      // The first version of the methods has neither shared memory, which the log's index would be in, nor mapped pages.
      copy.iVersion = 1
      copy.xClose = original.pointee.xClose
      copy.xRead = original.pointee.xRead
      copy.xWrite = original.pointee.xWrite
      copy.xTruncate = original.pointee.xTruncate
      copy.xSync = original.pointee.xSync
      copy.xFileSize = original.pointee.xFileSize
      copy.xLock = { _, _ in SQLITE_OK }
      copy.xUnlock = { _, _ in SQLITE_OK }
      copy.xCheckReservedLock = { _, isReserved in
        isReserved?.pointee = 0
        return SQLITE_OK
      }
      copy.xFileControl = original.pointee.xFileControl
      copy.xSectorSize = original.pointee.xSectorSize
      copy.xDeviceCharacteristics = original.pointee.xDeviceCharacteristics
      made.initialize(to: copy)
      known[key] = UInt(bitPattern: made)
      return Methods(made)
    }
  }
}
