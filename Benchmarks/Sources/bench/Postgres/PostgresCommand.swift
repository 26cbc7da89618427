import ArgumentParser
import BenchKit
import CBenchRows
import CRawPostgres
import Foundation
import SwiftData
import SwiftDataPostgres

/// Compares the PostgreSQL store with raw libpq on one server.
///
/// Both use the same table: libpq uses a copy of the store's, with its indices. The raw column lacks keys from
/// sequences, the history, and objects.
struct PostgresCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "postgres",
    abstract: "Compares the PostgreSQL store with libpq from C.",
    discussion: "scripts/postgres swift run --package-path Benchmarks -c release bench postgres")

  @Option(help: "The server's libpq URL; $POSTGRES_URL by default.") var url: String?
  @Option(help: "The number of rows.") var rows = 100_000
  @Option(help: "Runs per line; the median counts.") var runs = 5

  func run() throws {
    guard let url = url ?? ProcessInfo.processInfo.environment["POSTGRES_URL"] else {
      throw ValidationError("name a server: --url postgres://…, or run it under scripts/postgres")
    }
    let configuration = PostgresConfiguration(url: url, namespace: "bench")
    let container = try ModelContainer(
      for: Message.self, Conversation.self, LinkedMessage.self, configurations: configuration)
    defer { try? container.erase() }
    let shell = PostgresShell(url)
    try shell.run("CREATE TABLE bench.raw (LIKE bench.\"Message\" INCLUDING ALL)")
    guard let raw = crawpg_open(url, "bench.raw") else { throw Failure("libpq has no memory") }
    defer {
      crawpg_close(raw)
      try? shell.run("DROP TABLE bench.raw")
    }
    let peers = PythonPeers(url: url, runs: min(runs, 3))
    print(try PostgresRun(container: container, raw: raw, shell: shell, peers: peers, count: rows, runs: runs).table())
  }
}

/// Runs untimed SQL like `psql`.
struct PostgresShell {
  private let url: String

  init(_ url: String) { self.url = url }

  func run(_ sql: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["psql", "-q", "-v", "ON_ERROR_STOP=1", "-c", sql, url]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure("psql could not run: \(sql)") }
  }

  /// Runs a query of one row with one column.
  func ask(_ sql: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["psql", "-XAtc", sql, url]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure("psql could not run: \(sql)") }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

/// The lines of the table.
struct PostgresRun {
  let container: ModelContainer
  let raw: OpaquePointer
  let shell: PostgresShell
  let peers: PythonPeers
  let count: Int
  let runs: Int

  /// One line: an operation, its repetitions, libpq's version and the store's. Both return a checksum.
  private struct Line {
    let title: String
    /// The name that the Python peers use.
    let name: String
    let times: Int
    let raw: () throws -> Int64
    let own: () throws -> Int64
    var before: () throws -> Void = {}
  }

  func table() throws -> String {
    let rows = (0..<count).map(makeRow)
    var measured = [(line: Line, raw: Double, own: Double)]()
    for line in try lines(rows) {
      var (raws, owns) = ([Double](), [Double]())
      for _ in 0..<runs {
        try line.before()
        let (rawTime, rawSum) = try time(line.raw)
        let (ownTime, ownSum) = try time(line.own)
        guard rawSum == ownSum else { throw Failure("\(line.title): WRONG, \(ownSum) instead of \(rawSum)") }
        raws.append(rawTime)
        owns.append(ownTime)
      }
      let (a, b) = (raws.sorted()[runs / 2], owns.sorted()[runs / 2])
      measured.append((line, a, b))
    }
    // The peers read from the store's table, which is full now.
    let (others, reason) = peers.measure()
    var text = [
      "| | libpq from C | OpenSwiftData | SQLAlchemy | Django |", "| --- | ---: | ---: | ---: | ---: |",
    ]
    for (line, raw, own) in measured {
      let unit = line.times == 1 ? "ms" : "µs each"
      let scale = line.times == 1 ? 1e3 : 1e6 / Double(line.times)
      let peers = ["SQLAlchemy", "Django"].map { peer in
        others[peer]?[line.name].map { String(format: "%.2f", $0 / raw) } ?? "–"
      }
      text.append(
        "| \(line.title) | \(String(format: "%.0f", raw * scale)) \(unit) | \(String(format: "%.2f", own / raw)) | "
          + peers.joined(separator: " | ") + " |")
    }
    text.append("\nThe columns of the peers are ratios to libpq from C." + (reason.map { " No peers: \($0)" } ?? ""))
    return text.joined(separator: "\n")
  }

