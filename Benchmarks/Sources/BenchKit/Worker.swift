// Public for the other targets of this package alone.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import CBenchRows
import Foundation

/// The result of one run, which a worker process prints as a line of JSON.
public struct Sample: Codable, Sendable {
  public var milliseconds = 0.0
  public var checksum: Int64 = 0
  /// Peak resident memory of the process, in KiB.
  public var peakMemory: Int64 = 0
  public var statements: Int?
  /// The reason why the workload does not apply to the peer.
  public var skipped: String?
}

/// Runs one workload in a process of its own.
public struct Worker<P: Peer> {
  let workload: Workload
  let runs: Int
  let files: Files
  /// Whether to make rows as they are inserted, so that they do not count as the peer's memory.
  let measuresMemory: Bool
  let countsStatements: Bool
  let start = bench_now_ns()

  public init(
    _: P.Type, _ workload: Workload, runs: Int, files: Files, measuresMemory: Bool, countsStatements: Bool
  ) {
    (self.workload, self.runs, self.files) = (workload, runs, files)
    (self.measuresMemory, self.countsStatements) = (measuresMemory, countsStatements)
  }

  /// Calls `emit` after each run.
  public func run(_ emit: (Sample) throws -> Void) throws {
    do {
      if workload.name == "W11" { return try emit(openAndPage()) }
      let inputs = Inputs(workload, prepared: !measuresMemory)
      for _ in 0..<runs { try emit(sample(inputs)) }
    } catch Skip.notApplicable(let reason) {
      try emit(Sample(skipped: reason))
    }
  }

  /// Measures from the start of the process to the sum of the first page.
  private func openAndPage() throws -> Sample {
    let peer = try P(path: files.template(workload.template, P.layout), trace: countsStatements)
    let sum = try peer.page([conversationID(0)], limit: 20)
    let time = bench_now_ns() - start
    return Sample(
      milliseconds: Double(time) / 1e6, checksum: sum, peakMemory: bench_peak_rss_kib(), statements: peer.statements)
  }

  private func sample(_ inputs: Inputs) throws -> Sample {
    let template = files.template(workload.template, P.layout)
    if workload.copies { try files.copyToWork(template) }
    let peer = try P(path: workload.copies ? files.work : template, trace: countsStatements)
    if workload.name.hasPrefix("W6") { try peer.load(100_000) }
    if workload.name.hasPrefix("W9") { try peer.load(1000) }
    if let rows = inputs.rows { peer.prepare(rows) }
    let statementsBefore = peer.statements ?? 0
    let (time, checksum) = try measure(peer, inputs)
    var sample = Sample(milliseconds: Double(time) / 1e6, checksum: checksum, peakMemory: bench_peak_rss_kib())
    sample.statements = peer.statements.map { $0 - statementsBefore }
    try peer.close()
    return sample
  }

  private func measure(_ peer: P, _ inputs: Inputs) throws -> (nanoseconds: Int64, checksum: Int64) {
    if workload.name == "W2" { return (try insertChunks(peer), 0) }
    let start = bench_now_ns()
    var checksum: Int64 = 0
    switch workload.name {
    case "W1": try peer.insert(inputs.rows ?? RowSource(from: 0, count: 100_000, prepared: false))
    case "W3": checksum = try peer.fetchAll()
    case "W3n": checksum = try peer.fetchTwo()
    case "W4": checksum = try peer.pointFetch(inputs.ids)
    case "W4x": checksum = try peer.pointFetchSeparately(inputs.ids)
    case "W5a", "W5b": checksum = try peer.page(inputs.conversations, limit: 20)
    case "W6": try peer.updateLoaded()
    case "W6p": try peer.updateLoadedPartially()
    case "W7e": checksum = try peer.relationEager(10_000)
    case "W7l": checksum = try peer.relationLazy(10_000)
    case "W8": try peer.deleteHalf()
    case "W9": try peer.tinyTransactions()
    case "W9h": try peer.tinyTransactionsWithHistory()
    case "W10a": checksum = try peer.count()
    case "W10b": checksum = try peer.search(BENCH_NEEDLE)
    case "W10s": checksum = try peer.searchByIndex(BENCH_NEEDLE)
    default: preconditionFailure("no workload \(workload.name)")
    }
    return (bench_now_ns() - start, checksum)
  }

  /// Inserts in chunks. Making the rows is not timed.
  private func insertChunks(_ peer: P) throws -> Int64 {
    var time: Int64 = 0
    for chunk in 0..<100 {
      let source = RowSource(from: chunk * 10_000, count: 10_000, prepared: !measuresMemory)
      if !measuresMemory { peer.prepare(source) }
      let start = bench_now_ns()
      try peer.insert(source)
      time += bench_now_ns() - start
    }
    return time
  }
}

/// The inputs of a workload, made before the clock starts.
private struct Inputs {
  var rows: RowSource?
  var ids = [String]()
  var conversations = [String]()

  init(_ workload: Workload, prepared: Bool) {
    if workload.name == "W1", prepared { rows = RowSource(from: 0, count: 100_000, prepared: true) }
    if workload.name.hasPrefix("W4") { ids = (0..<10_000).map { makeRow(($0 * 7919 + 13) % 100_000).id } }
    if workload.name.hasPrefix("W5") { conversations = (0..<1000).map { conversationID(($0 * 389 + 7) % 1000) } }
  }
}
