import Foundation
import Synchronization

/// How much of something may be on its way at the same time, for each person and for all of them together.
final class TransferLimit: Sendable {
  private let maximum: Int
  private let maximumEach: Int
  private let detail: Phrase
  private let current = Mutex<[String: Int]>([:])

  /// - Parameters:
  ///   - maximum: of all together.
  ///   - maximumEach: of one person.
  ///   - detail: what a person reads who wants more.
  init(
    maximum: Int, maximumEach: Int,
    detail: Phrase = "Other files are on their way. Send these when they have arrived."
  ) {
    self.maximum = maximum
    self.maximumEach = maximumEach
    self.detail = detail
  }

  /// What something on its way takes, until nothing holds it any more.
  final class Place: Sendable {
    private let limit: TransferLimit
    private let person: String
    private let weight: Int

    fileprivate init(_ limit: TransferLimit, _ person: String, _ weight: Int) {
      (self.limit, self.person, self.weight) = (limit, person, weight)
    }

    deinit { limit.leave(person, weight) }
  }

  /// - Parameter weight: what alone is more than a person may have takes all of it, because it would never fit.
  /// - Throws: ``PageError`` where too much is on its way.
  func take(_ person: String, _ weight: Int = 1) throws -> Place {
    let weight = min(weight, maximumEach)
    try current.withLock { current in
      let own = current[person, default: 0]
      guard current.values.reduce(0, +) <= maximum - weight, own <= maximumEach - weight else {
        throw PageError(.tooManyRequests, "Too many files at once", detail)
      }
      current[person] = own + weight
    }
    return Place(self, person, weight)
  }

  private func leave(_ person: String, _ weight: Int) {
    current.withLock { current in
      let left = current[person, default: weight] - weight
      current[person] = left > 0 ? left : nil
    }
  }

  /// Does something while it counts.
  /// - Throws: ``PageError`` where too much is on its way; what the body throws.
  func counting<T>(_ person: String, _ body: () async throws -> T) async throws -> T {
    let place = try take(person)
    defer { withExtendedLifetime(place) {} }
    return try await body()
  }
}
