#if Sync
import SyncProtocol

@testable import SwiftDataSync

struct SimulatedCrash: Error {}

/// Where the next crash of a replica comes.
enum CrashPoint: Equatable {
  /// Before the statement with this number, from 0, of those that write.
  case statement(Int)
  /// After the commit with this number, from 0.
  case commit(Int)

  /// - Returns: where the crash comes as seen from a checkpoint on.
  /// - Throws: ``SimulatedCrash`` if it comes here.
  func passing(_ checkpoint: ZoneReplica.Checkpoint) throws -> CrashPoint {
    switch (self, checkpoint) {
    case (.statement(0), .writing), (.commit(0), .committed): throw SimulatedCrash()
    case (.statement(let number), .writing): .statement(number - 1)
    case (.commit(let number), .committed): .commit(number - 1)
    default: self
    }
  }

  /// A point that a seed determines.
  static func random(_ random: inout SeededGenerator, _ seed: UInt64) -> CrashPoint {
    // One of five, as it was when some seeds failed: the rest of the run stays what it was.
    let kind = Int.random(in: 0..<5, using: &random)
    var own = SeededGenerator(seed: seed &+ UInt64(kind))
    return kind < 2 ? .commit(Int.random(in: 0..<3, using: &own)) : .statement(Int.random(in: 0..<40, using: &own))
  }
}

extension Optional<CrashPoint> {
  /// Crashes at a checkpoint if the crash comes there. Then none is left.
  mutating func pass(_ checkpoint: ZoneReplica.Checkpoint) throws {
    guard let point = self else { return }
    self = nil
    self = try point.passing(checkpoint)
  }
}

/// The bytes of a large value did not arrive.
struct LostAsset: Error {}
#endif
