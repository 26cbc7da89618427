#if Sync
import Foundation
import SwiftData
import SyncProtocol

@testable import SwiftDataSync

/// A run of four devices of three accounts that a seed determines. They edit, share, invite, accept, leave and revoke, over a
/// network that loses, repeats and reorders, with crashes and wrong clocks.
struct SharedSimulation {
  let seed: UInt64
  var steps = 90
  var bug: PlantedShareBug?
  /// Whether objects have large values, whose bytes travel apart from the transactions.
  var hasAssets = true
  /// Whether some stores have objects before they sync, some are restored from older copies, and some programs have other names of
  /// properties.
  var hasPast = true
  /// Whether some runs make snapshots of the logs.
  var hasSnapshots = true
  /// Whether the problems come with what the logs say of the records.
  var explains = false

  /// - Returns: what guarantees were broken; empty where all held.
  func run() -> [String] {
    do {
      return try simulate().map { "seed \(seed): \($0)" }
    } catch {
      return ["seed \(seed): \(error)"]
    }
  }

  private func simulate() throws -> [String] {
    var random = SeededGenerator(seed: seed)
    let service = SimulatedService(shareBug: bug)
    let accounts = [["ann", "ann", "bob", "cy"], ["ann", "bob", "bob", "cy"]].randomElement(using: &random)!
    var past = hasPast ? SimulatedPast(seed: seed, steps: self.steps, nodes: 0..<4, hasAssets: hasAssets) : nil
    let former = hasPast && seed % 5 == 2 ? Int(seed / 5 % 4) : nil
    var nodes = try accounts.enumerated().map { index, account in
      let skew = Bool.random(using: &random) ? 0 : Int64.random(in: -4...4, using: &random) * 3_600_000
      return try SimulatedNode(
        index, service, account: account, skew: skew, program: index == former ? .former : .current,
        seed: random.next(), losesAssets: hasAssets, isRestorable: past?.isRestorable(index) ?? false)
    }
    var compaction = hasSnapshots ? SimulatedCompaction(seed: seed, steps: self.steps, deletes: true) : nil
    var marks: [String: Set<UUID>] = [:]
    var steps: [String] = []
    try past?.begin(nodes) { marks[$0.account, default: []].formUnion($1) }
    try begin(nodes, service, &random)
    for step in 0..<self.steps {
      service.now += Int64.random(in: 0...40_000, using: &random)
      try act(on: nodes.randomElement(using: &random)!, service, &random, &marks)
      try compaction?.reach(step, nodes)
      if let former, step == Int(seed % UInt64(self.steps)) { try nodes[former].upgrade() }
      switch try past?.reach(step, nodes) {
      case .restored(let node, let lost, let saved):
        // What a restored store lost is exempt: no other place had it.
        marks[node.account] = (marks[node.account] ?? []).subtracting(lost).union(saved)
      case .device(let node): nodes.append(node)
      case nil: break
      }
      if explains { for node in nodes { steps += try node.unshownNow().map { "step \(step): \($0)" } } }
      if !service.violations.isEmpty { return service.violations.map { "step \(step): \($0)" } }
    }
    for node in nodes { try node.upgrade() }
    for _ in 0..<4 { for node in nodes { try node.settle() } }
    let outcome = try SharedOutcome(nodes, service, marks, seed: random.next())
    var problems = try service.violations + outcome.problems()
    if problems.isEmpty, !service.lacked.isEmpty {
      problems = ["a push was sent before its assets: \(service.lacked)"]
    }
    return explains && !problems.isEmpty ? try problems + steps.prefix(100) + outcome.histories(problems) : problems
  }

