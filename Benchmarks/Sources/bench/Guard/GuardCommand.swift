import ArgumentParser
import BenchKit
import Foundation

/// Repeats a small workload, so that the instructions of one round can be told from those of the rest of the process.
struct GuardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "guard", abstract: "Repeats a small workload; run it under callgrind, see Benchmarks/guard.")

  @Argument(help: "W3, W4x or W9.") var workload: String
  @Option var rounds = 1

  func run() throws {
    let directory = NSTemporaryDirectory() + "open-swiftdata-guard-\(ProcessInfo.processInfo.processIdentifier)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let peer = try SwiftDataPeer(path: "\(directory)/guard.db", trace: false)
    try peer.insert(RowSource(from: 0, count: 2000, prepared: false))
    let ids = (0..<200).map { makeRow($0 * 7 % 2000).id }
    try peer.load(100)
    for _ in 0..<rounds {
      switch workload {
      case "W3": _ = try peer.fetchAll()
      case "W4x": _ = try peer.pointFetchSeparately(ids)
      case "W9": try peer.tinyTransactions()
      default: throw ValidationError("no guard for \(workload); there are W3, W4x and W9")
      }
    }
    peer.close()
  }
}
