#if os(Linux)
  import ChildProcesses
  import Foundation
  import Testing

  @Suite("Children of tests") struct ChildProcessTests {
    @Test("end with a status or by a signal, and say what they print")
    func endings() throws {
      let shell = try ChildProcess("sh", ["-c", "echo out; echo error >&2; exit 3"], errors: .output)
      #expect(shell.text() == "out\nerror\n")
      #expect(shell.wait() == .exit(3) && !shell.isRunning)
      let cat = try ChildProcess("cat", input: .pipe)
      try cat.input?.write(contentsOf: Data("line\n".utf8))
      #expect(cat.output?.availableData == Data("line\n".utf8))
      #expect(cat.isRunning && cat.wait(seconds: 0.01) == nil)
      cat.send(SIGKILL)
      #expect(cat.wait() == .signal(SIGKILL))
      #expect(throws: ChildProcess.Failure.self) { try ChildProcess("/no/such/program") }
    }

    @Test("inherit their streams alone")
    func descriptors() throws {
      let pipe = Pipe()
      let sleeping = try ChildProcess("cat", input: .pipe)
      let child = try ChildProcess("sh", ["-c", "ls /proc/$$/fd"], environment: ["PATH": "/usr/bin:/bin"])
      #expect(child.text() == "0\n1\n2\n")
      try sleeping.input?.close()
      #expect(sleeping.wait() == .exit(0))
      withExtendedLifetime(pipe) {}
    }

    @Test("do not wait for one another, whatever they do with their descriptors")
    func independent() throws {
      let first = try ChildProcess("sh", ["-c", "exec 0<&- 1>&- 2>&-; exec sleep 1000"])
      #expect(first.output?.readDataToEndOfFile().isEmpty == true)
      #expect(try ChildProcess("true").wait() == .exit(0))
      #expect(first.isRunning)
      first.send(SIGTERM)
      #expect(first.wait() == .signal(SIGTERM))
    }
  }
#endif
