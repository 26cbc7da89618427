import BenchKit
import CBenchRows
import Foundation

/// The measurement of one peer under one workload.
struct Cell: Codable {
  let workload: String
  let peer: String
  var samples: [Sample] = []
  /// The slowdown of the machine before or after, relative to its best: 1 is quiet.
  var disturbance = 1.0
  /// The digest of the written rows.
  var digest: String?
  /// The peak memory of a separate process, in KiB.
  var peakMemory: Int64?
  var statements: Int?

  var median: Double? {
    let sorted = samples.filter { $0.skipped == nil }.map(\.milliseconds).sorted()
    return sorted.isEmpty ? nil : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  var line: String {
    if let reason = samples.first?.skipped { return "\(workload) \(peer): left out, \(reason)" }
    let times = samples.map { String(format: "%.1f", $0.milliseconds) }.joined(separator: " ")
    return "\(workload) \(peer): \(times) ms, machine x\(String(format: "%.2f", disturbance))"
  }
}

/// Measures one cell, and repeats it if the machine was busy.
struct Measurement {
  let files: Files
  let workload: Workload
  let peer: String
  let runs: Int

  func measure() throws -> Cell {
    try makeTemplate()
    var best: Cell?
    for _ in 0..<3 {
      let cell = try measureOnce()
      if best.map({ cell.disturbance < $0.disturbance }) ?? true { best = cell }
      if cell.disturbance < 1.15 || cell.median == nil { break }
    }
    var cell = best!
    guard cell.median != nil else { return cell }
    if ["W1", "W2", "W3"].contains(workload.name) { cell.peakMemory = try work(1, ["--memory"]).last?.peakMemory }
    if workload.name.hasPrefix("W7") { cell.statements = try work(1, ["--statements"]).last?.statements }
    return cell
  }

  private func measureOnce() throws -> Cell {
    var cell = Cell(workload: workload.name, peer: peer)
    let before = Calibration.run()
    switch workload.name {
    case "W11": for _ in 0..<runs { cell.samples += try work(1) }
    case "W2": cell.samples = try work(max(1, runs / 3))
    default: cell.samples = try work(runs)
    }
    cell.disturbance = max(before, Calibration.run()) / Calibration.best
    if workload.copies, cell.median != nil {
      cell.digest = try Digest.of(files.work, epoch: bench.peer(peer, for: workload)!.epoch)
    }
    return cell
  }

  private func makeTemplate() throws {
    func make<P: Peer>(_: P.Type) throws { try files.make(workload.template, for: P.self) }
    let peer = bench.peer(peer, for: workload)!
    try peer.layout == RawC.layout ? make(RawC.self) : make(peer)
  }

  private func work(_ runs: Int, _ options: [String] = []) throws -> [Sample] {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments =
      ["worker", peer, workload.name, "--runs", String(runs), "--data", files.directory] + options
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure("\(workload.name) of \(peer) failed; see above") }
    return try output.split(separator: UInt8(ascii: "\n")).map { try JSONDecoder().decode(Sample.self, from: $0) }
  }
}

/// An error with a message.
struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A fixed CPU workload. Its time shows how busy the machine is.
enum Calibration {
  /// The fastest calibration so far, in milliseconds.
  // nonisolated(unsafe) because the command measures on one thread.
  nonisolated(unsafe) private(set) static var best = Double.infinity

  static func run() -> Double {
    var shortest = Double.infinity
    for _ in 0..<5 {
      let start = bench_now_ns()
      var row = bench_row()
      var length: Int64 = 0
      for index in 0..<Int64(60_000) {
        bench_make_row(index, &row)
        length &+= Int64(row.text_len)
      }
      precondition(length > 0)
      shortest = min(shortest, Double(bench_now_ns() - start) / 1e6)
    }
    best = min(best, shortest)
    return shortest
  }
}
