import Foundation

/// Kills a writer at random moments, and compares what is left with what it had acknowledged.
struct CrashCommand: Command {
  static let name = "crash-test"
  static let usage: String? = "[--rounds N]"

  /// How often a writer is killed.
  private let rounds: Int
  private let options: Options

  init(_ arguments: inout Arguments) throws {
    rounds = try arguments.value("rounds") ?? 50
    options = try Options(&arguments)
  }

  /// How often one store is killed, opened, checked and written on.
  private static let roundsOfStore = 10

  func run() throws {
    var (saves, unacknowledged) = (0, 0)
    try options.inFolder { folder in
      var round = 0
      while round < rounds {
        let count = min(Self.roundsOfStore, rounds - round)
        var run = CrashRun(folder.appendingPathComponent("\(round)"), seed: options.seed &+ round)
        for _ in 0..<count { try run.round() }
        (saves, unacknowledged) = (saves + run.last, unacknowledged + run.unacknowledged)
        try FileManager.default.removeItem(at: run.folder)
        round += count
        if round % 100 == 0 { say("\(round) rounds, \(saves) saves") }
      }
    }
    say(
      "\(rounds) rounds: \(saves) acknowledged saves, none lost; \(unacknowledged) times the next was there too, whole")
  }
}

/// One store, killed again and again.
private struct CrashRun {
  let folder: URL
  let seed: Int
  private(set) var last = 0
  private(set) var unacknowledged = 0
  private var world = World()
  private var random: Random

  init(_ folder: URL, seed: Int) {
    self.folder = folder
    self.seed = seed
    self.random = Random(seed, -1)
  }

  mutating func round() throws {
    let store = folder.appendingPathComponent("store/library.store")
    let log = folder.appendingPathComponent("acknowledged")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data().write(to: log)
    var arguments = [
      "write", "--store", store.path, "--acknowledged", log.path, "--seed", "\(seed)", "--from", "\(last)",
    ]
    // By the clock, or in the middle of a call.
    let isByCall = random.chance(2, in: 3)
    if isByCall { arguments += ["--kill-after", "\(random.below(random.chance(1, in: 4) ? 60 : 2500))"] }
    let child = try Child(arguments)
    if !isByCall {
      _ = child.waitForOutput()
      Thread.sleep(forTimeInterval: Double(random.below(400)) / 1000)
      child.kill()
    }
    let output = child.wait()
    try Difference.require(child.wasKilled, "the writer ended by itself: \(output)")
    let lines = String(decoding: try Data(contentsOf: log), as: UTF8.self).split(separator: "\n")
    for number in last..<(lines.last.flatMap { Int($0) } ?? last) {
      world = world.after(Step(number + 1, seed: seed, world))
      last = number + 1
    }
    let next = world.after(Step(last + 1, seed: seed, world))
    do {
      let found = try StoreCheck(url: store, seed: seed).run(oneOf: [world, next])
      if found.step != world.step {
        (world, last) = (found, last + 1)
        unacknowledged += 1
      }
    } catch {
      throw Difference("seed \(seed), after step \(last) (\(arguments.suffix(2))): \(error)")
    }
  }
}