  private func time(_ body: () throws -> Int64) rethrows -> (Double, Int64) {
    let start = bench_now_ns()
    let sum = try body()
    return (Double(bench_now_ns() - start) / 1e9, sum)
  }

  private func lines(_ rows: [Row]) throws -> [Line] {
    let bench = (0..<count).map { number in
      var row = bench_row()
      bench_make_row(Int64(number), &row)
      return row
    }
    let ids = (0..<10_000).map { rows[$0 &* 7919 % count].id }
    let conversations = (0..<1_000).map { conversationID($0) }
    return [
      Line(
        title: "save \(count) (COPY in C)", name: "save", times: 1,
        raw: {
          crawpg_copy(raw, bench, Int64(count))
          return Int64(count)
        }, own: { try save(rows) }, before: clear),
      Line(
        title: "save \(count) (arrays in C)", name: "save", times: 1,
        raw: {
          crawpg_arrays(raw, bench, Int64(count))
          return Int64(count)
        }, own: { try save(rows) }, before: clear),
      Line(
        title: "fetch \(count), read every property", name: "fetch", times: 1, raw: { crawpg_fetch_all(raw) },
        own: { try sum(FetchDescriptor<Message>()) }),
      Line(
        title: "10,000 fetches by unique id", name: "points", times: 10_000,
        raw: { Self.strings(ids) { crawpg_point(raw, $0, 10_000) } },
        own: {
          let context = ModelContext(container)
          return try ids.reduce(0) { total, id in
            try total + sum(FetchDescriptor(predicate: #Predicate { $0.id == id }), context)
          }
        }),
      Line(
        title: "1,000 pages of 20", name: "pages", times: 1_000,
        raw: { Self.strings(conversations) { crawpg_page(raw, $0, 1_000, 20) } }, own: { try pages(conversations) }),
    ]
  }

  private func clear() throws {
    crawpg_clear(raw)
    // The store takes a TRUNCATE for a restore, and its container would refuse to save. VACUUM needs a command of its own.
    for sql in ["DELETE FROM bench.\"Message\"", "VACUUM bench.\"Message\"", "CHECKPOINT"] { try shell.run(sql) }
  }

  private func save(_ rows: [Row]) throws -> Int64 {
    let context = ModelContext(container)
    for row in rows { context.insert(Message(row)) }
    try context.save()
    return Int64(rows.count)
  }

  private func sum(_ descriptor: FetchDescriptor<Message>, _ context: ModelContext? = nil) throws -> Int64 {
    try (context ?? ModelContext(container)).fetch(descriptor).reduce(0) { $0 + $1.touched }
  }

  private func pages(_ conversations: [String]) throws -> Int64 {
    let context = ModelContext(container)
    return try conversations.reduce(0) { total, conversation in
      var descriptor = FetchDescriptor<Message>(
        predicate: #Predicate { $0.conversationID == conversation },
        sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
      descriptor.fetchLimit = 20
      return try total + sum(descriptor, context)
    }
  }

  private static func strings<T>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> T
  ) -> T {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return copies.map { UnsafePointer($0) }.withUnsafeBufferPointer { body($0.baseAddress!) }
  }
}

/// SQLAlchemy and Django on psycopg, measured by a Python program.
struct PythonPeers {
  let url: String
  let runs: Int

  /// - Returns: seconds by peer and line, or nothing with the reason if the peers cannot run.
  func measure() -> (seconds: [String: [String: Double]], reason: String?) {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../../peers/run")
    let process = Process()
    process.executableURL = script.standardizedFileURL
    process.arguments = [url, "--runs", "\(runs)"]
    let output = Pipe()
    process.standardOutput = output
    do {
      try process.run()
    } catch {
      return ([:], "\(error)")
    }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0,
      let seconds = try? JSONDecoder().decode([String: [String: Double]].self, from: data)
    else { return ([:], "peers/run ended with \(process.terminationStatus); see above") }
    return (seconds, nil)
  }
}
