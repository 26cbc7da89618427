package import Foundation
package import SwiftData

// What the helper writes and the test reads: each save adds a batch of entries and a payload in a file of its own,
// raises the total, and deletes an older batch.

@Model package final class Ledger {
  package var total = 0
  @Relationship(deleteRule: .cascade, inverse: \Batch.ledger) package var batches: [Batch] = []
  package init() {}

  package static let entriesInBatch = 20
  package static let batchesKept = 3
}

@Model package final class Batch {
  @Attribute(.unique) package var number: Int
  @Attribute(.externalStorage) package var payload: Data
  package var ledger: Ledger?
  @Relationship(deleteRule: .cascade, inverse: \Entry.batch) package var entries: [Entry] = []

  package init(number: Int) {
    self.number = number
    self.payload = Batch.payload(number)
  }

  /// Large enough for a file beside the store.
  package static func payload(_ number: Int) -> Data {
    Data(repeating: UInt8(truncatingIfNeeded: number), count: 140 << 10)
  }
}

@Model package final class Entry {
  package var text: String
  package var batch: Batch?
  package init(text: String) { self.text = text }
}

package func ledgerContainer(_ path: String) throws -> ModelContainer {
  let schema = Schema([Ledger.self])
  return try ModelContainer(
    for: schema, configurations: ModelConfiguration(schema: schema, url: URL(fileURLWithPath: path)))
}
