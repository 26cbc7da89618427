import Foundation
import SwiftData
import Testing

/// The law of the store: whatever is done to objects, contexts and stores show what plain values would.
@Suite struct LawTests {
  @Test("Random sequences of operations leave memory and store as plain values say")
  func randomSequences() {
    for seed in LawSettings.seeds(default: 200) {
      do {
        try LawRun(seed: seed, steps: 60).run()
      } catch {
        Issue.record("\(error)")
        return
      }
    }
  }
}
