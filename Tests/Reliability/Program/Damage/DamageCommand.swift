import Foundation
import SwiftData

/// Damages stores in every way that comes to mind, uses them, and recovers what they had.
struct DamageCommand: Command {
  static let name = "damage"
  static let usage: String? = "[--count N] [--from N]"

  /// How many stores are damaged.
  private let count: Int
  /// The first of them; a failure says which it was.
  private let from: Int
  private let options: Options

  init(_ arguments: inout Arguments) throws {
    count = try arguments.value("count") ?? 300
    from = try arguments.value("from") ?? 0
    options = try Options(&arguments)
  }

  /// What takes longer does not end.
  private static let limit: UInt32 = 300

  func run() throws {
    try options.inFolder { folder in
      let original = try OriginalStore(folder.appendingPathComponent("original"), seed: options.seed)
      let current = folder.appendingPathComponent("current")
      var tally = [String: Tally]()
      for number in from..<(from + count) {
        // A crash says no more; this does.
        try Data("--from \(number) --count 1 --seed \(options.seed)\n".utf8).write(to: current)
        alarm(Self.limit)
        var random = Random(options.seed, number)
        let damage = Damage.allCases[number % Damage.allCases.count]
        let place = folder.appendingPathComponent("damaged")
        do {
          try original.copy(to: place, hasLog: damage.isOfLog || random.chance(1, in: 4))
          try damage.apply(to: place.appendingPathComponent(OriginalStore.name), &random)
          tally["\(damage)", default: Tally()].add(try DamagedStore(place, original, damage).run())
        } catch {
          throw Difference("--from \(number) --count 1 --seed \(options.seed) (\(damage)): \(error)")
        }
        try FileManager.default.removeItem(at: place)
        if (number + 1) % 500 == 0 { say("\(number + 1) stores") }
      }
      alarm(0)
      for (name, tally) in tally.sorted(by: { $0.key < $1.key }) { say("\(name): \(tally)") }
    }
    say(
      "\(count) damaged stores: no crash, no loop; each error says what is wrong, and what was readable was recovered")
  }
}

/// What came of the stores of one kind of damage.
struct Tally: CustomStringConvertible {
  var stores = 0
  var refused = 0
  var objects = 0
  var recovered = 0

  mutating func add(_ other: Tally) {
    stores += other.stores
    refused += other.refused
    objects += other.objects
    recovered += other.recovered
  }

  var description: String {
    "\(stores) stores, \(refused) of them used with errors; \(recovered) of \(objects) objects recovered"
  }
}

/// A store with trees of several levels, closed or with a log.
struct OriginalStore {
  static let name = "library.store"
  let folder: URL
  let world: World

  init(_ folder: URL, seed: Int) throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appendingPathComponent(Self.name)
    let container = try LibraryStore.open(url)
    let context = ModelContext(container)
    var world = World()
    for number in 1...25 {
      let step = Step(number, seed: seed, world)
      try step.perform(in: context)
      world = world.after(step)
    }
    // The file has the saves up to here and the log those after. SQLite's own checkpoints come after a number of pages, which
    // may be after the last save: then the file would have nothing.
    try SQLiteDatabase(url.path).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for code in 0..<300 {
      let book = Book(
        code: 10_000_000 + code, title: "title \(code) \(String(repeating: "y", count: 80))", pages: code, cover: nil)
      context.insert(book)
      book.chapters = [Chapter(code: 10_000_000 + code, text: String(repeating: "z", count: code * 7 % 6000))]
    }
    try context.save()
    self.world = try World(ModelContext(container))
    // Before it is closed, and its log goes.
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: url.path + suffix, toPath: url.path + suffix + ".open")
    }
    withExtendedLifetime(container) {}
  }

  /// How many objects there are, by class.
  var counts: [String: Int] {
    [
      "Author": world.authors.count, "Publisher": world.publishers.count, "Book": world.books.count,
      "Chapter": world.chapters.count, "Tag": world.tags.count, "Loan": world.loans.count,
    ]
  }

  /// - Parameter hasLog: whether the last saves are in a log, as where the program was killed.
  func copy(to place: URL, hasLog: Bool) throws {
    let files = FileManager.default
    try files.createDirectory(at: place, withIntermediateDirectories: true)
    let path = place.appendingPathComponent(Self.name).path
    let source = folder.appendingPathComponent(Self.name).path
    try files.copyItem(atPath: source + (hasLog ? ".open" : ""), toPath: path)
    if hasLog { try files.copyItem(atPath: source + "-wal.open", toPath: path + "-wal") }
    let external = ".\(Self.name)_external"
    try files.copyItem(at: folder.appendingPathComponent(external), to: place.appendingPathComponent(external))
  }
}
