#if os(Linux)
  import BlockingTests
  import ChildProcesses
  import Foundation
  import Testing

  @Suite(.blocking) struct ImportFaultTests {
    /// `swift run --package-path Sorted ImportFaults 1` makes each call fail.
    @Test(
      "An import that the disk fails is an error in words, and the same import brings the rest",
      .timeLimit(.minutes(20)))
    func faults() throws {
      // Test and program are built into one folder.
      let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("ImportFaults")
      let process = try ChildProcess(program.path, ["9"], errors: .output)
      let text = process.text()
      #expect(process.wait() == .exit(0), "\(text)")
      #expect(text.contains("each was finished by the same import") && !text.hasPrefix("0 "), "\(text)")
    }
  }
#endif
