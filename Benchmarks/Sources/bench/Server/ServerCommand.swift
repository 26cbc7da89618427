import ArgumentParser
import BenchKit
import Foundation

/// Measures what a server does: many clients at once, each with a context of its own.
struct ServerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "server",
    abstract: "Measures many clients at once, and how long they wait while one saves 100,000 objects.",
    discussion: "make bench ONLY=server measures both databases. PostgreSQL needs scripts/postgres, or POSTGRES_URL.")

  @Argument(help: "sqlite or postgres.") var database: ServerDatabase
  @Option(help: "The folder of SQLite's files.") var data = NSTemporaryDirectory() + "open-swiftdata-bench"
  @Option(help: "The server's libpq URL; $POSTGRES_URL by default.") var url: String?
  @Option(help: "The numbers of clients.") var widths = "1,2,8,64,512"
  @Option(help: "The percentages of writes.") var writes = "0,10,50"
  @Option(help: "The columns; all by default.") var peers = ""
  @Option(help: "How often each cell is measured.") var runs = 2
  @Option(help: "The time of a cell.") var seconds = 0.8
  @Option(help: "The objects of the large save; 0 leaves it out.") var large = 100_000
  @Flag(help: "Leave out the table of clients.") var onlyLarge = false
  @Option(help: "The file to write the results to, as JSON.") var save: String?

  func run() throws {
    guard runs > 0, seconds > 0 else { throw ValidationError("--runs and --seconds take more than 0") }
    let place: String
    switch database {
    case .sqlite: place = data
    case .postgres:
      guard let url = url ?? ProcessInfo.processInfo.environment["POSTGRES_URL"] else {
        throw ValidationError("name a server: --url postgres://…, or run it under scripts/postgres")
      }
      place = url
    }
    let peers = self.peers.isEmpty ? database.peers : self.peers.split(separator: ",").map(String.init)
    try database.fill(place)
    var results = ServerResults(save)
    results.remove(database, largeOnly: onlyLarge, clientsOnly: large == 0)
    var python = PythonServerPeer(url: place)
    for run in 0..<runs {
      results.note(load: "\(database.rawValue), run \(run + 1) begins")
      for cell in try cells() {
        // The peers take turns within each run, so that a slow moment of the machine meets all of them.
        for peer in peers.shuffled() {
          guard !(peer == "sqlalchemy" && cell.save > 0) else { continue }
          try database.prepare(peer, place)
          let sample =
            peer == "sqlalchemy"
            ? try python.measure(cell, seconds) : try worker(peer, cell, place)
          guard let sample else { continue }
          results.insert(sample, database, peer, cell)
          let line = "\(database.rawValue) \(peer) \(cell): \(sample.line)\n"
          FileHandle.standardError.write(Data(line.utf8))
        }
      }
      results.note(load: "\(database.rawValue), run \(run + 1) ends")
      if let save { try results.json.write(to: URL(fileURLWithPath: save)) }
    }
    print(results.table(database))
    if let reason = python.reason { print("\nNo SQLAlchemy: \(reason)") }
  }

  private func cells() throws -> [ServerCell] {
    func numbers(_ list: String) throws -> [Int] {
      try list.split(separator: ",").map { part in
        guard let number = Int(part) else { throw ValidationError("\(part) is not a number") }
        return number
      }
    }
    var cells = [ServerCell]()
    if !onlyLarge {
      for reads in ServerMix.Reads.allCases {
        for writes in try numbers(writes) {
          for width in try numbers(widths) { cells.append(ServerCell(width: width, reads: reads, writes: writes)) }
        }
      }
    }
    if large > 0 { cells.append(ServerCell(width: 8, reads: .points, writes: 50, save: large)) }
    return cells
  }

  private func worker(_ peer: String, _ cell: ServerCell, _ place: String) throws -> ServerSample {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments =
      ["server-worker", database.rawValue, peer, "--place", place, "--seconds", "\(seconds)"] + cell.options
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure("\(cell) of \(peer) failed; see above") }
    return try JSONDecoder().decode(ServerSample.self, from: output)
  }
}

/// A line of the table.
struct ServerCell: Codable, Hashable, CustomStringConvertible {
  let width: Int
  let reads: ServerMix.Reads
  let writes: Int
  /// The objects of the large save that runs meanwhile.
  var save = 0

  var description: String {
    save > 0 ? "\(width) clients during a save of \(save)" : "\(reads.rawValue), \(writes) % writes, \(width) clients"
  }

  var options: [String] {
    let load = save > 0 ? ["--save", "\(save)"] : []
    return ["--width", "\(width)", "--reads", reads.rawValue, "--writes", "\(writes)"] + load
  }
}

/// SQLAlchemy on psycopg's pool, measured by a Python program.
struct PythonServerPeer {
  let url: String
  /// The reason if it cannot run.
  private(set) var reason: String?

  init(url: String) { self.url = url }

  /// - Returns: nil with a reason if the environment cannot be made.
  mutating func measure(_ cell: ServerCell, _ seconds: Double) throws -> ServerSample? {
    guard reason == nil else { return nil }
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../../peers/run")
    let process = Process()
    process.executableURL = script.standardizedFileURL
    process.arguments =
      ["server.py", url, "--seconds", "\(seconds)", "--connections", "\(ServerDatabase.connections)"] + cell.options
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    // peers/run says so where Python or PyPI is missing.
    guard process.terminationStatus != 3 else {
      reason = "peers/run ended with 3; see above"
      return nil
    }
    guard process.terminationStatus == 0 else { throw Failure("\(cell) of SQLAlchemy failed; see above") }
    return try JSONDecoder().decode(ServerSample.self, from: data)
  }
}
