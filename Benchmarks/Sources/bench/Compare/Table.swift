import BenchKit
import Foundation

/// The table of ratios, as Markdown and as JSON.
struct Table {
  let results: Results

  var text: String {
    let names = peers.map { $0.name }
    let lines = [header, row(["---"] + names.map { _ in "---:" } + ["---:"])] + rows.map(row)
    let note = ["", "Ratios of medians to \(names[0]). ~: the machine was busy during the cell."]
    return (lines + note + complaints(names)).joined(separator: "\n")
  }

  /// The table for `Benchmarks/results.json`, from which `scripts/figures` writes the figures of the documents.
  var json: Data {
    get throws {
      struct Stored: Encodable {
        let measured: String
        let columns: [String]
        let rows: [[String]]
      }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      let day = Date.now.formatted(.iso8601.year().month().day())
      return try encoder.encode(Stored(measured: day, columns: columns, rows: rows)) + Data("\n".utf8)
    }
  }

  private var columns: [String] {
    let names = peers.map { $0.name }
    return ["workload", "\(names[0]), ms"] + names.dropFirst() + ["goal"]
  }

  private var header: String { row(columns) }

  private var rows: [[String]] {
    let names = peers.map { $0.name }
    var lines: [[String]] = []
    for workload in Workload.all where names.contains(where: { results[workload.name, $0] != nil }) {
      lines.append(ratios(workload, names))
    }
    for (workload, goal) in [("W1", "60"), ("W2", ""), ("W3", "80")] where results[workload, names[0]] != nil {
      let cells = names.map { results[workload, $0]?.peakMemory.map { "\($0 / 1024)" } ?? "" }
      lines.append(["peak memory of \(workload), MiB"] + cells + [goal])
    }
    for workload in ["W7e", "W7l"] where results[workload, names[0]] != nil {
      let cells = names.map { results[workload, $0]?.statements.map { "\($0)" } ?? "" }
      lines.append(["statements of \(workload)"] + cells + [""])
    }
    return lines
  }

  private func row(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |" }

  private func ratios(_ workload: Workload, _ names: [String]) -> [String] {
    let base = results[base(of: workload), names[0]]?.median
    let cells = names.map { name -> String in
      guard let cell = results[workload.name, name], let median = cell.median else { return "" }
      let mark = cell.disturbance < 1.15 ? "" : " ~"
      guard name != names[0], let base else { return Self.milliseconds(median) + mark }
      return String(format: "%.2f", median / base) + mark
    }
    return ["\(workload.name) \(workload.title)"] + cells + [workload.goal.map { String(format: "%.1f", $0) } ?? ""]
  }

  /// The workload whose raw C time is the base: a partial update is compared with the full one, an indexed search with
  /// a scan.
  private func base(of workload: Workload) -> String {
    ["W6p": "W6", "W10s": "W10b"][workload.name] ?? workload.name
  }

  private static func milliseconds(_ value: Double) -> String {
    String(format: value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value)
  }

  /// Peers whose results or rows differ from raw C's.
  private func complaints(_ names: [String]) -> [String] {
    Workload.all.flatMap { workload -> [String] in
      let candidates = [workload.name, base(of: workload)].compactMap { results[$0, names[0]] }
      guard let right = candidates.first(where: { $0.median != nil }) else { return [] }
      return names.dropFirst().compactMap { name in
        guard let cell = results[workload.name, name], cell.median != nil else { return nil }
        let checksums = Set((right.samples + cell.samples).map(\.checksum))
        if workload.name != "W8", checksums.count > 1 {
          return "WRONG: \(workload.name) of \(name) has another checksum"
        }
        if cell.digest != right.digest {
          return "WRONG: \(workload.name) of \(name) left \(cell.digest ?? "nothing"), not \(right.digest ?? "nothing")"
        }
        return nil
      }
    }
  }
}
