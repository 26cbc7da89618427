#if Sync
import Foundation
import SyncProtocol

@testable import SwiftDataSync

/// What happens in a run without sync: programs save objects before the sync begins, and a store is restored from an older copy, or a
/// new device begins with the copy.
struct SimulatedPast {
  /// What became of the copy of a store.
  enum Copied {
    /// The store is as it was. Some marks are lost, and the program saved others before the sync began again.
    case restored(SimulatedNode, lost: Set<UUID>, saved: Set<UUID>)
    /// A new device has the store, and the device that it is of goes on.
    case device(SimulatedNode)
  }

  private var random: SeededGenerator
  private let savesFirst: Bool
  private let hasAssets: Bool
  private var restore: Restore?
  /// Whether a new device begins with the copy.
  private let isForDevice: Bool
  private let seed: UInt64

  private struct Restore {
    let node: Int
    let copied: Int
    let restored: Int
  }

  /// - Parameter nodes: the nodes whose stores may be restored; nil if none is.
  init(seed: UInt64, steps: Int, nodes: Range<Int>?, hasAssets: Bool) {
    random = SeededGenerator(seed: seed ^ 0x5053_4153_5450_4153)
    (self.hasAssets, self.seed) = (hasAssets, seed)
    isForDevice = seed % 11 == 7
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

  mutating func reach(_ step: Int, _ nodes: [SimulatedNode]) throws -> Copied? {
    guard let restore else { return nil }
    let node = nodes[restore.node]
    if step == restore.copied { try node.backUp() }
    guard step == restore.restored else { return nil }
    if isForDevice { return .device(try node.makeDevice(nodes.count, seed: seed)) }
    var saved = Set<UUID>()
    let lost = try node.restore {
      saved = try save(node, Int.random(in: 0...8, using: &random))
    }
    return .restored(node, lost: lost, saved: saved)
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
