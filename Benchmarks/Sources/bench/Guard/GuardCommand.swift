import ArgumentParser
import BenchKit
import Foundation
import GRDB

/// Repeats a small workload, to separate the instructions of one round from the instructions of the process.
struct GuardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "guard", abstract: "Repeats a small workload; run it under callgrind, see Benchmarks/guard.")

  @Argument(help: "W1, W3, W3n, W4x, W5a, W6, W9 or W11.") var workload: String
  @Option var rounds = 1

  func run() throws {
    let directory = NSTemporaryDirectory() + "open-swiftdata-guard-\(ProcessInfo.processInfo.processIdentifier)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let path = "\(directory)/guard.db"
    let peer = try SwiftDataPeer(path: path, trace: false)
    // 1,000 conversations fill their pages of 20.
    try peer.insert(RowSource(from: 0, count: workload == "W5a" ? 20_000 : 2000, prepared: false))
    let ids = (0..<200).map { makeRow($0 * 7 % 2000).id }
    let conversations = (0..<100).map { conversationID($0 * 389 % 1000) }
    try peer.load(workload == "W6" ? 2000 : 100)
    if workload == "W11" {
      // A store of 1,000,000 rows has nearly all of them in the file, not in the log.
      try DatabaseQueue(path: path).writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    }
    for round in 0..<rounds {
      switch workload {
      case "W1": try peer.insert(RowSource(from: 2000 * (round + 1), count: 2000, prepared: false))
      case "W3": _ = try peer.fetchAll()
      case "W3n": _ = try peer.fetchTwo()
      case "W4x": _ = try peer.pointFetchSeparately(ids)
      case "W5a": _ = try peer.page(conversations, limit: 20)
      case "W6": try peer.updateLoaded()
      case "W9": try peer.tinyTransactions()
      case "W11":
        let opened = try SwiftDataPeer(path: path, trace: false)
        _ = try opened.page([conversations[0]], limit: 20)
        opened.close()
      default: throw ValidationError("no guard for \(workload); there are W1, W3, W3n, W4x, W5a, W6, W9 and W11")
      }
    }
    peer.close()
  }
}
