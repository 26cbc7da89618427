import CBenchRows
import Foundation
import Synchronization

/// Many clients of one peer at once, for a time.
struct ServerLoad {
  let peer: any ServerPeer
  /// The mix of each client.
  let clients: [ServerMix]
  let seconds: Double
  /// The work of one more thread once the clock has started, such as a large save. The clients stop after it if there is one.
  var meanwhile: (@Sendable () throws -> Void)?

  /// Clients work this long before the clock starts, so that connections are open and statements are prepared.
  private static let warmUp = 0.25

  func run() throws -> ServerSample {
    let count = LockedCount()
    let clock = ServerClock()
    let measured = Mutex<[Latencies]>([])
    let failure = Mutex<(any Error)?>(nil)
    let threads = DispatchGroup()
    var tasks = [@Sendable () async -> Void]()
    let ready = DispatchGroup()
    for (number, mix) in clients.enumerated() {
      let record: @Sendable (Latencies) -> Void = { own in measured.withLock { $0.append(own) } }
      let fail: @Sendable (any Error) -> Void = { error in
        failure.withLock { $0 = $0 ?? error }
        clock.stop()
      }
      switch try peer.client() {
      case .thread(let open):
        threads.enter()
        ready.enter()
        let thread = Thread {
          defer { threads.leave() }
          do {
            let opened = Result { try open() }
            ready.leave()
            let perform = try opened.get()
            clock.gate.wait()
            clock.gate.signal()
            var random = ServerRandom(seed: number)
            var own = Latencies(mix: mix)
            while clock.goesOn {
              let operation = mix.next(&random)
              let start = bench_now_ns()
              try perform(operation)
              count.add(operation)
              own.append(operation, start, clock)
            }
            record(own)
          } catch { fail(error) }
        }
        thread.stackSize = 1 << 20
        thread.start()
      case .task(let perform):
        tasks.append {
          var random = ServerRandom(seed: number)
          var own = Latencies(mix: mix)
          do {
            while clock.goesOn {
              let operation = mix.next(&random)
              let start = bench_now_ns()
              try await perform(operation)
              count.add(operation)
              own.append(operation, start, clock)
              // As the handler of a request, which waits for the next one.
              await Task.yield()
            }
          } catch { fail(error) }
          record(own)
        }
      }
    }
    ready.wait()
    let before = try peer.changes()
    let cpuBefore = bench_cpu_ns()
    clock.begin(after: Self.warmUp, for: seconds, untilStopped: meanwhile != nil)
    clock.gate.signal()
    let bystander = Bystander(clock)
    for task in tasks {
      threads.enter()
      Task {
        await task()
        threads.leave()
      }
    }
    var duration: Double?
    if let meanwhile {
      Thread.sleep(forTimeInterval: Self.warmUp)
      let start = bench_now_ns()
      do { try meanwhile() } catch { failure.withLock { $0 = $0 ?? error } }
      duration = Double(bench_now_ns() - start) / 1e9
      clock.stop()
    }
    threads.wait()
    let delays = bystander.end()
    if let error = failure.withLock({ $0 }) { throw error }
    let peak = bench_peak_rss_kib()
    let cpu = Double(bench_cpu_ns() - cpuBefore) / 1000
    let written = try peer.changes() - before - (meanwhile == nil ? 0 : peer.changesOfSave)
    guard written == count.writes else { throw Failure("\(written) changes were kept of \(count.writes)") }
    var sample = ServerSample(measured.withLock { $0 }, seconds: clock.seconds)
    sample.saveSeconds = duration
    sample.peakMemory = peak
    sample.cpu = cpu / Double(max(1, count.all))
    sample.delays = delays.times
    sample.threads = delays.threads
    return sample
  }
}

/// The operations that have returned, also those before the clock started.
private final class LockedCount: Sendable {
  private let allOperations = Atomic(0)
  private let writeOperations = Atomic(0)

  var all: Int { allOperations.load(ordering: .relaxed) }
  var writes: Int { writeOperations.load(ordering: .relaxed) }

  func add(_ operation: ServerOperation) {
    allOperations.add(1, ordering: .relaxed)
    if operation.isWrite { writeOperations.add(1, ordering: .relaxed) }
  }
}

/// The time of a measurement, which all clients share.
final class ServerClock: Sendable {
  /// Lets the threads start together.
  let gate = DispatchSemaphore(value: 0)
  private let start = Atomic<Int64>(.max)
  private let end = Atomic<Int64>(.max)

