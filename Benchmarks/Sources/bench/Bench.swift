import ArgumentParser
import BenchKit

@main
struct Bench: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares OpenSwiftData with raw SQLite and GRDB.",
    subcommands: [
      Compare.self, MicroCommand.self, WorkerCommand.self, GuardCommand.self, PointCommand.self, ObjectsCommand.self,
      GrowthCommand.self, PostgresCommand.self, AppleCommand.self, ClusterCommand.self, PartitionsCommand.self,
      ServerCommand.self, ServerWorkerCommand.self,
    ],
    defaultSubcommand: Compare.self)
}

/// The columns of the table; raw C is what the others are compared with.
let peers: [any (Peer & SendableMetatype).Type] = [
  RawC.self, RawSwift.self, GRDBManual.self, GRDBCodable.self, SwiftDataPeer.self,
]

/// The peer of a column for one workload: ours has another model where messages have relationships or a text index.
func peer(_ name: String, for workload: Workload) -> (any Peer.Type)? {
  if name == SwiftDataPeer.name, workload.name == "W10s" { return IndexedSwiftDataPeer.self }
  if name == SwiftDataPeer.name, workload.name.hasPrefix("W7") { return LinkedSwiftDataPeer.self }
  return peers.first { $0.name == name }
}
