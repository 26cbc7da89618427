import Foundation
import SwiftData
import Synchronization

/// Four contexts write and read beside two other processes that do the same, all of them checking.
struct SoakCommand: Command {
  static let name = "soak"
  static let usage: String? = "[--seconds N]"

  /// For how long.
  private let seconds: Double
  private let options: Options

  init(_ arguments: inout Arguments) throws {
    seconds = try arguments.value("seconds") ?? 10
    options = try Options(&arguments)
  }

  func run() throws {
    try options.inFolder { folder in
      let path = folder.appendingPathComponent("soak.store").path
      let container = try SoakStore.open(path)
      try SoakStore.fill(container)
      let others = try (4..<SoakStore.owners).map {
        try Child([
          "soak-worker", "--store", path, "--owner", "\($0)", "--seconds", "\(seconds)", "--seed", "\(options.seed)",
        ])
      }
      var times = try SoakTimes.measure(owners: 0..<4, container, options.seed, seconds)
      for other in others {
        let output = other.wait()
        guard other.hasSucceeded,
          let more = try? JSONDecoder().decode(SoakTimes.self, from: Data(output.utf8))
        else { throw Difference("another process: \(output)") }
        times.saves += more.saves
        times.fetches += more.fetches
      }
      try check(container)
      say("\(Int(seconds)) s, 4 contexts and 2 processes: nothing lost, nothing half seen")
      say("saves:   \(SoakTimes.summary(times.saves, seconds))")
      say("fetches: \(SoakTimes.summary(times.fetches, seconds))")
    }
  }

  private func check(_ container: ModelContainer) throws {
    let store = container.core.sqliteStores[0]
    let answer = try store.read { connection in
      try ["integrity_check", "foreign_key_check"].flatMap { check in
        try connection.database.rows("PRAGMA \(check)") { $0.string(0) }
      }
    }
    try Difference.require(answer == ["ok"], "integrity_check: \(answer)")
  }
}

/// The part of the load that is in a process of its own.
struct SoakWorkerCommand: Command {
  static let name = "soak-worker"

  private let store: String
  private let owner: Int
  private let seconds: Double
  private let seed: Int

  init(_ arguments: inout Arguments) throws {
    store = try arguments.required("store")
    owner = try arguments.required("owner")
    seconds = try arguments.required("seconds")
    seed = try arguments.required("seed")
  }

  func run() throws {
    do {
      let container = try SoakStore.open(store)
      let times = try SoakTimes.measure(owners: owner..<(owner + 1), container, seed, seconds)
      FileHandle.standardOutput.write(try JSONEncoder().encode(times))
    } catch {
      say("FAILED: \(error)")
      throw ReportedFailure()
    }
  }
}

/// How long saves and fetches took, in microseconds.
struct SoakTimes: Codable, Sendable {
  var saves: [Double] = []
  var fetches: [Double] = []

  /// Runs a thread for each owner.
  static func measure(
    owners: Range<Int>, _ container: ModelContainer, _ seed: Int, _ seconds: Double
  ) throws -> SoakTimes {
    let end = Date(timeIntervalSinceNow: seconds)
    let result = Mutex<(times: SoakTimes, error: Difference?)>((SoakTimes(), nil))
    let threads = DispatchGroup()
    for owner in owners {
      threads.enter()
      Thread.detachNewThread {
        defer { threads.leave() }
        let writer = SoakWriter(owner: owner, container, seed: seed)
        let outcome = Result { try writer.run(until: end) }
        result.withLock { result in
          result.times.saves += writer.saveTimes
          result.times.fetches += writer.fetchTimes
          if case .failure(let error) = outcome { result.error = Difference("owner \(owner): \(error)") }
        }
      }
    }
    threads.wait()
    return try result.withLock { result in
      if let error = result.error { throw error }
      return result.times
    }
  }

  static func summary(_ times: [Double], _ seconds: Double) -> String {
    let sorted = times.sorted()
    func milliseconds(_ share: Double) -> String {
      guard !sorted.isEmpty else { return "-" }
      return String(format: "%.2f", sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))] / 1000)
    }
    return "\(times.count) (\(Int(Double(times.count) / seconds)) a second), median \(milliseconds(0.5)) ms,"
      + " 99 % within \(milliseconds(0.99)) ms, 99.9 % within \(milliseconds(0.999)) ms"
  }
}
