/// What several stores do about all guarantees.
public struct StoreReport: Sendable {
  /// The stores, in the order of the columns.
  public let subjects: [String]
  /// The guarantees with the outcome of each store.
  public let rows: [(guarantee: StoreGuarantee, outcomes: [StoreGuarantee.Outcome])]

  /// Checks all guarantees for some stores.
  public init(_ subjects: [StoreSubject]) {
    self.subjects = subjects.map(\.name)
    rows = StoreGuarantee.all.map { guarantee in (guarantee, subjects.map { guarantee.outcome(for: $0) }) }
  }

  /// The failures, in words.
  public var failures: [String] {
    rows.flatMap { guarantee, outcomes in
      zip(subjects, outcomes).compactMap { subject, outcome in
        guard case .failed(let reason) = outcome else { return nil }
        return "\(subject) does not keep \(guarantee.id): \(guarantee.sentence)\n\(reason)"
      }
    }
  }

  /// A table in Markdown: a row for each guarantee, a column for each store.
  public var markdown: String {
    let head = "| Guarantee | \(subjects.joined(separator: " | ")) |\n|---|\(subjects.map { _ in ":-:|" }.joined())"
    let body = rows.map { guarantee, outcomes in
      let marks = outcomes.map { outcome in
        switch outcome {
        case .passed: "yes"
        case .failed: "**no**"
        case .notOffered: "not offered"
        }
      }
      return "| `\(guarantee.id)` \(guarantee.sentence) | \(marks.joined(separator: " | ")) |"
    }
    return ([head] + body).joined(separator: "\n")
  }
}
