import Foundation
import SwiftData

/// Faults during one save that is followed by a checkpoint of the log: each of its calls fails once. Elsewhere a save that a
/// fault hits is another each time, and a log whose checkpoints all fail grows, so that there is no last call.
struct CheckpointFaults {
  let folder: URL
  let seed: Int
  let every: Int
  /// SQLite checkpoints when a save leaves more pages in the log than this.
  private static let pages = 1000

  /// A store, and the step after which its log is long enough.
  private struct Before {
    let folder: URL
    let world: World
    let step: Step
  }

  func run() throws -> String {
    let before = try prepare()
    var (refused, fired) = (0, 0)
    for fault in Fault.all {
      var (skipped, counts) = (0, (refused: 0, fired: 0))
      while let wasRefused = try save(before, fault, skipped) {
        counts = (counts.refused + (wasRefused ? 1 : 0), counts.fired + 1)
        skipped = Fault.next(skipped, every: every)
      }
      say("  \(fault.name): \(counts.refused) of \(counts.fired) refused")
      (refused, fired) = (refused + counts.refused, fired + counts.fired)
    }
    return "\(refused) of \(fired) refused, and saved when it was over"
  }

  private func prepare() throws -> Before {
    let files = FileManager.default
    let here = folder.appendingPathComponent("store")
    let copy = folder.deletingLastPathComponent().appendingPathComponent("before")
    let context = ModelContext(try LibraryStore.open(url(here), durability: .full))
    var world = World()
    for number in 1... {
      let step = Step(number, seed: seed, world)
      if !step.isRefused {
        try? files.removeItem(at: copy)
        try files.copyItem(at: here, to: copy)
      }
      try step.perform(in: context)
      let log = try files.attributesOfItem(atPath: url(here).path + "-wal")[.size] as? Int ?? 0
      if log > Self.pages * 4096 { return Before(folder: copy, world: world, step: step) }
      world = world.after(step)
    }
    throw Difference("the log never grew")
  }

  /// - Returns: whether the save was refused; `nil` where it makes fewer calls.
  private func save(_ before: Before, _ fault: Fault, _ skipped: Int) throws -> Bool? {
    let here = folder.appendingPathComponent("store")
    try? FileManager.default.removeItem(at: here)
    try FileManager.default.copyItem(at: before.folder, to: here)
    let context = ModelContext(try LibraryStore.open(url(here), durability: .full))
    try before.step.stage(in: context)
    let outcome = fault.during(skipped) { try context.save() }
    if let error = outcome.error {
      let place = "\(fault.name) after \(skipped) calls of a save with a checkpoint"
      try fault.requireNothingLost(error, before.world, context, at: url(here), place)
    }
    _ = try StoreCheck(url: url(here), seed: seed).run(oneOf: [before.world.after(before.step)])
    return outcome.fired ? outcome.error != nil : nil
  }

  private func url(_ folder: URL) -> URL { folder.appendingPathComponent("library.store") }
}
