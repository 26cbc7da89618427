import Foundation
import Testing

@Suite("Traces of the model")
struct TraceTests {
  /// `make test` replays a third of the traces, `make test-all` all.
  private static let parts = ProcessInfo.processInfo.environment["TEST_ALL"] == nil ? 6 : 2

  @Test("replay with equal results", arguments: 0..<2)
  func committed(part: Int) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    try replay(folder.appending(path: "traces.txt"), part: part, of: Self.parts, atLeast: 25)
  }

  @Test(
    "replay with equal results for fresh seeds",
    .enabled(
      if: ProcessInfo.processInfo.environment["SYNC_TRACES"] != nil,
      "SYNC_TRACES names a file that scripts/sync-traces wrote"))
  func fresh() throws {
    let path = try #require(ProcessInfo.processInfo.environment["SYNC_TRACES"])
    try replay(URL(filePath: path), part: 0, of: 1, atLeast: 1)
  }

  private func replay(_ file: URL, part: Int, of parts: Int, atLeast least: Int) throws {
    var differences: [String] = []
    let (traces, checks) = Trace.replay(Array(try Data(contentsOf: file)), part: part, of: parts) { error in
      differences.append("\(error)")
    }
    #expect(differences.isEmpty, "\(differences.count) of \(traces) differ. \(differences.first ?? "")")
    #expect(traces >= least && checks > 10 * traces)
  }
}
