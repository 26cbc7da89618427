import ArgumentParser
import BenchKit
import Foundation

/// One cell of the table, in a process of its own.
struct ServerWorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "server-worker", abstract: "Measures many clients of one peer and prints the sample as JSON.")

  @Argument var database: ServerDatabase
  @Argument var peer: String
  @Option(help: "The folder of the files, or the URL of the server.") var place: String
  @Option(help: "The clients.") var width: Int
  @Option(help: "The kind of their reads.") var reads: ServerMix.Reads
  @Option(help: "The percentage of writes.") var writes: Int
  @Option(help: "The time to measure.") var seconds: Double
  @Option(help: "The objects that one more thread saves meanwhile. Half of the clients read then, and half write.")
  var save = 0

  func run() throws {
    let peer = try database.open(peer, place)
    let sample: ServerSample
    if save == 0 {
      let mix = ServerMix(reads: reads, writes: writes)
      sample = try ServerLoad(peer: peer, clients: Array(repeating: mix, count: width), seconds: seconds).run()
    } else {
      let rows = RowSource(from: 100_000, count: save, prepared: true)
      let clients = (0..<width).map { ServerMix(reads: reads, writes: $0.isMultiple(of: 2) ? 0 : 100) }
      sample = try ServerLoad(peer: peer, clients: clients, seconds: seconds) { try peer.save(rows) }.run()
    }
    print(String(decoding: try JSONEncoder().encode(sample), as: UTF8.self))
  }
}

extension ServerMix.Reads: ExpressibleByArgument {}
