import ArgumentParser
import BenchKit
import Foundation
import SwiftData
import SwiftDataPostgres

/// Measures fetches from a primary with replicas, which `scripts/cluster` starts.
struct ClusterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster",
    abstract: "Measures what several hosts and replicas cost, and how reads scale with replicas.",
    discussion: "make bench ONLY=cluster starts the servers and measures both.")

  enum Part: String, ExpressibleByArgument, CaseIterable { case overhead, reads }

  @Argument(help: "overhead: one fetch at a time. reads: pages from several threads.") var part: Part
  @Option(help: "The libpq URL of all hosts, the primary first; $CLUSTER_URL by default.") var url: String?
  @Option(help: "The number of rows.") var rows = 100_000
  @Option(help: "How often each line is measured; the median counts.") var runs: Int?
  @Option(help: "The threads that read pages.") var threads = 8
  @Option(help: "The file to write the result to, as JSON.") var save: String?

  func run() throws {
    guard let url = url ?? ProcessInfo.processInfo.environment["CLUSTER_URL"], let cluster = ClusterURL(url) else {
      throw ValidationError("name a primary and a replica: --url postgres://a:5432,b:5432/db, or use scripts/cluster")
    }
    guard rows >= 100_000, rows.isMultiple(of: 10_000), runs ?? 1 > 0, threads > 0 else {
      throw ValidationError("--rows takes a multiple of 10,000 from 100,000, and the others take at least 1")
    }
    try fill(cluster)
    var results = ClusterResults(save)
    switch part {
    case .overhead: results.overhead = try ClusterOverhead(cluster: cluster, rows: rows, runs: runs ?? 501).measure()
    case .reads: results.reads = try ClusterReads(cluster: cluster, threads: threads, runs: runs ?? 5).measure()
    }
    if let save { try results.json.write(to: URL(fileURLWithPath: save)) }
    print(results.table(part))
  }

  private func fill(_ cluster: ClusterURL) throws {
    let container = try cluster.container(hosts: 0..<1, .primary)
    for start in stride(from: 0, to: rows, by: 10_000) {
      let context = ModelContext(container)
      for number in start..<start + 10_000 { context.insert(Message(makeRow(number))) }
      try context.save()
    }
    // Neither should run while a line is measured.
    for sql in ["VACUUM (FREEZE, ANALYZE) bench.\"Message\"", "CHECKPOINT"] { _ = try cluster.ask(0, sql) }
    try cluster.awaitReplicas()
  }
}

/// The hosts of a cluster, the primary first.
struct ClusterURL {
  private let head: Substring
  let hosts: [Substring]
  private let tail: Substring

  /// - Returns: nil if the URL has fewer than two hosts.
  init?(_ url: String) {
    guard let match = url.wholeMatch(of: /(\w+:\/\/(?:[^@\/]*@)?)([^\/]+)(.*)/) else { return nil }
    (head, hosts, tail) = (match.1, match.2.split(separator: ","), match.3)
    if hosts.count < 2 { return nil }
  }

  func url(hosts range: Range<Int>) -> String { head + hosts[range].joined(separator: ",") + tail }

  func container(hosts: Range<Int>, _ replicas: PostgresConfiguration.ReadPreference, size: Int = 8) throws
    -> ModelContainer
  {
    try ModelContainer(
      for: Message.self,
      configurations: PostgresConfiguration(
        url: url(hosts: hosts), namespace: "bench", pool: PostgresPoolOptions(size: size), readPreference: replicas))
  }

  /// Waits until the replicas show everything that the primary has committed.
  func awaitReplicas() throws {
    let position = try ask(0, "SELECT pg_current_wal_insert_lsn()")
    for host in hosts.indices.dropFirst() {
      while try ask(host, "SELECT pg_last_wal_replay_lsn() >= '\(position)'") != "t" { usleep(100_000) }
    }
  }

  /// The index scans of each server since its start. A page is one.
  func scans() throws -> [Int] {
    // A connection reports its statistics when it closes.
    Thread.sleep(forTimeInterval: 0.5)
    let sql = "SELECT idx_scan FROM pg_stat_user_tables WHERE schemaname = 'bench' AND relname = 'Message'"
    return try hosts.indices.map { Int(try ask($0, sql)) ?? 0 }
  }

  func ask(_ host: Int, _ sql: String) throws -> String { try PostgresShell(url(hosts: host..<host + 1)).ask(sql) }
}

extension [Double] { var median: Double { sorted()[count / 2] } }
