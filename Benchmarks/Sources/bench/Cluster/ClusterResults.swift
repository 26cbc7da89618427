import Foundation

/// The lines of both tables. A file keeps them, so that one part can be measured again.
struct ClusterResults: Codable {
  struct Overhead: Codable {
    let servers: String
    /// The median time of a fetch.
    let microseconds: Double
    /// The median over all runs of the ratio to the first line.
    let ratio: Double
  }
  struct Reads: Codable {
    let servers: Int
    let readPreference: String
    /// The median, the worst and the best pages per second.
    let pages, worst, best: Double
    /// The cores that the client used.
    let clientCores: Double
    /// The part of the pages that each server answered.
    let shares: [Double]
  }

  var overhead: [Overhead]?
  var reads: [Reads]?

  init(_ path: String?) {
    guard let path, let data = FileManager.default.contents(atPath: path),
      let kept = try? JSONDecoder().decode(Self.self, from: data)
    else { return }
    self = kept
  }

  var json: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      return try encoder.encode(self) + Data("\n".utf8)
    }
  }

  func table(_ part: ClusterCommand.Part) -> String {
    var lines: [String]
    switch part {
    case .overhead:
      lines = ["| servers | µs for a fetch by unique id | ratio |", "| --- | ---: | ---: |"]
      lines += (overhead ?? []).map { String(format: "| %@ | %.1f | %.3f |", $0.servers, $0.microseconds, $0.ratio) }
    case .reads:
      lines = ["| servers | `readPreference` | pages a second (worst to best) | answered by, % | client, cores |"]
      lines.append("| ---: | --- | ---: | ---: | ---: |")
      for line in reads ?? [] {
        let pages = String(format: "%.0f (%.0f to %.0f)", line.pages, line.worst, line.best)
        let shares = line.shares.map { String(format: "%.0f", $0 * 100) }.joined(separator: " / ")
        let cores = String(format: "%.2f", line.clientCores)
        lines.append("| \(line.servers) | `\(line.readPreference)` | \(pages) | \(shares) | \(cores) |")
      }
    }
    return lines.joined(separator: "\n")
  }
}
