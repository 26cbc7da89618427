#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

@testable import SwiftDataSync

/// A run of several replicas that a seed determines: random edits, a network that loses, repeats and reorders, crashes between
/// any two steps, clocks that are hours off, and a program that is updated in between.
struct ZoneSimulation {
  let seed: UInt64
  var steps = 60
  /// Whether objects have large values, whose bytes travel apart from the transactions, and whether some seeds restore the server
  /// from an older copy.
  var hasAssets = true
  /// Whether some stores have objects before they sync, some are restored from older copies, and some programs have other names of
  /// properties.
  var hasPast = true
  /// Whether some runs fold the log.
  var compacts = true
  /// Whether stores are compared with what their replicas know after each step, to find the step that goes wrong.
  var comparesSteps = false

  /// - Returns: what guarantees were broken; empty where all held.
  func run() -> [String] {
    do { return try simulate().map { "seed \(seed): \($0)" } } catch { return ["seed \(seed): \(error)"] }
  }

  private func simulate() throws -> [String] {
    var random = SeededGenerator(seed: seed)
    let server = ZoneServer()
    let count = Int.random(in: 2...(seed.isMultiple(of: 7) ? 6 : 3), using: &random)
    let hasOld = seed.isMultiple(of: 5)
    let restoresServer = hasAssets && seed % 8 == 3
    var past =
      hasPast
      ? ZonePast(seed: seed, steps: steps, nodes: hasOld || restoresServer ? nil : 0..<count, hasAssets: hasAssets)
      : nil
    let other: SimulatedProgram = hasOld ? .old : hasPast && seed % 5 == 2 ? .former : .current
    var nodes = try (0..<count).map { index in
      let skew = Bool.random(using: &random) ? 0 : Int64.random(in: -4...4, using: &random) * 3_600_000
      return try ZoneNode(
        index, server, skew: skew, program: index == 1 ? other : .current, seed: random.next(), losesAssets: hasAssets,
        isRestorable: past?.isRestorable(index) ?? false)
    }
    var compaction = compacts ? ZoneCompaction(seed: seed, steps: steps) : nil
    var restoring = restoresServer ? ZoneRestore(seed: seed, steps: steps, isNoticed: seed % 16 == 3) : nil
    var problems: [String] = []
    var marks = Set<UUID>()
    try past?.begin(nodes) { marks.formUnion($1) }
    for step in 0..<steps {
      server.now += Int64.random(in: 0...40_000, using: &random)
      let node = nodes.randomElement(using: &random)!
      try act(on: node, &random, &marks)
      try restoring?.reach(step, server, nodes)
      compaction?.reach(step, server)
      switch try past?.reach(step, nodes) {
      // What a restored store lost is exempt: no other place had it.
      case .restored(_, let lost, let saved): marks = marks.subtracting(lost).union(saved)
      case .device(let node): nodes.append(node)
      case nil: break
      }
      if node.program != .old { problems += try check(node).map { "step \(step): \($0)" } }
      if comparesSteps, !node.replica.hasUnseenSaves, !node.replica.isScanning {
        problems += try node.unshown().map { "step \(step): \($0)" }
      }
      if !problems.isEmpty { return problems }
    }
    for node in nodes { try node.upgrade() }
    for _ in 0..<3 { for node in nodes { try node.settle() } }
    // A new device gets the zones whole.
    nodes.append(try ZoneNode(nodes.count, server, seed: seed))
    for node in nodes.reversed() { try node.settle() }
    if restoring == nil, !server.lacked.isEmpty { return ["a push was sent before its assets: \(server.lacked)"] }
    return try compare(nodes, server, marks)
  }

  private func act(on node: ZoneNode, _ random: inout SeededGenerator, _ marks: inout Set<UUID>) throws {
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<7:
      let seed = random.next()
      var edits = SimulatedEdits(node: node, random: SeededGenerator(seed: seed))
      if hasAssets { edits.assets = SeededGenerator(seed: ~seed) }
      try edits.run(&marks)
    case 7: try node.run { try node.capture() }
    case 8, 9:
      try node.run {
        try node.capture()
        try node.sendPush()
      }
    case 10, 11: try node.run { try node.sendPull(limit: [1, 2, 3, 20].randomElement(using: &random)!) }
    case 12..<17:
      var network = SeededGenerator(seed: random.next())
      try node.run { try node.deliver(&network) }
    case 17: if Int.random(in: 0..<3, using: &random) == 0 { node.isCutOff.toggle() }
    case 18:
      if Int.random(in: 0..<4, using: &random) == 0 {
        try node.start()
      } else {
        node.crashesAt = .random(&random, seed)
      }
    default:
      if node.program != .current, Int.random(in: 0..<3, using: &random) == 0 { return try node.upgrade() }
      node.skew += Int64.random(in: -2...2, using: &random) * 3_600_000
    }
  }

  /// What must hold at every moment: saves are seen whole, and nothing is seen without what it was made upon.
  private func check(_ node: ZoneNode) throws -> [String] {
    let context = ModelContext(node.container)
    var problems: [String] = []
    let halves = try context.fetch(FetchDescriptor<SimHalf>())
    if Set(halves.map(\.value)).count > 1 || halves.count == 1 {
      problems.append("half a save is seen: \(halves.map { "\($0.side) \($0.value)" })")
    }
    let marks = try context.fetch(FetchDescriptor<SimMark>())
    let known = Set(marks.map(\.id))
    for mark in marks {
      if let after = mark.after, !known.contains(after) { problems.append("a mark lacks its cause") }
    }
    return problems
  }

  private func compare(_ nodes: [ZoneNode], _ server: ZoneServer, _ marks: Set<UUID>) throws -> [String] {
    var problems: [String] = []
    let first = try ZoneContents(nodes[0])
    for node in nodes {
      if node.replica.pendingCount > 0 { problems.append("replica \(node.index) still has unsent transactions") }
      problems += try check(node).map { "replica \(node.index): \($0)" }
      for zone in server.zones(of: node.account) where try node.replica.state(of: zone) != server.state(of: zone) {
        problems.append("replica \(node.index) has another state of \(zone.text)")
      }
      let contents = try ZoneContents(node)
      problems += contents.differences(from: first).map { "replica \(node.index) differs from replica 0: \($0)" }
      problems += try node.unshown() + node.lostSaves
      let lost = marks.subtracting(contents.marks.keys)
      if !lost.isEmpty { problems.append("replica \(node.index) lost \(lost.count) saved marks") }
    }
    return problems
  }
}

