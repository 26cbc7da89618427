#if Sync
import Foundation
import SwiftData
import SyncProtocol

@testable import SwiftDataSync

/// A run of several replicas that a seed determines: random edits, a network that loses, repeats and reorders, crashes between
/// any two steps, clocks that are hours off, and a program that is updated in between.
struct Simulation {
  let seed: UInt64
  var steps = 60
  var bug: PlantedBug?
  /// Whether objects have large values, whose bytes travel apart from the transactions, and whether some seeds restore the server
  /// from an older copy.
  var hasAssets = true
  /// Whether some stores have objects before they sync, some are restored from older copies, and some programs have other names of
  /// properties.
  var hasPast = true
  /// Whether some runs make snapshots of the log and delete it.
  var hasSnapshots = true
  /// Whether stores are compared with what their replicas know after each step, to find the step that goes wrong.
  var comparesSteps = false

  /// - Returns: what guarantees were broken; empty where all held.
  func run() -> [String] {
    do {
      return try simulate()
    } catch {
      return ["seed \(seed): \(error)"]
    }
  }

  private func simulate() throws -> [String] {
    var random = SeededGenerator(seed: seed)
    let server = SimulatedService(bug: bug)
    let count = Int.random(in: 2...(seed.isMultiple(of: 7) ? 6 : 3), using: &random)
    let hasOld = seed.isMultiple(of: 5)
    let restoresServer = hasAssets && seed % 8 == 3
    // An old program's store is not restored: its classes are not those of the checks. A restored server and a restored bookkeeping
    // exclude each other: the bookkeeping's position may be one of the former log.
    var past =
      hasPast
      ? SimulatedPast(seed: seed, steps: steps, nodes: hasOld || restoresServer ? nil : 0..<count, hasAssets: hasAssets)
      : nil
    let other: SimulatedProgram = hasOld ? .old : hasPast && seed % 5 == 2 ? .former : .current
    var nodes = try (0..<count).map { index in
      let skew = Bool.random(using: &random) ? 0 : Int64.random(in: -4...4, using: &random) * 3_600_000
      return try SimulatedNode(
        index, server, skew: skew, program: index == 1 ? other : .current, seed: random.next(), losesAssets: hasAssets,
        isRestorable: past?.isRestorable(index) ?? false)
    }
    var compaction = hasSnapshots ? SimulatedCompaction(seed: seed, steps: steps, deletes: true) : nil
    var restoring = restoresServer ? SimulatedRestore(seed: seed, steps: steps) : nil
    var problems: [String] = []
    var marks = Set<UUID>()
    // Marks that were saved while the objects from before the sync were on their way, so that others may see them before these.
    var early = Set<UUID>()
    try past?.begin(nodes) { marks.formUnion($1) }
    for step in 0..<steps {
      server.now += Int64.random(in: 0...40_000, using: &random)
      let node = nodes.randomElement(using: &random)!
      let (saved, isScanning) = (marks, node.replica.isScanning)
      try act(on: node, &random, &marks)
      if isScanning { early.formUnion(marks.subtracting(saved)) }
      try restoring?.reach(step, server, nodes)
      try compaction?.reach(step, nodes)
      switch try past?.reach(step, nodes) {
      // What a restored store lost is exempt: no other place had it.
      case .restored(let node, let lost, let saved):
        marks = marks.subtracting(lost).union(saved)
        if node.replica.isScanning { early.formUnion(saved) }
      case .device(let node): nodes.append(node)
      case nil: break
      }
      // A restored log has records in place of saves.
      if node.program != .old, restoring == nil {
        problems += try check(node, except: early).map { "seed \(seed), step \(step): \($0)" }
      }
      if comparesSteps, node.program == .current, try !node.hasUnseenSaves {
        problems += try node.unshown().map { "seed \(seed), step \(step): \($0)" }
      }
      if !problems.isEmpty { return problems }
    }
    for node in nodes { try node.upgrade() }
    for _ in 0..<3 { for node in nodes { try node.settle() } }
    if compaction != nil {
      // A new device starts with the snapshot.
      nodes.append(try SimulatedNode(nodes.count, server, skew: 0, program: .current, seed: seed))
      for node in nodes.reversed() { try node.settle() }
    }
    if restoring == nil, !server.lacked.isEmpty {
      return ["seed \(seed): a push was sent before its assets: \(server.lacked)"]
    }
    let log = server.log(SyncWire.privateZone, nodes[0].account).log
    if Set(log.map(\.transaction.id)).count < log.count {
      return ["seed \(seed): the log has a transaction twice"]
    }
    return try compare(nodes, marks).map { "seed \(seed): \($0)" }
  }

  private func act(on node: SimulatedNode, _ random: inout SeededGenerator, _ marks: inout Set<UUID>) throws {
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<7:
      let seed = random.next()
      var edits = SimulatedEdits(node: node, random: SeededGenerator(seed: seed))
      if hasAssets { edits.assets = SeededGenerator(seed: ~seed) }
      try edits.run(&marks)
    case 7: try node.run { try node.replica.scan() }
    case 8, 9:
      try node.run {
        try node.replica.scan()
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
  /// - Parameter early: marks that may be seen before their causes.
  private func check(_ node: SimulatedNode, except early: Set<UUID> = []) throws -> [String] {
    let context = ModelContext(node.container)
    var problems: [String] = []
    let halves = try context.fetch(FetchDescriptor<SimHalf>())
    if Set(halves.map(\.value)).count > 1 || halves.count == 1 {
      problems.append("half a save is seen: \(halves.map { "\($0.side) \($0.value)" })")
    }
    let marks = try context.fetch(FetchDescriptor<SimMark>())
    let known = Set(marks.map(\.id))
    for mark in marks where !early.contains(mark.id) {
      if let after = mark.after, !known.contains(after) { problems.append("a mark lacks its cause") }
    }
    return problems
  }

  private func compare(_ nodes: [SimulatedNode], _ marks: Set<UUID>) throws -> [String] {
    var problems: [String] = []
    let first = try SimulatedContents(nodes[0])
    for node in nodes {
      if node.replica.pendingCount > 0 { problems.append("replica \(node.index) still has unsent transactions") }
      problems += try check(node).map { "replica \(node.index): \($0)" }
      let contents = try SimulatedContents(node)
      problems += contents.differences(from: first).map { "replica \(node.index) differs from replica 0: \($0)" }
      problems += try node.unshown()
      let lost = marks.subtracting(contents.marks.keys)
      if !lost.isEmpty { problems.append("replica \(node.index) lost \(lost.count) saved marks") }
    }
    return problems
  }
}

/// Makes a copy of the server at one step of a run and restores the server from it at a later one.
struct SimulatedRestore {
  private let (copied, restored): (Int, Int)
  private var copy: SimulatedService.Copy?

  init(seed: UInt64, steps: Int) {
    var random = SeededGenerator(seed: ~seed)
    copied = Int.random(in: 0..<steps / 2, using: &random)
    restored = Int.random(in: copied..<steps, using: &random)
  }

  mutating func reach(_ step: Int, _ server: SimulatedService, _ nodes: [SimulatedNode]) throws {
    if step == copied { copy = server.copy() }
    guard step == restored, let copy else { return }
    server.restore(copy)
    for node in nodes { try node.serverWasRestored() }
  }
}
#endif
