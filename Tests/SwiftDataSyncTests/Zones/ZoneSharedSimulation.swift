#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

@testable import SwiftDataSync

/// A run of four devices of three accounts that a seed determines. They edit, share, invite, leave and revoke, over a
/// network that loses, repeats and reorders, with crashes and wrong clocks. In some runs, Cy also has a program that forges.
struct ZoneSharedSimulation {
  let seed: UInt64
  var steps = 90
  /// Whether objects have large values, whose bytes travel apart from the transactions.
  var hasAssets = true
  /// Whether some stores have objects before they sync, some are restored from older copies, and some programs have other names of
  /// properties.
  var hasPast = true
  /// Whether some runs fold the log.
  var compacts = true
  /// Whether a participant of some runs also writes what no honest program would.
  var hasForger = true
  /// Whether stores are compared with what their replicas know after each step, to find the step that goes wrong.
  var comparesSteps = false

  /// - Returns: what guarantees were broken; empty where all held.
  func run() -> [String] {
    do { return try simulate().map { "seed \(seed): \($0)" } } catch { return ["seed \(seed): \(error)"] }
  }

  private func simulate() throws -> [String] {
    var random = SeededGenerator(seed: seed)
    let server = ZoneServer()
    let accounts = [["ann", "ann", "bob", "cy"], ["ann", "bob", "bob", "cy"]].randomElement(using: &random)!
    var past = hasPast ? ZonePast(seed: seed, steps: self.steps, nodes: 0..<4, hasAssets: hasAssets) : nil
    let former = hasPast && seed % 5 == 2 ? Int(seed / 5 % 4) : nil
    var nodes = try accounts.enumerated().map { index, account in
      let skew = Bool.random(using: &random) ? 0 : Int64.random(in: -4...4, using: &random) * 3_600_000
      return try ZoneNode(
        index, server, account: account, skew: skew, program: index == former ? .former : .current,
        seed: random.next(), losesAssets: hasAssets, isRestorable: past?.isRestorable(index) ?? false)
    }
    var compaction = compacts ? ZoneCompaction(seed: seed, steps: self.steps) : nil
    var forger =
      hasForger && seed % 4 == 3 ? ZoneForger("cy", nodes[0].replica.models, seed: seed ^ 0x464F_5247_4552) : nil
    var marks: [String: Set<UUID>] = [:]
    try past?.begin(nodes) { marks[$0.account, default: []].formUnion($1) }
    try begin(nodes, server, &random)
    for step in 0..<self.steps {
      server.now += Int64.random(in: 0...40_000, using: &random)
      try act(on: nodes.randomElement(using: &random)!, server, &random, &marks)
      compaction?.reach(step, server)
      if step.isMultiple(of: 3), forger != nil {
        try forger?.forge(server)
        for node in nodes { node.forgedNames = forger?.names ?? [] }
      }
      if let former, step == Int(seed % UInt64(self.steps)) { try nodes[former].upgrade() }
      switch try past?.reach(step, nodes) {
      case .restored(let node, let lost, let saved):
        // What a restored store lost is exempt: no other place had it.
        marks[node.account] = (marks[node.account] ?? []).subtracting(lost).union(saved)
      case .device(let node): nodes.append(node)
      case nil: break
      }
      if comparesSteps {
        for node in nodes where !node.replica.hasUnseenSaves && !node.replica.isScanning {
          let problems = try node.unshown()
          if !problems.isEmpty { return problems.map { "step \(step): \($0)" } }
        }
      }
      if !server.violations.isEmpty { return server.violations.map { "step \(step): \($0)" } }
    }
    for node in nodes { try node.upgrade() }
    for _ in 0..<4 { for node in nodes { try node.settle() } }
    let problems = try ZoneOutcome(nodes, server, marks, hasForger: forger != nil, seed: random.next()).problems()
    return server.violations + problems
      + (problems.isEmpty && !server.lacked.isEmpty ? ["a push was sent before its assets: \(server.lacked)"] : [])
  }

  /// Each account has a project, and Ann's may be shared.
  private func begin(_ nodes: [ZoneNode], _ server: ZoneServer, _ random: inout SeededGenerator) throws {
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
    try share(nodes[0], server, &random)
    for account in ["bob", "cy"] {
      for zone in server.shares.keys.sorted() where Bool.random(using: &random) {
        server.shares[zone]?.members[account] = Int.random(in: 0..<3, using: &random) > 0
      }
    }
  }

