import FaultyFiles
import Foundation
import SwiftData

/// Makes calls of the operating system fail, one after the other, and looks at what each leaves.
struct FaultsCommand: Command {
  static let name = "faults"
  static let usage: String? = "[--every N]"

  /// Every how many of the calls fails: 1 is each; otherwise those that come late fail less often.
  private let every: Int
  private let options: Options

  init(_ arguments: inout Arguments) throws {
    every = try arguments.value("every") ?? 1
    options = try Options(&arguments)
  }

  func run() throws {
    let checks: [(String, (URL) throws -> String)] = [
      ("a save", { try SaveFaults(folder: $0, seed: options.seed, every: every).run() }),
      ("a save with a checkpoint", { try CheckpointFaults(folder: $0, seed: options.seed, every: every).run() }),
      ("a migration", { try MigrationFaults(folder: $0, every: every).run() }),
      ("descriptors", { try PlaceFaults(folder: $0, seed: options.seed).descriptors() }),
      ("a file that is moved", { try PlaceFaults(folder: $0, seed: options.seed).moved() }),
      ("a clock that jumps", { try PlaceFaults(folder: $0, seed: options.seed).clock() }),
    ]
    for (name, check) in checks {
      try options.inFolder { folder in
        // The folder itself is not the store's: what is put there is not looked at.
        let store = folder.appendingPathComponent("watched")
        try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
        faulty_watch(store.path)
        say("\(name): \(try check(store))")
      }
    }
  }
}

/// A way for a call to fail.
struct Fault {
  let name: String
  let kinds: UInt32
  let error: Int32
  /// Whether all later calls fail too, until somebody mends it.
  let persists: Bool

  private static func make(_ name: String, _ kinds: [Int], _ error: Int32, persists: Bool) -> Fault {
    Fault(name, UInt32(kinds.reduce(0, |)), error, persists: persists)
  }

  private init(_ name: String, _ kinds: UInt32, _ error: Int32, persists: Bool) {
    (self.name, self.kinds, self.error, self.persists) = (name, kinds, error, persists)
  }

  static let diskFull = make(
    "disk full", [faulty_write, faulty_mkdir], ENOSPC, persists: true)
  static let all = [
    diskFull,
    make("write error", [faulty_write], EIO, persists: false),
    make("sync error", [faulty_sync], EIO, persists: false),
    make("sync error for good", [faulty_sync], EIO, persists: true),
    make("read error", [faulty_read], EIO, persists: false),
    make("permission lost", [faulty_open, faulty_unlink], EACCES, persists: true),
    make("read-only file system", [faulty_open, faulty_write, faulty_unlink], EROFS, persists: true),
    make("truncate error", [faulty_truncate], EIO, persists: false),
    make("unlink error", [faulty_unlink], EIO, persists: false),
  ]

  /// How many calls to skip next: where not each is asked for, fewer and fewer of those that come late.
  static func next(_ skipped: Int, every: Int) -> Int {
    every == 1 ? skipped + 1 : skipped + every * (1 + skipped / 20)
  }

  /// Runs something in which the call after `skipped` others fails.
  /// - Returns: the error that came of it, and whether a call failed at all.
  func during(_ skipped: Int, _ body: () throws -> Void) -> (error: (any Error)?, fired: Bool) {
    faulty_arm(kinds, Int64(skipped), error, persists ? 1 : 0)
    do {
      try body()
      return (nil, faulty_disarm() > 0)
    } catch {
      return (error, faulty_disarm() > 0)
    }
  }

  /// Whether an error says what went wrong to somebody who knows nothing of SQLite.
  func require(_ error: any Error) throws {
    guard let error = error as? SwiftDataError else { throw Difference("\(name): \(error) is no SwiftDataError") }
    let codes: Set<String> =
      self.error == ENOSPC ? ["storeFull"] : ["io", "storeReadOnly", "storeLocked"]
    // What connections share cannot grow; SQLite does not say why.
    if error.code.description == "storeFull", error.description.contains("or fails") { return }
    // SQLite takes a disk that cannot be read for a file that is damaged.
    if kinds & UInt32(faulty_read) != 0, error.code.description == "storeDamaged" { return }
    try Difference.require(codes.contains(error.code.description), "\(name): \(error.debugDescription)")
  }

  /// That a save which failed of it changed nothing and lost nothing, and works now that it is over.
  func requireNothingLost(
    _ error: any Error, _ before: World, _ context: ModelContext, at url: URL, _ place: String
  ) throws {
    do {
      try require(error)
      try Difference.require(context.hasChanges, "the context has lost its changes")
      try before.requireEqual(to: try World(ModelContext(try LibraryStore.open(url))))
      try context.save()
    } catch {
      throw Difference("\(place): \(error)")
    }
  }
}