  var goesOn: Bool { bench_now_ns() < end.load(ordering: .relaxed) }
  var seconds: Double { Double(end.load(ordering: .relaxed) - start.load(ordering: .relaxed)) / 1e9 }

  func begin(after warmUp: Double, for seconds: Double, untilStopped: Bool) {
    let first = bench_now_ns() + Int64(warmUp * 1e9)
    start.store(first, ordering: .relaxed)
    if !untilStopped { end.store(first + Int64(seconds * 1e9), ordering: .relaxed) }
  }

  func stop() { end.store(bench_now_ns(), ordering: .relaxed) }

  /// Whether the clock ran when an operation began, or when it ended.
  func counts(_ begin: Int64, _ now: Int64) -> (began: Bool, ended: Bool) {
    let (first, last) = (start.load(ordering: .relaxed), end.load(ordering: .relaxed))
    return (begin >= first && begin < last, now >= first && now < last)
  }
}

/// The measurements of one client.
struct Latencies: Sendable {
  let mix: ServerMix
  /// The nanoseconds of the operations that began while the clock ran.
  private(set) var reads: [Int64] = []
  private(set) var writes: [Int64] = []
  /// The operations that ended while the clock ran.
  private(set) var ended = 0

  init(mix: ServerMix) { self.mix = mix }

  mutating func append(_ operation: ServerOperation, _ start: Int64, _ clock: ServerClock) {
    let now = bench_now_ns()
    let (began, ended) = clock.counts(start, now)
    if ended { self.ended += 1 }
    guard began else { return }
    if operation.isWrite { writes.append(now - start) } else { reads.append(now - start) }
  }
}

/// A task that has nothing to do with the store. It asks to run every two milliseconds, and records how late it does.
private final class Bystander: Sendable {
  private let task: Task<(times: [Int64], threads: Int), Never>

  init(_ clock: ServerClock) {
    task = Task {
      var (times, threads) = ([Int64](), 0)
      while clock.goesOn {
        let due = ContinuousClock.now + .milliseconds(2)
        try? await Task.sleep(until: due, clock: .continuous)
        times.append(Int64((ContinuousClock.now - due) / .nanoseconds(1)))
        // Each time, it would take a tenth of a core.
        if times.count.isMultiple(of: 25) { threads = max(threads, Self.threads) }
      }
      return (times, threads)
    }
  }

  /// The threads of the process now.
  private static var threads: Int {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Threads:") })
    else { return 0 }
    return line.split(separator: "\t").last.flatMap { Int($0) } ?? 0
  }

  func end() -> (times: Quantiles, threads: Int) {
    let result = Mutex((times: [Int64](), threads: 0))
    let done = DispatchSemaphore(value: 0)
    Task { [task] in
      let value = await task.value
      result.withLock { $0 = value }
      done.signal()
    }
    done.wait()
    let (times, threads) = result.withLock { $0 }
    return (Quantiles(times), threads)
  }
}

/// Quantiles of times, in milliseconds.
struct Quantiles: Codable, Sendable {
  var count = 0
  var p50 = 0.0
  var p99 = 0.0
  var p999 = 0.0
  var max = 0.0

  init(_ nanoseconds: [Int64]) {
    let sorted = nanoseconds.sorted()
    guard let last = sorted.last else { return }
    func at(_ part: Double) -> Double { Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]) / 1e6 }
    (count, p50, p99, p999, max) = (sorted.count, at(0.5), at(0.99), at(0.999), Double(last) / 1e6)
  }
}

/// The result of one process.
struct ServerSample: Codable, Sendable {
  /// Operations a second.
  var rate = 0.0
  var reads: Quantiles
  var writes: Quantiles
  var all: Quantiles
  /// The CPU time of the process for each operation, in microseconds. The load of the machine changes it less than the rate.
  var cpu = 0.0
  /// The peak memory of the process, in KiB.
  var peakMemory: Int64 = 0
  /// The delays of a task that does not use the store and waits for Swift's pool of threads. A peer in Python has none.
  var delays: Quantiles?
  /// The most threads that the process had.
  var threads: Int?
  /// The time of a large save that ran meanwhile.
  var saveSeconds: Double?

  init(_ clients: [Latencies], seconds: Double) {
    let (reads, writes) = (clients.flatMap(\.reads), clients.flatMap(\.writes))
    (self.reads, self.writes, all) = (Quantiles(reads), Quantiles(writes), Quantiles(reads + writes))
    rate = Double(clients.reduce(0) { $0 + $1.ended }) / seconds
  }
}