/// Makes a copy of the server at one step of a run and restores the server from it at a later one. Some nodes exchange everything just before
/// both, so that the copy has something, and a restore loses something that nodes have seen.
struct ZoneRestore {
  private let (begun, copied, restored): (Int, Int, Int)
  /// Whether the server begins an epoch. Otherwise one begins some time before the copy, and the nodes ask the server before its log is as
  /// long as it was.
  private let isNoticed: Bool
  private var random: SeededGenerator
  private var copy: ZoneServer.Copy?

  init(seed: UInt64, steps: Int, isNoticed: Bool) {
    var random = SeededGenerator(seed: ~seed)
    copied = Int.random(in: 0..<steps / 2, using: &random)
    restored = Int.random(in: copied..<steps, using: &random)
    begun = Int.random(in: 0...copied, using: &random)
    (self.isNoticed, self.random) = (isNoticed, random)
  }

  mutating func reach(_ step: Int, _ server: ZoneServer, _ nodes: [ZoneNode]) throws {
    if step == begun, !isNoticed { server.restore(server.copy()) }
    if step == copied || step == restored {
      for node in nodes where Bool.random(using: &random) { try node.run { try node.settle() } }
    }
    if step == copied { copy = server.copy() }
    guard step == restored, let copy else { return }
    server.restore(copy, isNoticed: isNoticed)
    if !isNoticed { for node in nodes { try node.noticeRestore() } }
  }
}

/// Folds and forgets at some steps of a run.
struct ZoneCompaction {
  private var random: SeededGenerator
  private var steps: Set<Int> = []

  init?(seed: UInt64, steps count: Int) {
    random = SeededGenerator(seed: seed ^ 0x534E_4150_5348_4F54)
    guard Int.random(in: 0..<3, using: &random) == 0 else { return nil }
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      steps.insert(Int.random(in: count / 4..<count, using: &random))
    }
  }

  mutating func reach(_ step: Int, _ server: ZoneServer) {
    guard steps.contains(step) else { return }
    let all = Set(server.log.flatMap(\.parts.keys)).sorted()
    guard let zone = all.randomElement(using: &random), server.commit > 0 else { return }
    let commit = Int64.random(in: server.commit * 2 / 3...server.commit, using: &random)
    server.compact(zone, upTo: commit, floor: Int64.random(in: commit / 2...commit, using: &random))
  }
}

/// What happens in a run without sync: programs save objects before the sync begins, and a store is restored from an older copy, or a
/// new device begins with the copy.
struct ZonePast {
  /// What became of the copy of a store.
  enum Copied {
    /// The store is as it was. Some marks are lost, and the program saved others before the sync began again.
    case restored(ZoneNode, lost: Set<UUID>, saved: Set<UUID>)
    /// A new device has the store, and the device that it is of goes on.
    case device(ZoneNode)
  }

  private var random: SeededGenerator
  private let savesFirst: Bool
  private let hasAssets: Bool
  private var restore: (node: Int, copied: Int, restored: Int)?
  /// Whether a new device begins with the copy.
  private let isForDevice: Bool
  private let seed: UInt64

  /// - Parameter nodes: the nodes whose stores may be restored; nil if none is.
  init(seed: UInt64, steps: Int, nodes: Range<Int>?, hasAssets: Bool) {
    random = SeededGenerator(seed: seed ^ 0x5053_4153_5450_4153)
    (self.hasAssets, self.seed) = (hasAssets, seed)
    isForDevice = seed % 11 == 7
    savesFirst = Int.random(in: 0..<3, using: &random) == 0
    guard let nodes, Int.random(in: 0..<4, using: &random) == 0 else { return }
    let copied = Int.random(in: 0..<steps / 2, using: &random)
    restore = (
      Int.random(in: nodes, using: &random), copied, Int.random(in: copied + 1..<steps, using: &random)
    )
  }

  func isRestorable(_ node: Int) -> Bool { restore?.node == node }

  /// Programs save before the sync begins. They take few unique values, so that several stores have the same ones.
  mutating func begin(_ nodes: [ZoneNode], _ marks: (ZoneNode, Set<UUID>) -> Void) throws {
    guard savesFirst else { return }
    for node in nodes where Bool.random(using: &random) {
      marks(node, try save(node, Int.random(in: 1...6, using: &random)))
    }
  }

  mutating func reach(_ step: Int, _ nodes: [ZoneNode]) throws -> Copied? {
    guard let restore else { return nil }
    let node = nodes[restore.node]
    if step == restore.copied { try node.backUp() }
    guard step == restore.restored else { return nil }
    if isForDevice { return .device(try node.makeDevice(nodes.count, seed: seed)) }
    var saved = Set<UUID>()
    let lost = try node.restore { saved = try save(node, Int.random(in: 0...8, using: &random)) }
    return .restored(node, lost: lost, saved: saved)
  }

  private mutating func save(_ node: ZoneNode, _ count: Int) throws -> Set<UUID> {
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
