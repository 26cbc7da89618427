#if os(Linux)
  import ChildProcesses
  import Foundation
  import Testing

  /// Short runs of what `Documentation/reliability.md` lists; `make` runs them for longer.
  @Suite(.serialized) struct ReliabilityRuns {
    /// Whether the runs have the length of `make test-all`. Those of `make test` have a quarter of it.
    private static let isLong = ProcessInfo.processInfo.environment["TEST_ALL"] != nil

    /// - Returns: what the program wrote.
    private func run(_ arguments: String...) throws -> String {
      // Test and program are built into one folder.
      let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("Reliability")
      let process = try ChildProcess(program.path, arguments, errors: .output)
      let text = process.text()
      #expect(process.wait() == .exit(0), "\(text)")
      return text
    }

    @Test(
      "Of a writer that is killed again and again no acknowledged save is lost, and none is half there",
      .timeLimit(.minutes(20)))
    func crashes() throws {
      let rounds = Self.isLong ? 50 : 12
      #expect(try run("crash-test", "--rounds", "\(rounds)", "--seed", "9").contains("\(rounds) rounds"))
    }

    @Test(
      "When the power is cut a store is never damaged, and with durability .full it has every save",
      .timeLimit(.minutes(20)))
    func power() throws {
      let cuts = Self.isLong ? 60 : 15
      let text = try run("power-test", "--cuts", "\(cuts)", "--seed", "9")
      #expect(text.contains("full: \(cuts) power cuts; 0 acknowledged"))
    }

    @Test(
      "A save and a migration that fail change nothing, and work when the fault is over",
      .timeLimit(.minutes(20)))
    func faults() throws {
      let text = try run("faults", "--every", Self.isLong ? "9" : "36", "--seed", "9")
      #expect(text.contains("a clock that jumps: the history keeps"))
    }

    @Test(
      "A damaged store is an error that says so, never a crash, and its readable rows are recovered",
      .timeLimit(.minutes(20)))
    func damage() throws {
      #expect(try run("damage", "--count", Self.isLong ? "160" : "40", "--seed", "9").contains("no crash, no loop"))
    }

    @Test(
      "Contexts and processes that write at the same time lose nothing and see no half of a save",
      .timeLimit(.minutes(20)))
    func load() throws {
      #expect(try run("soak", "--seconds", "10", "--seed", "9").contains("nothing lost, nothing half seen"))
    }
  }
#endif
