/// The outcomes of all guarantees for several stores.
public struct StoreReport: Sendable {
  /// The names of the stores, in column order.
  public let subjects: [String]
  /// The guarantees with one outcome per store.
  public let rows: [(guarantee: StoreGuarantee, outcomes: [StoreGuarantee.Outcome])]

  /// Checks all guarantees for several stores.
  /// - Complexity: some checks write a few thousand models.
  public init(_ subjects: [StoreUnderTest]) {
    self.subjects = subjects.map(\.name)
    rows = StoreGuarantee.all.map { guarantee in (guarantee, subjects.map { guarantee.outcome(for: $0) }) }
  }

  /// A description of each failure.
  public var failures: [String] {
    rows.flatMap { guarantee, outcomes in
      zip(subjects, outcomes).compactMap { subject, outcome in
        guard case .failed(let reason) = outcome else { return nil }
        return "\(subject) does not keep \(guarantee.id): \(guarantee.summary)\n\(reason)"
      }
    }
  }

  /// A Markdown table with a row per guarantee and a column per store.
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
      return "| `\(guarantee.id)` \(guarantee.summary) | \(marks.joined(separator: " | ")) |"
    }
    return ([head] + body).joined(separator: "\n")
  }
}
