import Dispatch
import Foundation
import Sorted
import Synchronization
import Testing

@Suite("When the network comes and goes") struct NetworkPathMonitorTests {
  /// Links that a test switches, a remote that it makes answer, and waiting that it ends.
  private final class Bench: LinkSource {
    private struct State {
      var hasRoute = false
      var answers = false
      var listeners = [AsyncStream<Void>.Continuation]()
      /// Those that wait for the end of the settling time.
      var waiting = [(seconds: TimeInterval, continuation: CheckedContinuation<Void, any Error>)]()
    }
    private let state = Mutex(State())
    private let paths: AsyncStream<NetworkPath>
    private let told: AsyncStream<NetworkPath>.Continuation
    private let notes: AsyncStream<Bool>
    private let wrote: AsyncStream<Bool>.Continuation
    private let ends: AsyncStream<Void>
    private let ended: AsyncStream<Void>.Continuation
    private let sleeps: AsyncStream<TimeInterval>
    private let slept: AsyncStream<TimeInterval>.Continuation

    init() {
      (paths, told) = AsyncStream.makeStream()
      (sleeps, slept) = AsyncStream.makeStream()
      (notes, wrote) = AsyncStream.makeStream()
      (ends, ended) = AsyncStream.makeStream()
    }

    func monitor(probing: Bool = false) -> NetworkPathMonitor {
      let probe: @Sendable () async -> Bool = { self.isAnswering }
      let monitor = NetworkPathMonitor(
        source: self, probe: probing ? probe : nil, settling: 1, probeInterval: 30,
        sleep: { try await self.sleep($0) })
      monitor.pathUpdateHandler = { self.told.yield($0) }
      return monitor
    }

    func current() -> (interfaces: [NetworkPath.Interface], hasDefaultRoute: Bool) {
      let hasRoute = state.withLock { $0.hasRoute }
      return (hasRoute ? [.init(name: "eth0", index: 2, type: .wiredEthernet)] : [], hasRoute)
    }

    func changes() -> AsyncStream<Void> {
      AsyncStream { continuation in
        continuation.onTermination = { _ in self.ended.yield() }
        state.withLock { $0.listeners.append(continuation) }
      }
    }

    func set(route: Bool, tells: Bool = true) {
      let listeners = state.withLock { state in
        state.hasRoute = route
        return state.listeners
      }
      if tells { listeners.forEach { $0.yield() } }
    }

    func set(answers: Bool) { state.withLock { $0.answers = answers } }

    var isAnswering: Bool { state.withLock { $0.answers } }
    func note(_ isThere: Bool) { wrote.yield(isThere) }

    func noted() async -> Bool? {
      for await note in notes { return note }
      return nil
    }

    /// Until nobody listens to the changes any more.
    func unheard() async { for await _ in ends { return } }

