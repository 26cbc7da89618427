// Public for the other targets of this package alone.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// A file of rows with which workloads begin, made once per layout.
public enum Template: String, Sendable, CaseIterable {
  case empty
  case small = "100k"
  case large = "1m"

  public var rows: Int {
    switch self {
    case .empty: 0
    case .small: 100_000
    case .large: 1_000_000
    }
  }
}

/// A workload.
public struct Workload: Sendable {
  public let name: String
  public let title: String
  public let template: Template
  /// Whether it changes a copy of the template.
  public let copies: Bool
  /// The goal of our library, as a ratio to raw C.
  public let goal: Double?

  init(_ name: String, _ title: String, _ template: Template, copies: Bool = false, goal: Double? = nil) {
    (self.name, self.title, self.template, self.copies, self.goal) = (name, title, template, copies, goal)
  }

  public static let all = [
    Workload("W1", "insert 100,000, one save", .empty, copies: true, goal: 1.4),
    Workload("W2", "insert 1,000,000 in saves of 10,000", .empty, copies: true, goal: 1.3),
    Workload("W3", "fetch 100,000, read every property", .small, goal: 1.9),
    Workload("W3n", "the same, read two properties", .small, goal: 1),
    Workload("W4", "10,000 fetches by unique id, one read", .small),
    Workload("W4x", "the same, one read each", .small, goal: 2),
    Workload("W5a", "1,000 pages of 20, of 100,000", .small, goal: 1.8),
    Workload("W5b", "1,000 pages of 20, of 1,000,000", .large, goal: 1.8),
    Workload("W6", "change one property of 100,000, one save", .small, copies: true, goal: 1.5),
    Workload("W6p", "the same, changed columns only", .small, copies: true),
    Workload("W7e", "10,000 messages with conversations, eager loading", .small, goal: 2.5),
    Workload("W7l", "the same, lazy loading", .small),
    Workload("W8", "delete half by predicate", .small, copies: true, goal: 1.1),
    Workload("W9", "1,000 one-row saves", .small, copies: true, goal: 1.25),
    Workload("W9h", "the same, each with a row of history", .small, copies: true, goal: 1.25),
    Workload("W10a", "count by predicate, of 1,000,000", .large, goal: 1),
    Workload("W10b", "substring search, of 1,000,000", .large, goal: 1),
    Workload("W10s", "the same by full-text index", .large, goal: 0.05),
    Workload("W11", "open 1,000,000, first page", .large, goal: 3.5),
  ]
}
