import Foundation
import SwiftData

/// Allows one sync of a store at a time across processes, with a kernel lock on a file next to the store. The lock ends
/// with its process.
final class SyncLock: Sendable {
  private let descriptor: Int32

  /// - Throws: ``SyncError/busy(_:)`` if another process holds it.
  init(of container: ModelContainer) throws {
    guard let configuration = container.configurations.first, !configuration.isStoredInMemoryOnly else {
      descriptor = -1
      return
    }
    let path = configuration.url.path
    descriptor = open(path + ".sync", O_CREAT | O_RDWR | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw SyncError.invalidData("\(path).sync cannot be made; the folder has to be writable")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw SyncError.busy(path)
    }
  }

  deinit {
    guard descriptor >= 0 else { return }
    // A child that another thread starts just now has the descriptor until it runs its own program, and the lock with it.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
