import Foundation

/// The measured cells, kept in a file so that some can be measured again.
struct Results {
  private var cells: [String: Cell] = [:]
  private let file: URL

  init(directory: String) {
    file = URL(fileURLWithPath: directory).appendingPathComponent("results.json")
    if let data = try? Data(contentsOf: file), let kept = try? JSONDecoder().decode([Cell].self, from: data) {
      for cell in kept { insert(cell) }
    }
  }

  mutating func insert(_ cell: Cell) { cells["\(cell.workload)/\(cell.peer)"] = cell }

  func write() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    try encoder.encode(cells.values.sorted { ($0.workload, $0.peer) < ($1.workload, $1.peer) }).write(to: file)
  }

  subscript(workload: String, peer: String) -> Cell? { cells["\(workload)/\(peer)"] }
  var disturbance: Double { cells.values.map(\.disturbance).max() ?? 1 }
}
