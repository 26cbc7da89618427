import Foundation
import FuzzTargets
import Testing

/// The kept corpus of `Sorted/Fuzz/Corpus`, replayed and changed at random: no input may trap.
///
/// An input that traps ends the process; it is in the file that the test names at its start. `FUZZ_RUNS` raises the
/// number of random inputs, `FUZZ_SEED` begins elsewhere. `make fuzz` is the real fuzzer, which learns from what it
/// reaches.
@Suite(.serialized) struct FuzzTests {
  private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fuzz/Corpus")

  private static func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment["FUZZ_\(name)"].flatMap(Int.init)
  }

  /// How many random inputs take some seconds.
  private static func runs(_ target: FuzzTarget) -> Int {
    switch target {
    case .importing: 2_000
    case .text: 300
    case .token, .request: 1_000
    case .webRequest: 500
    case .schema: 150
    case .appleStore: 300
    case .syncRequest: 500
    case .syncResponse: 60
    case .syncLog: 5_000
    }
  }

  private static func inputs(_ target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
    let folder = corpus.appendingPathComponent(target.rawValue)
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .map { ($0.lastPathComponent, Array(try Data(contentsOf: $0))) }.sorted { $0.0 < $1.0 }
  }

  @Test(
    "Each route of the servers does what it is for with an input of the corpus, and the client reads an answer of each",
    arguments: [FuzzTarget.webRequest, .syncRequest, .syncResponse])
  func routes(_ target: FuzzTarget) async throws {
    var reached: [String: [String]] = [:]
    for (name, bytes) in try Self.inputs(target) {
      for route in (try? await target.run(bytes)) ?? [] { reached[route, default: []].append(name) }
    }
    let routes = try await target.routes()
    print(
      "\(target.rawValue): the corpus reaches \(routes.filter { reached[$0] != nil }.count) of \(routes.count) routes")
    for route in routes.sorted() {
      print("  \(route): \(reached[route, default: []].joined(separator: " "))")
      #expect(reached[route] != nil, "Add an input for \(route) to Sorted/Fuzz/Corpus/\(target.rawValue).")
    }
    #expect(routes.count >= 15)
  }

  @Test("What is kept, and thousands of inputs made of it, are taken or refused", arguments: FuzzTarget.allCases)
  func corpus(_ target: FuzzTarget) async throws {
    let inputs = try Self.inputs(target).map(\.bytes)
    #expect(inputs.count >= 3)
    let last = FileManager.default.temporaryDirectory.appendingPathComponent(
      "fuzz-\(target.rawValue)-\(ProcessInfo.processInfo.processIdentifier)")
    print("the input that \(target.rawValue) is given is in \(last.path)")
    var taken = 0
    func run(_ bytes: [UInt8]) async throws {
      try Data(bytes).write(to: last)
      do {
        try await target.run(bytes)
        taken += 1
      } catch {}
    }
    for input in inputs { try await run(input) }
    // Else it would be the refusals alone that are tested.
    #expect(taken > 0)
    let mutation = try Mutation()
    var random = FuzzRandom(seed: UInt64(Self.setting("SEED") ?? 1))
    for _ in 0..<(Self.setting("RUNS") ?? Self.runs(target)) {
      try await run(mutation.of(inputs.randomElement(using: &random)!, others: inputs, &random))
    }
    try FileManager.default.removeItem(at: last)
  }
}
