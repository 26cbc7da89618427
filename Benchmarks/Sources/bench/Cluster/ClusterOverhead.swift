import BenchKit
import CBenchRows
import Foundation
import SwiftData

/// Measures one fetch by unique id after the other, for each way to name the servers.
///
/// The ways take turns within each run, so that a slow moment of the machine meets all of them.
struct ClusterOverhead {
  let cluster: ClusterURL
  let rows: Int
  let runs: Int
  /// The fetches of a run.
  private static let fetches = 100

  func measure() throws -> [ClusterResults.Overhead] {
    let all = cluster.hosts.indices
    let ways = [
      ("primary alone, `.primary`", try cluster.container(hosts: 0..<1, .primary)),
      // Shows how far equal lines differ.
      ("the same again", try cluster.container(hosts: 0..<1, .primary)),
      ("\(all.count) hosts, `.primary`", try cluster.container(hosts: all, .primary)),
      ("one replica alone, `.primary`", try cluster.container(hosts: 1..<2, .primary)),
      ("primary and one replica, `.preferReplica`", try cluster.container(hosts: 0..<2, .preferReplica)),
      ("\(all.count) hosts, `.preferReplica`", try cluster.container(hosts: all, .preferReplica)),
    ]
    var times = ways.map { _ in [Double]() }
    for run in -1..<runs {
      let ids = (0..<Self.fetches).map { makeRow((run + 1 + $0 * 7919) % rows).id }
      for way in ways.indices.shuffled() {
        let time = try microseconds(ids, ModelContext(ways[way].1))
        // The first run opens connections and prepares statements.
        if run >= 0 { times[way].append(time) }
      }
    }
    return ways.indices.map { way in
      let ratios = zip(times[way], times[0]).map { $0 / $1 }
      return .init(servers: ways[way].0, microseconds: times[way].median, ratio: ratios.median)
    }
  }

  /// The time of a fetch.
  private func microseconds(_ ids: [String], _ context: ModelContext) throws -> Double {
    let start = bench_now_ns()
    for id in ids {
      let found = try context.fetch(FetchDescriptor<Message>(predicate: #Predicate { $0.id == id }))
      guard found.count == 1 else { throw Failure("\(found.count) objects have the id \(id)") }
    }
    return Double(bench_now_ns() - start) / 1000 / Double(ids.count)
  }
}
