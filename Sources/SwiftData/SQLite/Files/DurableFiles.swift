import Foundation

/// File operations that are durable when they return. Foundation does not guarantee that.
package enum DurableFiles {
  /// Writes a new file with mode 0600.
  /// - Throws: `POSIXError`, with the code `EEXIST` if something has the path. The function leaves no part of a file.
  package static func write(_ data: Data, to path: String, isSynced: Bool = true) throws {
    try withDescriptor(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC) { descriptor in
      do {
        try fill(descriptor, with: data, isSynced: isSynced)
      } catch {
        unlink(path)
        throw error
      }
    }
  }

  private static func fill(_ descriptor: Int32, with data: Data, isSynced: Bool) throws {
    try data.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let count = Foundation.write(descriptor, bytes.baseAddress! + done, bytes.count - done)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw failure() }
        done += count
      }
    }
    if isSynced, fsync(descriptor) != 0 { throw failure() }
  }

  /// Creates a folder and its missing parents, and syncs each.
  package static func createFolder(_ path: String) throws {
    var isFolder = ObjCBool(false)
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue { return }
    let parent = (path as NSString).deletingLastPathComponent
    if !parent.isEmpty, parent != path { try createFolder(parent) }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure() }
    try sync(folder: parent.isEmpty ? "." : parent)
  }

  /// Gives a file or a folder a name on the same disk that is free. `rename` would replace what has the name.
  /// - Parameter hasLinks: false for a disk without hard links, which the function finds out itself.
  /// - Throws: `POSIXError`, with the code `EEXIST` if something has the name. Everything stays as it is then.
  package static func rename(_ path: String, toFree name: String, hasLinks: Bool = true) throws {
    var information = stat()
    guard lstat(path, &information) == 0 else { throw failure() }
    let isFolder = information.st_mode & S_IFMT == S_IFDIR
    if !isFolder, hasLinks {
      if link(path, name) == 0 {
        // The file has its name now, whether it loses the other or not.
        unlink(path)
        return
      }
      guard [EPERM, EOPNOTSUPP, ENOSYS].contains(errno) else { throw failure() }
    }
    // One program alone makes an empty file or folder of the name, and replaces it.
    if isFolder {
      guard mkdir(name, 0o700) == 0 else { throw failure() }
    } else {
      try withDescriptor(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC) { _ in }
    }
    guard Foundation.rename(path, name) == 0 else {
      let error = failure()
      if isFolder { rmdir(name) } else { unlink(name) }
      throw error
    }
  }

  /// Syncs the names in a folder to the disk.
  package static func sync(folder: String) throws {
    try withDescriptor(folder, O_RDONLY | O_CLOEXEC) { descriptor in
      // Some network file systems do not support syncing a folder.
      guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else { throw failure() }
    }
  }

  /// Syncs the contents of a file to the disk. A missing file is fine.
  package static func sync(file: String) throws {
    do {
      try withDescriptor(file, O_RDONLY | O_CLOEXEC) { guard fsync($0) == 0 else { throw failure() } }
    } catch let error as POSIXError where error.code == .ENOENT {}
  }

  private static func withDescriptor(_ path: String, _ flags: Int32, _ body: (Int32) throws -> Void) throws {
    let descriptor = open(path, flags, 0o600)
    guard descriptor >= 0 else { throw failure() }
    defer { close(descriptor) }
    try body(descriptor)
  }

  private static func failure() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