  /// Each account has a project, and Ann's may be shared.
  private func begin(_ nodes: [SimulatedNode], _ service: SimulatedService, _ random: inout SeededGenerator) throws {
    for node in nodes where node.account != nodes[max(0, node.index - 1)].account || node.index == 0 {
      let context = ModelContext(node.container)
      if node.program == .former {
        let project = SimulationFormer.SimProject(title: node.account)
        context.insert(project)
        for index in 0..<2 { project.tasks.append(SimulationFormer.SimTask(title: "\(node.account) \(index)")) }
      } else {
        let project = SimProject(title: node.account)
        context.insert(project)
        for index in 0..<2 { project.tasks.append(SimTask(title: "\(node.account) \(index)")) }
      }
      try context.save()
    }
    for node in nodes { try node.settle() }
    guard Int.random(in: 0..<4, using: &random) > 0 else { return }
    try share(nodes[0], service, &random)
    for account in ["bob", "cy"] {
      for zone in service.shares.keys.sorted() {
        service.invite(account, to: zone, isWritable: Int.random(in: 0..<3, using: &random) > 0)
        if Bool.random(using: &random) { service.accept(zone, account) }
      }
    }
  }

  private func act(
    on node: SimulatedNode, _ service: SimulatedService, _ random: inout SeededGenerator,
    _ marks: inout [String: Set<UUID>]
  ) throws {
    let zone = node.zones.randomElement(using: &random)!
    switch Int.random(in: 0..<24, using: &random) {
    case 0..<7:
      let seed = random.next()
      var edits = SimulatedEdits(node: node, random: SeededGenerator(seed: seed))
      if hasAssets { edits.assets = SeededGenerator(seed: ~seed) }
      if Int.random(in: 0..<5, using: &random) == 0 {
        try edits.keep()
      } else {
        try edits.run(&marks[node.account, default: []])
      }
    case 7, 8, 9:
      try node.run {
        try node.replica.scan()
        try node.sendPush(zone)
      }
    case 10, 11: try node.run { try node.sendPull(limit: [1, 3, 20].randomElement(using: &random)!) }
    case 12: try node.run { try node.sendPull(zone, limit: [1, 3, 20].randomElement(using: &random)!) }
    case 13..<18:
      var network = SeededGenerator(seed: random.next())
      try node.run { try node.deliver(&network) }
    case 18: try changeRights(node, service, &random)
    case 19: try node.run { if !node.isCutOff { try node.settle() } }
    case 20: if Int.random(in: 0..<3, using: &random) == 0 { node.isCutOff.toggle() }
    case 21:
      if Int.random(in: 0..<4, using: &random) == 0 {
        try node.start()
      } else {
        node.crashesAt = .random(&random, seed)
      }
    case 22: try node.run { if Int.random(in: 0..<2, using: &random) == 0 { try share(node, service, &random) } }
    default: node.skew += Int64.random(in: -2...2, using: &random) * 3_600_000
    }
  }

  private func changeRights(
    _ node: SimulatedNode, _ service: SimulatedService, _ random: inout SeededGenerator
  ) throws {
    guard let (zone, share) = service.shares.sorted(by: { $0.key < $1.key }).randomElement(using: &random) else {
      return
    }
    let account = ["ann", "bob", "cy"].filter { $0 != share.owner }.randomElement(using: &random)!
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1: service.invite(account, to: zone, isWritable: Int.random(in: 0..<3, using: &random) > 0)
    case 2: service.makeLink(to: zone, isWritable: Bool.random(using: &random))
    case 3, 4, 5: service.accept(zone, account)
    case 6:
      if let link = share.links.keys.sorted().randomElement(using: &random) { service.accept(link: link, account) }
    case 7: service.remove(account, from: zone, by: account)
    default: service.remove(account, from: zone, by: share.owner)
    }
  }

  /// What `SyncEngine.share(_:title:)` does. A crash leaves a share without its objects, and a second call goes on.
  private func share(_ node: SimulatedNode, _ service: SimulatedService, _ random: inout SeededGenerator) throws {
    guard let entity = node.replica.user.entities["SimProject"] else { return }
    let projects = try ModelCells.identifiers(of: entity, in: ModelContext(node.container)).sorted()
    guard !node.isCutOff, let project = projects.randomElement(using: &random) else { return }
    do {
      let name = try node.replica.recordName(of: project)
      try node.replica.checkShareable(name)
      let zone = service.share(name, of: node.account)
      try node.settle()
      try node.replica.startShare(name, zone: zone)
    } catch let error as SyncError where error.code == .refused || error.code == .forbidden {
      // The project belongs to another share.
    }
  }
}
#endif
