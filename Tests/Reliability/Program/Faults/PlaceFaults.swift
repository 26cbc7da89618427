import FaultyFiles
import Foundation
import SwiftData

/// What can happen around an open store.
struct PlaceFaults {
  let folder: URL
  let seed: Int
  private var url: URL { folder.appendingPathComponent("library.store") }

  /// The process has no descriptor left: an error that says so, and the store works when some are free.
  func descriptors() throws -> String {
    var limit = rlimit()
    getrlimit(RLIMIT_NOFILE_OF_C, &limit)
    let usual = limit.rlim_cur
    defer {
      limit.rlim_cur = usual
      setrlimit(RLIMIT_NOFILE_OF_C, &limit)
    }
    var world = World()
    let context = ModelContext(try LibraryStore.open(url))
    var refused = 0
    for number in 1...60 {
      let step = Step(number, seed: seed, world)
      try step.stage(in: context)
      // Some steps find room for one or two files.
      let next = open("/dev/null", O_RDONLY)
      close(next)
      limit.rlim_cur = rlim_t(Int(next) + number % 3)
      setrlimit(RLIMIT_NOFILE_OF_C, &limit)
      let saving = Result { try context.save() }
      let opening = Result { try LibraryStore.open(folder.appendingPathComponent("other\(number).store")) }
      limit.rlim_cur = usual
      setrlimit(RLIMIT_NOFILE_OF_C, &limit)
      if case .failure(let error) = opening {
        try Difference.require("\(error)".contains("too many open files"), "\(error)")
      }
      switch saving {
      case .success: world = world.after(step)
      case .failure(SwiftDataError.deleteDenied) where step.isRefused: context.rollback()
      case .failure(let error):
        try Difference.require(
          error is SwiftDataError && "\(error)".lowercased().contains("too many open files"), "\(error)")
        try world.requireEqual(to: try World(ModelContext(try LibraryStore.open(url))))
        try context.save()
        world = world.after(step)
        refused += 1
      }
    }
    try Difference.require(refused > 0, "no save ran out of descriptors")
    _ = try StoreCheck(url: url, seed: seed).run(oneOf: [world])
    return "\(refused) saves refused, and saved when there were some"
  }

  /// The file goes, or another one takes its name: a save that nobody would find is refused.
  func moved() throws -> String {
    let files = FileManager.default
    let away = folder.appendingPathComponent("away")
    let context = ModelContext(try LibraryStore.open(url))
    var world = World()
    func step(_ number: Int) throws -> Step {
      let step = Step(number, seed: seed, world)
      world = world.after(step)
      return step
    }
    for number in 1...5 { try step(number).perform(in: context) }
    for replaces in [false, true] {
      let number = replaces ? 7 : 6
      try step(number).stage(in: context)
      try files.moveItem(at: url, to: away)
      if replaces { try Data().write(to: url) }
      let error = Result { try context.save() }
      guard case .failure(let error as SwiftDataError) = error, error.description.contains("removed or replaced") else {
        throw Difference("a save to a file that is gone: \(error)")
      }
      if replaces { try files.removeItem(at: url) }
      try files.moveItem(at: away, to: url)
      try context.save()
    }
    _ = try StoreCheck(url: url, seed: seed).run(oneOf: [world])
    // The log alone: SQLite would remove it, so it is set aside.
    try step(8).perform(in: context)
    let other = folder.appendingPathComponent("alone/library.store")
    try files.createDirectory(at: other.deletingLastPathComponent(), withIntermediateDirectories: true)
    try files.copyItem(atPath: url.path + "-wal", toPath: other.path + "-wal")
    let log = try Data(contentsOf: URL(fileURLWithPath: other.path + "-wal"))
    _ = try LibraryStore.open(other)
    let aside = try files.contentsOfDirectory(at: other.deletingLastPathComponent(), includingPropertiesForKeys: nil)
      .first { $0.lastPathComponent.hasPrefix("library.store-left-behind-") && $0.path.hasSuffix("-wal") }
    let kept = try aside.map { try Data(contentsOf: $0) }
    try Difference.require(kept == log, "a log without its database was not kept")
    return "refused, and saved when it was back; a log without its database is set aside"
  }

  /// The history stays in the order of the saves, and forgets only what it is told to.
  func clock() throws -> String {
    defer { faulty_move_clock(0) }
    var world = World()
    let context = ModelContext(try LibraryStore.open(url))
    let year = 365.0 * 86_400
    for (number, offset) in zip(1..., [0, -3 * year, 2 * year, 0, -year, 0]) {
      faulty_move_clock(offset)
      let step = Step(number, seed: seed, world)
      try step.perform(in: context)
      world = world.after(step)
    }
    faulty_move_clock(0)
    let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let tokens = all.map(\.token)
    try Difference.require(all.map { $0.author } == (1...6).map { "step \($0)" }, "the order of the history")
    let jumped = zip(all, all.dropFirst()).contains { $0.timestamp > $1.timestamp }
    try Difference.require(jumped, "the clock did not jump")
    let last = tokens[4]
    let newer = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > last }))
    try Difference.require(newer.count == 1, "\(newer.count) transactions after the fifth")
    _ = try StoreCheck(url: url, seed: seed).run(oneOf: [world])
    // Retention goes by the clock; what it forgets is history and no more.
    let trimmed = try LibraryStore.open(url) { $0.historyRetention = .seconds(3600) }
    let left = try ModelContext(trimmed).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    try Difference.require(
      left.map { $0.author } == ["step 1", "step 3", "step 4", "step 6"], "left of the history: \(left.map(\.author))")
    try world.requireEqual(to: try World(ModelContext(trimmed)))
    do {
      _ = try ModelContext(trimmed).fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > last }))
      // The fifth transaction itself is gone, so that who stands before it has to be told.
      let first = tokens[0]
      _ = try ModelContext(trimmed).fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > first }))
      throw Difference("a token of before what was forgotten is accepted")
    } catch SwiftDataError.historyTokenExpired {}
    return "the history keeps the order of the saves"
  }

  // Glibc's headers make the constant an enumeration.
  private var RLIMIT_NOFILE_OF_C: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
}
