#if Sync
import Foundation
import SyncProtocol

@testable import SwiftDataSync

/// Makes snapshots of zones at some steps of a run, and deletes the logs before them.
struct SimulatedCompaction {
  private var random: SeededGenerator
  /// Whether the server deletes the log before each snapshot, by step.
  private var steps: [Int: Bool] = [:]

  /// - Parameter deletes: whether logs may be deleted that not all replicas have seen.
  init?(seed: UInt64, steps count: Int, deletes: Bool) {
    random = SeededGenerator(seed: seed ^ 0x534E_4150_5348_4F54)
    guard Int.random(in: 0..<3, using: &random) == 0 else { return nil }
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      steps[Int.random(in: count / 4..<count, using: &random)] = deletes && Bool.random(using: &random)
    }
  }

  mutating func reach(_ step: Int, _ nodes: [SimulatedNode]) throws {
    guard let deletes = steps[step] else { return }
    let node = nodes.randomElement(using: &random)!
    let zone = node.zones.randomElement(using: &random)!
    // What a replica reads in parts is not seen whole. One that has read something takes a snapshot over at once. A copy of a store may
    // come back.
    let isSmall = Bool.random(using: &random) && nodes.allSatisfy { $0.leastPosition(zone) > 0 }
    let limit = isSmall ? 3 : 1000
    guard !node.isCutOff else { return }
    try node.run {
      try node.settle()
      guard node.zones.contains(zone) else { return }
      try node.makeSnapshot(zone, limit: limit, deletes: deletes)
    }
  }
}

extension SimulatedNode {
  /// Makes a snapshot of a zone, if the account owns it.
  /// - Parameters:
  ///   - limit: the most records of a part.
  ///   - deletes: whether the server deletes the log before it.
  func makeSnapshot(_ zone: String, limit: Int, deletes: Bool) throws {
    guard var snapshot = try replica.beginSnapshot(zone: zone) else { return }
    var parts: [SyncTransaction] = []
    while !snapshot.isComplete {
      guard let part = try replica.nextPart(of: &snapshot, limit: limit) else { return }
      parts.append(part)
    }
    let log = server.log(zone, account)
    log.take(SnapshotInfo(through: snapshot.through, rules: snapshot.rules), parts, of: account)
    if deletes { log.deleteLog() }
  }

  /// Folds all logs again that have to be, as far as the server has them.
  func refoldAll() throws {
    for _ in 0..<10 {
      for zone in zones {
        while let response = try refolded(zone, limit: 100) { try replica.didRefold(response, zone: zone) }
      }
      guard try zones.contains(where: { try replica.refoldPosition($0) != nil }) else { break }
      // The account may have lost a share whose log has to be folded again.
      try seeZones()
    }
    try catchUp()
  }
}
#endif
