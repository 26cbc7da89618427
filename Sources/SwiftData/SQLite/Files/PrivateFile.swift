import Foundation

/// Creates files that only their owner can read.
enum PrivateFile {
  /// Creates an empty file if there is none. SQLite treats it as a new database, and gives the files next to it the same
  /// mode.
  static func make(_ path: String) {
    // If this fails, SQLite reports the reason.
    let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }
}
