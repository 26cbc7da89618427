import Foundation

/// The samples of all cells. A file keeps them, so that one database can be measured again.
struct ServerResults: Codable {
  struct Cell: Codable {
    let database: ServerDatabase
    let peer: String
    let cell: ServerCell
    var samples: [ServerSample]

    /// The median of a figure. Of two samples it is their mean.
    func median(_ figure: (ServerSample) -> Double) -> Double {
      let sorted = samples.map(figure).sorted()
      return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
  }

  var cells: [Cell] = []
  /// The load of the machine when runs began and ended: a title, and the averages of 1, 5 and 15 minutes.
  var load: [String] = []

  init(_ path: String?) {
    guard let path, let data = FileManager.default.contents(atPath: path),
      let kept = try? JSONDecoder().decode(Self.self, from: data)
    else { return }
    self = kept
  }

  mutating func remove(_ database: ServerDatabase, largeOnly: Bool, clientsOnly: Bool) {
    cells.removeAll { cell in
      cell.database == database && !(largeOnly && cell.cell.save == 0) && !(clientsOnly && cell.cell.save > 0)
    }
    load.removeAll { $0.hasPrefix(database.rawValue) }
  }

  mutating func note(load title: String) {
    let averages = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? ""
    load.append("\(title): " + averages.split(separator: " ").prefix(3).joined(separator: " "))
  }

  mutating func insert(_ sample: ServerSample, _ database: ServerDatabase, _ peer: String, _ cell: ServerCell) {
    if let place = cells.firstIndex(where: { $0.database == database && $0.peer == peer && $0.cell == cell }) {
      cells[place].samples.append(sample)
    } else {
      cells.append(Cell(database: database, peer: peer, cell: cell, samples: [sample]))
    }
  }

  var json: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      // One line for each cell, so that a change of one is a change of one line.
      let lines = try cells.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
      let load = String(decoding: try encoder.encode(load), as: UTF8.self)
      return Data("{\"load\": \(load),\n\"cells\": [\n\(lines.joined(separator: ",\n"))\n]}\n".utf8)
    }
  }

  /// The table of a terminal. scripts/figures makes the tables of the documents.
  func table(_ database: ServerDatabase) -> String {
    let own = cells.filter { $0.database == database }
    var lines = ["| clients | peer | operations/s | CPU, µs each | p50, ms | p99 | p99.9 | memory, MiB |"]
    lines.append("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for cell in own {
      lines.append(
        String(
          format: "| %@ | %@ | %.0f | %.1f | %.2f | %.2f | %.2f | %.0f |", cell.cell.description, cell.peer,
          cell.median(\.rate), cell.median(\.cpu), cell.median(\.all.p50), cell.median(\.all.p99),
          cell.median(\.all.p999),
          cell.median { Double($0.peakMemory) / 1024 }))
    }
    return lines.joined(separator: "\n")
  }
}

extension ServerSample {
  var line: String {
    var text = String(
      format: "%.0f/s, %.3f %.3f %.3f ms, %d MiB", rate, all.p50, all.p99, all.p999, Int(peakMemory / 1024))
    if let delays { text += String(format: ", others late %.1f max %.1f ms", delays.p99, delays.max) }
    if let threads { text += ", \(threads) threads" }
    if let saveSeconds {
      text += String(
        format: ", save %.2f s, reads %.2f max %.2f, writes %.2f max %.2f ms", saveSeconds, reads.p99, reads.max,
        writes.p99, writes.max)
    }
    return text
  }
}
