import CrashModels
import Foundation
import SwiftData
import SwiftDataRecovery

/// What the tests start as a process of its own, mostly to kill it.
///
///     CrashHelper save STORE            saves in a loop and says so after each save
///     CrashHelper migrate STORE         migrates an archive, and says when it is open
///     CrashHelper archive STORE COUNT   makes an archive of the first version, migrates it, and compares every row
///     CrashHelper watch STORE COUNT     saves that many sightings, and watches until it sees as many of another process
///     CrashHelper recover STORE NEW     recovers a ledger, and says what it throws
///     CrashHelper cycle STORE COUNT     opens, uses and closes a store that many times, and says what it keeps
@main
enum CrashHelper {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let command = arguments.first, let path = arguments.dropFirst().first else { return }
    switch command {
    case "save": try save(path)
    case "migrate":
      _ = try Archive.container(path)
      try say("open")
    case "archive": try archive(path, count: arguments.last.flatMap { Int($0) } ?? 1000)
    case "watch": try await watch(path, count: arguments.last.flatMap { Int($0) } ?? 100)
    case "recover":
      guard let new = arguments.dropFirst(2).first else { return }
      do {
        let (damaged, new) = (URL(fileURLWithPath: path), URL(fileURLWithPath: new))
        try say("\(try ModelContainer.recover(from: damaged, to: new, for: Schema([Ledger.self])))")
      } catch let error as SwiftDataError {
        try say("\(error == .storeFull ? "storeFull" : "\(error)")")
      }
    case "cycle": try Cycles.run(path, count: arguments.last.flatMap { Int($0) } ?? 100, say)
    default: try say("save, migrate, archive, watch, recover or cycle")
    }
  }

  private static func say(_ line: String) throws {
    try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
  }

  private static func save(_ path: String) throws {
    let context = ModelContext(try ledgerContainer(path))
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
      try say("\(number)")
    }
  }

  private static func archive(_ path: String, count: Int) throws {
    let clock = ContinuousClock()
    try say("made in \(try clock.measure { try Archive.make(path, count: count) }), \(memory())")
    var container: ModelContainer?
    let time = try clock.measure {
      container = try Archive.container(path) {
        $0.migrationProgress = { progress in
          guard progress.completedRows % 200_000 == 0 else { return }
          try? say(
            "step \(progress.step) of \(progress.stepCount): \(progress.entity) \(progress.completedRows)"
              + " of \(progress.totalRows), \(memory())")
        }
      }
    }
    try say("migrated in \(time), \(memory())")
    guard let container else { return }
    for step in container.migrations.flatMap(\.steps) { try say("\(step)") }
    let difference = try Archive.difference(ModelContext(container), count: count)
    try say(difference.map { "DIFFERENT: \($0)" } ?? "every row compared: \(count) as they should be, \(memory())")
  }

  @MainActor private static func watch(_ path: String, count: Int) async throws {
    let container = try sightingsContainer(path)
    let own = "\(ProcessInfo.processInfo.processIdentifier)"
    let observer = try ResultsObserver<Sighting, Never>(
      filterBy: #Predicate { $0.process != own }, modelContext: container.mainContext)
    let writer = Task.detached { try await SightingWriter(modelContainer: container).save(count, process: own) }
    var seen = 0
    var slowest = 0.0
    while true {
      let new = withObservationTracking {
        observer.results.dropFirst(seen)
      } onChange: {
        wake.continuation.yield()
      }
      for sighting in new { slowest = max(slowest, Date().timeIntervalSince(sighting.time)) }
      seen += new.count
      if seen >= count { break }
      for await _ in wake.stream { break }
    }
    try await writer.value
    try say("seen \(seen), the slowest after \(Int(slowest * 1000)) ms")
  }

  private static let wake = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// The memory that the process has now and had at most.
  private static func memory() -> String {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let lines = status.split(separator: "\n").filter { $0.hasPrefix("VmRSS") || $0.hasPrefix("VmHWM") }
    return lines.map {
      $0.split(separator: "\t").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
    }
    .joined(separator: ", ")
  }
}
