import FaultyFiles
import Foundation
import SwiftData

/// The process that others kill: does one step after another, and notes each save that returned.
struct WriteCommand: Command {
  static let name = "write"

  private let store: String
  private let acknowledged: String
  private let seed: Int
  /// How many steps the store has.
  private let from: Int
  private let steps: Int
  /// After how many calls that change files it kills itself.
  private let killAfter: Int?
  /// Where every change of a file is recorded.
  private let record: String?
  /// The folder whose files are looked at; that of the store by default.
  private let watch: String?
  /// Whether saves wait for the disk.
  private let full: Bool

  init(_ arguments: inout Arguments) throws {
    store = try arguments.required("store")
    acknowledged = try arguments.required("acknowledged")
    seed = try arguments.required("seed")
    from = try arguments.required("from")
    steps = try arguments.value("steps") ?? Int.max
    killAfter = try arguments.value("kill-after")
    record = try arguments.value("record")
    watch = try arguments.value("watch")
    full = arguments.flag("full")
  }

  func run() throws {
    let url = URL(fileURLWithPath: store)
    let log = open(acknowledged, O_CREAT | O_WRONLY | O_APPEND, 0o600)
    var world = World.after(from, seed: seed)
    faulty_watch(watch ?? url.deletingLastPathComponent().path)
    if let record { faulty_record(record) }
    if let killAfter {
      let kinds = faulty_open | faulty_write | faulty_sync | faulty_truncate | faulty_rename | faulty_unlink
      faulty_arm(
        UInt32(kinds), Int64(killAfter), Int32(killAfter % 2 == 0 ? faulty_kill_before : faulty_kill_after), 0)
    }
    let container = try LibraryStore.open(url, durability: full ? .full : .normal)
    let context = ModelContext(container)
    say("ready")
    for number in (from + 1)...(from + min(steps, 1_000_000)) {
      let step = Step(number, seed: seed, world)
      try step.perform(in: context)
      world = world.after(step)
      faulty_note(Int64(number))
      let line = Data("\(number)\n".utf8)
      guard line.withUnsafeBytes({ Foundation.write(log, $0.baseAddress, $0.count) }) == line.count, fsync(log) == 0
      else { throw Difference("the log of acknowledged saves cannot be written") }
    }
  }
}
