import Foundation

/// Records what a writer does to its files, and cuts the power at moments of that record.
struct PowerCommand: Command {
  static let name = "power-test"
  static let usage: String? = "[--cuts N] [--steps N]"

  /// How often the power is cut, for each durability.
  private let cuts: Int
  /// How many saves a writer does.
  private let steps: Int
  private let options: Options

  init(_ arguments: inout Arguments) throws {
    cuts = try arguments.value("cuts") ?? 60
    steps = try arguments.value("steps") ?? 90
    options = try Options(&arguments)
  }

  func run() throws {
    try options.inFolder { folder in
      for isFull in [false, true] {
        let name = isFull ? "full" : "normal"
        let perRecord = 100
        var (done, lost) = (0, 0)
        while done < cuts {
          let recording = PowerRun(
            folder: folder.appendingPathComponent("\(name)-\(done)"), seed: options.seed &+ done, isFull: isFull)
          lost += try recording.run(steps: steps, cuts: min(perRecord, cuts - done))
          done += min(perRecord, cuts - done)
          try FileManager.default.removeItem(at: recording.folder)
          if done % 1000 == 0 { say("\(name): \(done) power cuts") }
        }
        say(
          "\(name): \(cuts) power cuts; \(lost) acknowledged saves gone, each of them whole\(isFull ? "" : ", as it may")"
        )
        if isFull { try Difference.require(lost == 0, "saves of a store with durability .full are gone") }
      }
    }
  }
}

private struct PowerRun {
  let folder: URL
  let seed: Int
  let isFull: Bool

  /// - Returns: how many acknowledged saves were gone, all cuts together.
  func run(steps: Int, cuts: Int) throws -> Int {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let root = folder.appendingPathComponent("disk")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    let log = folder.appendingPathComponent("log")
    // The first process closes its store, the second is in the middle of something when the record ends.
    for (from, count) in [(0, steps / 2), (steps / 2, steps - steps / 2)] {
      var arguments = [
        "write", "--store", root.appendingPathComponent("store/library.store").path, "--acknowledged",
        folder.appendingPathComponent("acknowledged").path, "--seed", "\(seed)", "--from", "\(from)", "--steps",
        "\(count)", "--record", log.path, "--watch", root.path,
      ]
      if isFull { arguments.append("--full") }
      let child = try Child(arguments)
      let output = child.wait()
      try Difference.require(child.hasSucceeded, "the writer failed: \(output)")
    }
    return try cut(Disk.records(try Data(contentsOf: log, options: .alwaysMapped)), worlds(steps), root, cuts)
  }

  private func worlds(_ steps: Int) -> [World] {
    var result = [World()]
    for number in 1...steps + 1 {
      result.append(result[number - 1].after(Step(number, seed: seed, result[number - 1])))
    }
    return result
  }

  private func cut(_ records: [Disk.Record], _ worlds: [World], _ root: URL, _ cuts: Int) throws -> Int {
    var random = Random(seed, -2)
    let notes = records.indices.filter { records[$0].kind == "n" }
    // Some when a save has just returned, some anywhere.
    let moments = (0..<cuts).map { $0 % 3 == 0 ? random.pick(notes)! : random.below(records.count) }.sorted()
    var disk = Disk(root: root.path)
    var (next, acknowledged, lost) = (0, 0, 0)
    for (index, moment) in moments.enumerated() {
      while next <= moment {
        disk.take(records[next])
        if records[next].kind == "n" { acknowledged = Int(records[next].number) }
        next += 1
      }
      let luck = Disk.Luck.allCases[random.below(4)]
      let image = folder.appendingPathComponent("image")
      try disk.cut(luck, &random, into: image)
      let first = isFull ? acknowledged : lastDurable(acknowledged, worlds)
      do {
        let found = try StoreCheck(url: image.appendingPathComponent("store/library.store"), seed: seed)
          .run(oneOf: Array(worlds[first...acknowledged + 1]))
        lost += worlds[first...acknowledged].filter { $0.step > found.step }.count
      } catch {
        throw Difference(
          "seed \(seed), cut \(index) at \(moment) (\(luck)), \(acknowledged) acknowledged, durable from \(first): \(error)"
        )
      }
      try FileManager.default.removeItem(at: image)
    }
    return lost
  }

  /// The last acknowledged save that wrote or removed an external file: it is on the disk, and what was before it.
  private func lastDurable(_ acknowledged: Int, _ worlds: [World]) -> Int {
    // Whose they are does not count: two authors that swap codes keep their rows, and so their files.
    func files(_ world: World) -> [[Int]] {
      let all = world.authors.values.map(\.photo) + world.books.values.map(\.cover)
      return all.compactMap { $0 }.filter { $0.count > 128 << 10 }.map { [$0.seed, $0.count] }
        .sorted { $0.lexicographicallyPrecedes($1) }
    }
    var number = acknowledged
    while number > 0, files(worlds[number]) == files(worlds[number - 1]) { number -= 1 }
    return number
  }
}
