import ArgumentParser
import CBenchRows
import Foundation
import SwiftData
import SwiftDataPostgres
import SwiftDataPostgresShards

/// Measures one class in an ordinary table, in partitions on the same server, and in partitions on two other servers.
///
/// The environment names the servers: `BENCH_URL`, `BENCH_SHARD_1` and `BENCH_SHARD_2`.
struct PartitionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "partitions", abstract: "Measures partitions of a class on one and on three servers.")

  @Option(help: "The number of objects, a multiple of 1,000.") var rows = 100_000
  @Option(help: "How often each fetch is measured.") var runs = 500

  /// The medians in milliseconds, by step.
  private typealias Times = [(step: String, time: Double)]

  func run() throws {
    let environment = ProcessInfo.processInfo.environment
    guard let url = environment["BENCH_URL"], let first = environment["BENCH_SHARD_1"],
      let second = environment["BENCH_SHARD_2"]
    else { throw ValidationError("`make bench ONLY=partitions` starts the servers and names them") }
    guard rows >= 1_000, rows.isMultiple(of: 1_000), runs > 0 else {
      throw ValidationError("--rows takes a multiple of 1,000, and --runs at least 1")
    }
    let divisions: [(name: String, partitions: [PostgresPartitions])] = [
      ("one table", []),
      ("16 partitions", [.hashed(by: \Letter.room, count: 16)]),
      ("16 partitions on 2 other servers", [.hashed(by: \Letter.room, count: 16, shards: [first, second])]),
    ]
    let times = try divisions.enumerated().map { index, division in
      var configuration = PostgresConfiguration(url: url, namespace: "bench_partitions_\(index)")
      configuration.partitions = division.partitions
      return try measure(configuration)
    }
    print("| \(rows) objects, ms | \(divisions.map(\.name).joined(separator: " | ")) |")
    print("| --- |" + String(repeating: " ---: |", count: divisions.count))
    for (place, first) in times[0].enumerated() {
      print("| \(first.step) | " + times.map { String(format: "%.2f", $0[place].time) }.joined(separator: " | ") + " |")
    }
  }

  private func measure(_ configuration: PostgresConfiguration) throws -> Times {
    let container = try ModelContainer(for: Letter.self, configurations: configuration)
    defer { try? container.erase() }
    let roomCount = rows / 100
    func milliseconds(_ body: () throws -> Void) rethrows -> Double {
      let start = bench_now_ns()
      try body()
      return Double(bench_now_ns() - start) / 1e6
    }
    func median(_ count: Int, _ body: (Int) throws -> Void) rethrows -> Double {
      let times = try (0..<count).map { number in try milliseconds { try body(number) } }
      return times.sorted()[times.count / 2]
    }
    var times: Times = []
    let saves = try (0..<rows / 1_000).map { batch in
      try milliseconds {
        let context = ModelContext(container)
        for number in batch * 1_000..<(batch + 1) * 1_000 {
          context.insert(Letter(room: number % roomCount, number: number))
        }
        try context.save()
      }
    }
    times.append(("save of 1,000 new objects", saves.sorted()[saves.count / 2]))
    try analyze(configuration.url)
    func fetch(_ descriptor: FetchDescriptor<Letter>, _ count: Int) throws {
      let found = try ModelContext(container).fetch(descriptor)
      guard found.count == count else { throw ValidationError("a fetch found \(found.count) objects, not \(count)") }
    }
    times.append(
      (
        "page of 20 of one room",
        try median(runs) { run in
          let room = run % roomCount
          var descriptor = FetchDescriptor<Letter>(
            predicate: #Predicate { $0.room == room }, sortBy: [SortDescriptor(\.number)])
          descriptor.fetchLimit = 20
          try fetch(descriptor, 20)
        }
      ))
    times.append(
      (
        "one object by room and number",
        try median(runs) { run in
          let (room, number) = (run % roomCount, run % roomCount)
          try fetch(FetchDescriptor(predicate: #Predicate { $0.room == room && $0.number == number }), 1)
        }
      ))
    times.append(
      (
        "one object by number alone",
        try median(runs) { run in
          let number = run * 17 % rows
          try fetch(FetchDescriptor(predicate: #Predicate { $0.number == number }), 1)
        }
      ))
    times.append(
      (
        "page of 20 of all rooms",
        try median(runs) { run in
          let start = run * 13 % (rows / 2)
          var descriptor = FetchDescriptor<Letter>(
            predicate: #Predicate { $0.number > start }, sortBy: [SortDescriptor(\.number)])
          descriptor.fetchLimit = 20
          try fetch(descriptor, 20)
        }
      ))
    times.append(
      (
        "change of one object",
        try median(min(runs, 100)) { run in
          let context = ModelContext(container)
          let (room, number) = (run % roomCount, run % roomCount)
          let found = try context.fetch(
            FetchDescriptor<Letter>(predicate: #Predicate { $0.room == room && $0.number == number }))
          found.first?.text = "changed"
          try context.save()
        }
      ))
    return times
  }

  /// Lets the planner know the new rows, as autovacuum would soon.
  private func analyze(_ url: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["psql", url, "-qc", "ANALYZE"]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw ValidationError("psql could not analyze the tables") }
  }
}

@Model private final class Letter {
  #Unique<Letter>([\.room, \.number])
  #Index<Letter>([\.room, \.number], [\.number])
  var room: Int
  var number: Int
  var text: String
  init(room: Int, number: Int) {
    (self.room, self.number) = (room, number)
    text = "letter \(number) to room \(room), with a few words so that a row has the usual size of a message"
  }
}
