import BenchKit
import CBenchRows
import Foundation
import SwiftData
import SwiftDataPostgres
import Synchronization

/// Counts the pages of 20 objects that threads fetch in a time, with a growing number of servers and `.preferReplica`.
struct ClusterReads {
  let cluster: ClusterURL
  let threads: Int
  let runs: Int

  private typealias Run = (pages: Double, cores: Double, shares: [Double])

  func measure() throws -> [ClusterResults.Reads] {
    // `.preferReplica` with one server asks for a replica without finding one, so the first line has no replicas.
    let ways = [(servers: 1, isReplicated: false)] + (1...cluster.hosts.count).map { (servers: $0, isReplicated: true) }
    var measured = ways.map { _ in [Run]() }
    for _ in 0..<runs {
      for way in ways.indices.shuffled() {
        measured[way].append(try run(ways[way].servers, ways[way].isReplicated ? .preferReplica : .primary))
      }
    }
    return zip(ways, measured).map { way, own in
      let shares = cluster.hosts.indices.map { host in own.map { $0.shares[host] }.median }
      let pages = own.map(\.pages).sorted()
      return .init(
        servers: way.servers, readPreference: way.isReplicated ? ".preferReplica" : ".primary",
        pages: own.map(\.pages).median,
        worst: pages.first ?? 0, best: pages.last ?? 0, clientCores: own.map(\.cores).median,
        shares: Array(shares.prefix(way.servers)))
    }
  }

  /// Opens new connections, because the store chooses the replica of a connection when it opens it.
  private func run(_ servers: Int, _ replicas: PostgresConfiguration.ReadPreference) throws -> Run {
    let before = try cluster.scans()
    var (pages, cores) = (0.0, 0.0)
    do {
      let container = try cluster.container(hosts: 0..<servers, replicas, size: threads)
      // Opens the connections.
      _ = try fetch(container, for: 2)
      let (cpu, start) = (bench_cpu_ns(), bench_now_ns())
      let count = try fetch(container, for: 5)
      let time = Double(bench_now_ns() - start)
      (pages, cores) = (Double(count) / time * 1e9, Double(bench_cpu_ns() - cpu) / time)
    }
    let scans = zip(try cluster.scans(), before).map { Double($0 - $1) }
    return (pages, cores, scans.map { $0 / scans.reduce(0, +) })
  }

  private func fetch(_ container: ModelContainer, for seconds: Double) throws -> Int {
    let end = bench_now_ns() + Int64(seconds * 1e9)
    let state = Mutex((pages: 0, failure: (any Error)?.none))
    let group = DispatchGroup()
    for number in 0..<threads {
      group.enter()
      Thread.detachNewThread {
        defer { group.leave() }
        do {
          var count = 0
          while bench_now_ns() < end {
            try Self.page(ModelContext(container), conversationID((number * 131 + count * 7) % 1000))
            count += 1
          }
          state.withLock { $0.pages += count }
        } catch { state.withLock { $0.failure = error } }
      }
    }
    group.wait()
    let (pages, failure) = state.withLock { $0 }
    if let failure { throw failure }
    return pages
  }

  private static func page(_ context: ModelContext, _ conversation: String) throws {
    var descriptor = FetchDescriptor<Message>(
      predicate: #Predicate { $0.conversationID == conversation },
      sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    descriptor.fetchLimit = 20
    let found = try context.fetch(descriptor)
    guard found.count == 20 else { throw Failure("\(found.count) objects are on a page of \(conversation)") }
  }
}
