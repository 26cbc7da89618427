import Foundation

/// Files that nobody but their owner may read.
enum PrivateFile {
  /// Makes an empty file, which SQLite takes for a new database, unless there is one. SQLite gives the files beside it
  /// the same permissions.
  static func make(_ path: String) {
    // SQLite says what is wrong where this fails.
    let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }
}
