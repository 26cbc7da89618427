import ArgumentParser
import BenchKit
import CBenchRows
import Foundation
import SwiftData

/// The costs of operations in a store of one size.
struct GrowthPoint: Codable {
  let rows: Int
  /// The costs by measure.
  var costs: [String: Double] = [:]
}

/// Measures how costs grow with the number of rows, and draws a chart.
struct GrowthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "growth", abstract: "Measures the library with growing numbers of rows and draws a chart.")

  /// The measures with their units.
  static let measures =
    [
      ("import", "µs a row, by 10,000"), ("memory", "MiB at the import's peak"), ("read", "µs a row, all of them"),
      ("point", "µs a fetch by unique id"), ("page", "µs a page of 20"), ("open", "ms to open and read a page"),
    ] + GrowthStores.measures + GrowthLoops.measures

  /// The parts that run on stores, in order: the first ones use the store that the import makes.
  private static let storeParts = ["messages", "migrate", "words", "history", "children"]

  @Option(help: "The folder of the stores.") var data = NSTemporaryDirectory() + "open-swiftdata-bench"
  @Option(help: "The numbers of rows.") var sizes = "10000,100000,1000000"
  @Flag(help: "Measure only the loops with one save at the end.") var loops = false
  @Option(help: "The file of the chart.") var chart = "growth.svg"
  @Option(help: .hidden) var only: String?

  func run() throws {
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    if let only {
      let parts = only.split(separator: ":")
      guard parts.count == 2, let rows = Int(parts[1]) else { throw ValidationError("no measure and size: \(only)") }
      let point = try measure(String(parts[0]), rows)
      return print(String(decoding: try JSONEncoder().encode(point), as: UTF8.self))
    }
    var points = [GrowthPoint]()
    for size in sizes.split(separator: ",") {
      guard let rows = Int(size), rows >= 10_000, rows.isMultiple(of: 10_000) else {
        throw ValidationError("\(size) is not a multiple of 10,000")
      }
      var point = GrowthPoint(rows: rows)
      let parts =
        loops ? ["loops"] : ["import", "fetch", "open"] + Self.storeParts + (rows > 1_000_000 ? [] : ["loops"])
      for part in parts {
        point.costs.merge(try work(part, rows).costs) { $1 }
      }
      points.append(point)
    }
    print("| | " + points.map { "\($0.rows) rows" }.joined(separator: " | ") + " |")
    print("| --- |" + String(repeating: " ---: |", count: points.count))
    for (name, unit) in loops ? GrowthLoops.measures : Self.measures {
      let cells = points.map { point in point.costs[name].map { String(format: "%.2f", $0) } ?? "" }
      print("| \(name), \(unit) | " + cells.joined(separator: " | ") + " |")
    }
    try GrowthChart(points: points).svg.write(toFile: chart, atomically: true, encoding: .utf8)
    print("\nThe chart is in \(chart).")
  }

  /// Runs a part in a process of its own, for its memory and cold caches.
  private func work(_ part: String, _ rows: Int) throws -> GrowthPoint {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["growth", "--data", data, "--only", "\(part):\(rows)"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure("\(part) with \(rows) rows failed; see above") }
    return try JSONDecoder().decode(GrowthPoint.self, from: output)
  }

  private var path: String { "\(data)/growth.store" }

  private func measure(_ part: String, _ rows: Int) throws -> GrowthPoint {
    var point = GrowthPoint(rows: rows)
    switch part {
    case "import":
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
      let peer = try SwiftDataPeer(path: path, trace: false)
      try peer.createConversations()
      var time = 0.0
      for from in stride(from: 0, to: rows, by: 10_000) {
        time += try microseconds { try peer.insert(RowSource(from: from, count: 10_000, prepared: false)) }
      }
      point.costs["import"] = time / Double(rows)
      point.costs["memory"] = Double(bench_peak_rss_kib()) / 1024
    case "fetch":
      let peer = try SwiftDataPeer(path: path, trace: false)
      let ids = (0..<2000).map { makeRow(($0 * 7919 + 13) % rows).id }
      _ = try peer.pointFetchSeparately(ids)
      point.costs["point"] = try microseconds { _ = try peer.pointFetchSeparately(ids) } / 2000
      let conversations = (0..<500).map { conversationID(($0 * 389 + 7) % 1000) }
      _ = try peer.page(conversations, limit: 20)
      point.costs["page"] = try microseconds { _ = try peer.page(conversations, limit: 20) } / 500
      point.costs["read"] = try microseconds { try readAll(peer.context, rows) } / Double(rows)
    case "open":
      let open = try microseconds {
        _ = try SwiftDataPeer(path: path, trace: false).page([conversationID(0)], limit: 20)
      }
      point.costs["open"] = open / 1000
    case "loops": point.costs = try GrowthLoops(count: rows).measure()
    default: point.costs = try GrowthStores(rows: rows, folder: data).measure(part)
    }
    return point
  }

  private func readAll(_ context: ModelContext, _ rows: Int) throws {
    var (count, sum) = (0, Int64(0))
    try context.enumerate(FetchDescriptor<Message>()) { message in
      count += 1
      sum &+= message.touched
    }
    guard count == rows else { throw Failure("\(count) of \(rows) rows were read") }
  }

  private func microseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = bench_now_ns()
    try body()
    return Double(bench_now_ns() - start) / 1000
  }
}
