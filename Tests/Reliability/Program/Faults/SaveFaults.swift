import Foundation
import SwiftData

/// Faults during a save: each is an error, nothing of the save is stored, and the same context saves when they are over.
struct SaveFaults {
  let folder: URL
  let seed: Int
  let every: Int

  func run() throws -> String {
    var (refused, fired) = (0, 0)
    for (index, fault) in Fault.all.enumerated() {
      var run = Run(
        url: folder.appendingPathComponent("\(index)/library.store"), seed: seed &+ index, fault: fault, every: every)
      let counts = try run.all()
      say("  \(fault.name): \(counts.refused) of \(counts.fired) refused")
      (refused, fired) = (refused + counts.refused, fired + counts.fired)
    }
    return "\(refused) of \(fired) refused, and saved when it was over"
  }

  private struct Run {
    let url: URL
    let seed: Int
    let fault: Fault
    let every: Int
    private var world = World()
    private var number = 0

    init(url: URL, seed: Int, fault: Fault, every: Int) {
      (self.url, self.seed, self.fault, self.every) = (url, seed, fault, every)
    }

    mutating func all() throws -> (refused: Int, fired: Int) {
      let context = ModelContext(try LibraryStore.open(url, durability: .full))
      for _ in 0..<25 { try next().perform(in: context) }
      var (refused, fired, skipped, quiet) = (0, 0, 0, 0)
      var mayReport = false
      // Steps differ in how many calls they make.
      while quiet < 8 {
        let (before, step) = (world, next())
        guard !step.isRefused else {
          try step.perform(in: context)
          continue
        }
        try step.stage(in: context)
        let outcome = fault.during(skipped) { try context.save() }
        if let error = outcome.error {
          // What could not be read after the commit of a save is thrown by the next one.
          try Difference.require(
            outcome.fired || mayReport, "\(String(reflecting: error)) without a fault, at step \(number)")
          try fault.requireNothingLost(
            error, before, context, at: url, "\(fault.name) after \(skipped) calls of step \(number)")
          refused += outcome.fired ? 1 : 0
        }
        mayReport = outcome.fired && outcome.error == nil
        if mayReport { try shortenLog() }
        (fired, quiet) = outcome.fired ? (fired + 1, 0) : (fired, quiet + 1)
        let after = try World(ModelContext(try LibraryStore.open(url)))
        try world.requireEqual(to: after)
        // Where few calls are of the kind, each of them.
        skipped += outcome.fired && fired > 8 ? every : 1
      }
      _ = try StoreCheck(url: url, seed: seed).run(oneOf: [world])
      return (refused, fired)
    }

    /// A fault after the commit was one of the checkpoint: a log whose checkpoints all fail grows, and is never read to its end.
    private func shortenLog() throws {
      try SQLiteDatabase(url.path).execute("PRAGMA wal_checkpoint(PASSIVE)")
    }

    private mutating func next() -> Step {
      number += 1
      let step = Step(number, seed: seed, world)
      world = world.after(step)
      return step
    }
  }
}
