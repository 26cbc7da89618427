import ArgumentParser
import Foundation

/// Prints the costs of objects by their number, like tables published for other frameworks.
struct ObjectsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "objects", abstract: "Creates, saves, reads, changes and deletes simple objects and a graph.")

  @Option(help: "The folder of the stores.") var data = NSTemporaryDirectory() + "open-swiftdata-bench"
  @Option(help: "The numbers of simple objects, such as 100,1000.") var simple = "100,1000,10000,100000,1000000"
  @Option(help: "The numbers of students.") var graph = "100,1000,10000,100000,200000"
  @Option(help: .hidden) var only: String?

  func run() throws {
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    if let only {
      let parts = only.split(separator: ":")
      guard parts.count == 2, let kind = ObjectKind(rawValue: String(parts[0])), let count = Int(parts[1]) else {
        throw ValidationError("no kind and number: \(only)")
      }
      let result = try ObjectRun(kind: kind, count: count, directory: data).run()
      return print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
    }
    print(
      "| objects | " + ObjectRun.steps.map { "\($0), ms" }.joined(separator: " | ")
        + " | raw C, ms | ratio | disk, MB | memory, MiB |")
    print("| --- |" + String(repeating: " ---: |", count: ObjectRun.steps.count + 4))
    for kind in ObjectKind.allCases {
      for count in try numbers(kind == .graph ? graph : simple) where kind != .chunks || count >= 100_000 {
        print(line(try measure(kind, count)))
      }
    }
  }

  private func numbers(_ list: String) throws -> [Int] {
    try list.split(separator: ",").map { text in
      guard let number = Int(text), number > 0 else { throw ValidationError("\(text) is not a number of objects") }
      return number
    }
  }

  /// Measures in a separate process, whose memory holds these objects only.
  private func measure(_ kind: ObjectKind, _ count: Int) throws -> ObjectResult {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["objects", "--data", data, "--only", "\(kind.rawValue):\(count)"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure("\(count) objects (\(kind)) failed; see above") }
    return try JSONDecoder().decode(ObjectResult.self, from: output)
  }

  private func line(_ result: ObjectResult) -> String {
    func text(_ number: Double?) -> String { number.map { String(format: $0 < 10 ? "%.2f" : "%.0f", $0) } ?? "" }
    let times = ObjectRun.steps.map { text(result.steps[$0]) }
    // C does the last deletion of the line.
    let raw = result.raw.first
    let ratio = raw.flatMap { step, time in result.steps[step].map { String(format: "%.2f", $0 / time) } } ?? ""
    let title =
      switch result.kind {
      case .simple: "\(result.count) simple"
      case .chunks: "\(result.count) simple, saved by 10,000"
      case .graph: "\(result.count) students"
      }
    let sizes = [
      String(format: "%.1f", Double(result.bytes) / 1e6), String(format: "%.0f", Double(result.peakMemory) / 1024),
    ]
    return "| " + ([title] + times + [text(raw?.value), ratio] + sizes).joined(separator: " | ") + " |"
  }
}
