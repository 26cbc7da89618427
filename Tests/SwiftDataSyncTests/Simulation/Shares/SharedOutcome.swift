#if Sync
import Foundation
import SwiftData
import SyncProtocol

@testable import SwiftDataSync

/// What devices have after all of them have exchanged everything, and what is wrong with it.
struct SharedOutcome {
  private let nodes: [SimulatedNode]
  private let service: SimulatedService
  private let marks: [String: Set<UUID>]
  private let contents: [SimulatedContents]
  private let seed: UInt64

  init(
    _ nodes: [SimulatedNode], _ service: SimulatedService, _ marks: [String: Set<UUID>], seed: UInt64
  ) throws {
    (self.nodes, self.service, self.marks, self.seed) = (nodes, service, marks, seed)
    contents = try nodes.map { try SimulatedContents($0) }
  }

  func problems() throws -> [String] {
    var problems = lost()
    for (node, contents) in zip(nodes, contents) {
      if node.replica.pendingCount > 0 { problems.append("\(name(node)) still has unsent transactions") }
      problems += try node.unshown()
      let lost = (marks[node.account] ?? []).subtracting(contents.marks.keys)
      if !lost.isEmpty { problems.append("\(name(node)) lost \(lost.count) saved marks") }
      if Set(contents.halves.values).count > 1 { problems.append("\(name(node)) sees half a save") }
    }
    problems += try accounts()
    for zone in service.shares.keys.sorted() { problems += try share(zone) }
    return problems
  }

  /// What the logs and the devices say of the records that problems name, and of those that led to them.
  func histories(_ problems: [String]) throws -> [String] {
    var logs = Set(nodes.map(\.account)).sorted().map { ($0, service.log(SyncWire.privateZone, $0).log) }
    logs += service.shares.sorted { $0.key < $1.key }.map { ($0.key, service.log($0.key, $0.value.owner).log) }
    let changes = logs.flatMap { $0.1.flatMap(\.transaction.changes) }
    let wrong = Set(changes.map(\.record)).filter { record in problems.contains { $0.contains(record.text) } }
    let owners = changes.filter { change in
      let targets = change.fields.values.compactMap { if case .record(let name) = $0.value { name } else { nil } }
      return !wrong.isDisjoint(with: targets + (change.members ?? [:]).values.flatMap(\.keys))
    }.map(\.record)
    var lines: [String] = []
    for record in wrong.union(owners).sorted() {
      lines.append("record \(record)")
      for (zone, log) in logs {
        for entry in log {
          for change in entry.transaction.changes where change.record == record {
            let fields = change.fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.value)@\($0.value.time)" }
            let members = (change.members ?? [:]).map { "\($0.key): \($0.value.map { "\($0.key) \($0.value)" })" }
            lines.append(
              "  \(zone) \(entry.sequence) \(entry.account) \(entry.transaction.replica): \(fields) \(members)"
                + (change.deleted.map { " deleted \($0)" } ?? ""))
          }
        }
      }
      for node in nodes {
        let state = try node.replica.ledger.state(record)
        lines.append(
          "  \(name(node)) \(node.replica.ledger.replica.clock.replica): \(state?.place ?? "unknown") alive \(state?.isAlive == true)"
        )
      }
    }
    return lines
  }

  private func name(_ node: SimulatedNode) -> String { "replica \(node.index) of \(node.account)" }

  private func first(of account: String) -> Int? { nodes.firstIndex { $0.account == account } }

  /// The devices of an account are equal, and so is one that begins now.
  private func accounts() throws -> [String] {
    var problems: [String] = []
    for (index, node) in nodes.enumerated() {
      guard let first = first(of: node.account) else { continue }
      if first != index {
        problems += contents[index].differences(from: contents[first]).map { "\(name(node)) differs: \($0)" }
        continue
      }
      let new = try SimulatedNode(9, service, account: node.account, skew: 0, program: .current, seed: seed)
      for _ in 0..<2 { try new.settle() }
      problems += try SimulatedContents(new).differences(from: contents[index]).map {
        "a new replica of \(node.account) differs: \($0)"
      }
    }
    return problems
  }

  /// Each participant has what the owner has of a share, and others have none of it.
  private func share(_ zone: String) throws -> [String] {
    guard let share = service.shares[zone], let owner = first(of: share.owner) else { return [] }
    let shared = try records(of: zone, nodes[owner])
    let expected = try SimulatedContents(nodes[owner], of: shared)
    var problems: [String] = []
    for node in nodes where node.account != share.owner {
      guard service.mayRead(node.account, zone) else {
        let kept = try SimulatedContents(node, of: shared).objects.keys.sorted()
        if !kept.isEmpty { problems.append("\(name(node)) has \(kept) of \(zone)") }
        continue
      }
      let found = try SimulatedContents(node, of: shared.union(try records(of: zone, node)))
      problems += found.differences(from: expected).map { "\(name(node)) and the owner of \(zone) differ: \($0)" }
    }
    return problems
  }

  private func records(of zone: String, _ node: SimulatedNode) throws -> Set<RecordName> {
    let names = try node.replica.ledger.recordNames(zone: zone)
    return try Set(names.filter { try node.replica.view.isAlive($0) })
  }

  // MARK: - Acknowledged changes

  /// What a log has and its readers have no more.
  private func lost() -> [String] {
    var problems: [String] = []
    let zones =
      Set(nodes.map(\.account)).map { (SyncWire.privateZone, $0, "private/\($0)") }
      + service.shares.map { ($0.key, $0.value.owner, $0.key) }
    var homes: [RecordName: (time: HybridTime, home: String)] = [:]
    var places: [RecordName: Set<String>] = [:]
    var deleted: Set<RecordName> = []
    var kept: [RecordName: (text: String, project: RecordName?)] = [:]
    for (zone, account, home) in zones {
      let entries = service.log(zone, account).log
      if Set(entries.map(\.transaction.id)).count < entries.count {
        problems.append("the log of \(home) has a transaction twice")
      }
      for change in entries.flatMap(\.transaction.changes) {
        if change.deleted != nil { deleted.insert(change.record) }
        if !change.fields.keys.allSatisfy({ $0 == SyncSchema.home }) {
          places[change.record, default: []].insert(home)
        }
        if case .text(let text)? = change.fields["text"]?.value, text.hasPrefix(SimulatedEdits.keepsake) {
          kept[change.record, default: ("", nil)].text = text
        }
        for list in ["labels", "tags"] {
          for member in change.members?[list]?.keys.map(\.self) ?? [] {
            kept[member, default: ("", nil)].project = change.record
          }
        }
        if let mark = change.fields[SyncSchema.home], case .text(let home) = mark.value,
          homes[change.record].map({ $0.time < mark.time }) ?? true
        {
          homes[change.record] = (mark.time, home)
        }
      }
    }
    for (record, (_, home)) in homes where !deleted.contains(record) && places[record]?.contains(home) != true {
      problems.append("\(record) moved to \(home) and never arrived")
    }
    let shown = Set(contents.flatMap { $0.objects.keys })
    for (record, (text, project)) in kept where !text.isEmpty && !deleted.contains(record) {
      guard let project, !deleted.contains(project), !shown.contains("SimLabel \(record.text)") else { continue }
      problems.append("the acknowledged \(text) is lost")
    }
    return problems
  }
}
#endif
