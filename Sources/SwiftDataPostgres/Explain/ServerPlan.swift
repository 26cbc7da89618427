import SwiftData

/// A parsed result of `EXPLAIN`.
struct ServerPlan {
  let steps: [PlanStep]

  init(_ result: PostgresResult) {
    steps = (0..<result.count).map { row in
      let line = result.text(row, 0) ?? ""
      let indent = line.prefix { $0 == " " }.count
      let text = line.dropFirst(indent)
      // A child is indented by six more than its parent, a property by two more than its node.
      guard text.hasPrefix("->") else {
        return PlanStep(depth: (indent + 4) / 6, detail: String(text))
      }
      return PlanStep(
        depth: (indent + 4) / 6, detail: text.dropFirst(2).trimmingCharacters(in: .whitespaces))
    }
  }

  /// Whether the plan scans all rows of an alias, or of one of its partitions.
  func scans(_ alias: String) -> Bool {
    steps.contains { step in
      guard step.detail.contains("Seq Scan on "), let name = step.detail.split(separator: " ").last else {
        return false
      }
      return name == alias || name.hasPrefix("\(alias)_")
    }
  }

  /// How many of a table's partitions the plan reads.
  func count(of partitions: [String]) -> Int {
    partitions.count { name in
      steps.contains { $0.detail.contains(" on \(name) ") || $0.detail.contains(" on \(name.quotedIdentifier) ") }
    }
  }

  /// Whether the plan sorts all rows. An incremental sort after an index does not count.
  var sorts: Bool { steps.contains { $0.detail == "Sort" } }

  /// The conditions with which indices are entered.
  var conditions: [String] {
    steps.filter { $0.detail.hasPrefix("Index Cond:") || $0.detail.hasPrefix("Recheck Cond:") }.map(\.detail)
  }

  func uses(_ index: String) -> Bool { steps.contains { $0.detail.contains(index) } }
}
