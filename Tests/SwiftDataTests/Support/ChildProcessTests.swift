#if os(Linux)
  import ChildProcesses
  import Foundation
  import PostgresServers
  import Testing

  @Suite("Children of tests", .timeLimit(.minutes(20))) struct ChildProcessTests {
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

    @Test("end when the program of the tests is killed, with the processes that they started")
    func orphans() async throws {
      let result = await #expect(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
        let ended = try ChildProcess("true")
        ended.wait()
        let children = try ["exec sleep 1000", "sleep 1000 & echo $!; wait"].map { try ChildProcess("sh", ["-c", $0]) }
        print(children[0].identifier, children[1].identifier, children[1].line())
        fflush(nil)
        kill(getpid(), SIGKILL)
      }
      let said = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
      let numbers = said.split(whereSeparator: \.isWhitespace).compactMap { Int32($0) }
      try #require(numbers.count == 3, "\(said)")
      for number in numbers { try waitForEnd(of: number) }
    }

    @Test("are PostgreSQL servers that end with their script, also where it is killed")
    func killedScript() throws {
      let script = try ChildProcess(
        ServerScript.path("postgres").path, ["sh", "-c", "echo \"${POSTGRES_URL#*host=}\"; exec cat"],
        environment: ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("POSTGRES_") }, input: .pipe)
      let folder = script.line().trimmingCharacters(in: .newlines)
      let process = try String(contentsOfFile: folder + "/data/postmaster.pid", encoding: .utf8).split(separator: "\n")[
        0]
      script.send(SIGKILL)
      #expect(script.wait() == .signal(SIGKILL))
      try script.input?.close()
      try waitForEnd(of: try #require(Int32(process)))
      while FileManager.default.fileExists(atPath: folder) { try pause() }
    }

    /// Waits until no process has the number, or only one that nobody waited for.
    private func waitForEnd(of number: Int32) throws {
      while let state = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8),
        state.split(separator: ")").last?.hasPrefix(" Z") == false
      { try pause() }
    }

    private func pause() throws {
      try Task.checkCancellation()
      Thread.sleep(forTimeInterval: 0.02)
    }
  }
#endif
