import Foundation
import Synchronization

/// How many forms with files are taken in at the same time: each is in memory until it is stored.
final class UploadLimit: Sendable {
  private let maximum: Int
  private let maximumEach: Int
  private let current = Mutex<[String: Int]>([:])

  /// - Parameters:
  ///   - maximum: of all together.
  ///   - maximumEach: of one session.
  init(maximum: Int, maximumEach: Int) {
    self.maximum = maximum
    self.maximumEach = maximumEach
  }

  /// Does something while it counts as an upload.
  /// - Throws: ``PageError`` where there are too many; what the body throws.
  func counting<T>(_ session: String, _ body: () async throws -> T) async throws -> T {
    try current.withLock { current in
      guard current.values.reduce(0, +) < maximum, current[session, default: 0] < maximumEach else {
        throw PageError(
          .tooManyRequests, "Too many files at once", "Other files are on their way. Send these when they have arrived."
        )
      }
      current[session, default: 0] += 1
    }
    defer {
      current.withLock { current in
        let left = current[session, default: 1] - 1
        current[session] = left > 0 ? left : nil
      }
    }
    return try await body()
  }
}
