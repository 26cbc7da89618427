import CrashModels
import Foundation
import SwiftData

/// Opens, uses and closes a store again and again, and says what is left of it in the process.
enum Cycles {
  /// Prints two lines, `descriptors KIB`: after a tenth of the cycles, and after all.
  static func run(_ path: String, count: Int, _ say: (String) throws -> Void) throws {
    for number in 1...max(10, count) {
      try cycle(path, number)
      if number == max(10, count) / 10 { try say("\(descriptors()) \(residentKiB())") }
    }
    try say("\(descriptors()) \(residentKiB())")
  }

  private static func cycle(_ path: String, _ number: Int) throws {
    let container = try ledgerContainer(path)
    let context = ModelContext(container)
    let ledger = try context.fetch(FetchDescriptor<Ledger>()).first ?? Ledger()
    context.insert(ledger)
    for old in ledger.batches { context.delete(old) }
    let batch = Batch(number: number)
    ledger.batches.append(batch)
    for index in 0..<Ledger.entriesInBatch { batch.entries.append(Entry(text: "\(number).\(index)")) }
    ledger.total = number
    try context.save()
    let other = ModelContext(container)
    _ = try other.fetch(FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.text)])).map(\.text)
    _ = try other.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last
    // The history would grow with the number of cycles, and what is read of it.
    try other.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
  }

  private static func descriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
  }

  private static func residentKiB() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line?.split(separator: " ").compactMap { Int($0) }.first ?? -1
  }
}