    private func sleep(_ seconds: TimeInterval) async throws {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          state.withLock { $0.waiting.append((seconds, continuation)) }
          slept.yield(seconds)
        }
      } onCancel: {
        // Whoever is cancelled is not told apart, and need not be: an older look says nothing.
      }
    }

    /// Until somebody waits that long.
    func sleeper(_ seconds: TimeInterval) async {
      for await found in sleeps where found == seconds { return }
    }

    /// Ends the waiting of all that wait that long.
    func wake(_ seconds: TimeInterval) {
      let woken = state.withLock { state in
        let woken = state.waiting.filter { $0.seconds == seconds }
        state.waiting.removeAll { $0.seconds == seconds }
        return woken
      }
      woken.forEach { $0.continuation.resume() }
    }

    func end() {
      let waiting = state.withLock { state in
        defer { state.waiting = [] }
        return state.waiting
      }
      waiting.forEach { $0.continuation.resume(throwing: CancellationError()) }
      told.finish()
    }

    func next() async -> NetworkPath.Status? {
      for await path in paths { return path.status }
      return nil
    }

    /// What is told after the end of the test's steps.
    func rest() async -> [NetworkPath.Status] {
      var rest = [NetworkPath.Status]()
      for await path in paths { rest.append(path.status) }
      return rest
    }
  }

  private let queue = DispatchQueue(label: "test")

  @Test("The first path is told at once, and a change after it has settled")
  func changes() async throws {
    let bench = Bench()
    let monitor = bench.monitor()
    try monitor.start(queue: queue)
    #expect(await bench.next() == .unsatisfied)
    bench.set(route: true)
    await bench.sleeper(1)
    #expect(monitor.currentPath.status == .unsatisfied)
    bench.wake(1)
    #expect(await bench.next() == .satisfied)
    #expect(monitor.currentPath.usesInterfaceType(.wiredEthernet))
    #expect(!monitor.currentPath.usesInterfaceType(.wifi))
    monitor.cancel()
    bench.end()
    #expect(await bench.rest() == [])
  }

  @Test("What comes and goes before it has settled is not told; nor is the same twice")
  func flapping() async throws {
    let bench = Bench()
    let monitor = bench.monitor()
    try monitor.start(queue: queue)
    #expect(await bench.next() == .unsatisfied)
    for round in 0..<9 {
      bench.set(route: round % 2 == 0)
      await bench.sleeper(1)
    }
    bench.wake(1)
    // On after the odd number of changes, and told once.
    #expect(await bench.next() == .satisfied)
    bench.set(route: false)
    await bench.sleeper(1)
    bench.set(route: true)
    await bench.sleeper(1)
    bench.wake(1)
    bench.set(route: false)
    await bench.sleeper(1)
    bench.wake(1)
    #expect(await bench.next() == .unsatisfied)
    monitor.cancel()
    bench.end()
    #expect(await bench.rest() == [])
  }

  @Test("With a probe the remote has to answer; it is asked again after a while, and when somebody says so")
  func probe() async throws {
    let bench = Bench()
    let monitor = bench.monitor(probing: true)
    bench.set(route: true)
    try monitor.start(queue: queue)
    #expect(await bench.next() == .requiresConnection)
    await bench.sleeper(30)
    bench.set(answers: true)
    bench.wake(30)
    await bench.sleeper(1)
    bench.wake(1)
    #expect(await bench.next() == .satisfied)
    bench.set(answers: false)
    monitor.recheck()
    await bench.sleeper(1)
    bench.wake(1)
    #expect(await bench.next() == .requiresConnection)
    // A remote on this machine answers without any route.
    bench.set(answers: true)
    bench.set(route: false)
    await bench.sleeper(1)
    bench.wake(1)
    #expect(await bench.next() == .satisfied)
    monitor.cancel()
    bench.end()
  }

  @Test("After it is cancelled nothing is told, and it does not start again")
  func cancelled() async throws {
    let bench = Bench()
    let monitor = bench.monitor()
    try monitor.start(queue: queue)
    #expect(await bench.next() == .unsatisfied)
    bench.set(route: true)
    await bench.sleeper(1)
    monitor.cancel()
    bench.wake(1)
    try monitor.start(queue: queue)
    bench.end()
    #expect(await bench.rest() == [])
    #expect(monitor.currentPath.status == .unsatisfied)
  }

  @Test("As a stream it says whether there is a network, and again when the remote answers; reading no more ends it")
  func stream() async throws {
    let bench = Bench()
    let reading = Task {
      var seen = [Bool]()
      for await isThere in bench.monitor(probing: true).networkIsThere() {
        seen.append(isThere)
        bench.note(isThere)
      }
      return seen
    }
    #expect(await bench.noted() == false)
    bench.set(route: true)
    await bench.sleeper(1)
    bench.wake(1)
    #expect(await bench.noted() == true)
    bench.set(answers: true)
    bench.set(route: true)
    await bench.sleeper(1)
    bench.wake(1)
    #expect(await bench.noted() == true)
    reading.cancel()
    #expect(await reading.value == [false, true, true])
    await bench.unheard()
    bench.end()
  }

  #if os(Linux)
    @Test("The kernel names its links, as far as its own files say the same")
    func kernel() throws {
      let (interfaces, hasDefaultRoute) = try KernelLinks().current()
      let folder = URL(fileURLWithPath: "/sys/class/net")
      let named = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(Set(interfaces.map(\.name)).isSubset(of: named))
      for name in named {
        let flags = try String(contentsOf: folder.appendingPathComponent(name + "/flags"), encoding: .utf8)
        let bits = try #require(Int(flags.trimmingCharacters(in: .whitespacesAndNewlines).dropFirst(2), radix: 16))
        let index = try String(contentsOf: folder.appendingPathComponent(name + "/ifindex"), encoding: .utf8)
        let found = interfaces.first { $0.name == name }
        // IFF_UP alone: the file leaves out whether it is running.
        if bits & 0x1 == 0 { #expect(found == nil) }
        if let found {
          #expect(String(found.index) == index.trimmingCharacters(in: .whitespacesAndNewlines))
          #expect((found.type == .loopback) == (bits & 0x8 != 0))
        }
      }
      // The table of IPv4: the destination and the mask of a default route are zero.
      let table = try String(contentsOfFile: "/proc/net/route", encoding: .utf8)
      let isThere = table.split(separator: "\n").contains { line in
        let columns = line.split(separator: "\t")
        return columns.count > 7 && columns[1] == "00000000" && columns[7] == "00000000"
      }
      if isThere { #expect(hasDefaultRoute) }
    }

    @Test("A monitor of the kernel tells the first path")
    func kernelMonitor() async throws {
      let (paths, told) = AsyncStream.makeStream(of: NetworkPath.self)
      let monitor = NetworkPathMonitor(source: KernelLinks(), probe: { true })
      monitor.pathUpdateHandler = { told.yield($0) }
      try monitor.start(queue: queue)
      var iterator = paths.makeAsyncIterator()
      #expect(await iterator.next()?.status == .satisfied)
      monitor.cancel()
    }
  #endif
}
