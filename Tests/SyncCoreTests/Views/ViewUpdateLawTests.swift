import Foundation
import SyncCore
import SyncProtocol
import Testing

/// After each entry, the incremental view equals the whole one, on rows and on indices (decision 44).
@Suite("The incremental view")
struct ViewUpdateLawTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let first = environment["SYNC_SEED"].flatMap { Int($0) } ?? 0
  private static let count = environment["SYNC_RUNS"].flatMap { Int($0) } ?? 200

  /// Runs a seed. Returns the first difference.
  static func run(
    _ seed: Int, steps: Int = 40, skipping: Set<ViewUpdate.Step> = [], raisesHomes: Bool = false,
    seen: (([String: Int]) -> Void)? = nil
  ) -> String? {
    var history = RandomHistory(seed: seed)
    history.raisesHomes = raisesHomes
    var shown = ShownView(history.models, skipping: skipping)
    defer { seen?(shown.seen) }
    for step in 0..<steps {
      do {
        switch history.next(shown.records.states) {
        case .changes(let changes): try shown.take(changes)
        case .program(let models): try shown.remake(models, page: 1 + seed % 7)
        }
        try shown.check()
      } catch {
        return "seed \(seed), step \(step): \(error)"
      }
    }
    return nil
  }

  @Test("equals the whole view after each entry, on rows and on indices")
  func law() {
    var sum: [String: Int] = [:]
    for seed in Self.first..<Self.first + Self.count {
      let difference = Self.run(seed) { sum.merge($0, uniquingKeysWith: +) }
      if let difference { Issue.record("\(difference)") }
    }
    #expect(sum.count == 10 && sum.values.allSatisfy { $0 > Self.count / 20 }, "\(sum)")
    if Self.environment["SYNC_RUNS"] != nil {
      print("\(Self.count) seeds from \(Self.first):", sum.sorted { $0.key < $1.key })
    }
  }

  @Test("equals the whole view where records get other homes, also in the zone in which they are")
  func homes() {
    for seed in Self.first..<Self.first + Self.count {
      if let difference = Self.run(seed, raisesHomes: true) { Issue.record("\(difference)") }
    }
  }

  @Test("is not equal to the whole view without any of its steps", arguments: ViewUpdate.Step.allCases)
  func steps(_ step: ViewUpdate.Step) {
    #expect((0..<400).contains { Self.run($0, skipping: [step]) != nil }, "\(step)")
  }
}
