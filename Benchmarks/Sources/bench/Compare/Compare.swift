import ArgumentParser
import BenchKit
import Foundation

/// Runs the workloads of all peers and prints the table.
struct Compare: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs the workloads and prints one table of ratios to raw C.")

  @Option(help: "The folder of the databases.") var data = NSTemporaryDirectory() + "open-swiftdata-bench"
  @Option(help: "The workloads, such as W3,W4; all by default.") var only = ""
  @Option(help: "The columns; all by default.") var peers = ""
  @Option(help: "Runs per cell; the median counts. W2 has a third of them.") var runs = 5
  @Flag(help: "Print the table of the existing results without measuring.") var report = false
  @Option(help: "The file to write the table to, as JSON.") var save: String?

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
    let table = Table(results: results)
    if let save { try table.json.write(to: URL(fileURLWithPath: save)) }
    print(table.text)
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
