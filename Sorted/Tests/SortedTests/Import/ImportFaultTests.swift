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
      let process = Process()
      // Test and program are built into one folder.
      process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("ImportFaults")
      process.arguments = ["9"]
      let output = try startingProcess {
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        return output
      }
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      let text = String(decoding: data, as: UTF8.self)
      #expect(process.terminationReason == .exit && process.terminationStatus == 0, "\(text)")
      #expect(text.contains("each was finished by the same import") && !text.hasPrefix("0 "), "\(text)")
    }
  }
#endif
