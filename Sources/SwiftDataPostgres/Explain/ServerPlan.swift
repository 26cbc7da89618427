import SwiftData

/// What `EXPLAIN` says.
struct ServerPlan {
  let steps: [ModelContext.FetchExplanation.Step]

  init(_ result: PostgresResult) {
    steps = (0..<result.count).map { row in
      let line = result.text(row, 0) ?? ""
      let indent = line.prefix { $0 == " " }.count
      let text = line.dropFirst(indent)
      // A node is indented by six more than the one it is part of, its properties by two more than itself.
      guard text.hasPrefix("->") else {
        return ModelContext.FetchExplanation.Step(depth: (indent + 4) / 6, detail: String(text))
      }
      return ModelContext.FetchExplanation.Step(
        depth: (indent + 4) / 6, detail: text.dropFirst(2).trimmingCharacters(in: .whitespaces))
    }
  }

  /// Whether all rows of an alias are looked at.
  func scans(_ alias: String) -> Bool {
    steps.contains { $0.detail.contains("Seq Scan on ") && $0.detail.hasSuffix(" \(alias)") }
  }

  /// Whether all rows are sorted: those that an index has in order but for the last term are not.
  var sorts: Bool { steps.contains { $0.detail == "Sort" } }

  /// What an index is entered with.
  var conditions: [String] {
    steps.filter { $0.detail.hasPrefix("Index Cond:") || $0.detail.hasPrefix("Recheck Cond:") }.map(\.detail)
  }

  func uses(_ index: String) -> Bool { steps.contains { $0.detail.contains(index) } }
}
