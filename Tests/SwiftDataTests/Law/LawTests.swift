import Foundation
import SwiftData
import Testing

/// The law of the store: whatever is done to objects, contexts and stores show what plain values would.
@Suite struct LawTests {
  @Test("Random sequences of operations leave memory and store as plain values say")
  func randomSequences() {
    var failures = [LawFailure]()
    for seed in LawSettings.seeds(default: 200) {
      do {
        try LawRun(seed: seed, steps: 60).run()
      } catch {
        failures.append(error as? LawFailure ?? LawFailure(description: "seed \(seed): \(error)"))
      }
    }
    // The shortest says most.
    failures.sort { $0.description.utf8.count < $1.description.utf8.count }
    if let first = failures.first { Issue.record("\(failures.count) sequences failed, one of them: \(first)") }
    for failure in failures.dropFirst() {
      Issue.record("\(failure.description.prefix { $0 != "\n" })")
    }
  }
}