  private func act(
    on node: ZoneNode, _ server: ZoneServer, _ random: inout SeededGenerator, _ marks: inout [String: Set<UUID>]
  ) throws {
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
        try node.capture()
        try node.sendPush()
      }
    case 10, 11, 12: try node.run { try node.sendPull(limit: [1, 3, 20].randomElement(using: &random)!) }
    case 13..<18:
      var network = SeededGenerator(seed: random.next())
      try node.run { try node.deliver(&network) }
    case 18: changeRights(server, &random)
    case 19: try node.run { if !node.isCutOff { try node.settle() } }
    case 20: if Int.random(in: 0..<3, using: &random) == 0 { node.isCutOff.toggle() }
    case 21:
      if Int.random(in: 0..<4, using: &random) == 0 {
        try node.start()
      } else {
        node.crashesAt = .random(&random, seed)
      }
    case 22: try node.run { if Int.random(in: 0..<2, using: &random) == 0 { try share(node, server, &random) } }
    default: node.skew += Int64.random(in: -2...2, using: &random) * 3_600_000
    }
  }

  private func changeRights(_ server: ZoneServer, _ random: inout SeededGenerator) {
    guard let (zone, share) = server.shares.sorted(by: { $0.key < $1.key }).randomElement(using: &random) else {
      return
    }
    let account = ["ann", "bob", "cy"].filter { $0 != share.owner }.randomElement(using: &random)!
    if Int.random(in: 0..<3, using: &random) == 0 {
      server.shares[zone]?.members[account] = nil
    } else {
      server.shares[zone]?.members[account] = Int.random(in: 0..<3, using: &random) > 0
    }
  }

  /// Shares a project that is in the account's own zone.
  private func share(_ node: ZoneNode, _ server: ZoneServer, _ random: inout SeededGenerator) throws {
    guard !node.isCutOff, server.shares.count < 4 else { return }
    try node.settle()
    let rows = try node.replica.view.rows.filter { $0.value.entity == "SimProject" && !$0.key.zone.isShare }.keys
      .sorted()
    guard let project = rows.randomElement(using: &random) else { return }
    let zone = ZoneName.share(ExactText("\(server.shares.count)"))
    server.shares[zone] = ZoneServer.Share(owner: node.account, root: project.name)
    try node.settle()
    try node.replica.move(project, to: zone)
  }
}

/// What devices have after all of them have exchanged everything, and what is wrong with it.
struct ZoneOutcome {
  private let nodes: [ZoneNode]
  private let server: ZoneServer
  private let marks: [String: Set<UUID>]
  private let contents: [ZoneContents]
  private let hasForger: Bool
  private let seed: UInt64

  init(
    _ nodes: [ZoneNode], _ server: ZoneServer, _ marks: [String: Set<UUID>], hasForger: Bool, seed: UInt64
  ) throws {
    (self.nodes, self.server, self.marks, self.hasForger, self.seed) = (nodes, server, marks, hasForger, seed)
    contents = try nodes.map { try ZoneContents($0) }
  }

  func problems() throws -> [String] {
    var problems: [String] = []
    for (node, contents) in zip(nodes, contents) {
      if node.replica.pendingCount > 0 { problems.append("\(name(node)) still has unsent transactions") }
      problems += try node.unshown() + node.lostSaves
      let zones = Set(server.zones(of: node.account))
      if node.replica.zones != zones { problems.append("\(name(node)) has other zones") }
      for zone in zones where try node.replica.state(of: zone) != server.state(of: zone) {
        problems.append("\(name(node)) has another state of \(zone.text)")
      }
      let lost = (marks[node.account] ?? []).subtracting(contents.marks.keys)
      if !lost.isEmpty { problems.append("\(name(node)) lost \(lost.count) saved marks") }
      if Set(contents.halves.values).count > 1 { problems.append("\(name(node)) sees half a save") }
    }
    problems += try accounts()
    // A forger may give the name of a private record to a record of a share, and a home to a record that is not there.
    if !hasForger { problems += acknowledged() + places() }
    return problems
  }

  private func name(_ node: ZoneNode) -> String { "replica \(node.index) of \(node.account)" }

  /// The devices of an account are equal, and so is one that begins now.
  private func accounts() throws -> [String] {
    var problems: [String] = []
    for (index, node) in nodes.enumerated() {
      guard let first = nodes.firstIndex(where: { $0.account == node.account }) else { continue }
      if first != index {
        problems += contents[index].differences(from: contents[first]).map { "\(name(node)) differs: \($0)" }
        continue
      }
      let new = try ZoneNode(9, server, account: node.account, seed: seed)
      for _ in 0..<2 { try new.settle() }
      problems += try ZoneContents(new).differences(from: contents[index]).map {
        "a new replica of \(node.account) differs: \($0)"
      }
    }
    return problems
  }

  /// Each acknowledged register is where its record is now, or a later one, unless the record was deleted and forgotten.
  private func acknowledged() -> [String] {
    var full = ZoneStates()
    for entry in server.history {
      full.reduce(ZoneStates.Entry(commit: entry.commit, parts: entry.parts))
    }
    for entry in server.history {
      for (zone, part) in entry.parts {
        guard case .change(let changes) = part else { continue }
        for (name, registers) in changes {
          var (key, seen, isDead) = (RecordKey(zone, name), Set<RecordKey>(), false)
          while seen.insert(key).inserted {
            isDead = isDead || full[key]?.dead != nil
            key.zone = full[key]?.home?.zone ?? key.zone
          }
          guard !isDead, let record = full[key] else { continue }
          var wanted = registers
          (wanted.home, wanted.commit) = (nil, nil)
          if record.joining(wanted) != record { return ["what was acknowledged of \(key) is lost"] }
          if !Self.isEqual(server.state(of: key.zone)[key.name], record) {
            return ["compaction lost something of \(key)"]
          }
        }
      }
    }
    return []
  }

  /// Whether registers are equal but for their commits, which the folded history gives anew.
  private static func isEqual(_ one: Registers?, _ two: Registers) -> Bool {
    guard var one else { return false }
    one.commit = two.commit
    return one == two
  }

  /// No record is in two zones, whoever moved it at the same time.
  private func places() -> [String] {
    var found: [RecordName: ZoneName] = [:]
    for zone in Set(server.history.flatMap(\.parts.keys)).sorted() {
      for (name, record) in server.state(of: zone).records where record.isHere(zone) {
        if let other = found[name] { return ["\(name) is in \(other.text) and in \(zone.text)"] }
        found[name] = zone
      }
    }
    return []
  }
}
#endif
