import ArgumentParser
import BenchKit
import Foundation

/// One cell of the table, in a process of its own.
struct WorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker", abstract: "Runs one workload of one peer and prints its samples as JSON.")

  @Argument var peer: String
  @Argument var workload: String
  @Option var runs = 1
  @Option var data: String
  @Flag(help: "Generate rows during the insert, to measure only the peer's memory.") var memory = false
  @Flag(help: "Count SQL statements.") var statements = false

  func run() throws {
    guard let workload = Workload.all.first(where: { $0.name == workload }),
      let type = bench.peer(peer, for: workload)
    else { throw ValidationError("no peer \(peer) or no workload \(workload)") }
    try run(type, workload)
  }

  private func run<P: Peer>(_: P.Type, _ workload: Workload) throws {
    let worker = Worker(
      P.self, workload, runs: runs, files: Files(directory: data), measuresMemory: memory,
      countsStatements: statements)
    let encoder = JSONEncoder()
    try worker.run { print(String(decoding: try encoder.encode($0), as: UTF8.self)) }
  }
}
