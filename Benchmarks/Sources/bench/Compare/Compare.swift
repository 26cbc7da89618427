import ArgumentParser
import BenchKit
import Foundation

/// Runs the workloads of all peers and prints the table.
struct Compare: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs the workloads and prints one table of ratios to raw C.")

  @Option(help: "Where the databases are.") var data = NSTemporaryDirectory() + "open-swiftdata-bench"
  @Option(help: "The workloads, such as W3,W4; all where it is left out.") var only = ""
  @Option(help: "The columns; all where it is left out.") var peers = ""
  @Option(help: "Runs of each cell; the median counts. W2 has a third of them.") var runs = 5
  @Flag(help: "Print the table of the results that are there, measuring nothing.") var report = false

  func run() throws {
    let files = Files(directory: data)
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    var results = Results(directory: data)
    if !report {
      for workload in try chosen(only, of: Workload.all.map(\.name)).map({ name in
        Workload.all.first { $0.name == name }!
      }) {
        for name in try chosen(peers, of: bench.peers.map { $0.name }) {
          let cell = try Measurement(files: files, workload: workload, peer: name, runs: runs).measure()
          results.insert(cell)
          FileHandle.standardError.write(Data((cell.line + "\n").utf8))
        }
        try results.write()
      }
    }
    print(Table(results: results).text)
  }

  private func chosen(_ list: String, of all: [String]) throws -> [String] {
    let wanted = list.split(separator: ",").map(String.init)
    guard !wanted.isEmpty else { return all }
    for name in wanted where !all.contains(name) {
      throw ValidationError("there is no \(name); there are \(all.joined(separator: ", "))")
    }
    return all.filter(wanted.contains)
  }
}
