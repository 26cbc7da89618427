#if Sync
import Foundation
import SyncProtocol

@testable import SwiftDataSync

/// What happens in a run without sync: programs save objects before the sync begins, and a store is restored from an older copy.
struct SimulatedPast {
  private var random: SeededGenerator
  private let savesFirst: Bool
  private let hasAssets: Bool
  private var restore: Restore?

  private struct Restore {
    let node: Int
    let copied: Int
    let restored: Int
  }

  /// - Parameter nodes: the nodes whose stores may be restored; nil if none is.
  init(seed: UInt64, steps: Int, nodes: Range<Int>?, hasAssets: Bool) {
    random = SeededGenerator(seed: seed ^ 0x5053_4153_5450_4153)
    self.hasAssets = hasAssets
    savesFirst = Int.random(in: 0..<3, using: &random) == 0
    guard let nodes, Int.random(in: 0..<4, using: &random) == 0 else { return }
    let copied = Int.random(in: 0..<steps / 2, using: &random)
    restore = Restore(
      node: Int.random(in: nodes, using: &random), copied: copied,
      restored: Int.random(in: copied + 1..<steps, using: &random))
    // Seeds stay what they were.
    _ = random.next()
  }

  func isRestorable(_ node: Int) -> Bool { restore?.node == node }

  /// Programs save before the sync begins. They take few unique values, so that several stores have the same ones.
  mutating func begin(_ nodes: [SimulatedNode], _ marks: (SimulatedNode, Set<UUID>) -> Void) throws {
    guard savesFirst else { return }
    for node in nodes where Bool.random(using: &random) {
      marks(node, try save(node, Int.random(in: 1...6, using: &random)))
    }
  }

  /// - Returns: the node whose store was restored, the marks that are lost and those that its program saved.
  mutating func reach(
    _ step: Int, _ nodes: [SimulatedNode]
  ) throws -> (node: SimulatedNode, lost: Set<UUID>, saved: Set<UUID>)? {
    guard let restore else { return nil }
    let node = nodes[restore.node]
    if step == restore.copied { try node.backUp() }
    guard step == restore.restored else { return nil }
    var saved = Set<UUID>()
    let lost = try node.restore {
      saved = try save(node, Int.random(in: 0...8, using: &random))
    }
    return (node, lost, saved)
  }

  private mutating func save(_ node: SimulatedNode, _ count: Int) throws -> Set<UUID> {
    var marks = Set<UUID>()
    for _ in 0..<count {
      let seed = random.next()
      var edits = SimulatedEdits(node: node, random: SeededGenerator(seed: seed))
      if hasAssets { edits.assets = SeededGenerator(seed: ~seed) }
      try edits.run(&marks)
    }
    return marks
  }
}
#endif
