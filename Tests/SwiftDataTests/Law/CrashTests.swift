#if os(Linux)
  import CrashModels
  import Foundation
  import SwiftData
  import Testing

  @Suite struct CrashTests {
    @Test(
      "A process killed at any moment leaves every acknowledged save and no half of another", .timeLimit(.minutes(20)))
    func kill() throws {
      let store = try TemporaryStore()
      var random = LawRandom(seed: 42)
      var acknowledged = 0
      for round in 0..<LawSettings.seeds(default: 8).count {
        // Half of the moments are counted from the start, and half from the first save, which a loaded machine may reach late.
        let last = try saveUntilKilled(
          store, after: 0.02 + Double(random.below(250)) / 1000, afterSave: round % 2 == 1)
        acknowledged = last ?? acknowledged
        let context = ModelContext(try ledgerContainer(store.url.path))
        let ledgers = try context.fetch(FetchDescriptor<Ledger>())
        let batches = try context.fetch(FetchDescriptor<Batch>(sortBy: [SortDescriptor(\.number)]))
        let newest = batches.last?.number ?? 0
        // The save after the last acknowledged one may have been committed too.
        try #require(newest == acknowledged || newest == acknowledged + 1, "round \(round)")
        acknowledged = newest
        guard newest > 0 else { continue }
        #expect(ledgers.map(\.total) == [newest * Ledger.entriesInBatch])
        #expect(batches.map(\.number) == Array(max(1, newest - Ledger.batchesKept + 1)...newest))
        #expect(ledgers[0].batches.map(\.number) == batches.map(\.number))
        for batch in batches {
          #expect(batch.payload == Batch.payload(batch.number))
          #expect(batch.entries.map(\.text) == (0..<Ledger.entriesInBatch).map { "\(batch.number).\($0)" })
        }
        let entries = try context.fetchCount(FetchDescriptor<Entry>())
        #expect(entries == batches.count * Ledger.entriesInBatch)
        #expect(try store.shell("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
      }
      #expect(acknowledged > 0)
    }

    /// - Returns: the last save that the helper acknowledged, nil where it was killed before one.
    private func saveUntilKilled(_ store: TemporaryStore, after seconds: Double, afterSave: Bool) throws -> Int? {
      let helper = try Helper("save", store.url.path)
      if afterSave { #expect(helper.wait { Int($0) != nil }) }
      let lines = try helper.kill(after: seconds)
      try #require(helper.wasKilled, "the helper ended by itself")
      return lines.last.flatMap { Int($0) }
    }
  }
#endif
