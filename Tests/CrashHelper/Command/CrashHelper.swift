import CrashModels
import Foundation
import SwiftData

/// Saves in a loop and says so after each save, until it is killed. The kill test of the store starts it.
@main
enum CrashHelper {
  static func main() throws {
    let context = ModelContext(try ledgerContainer(CommandLine.arguments[1]))
    let ledger = try context.fetch(FetchDescriptor<Ledger>()).first ?? Ledger()
    context.insert(ledger)
    var number = ledger.batches.map(\.number).max() ?? 0
    while true {
      number += 1
      let batch = Batch(number: number)
      ledger.batches.append(batch)
      for index in 0..<Ledger.entriesInBatch { batch.entries.append(Entry(text: "\(number).\(index)")) }
      ledger.total += Ledger.entriesInBatch
      for old in ledger.batches where old.number <= number - Ledger.batchesKept { context.delete(old) }
      try context.save()
      try FileHandle.standardOutput.write(contentsOf: Data("\(number)\n".utf8))
    }
  }
}
