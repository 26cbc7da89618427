import AppleStoreTemplates
import Foundation
import SwiftData
import Testing

@testable import SwiftDataAppleStore

@Suite("Saving to a file in Apple's format") struct SavingTests {
  @Test("A random sequence of saves keeps every invariant and loses nothing", arguments: 0..<12)
  func randomSequences(_ seed: Int) throws {
    var random = Seeded(seed: UInt64(seed))
    let file = try Library.store(isOrdered: seed.isMultiple(of: 2))
    let container = try Library.container(file)
    var context = ModelContext(container)
    var expected = [String: String]()
    for step in 0..<25 {
      for _ in 0...Int.random(in: 0..<4, using: &random) { try change(context, step, &random) }
      if Int.random(in: 0..<6, using: &random) == 0 {
        context.rollback()
      } else {
        try context.save()
        expected = try Self.picture(context)
      }
      let problems = try AppleFile(file).problems()
      #expect(problems == [], "seed \(seed), step \(step)")
      if Int.random(in: 0..<4, using: &random) == 0 { context = ModelContext(container) }
    }
    #expect(try Self.picture(ModelContext(try Library.container(file, allowsSave: false))) == expected)
  }

  /// What a context sees: each book with its author and tags, each shelf with its media.
  private static func picture(_ context: ModelContext) throws -> [String: String] {
    var result = [String: String]()
    for book in try context.fetch(FetchDescriptor<Library.Book>()) {
      let tags = book.tags.map(\.name).sorted().joined(separator: ",")
      let binding = book.binding.map { "\($0)" } ?? "-"
      result["book \(book.id)"] =
        "\(book.title) \(book.pages) \(book.author?.name ?? "-") \(tags) \(binding) \(book.keywords) \(String(describing: book.size))"
    }
    for shelf in try context.fetch(FetchDescriptor<Library.Shelf>()) {
      result["shelf \(shelf.label)"] = shelf.media.map { "\($0.year)" }.sorted().joined(separator: ",")
    }
    result["authors"] = try context.fetch(FetchDescriptor<Library.Author>()).map(\.name).sorted().joined(separator: ",")
    return result
  }

  private func change(_ context: ModelContext, _ step: Int, _ random: inout Seeded) throws {
    let books = try context.fetch(FetchDescriptor<Library.Book>(sortBy: [SortDescriptor(\.title)]))
    let authors = try context.fetch(FetchDescriptor<Library.Author>(sortBy: [SortDescriptor(\.name)]))
    let tags = try context.fetch(FetchDescriptor<Library.Tag>(sortBy: [SortDescriptor(\.name)]))
    let shelves = try context.fetch(FetchDescriptor<Library.Shelf>(sortBy: [SortDescriptor(\.label)]))
    let number = Int.random(in: 0..<1_000_000, using: &random)
    switch Int.random(in: 0..<14, using: &random) {
    case 0, 1:
      let book = Library.Book("b\(number)", pages: number)
      context.insert(book)
      book.author = authors.randomElement(using: &random)
      book.binding = [.hardcover, .paperback, .digital, nil].randomElement(using: &random)!
    case 2: context.insert(Library.Author("a\(number)"))
    case 3: context.insert(Library.Tag("t\(number)"))
    case 4:
      let shelf = Library.Shelf("s\(number)")
      context.insert(shelf)
      shelf.media = [Library.Film(year: number, director: nil), Library.Medium(year: number + 1)]
      shelf.favourite = shelf.media.randomElement(using: &random)
    case 5: books.randomElement(using: &random)?.author = authors.randomElement(using: &random)
    case 6: books.randomElement(using: &random)?.author = nil
    case 7: books.randomElement(using: &random)?.tags = tags.filter { _ in Bool.random(using: &random) }
    case 8: tags.randomElement(using: &random)?.books = books.filter { _ in Bool.random(using: &random) }
    case 9:
      guard let book = books.randomElement(using: &random) else { return }
      (book.title, book.keywords) = ("c\(number)", ["x\(step)"])
      book.size = Bool.random(using: &random) ? nil : Library.Size(width: Double(number), height: nil, notes: ["n"])
    case 10: if let book = books.randomElement(using: &random) { context.delete(book) }
    case 11: if let author = authors.randomElement(using: &random) { context.delete(author) }
    case 12: if let tag = tags.randomElement(using: &random) { context.delete(tag) }
    default:
      guard let shelf = shelves.randomElement(using: &random) else { return }
      if Bool.random(using: &random) {
        if let medium = shelf.media.first { context.delete(medium) }
      } else {
        context.delete(shelf)
      }
    }
  }

  @Test("A new object with a stored unique value is written over the stored one")
  func upsert() throws {
    let file = try Library.filled()
    let context = ModelContext(try Library.container(file))
    context.insert(Library.Author("Ursula", born: .init(timeIntervalSinceReferenceDate: 5)))
    try context.save()
    let authors = try ModelContext(try Library.container(file)).fetch(FetchDescriptor<Library.Author>())
    #expect(authors.map(\.born) == [Date(timeIntervalSinceReferenceDate: 5)])
    #expect(authors[0].books.count == 3)
    #expect(try AppleFile(file).problems() == [])
  }

  @Test("Keys are not given again, and versions of rows count their saves")
  func keysAndVersions() throws {
    let file = try Library.filled()
    let container = try Library.container(file)
    let context = ModelContext(container)
    let tag = try #require(try context.fetch(FetchDescriptor<Library.Tag>()).first)
    tag.name = "renamed"
    try context.save()
    let store = try AppleFile(file)
    #expect(try store.rows("SELECT Z_PK, Z_OPT FROM ZTAG") == [[.integer(1), .integer(2)]])
    context.delete(tag)
    context.insert(Library.Tag("next"))
    try context.save()
    #expect(try AppleFile(file).rows("SELECT Z_PK, Z_OPT FROM ZTAG") == [[.integer(2), .integer(1)]])
  }

  @Test("Unknown tables, columns and metadata stay as they are")
  func unknownThings() throws {
    let file = try Library.filled()
    let raw = try FileConnection(uri: FileAccess.uri(file.path, "mode=rw"), place: file.path, lockTimeout: 5)
    for statement in [
      "CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY, ZNAME VARCHAR)", "INSERT INTO ANSCKEVENT VALUES (1, 'kept')",
      "ALTER TABLE ZTAG ADD COLUMN ZUNKNOWN VARCHAR", "UPDATE ZTAG SET ZUNKNOWN = 'kept'",
    ] { try raw.execute(statement) }
    let metadata = try raw.rows("SELECT * FROM Z_METADATA")
    let context = ModelContext(try Library.container(file))
    try context.fetch(FetchDescriptor<Library.Tag>())[0].name = "changed"
    try context.save()
    #expect(try raw.rows("SELECT ZNAME FROM ANSCKEVENT") == [[.text("kept")]])
    #expect(try raw.rows("SELECT ZNAME, ZUNKNOWN FROM ZTAG") == [[.text("changed"), .text("kept")]])
    #expect(try raw.rows("SELECT * FROM Z_METADATA") == metadata)
  }

  @Test("A refused save changes nothing, external files included")
  func refusedSave() throws {
    let file = try Library.filled()
    let folder = AppleFile.externalFolder(of: file)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let raw = try FileConnection(uri: FileAccess.uri(file.path, "mode=rw"), place: file.path, lockTimeout: 5)
    try raw.execute("CREATE TRIGGER refuse BEFORE INSERT ON ZTAG BEGIN SELECT raise(ABORT, 'no'); END")
    let context = ModelContext(try Library.container(file))
    let book = Library.Book("refused")
    book.scan = Data(repeating: 1, count: 300_000)
    context.insert(book)
    context.insert(Library.Tag("refused"))
    #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(try raw.rows("SELECT count(*) FROM ZBOOK") == [[.integer(4)]])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == names)
  }

  @Test("The checker finds what breaks the format")
  func checker() throws {
    let damages: [(String, StoreProblem.Area)] = [
      ("UPDATE ZBOOK SET ZAUTHOR = 999 WHERE Z_PK = 1", StoreProblem.Area.references),
      ("UPDATE Z_PRIMARYKEY SET Z_MAX = 0", .keys), ("UPDATE ZTAG SET Z_ENT = 77", .rows),
      ("UPDATE ZTAG SET ZNAME = NULL", .values),
      ("UPDATE ZBOOK SET ZHARDCOVER = 'hardcover', ZDIGITAL = 'digital'", .values),
      ("UPDATE ZSHELF SET Z3_FAVOURITE = 1 WHERE Z3_FAVOURITE IS NOT NULL", .references),
      ("UPDATE ACHANGE SET ZTRANSACTIONID = 50", .history), ("UPDATE ACHANGE SET ZCOLUMNS = x'00'", .history),
    ]
    for (statement, area) in damages {
      let file = try Library.filled()
      let raw = try FileConnection(uri: FileAccess.uri(file.path, "mode=rw"), place: file.path, lockTimeout: 5)
      try raw.execute(statement)
      #expect(try AppleFile(file).problems().contains { $0.area == area }, "\(statement)")
    }
    let file = try Library.filled()
    let folder = AppleFile.externalFolder(of: file)
    try Data().write(to: folder.appendingPathComponent(UUID().uuidString))
    #expect(try AppleFile(file).problems().map(\.area) == [.externalData])
  }
}

/// The same numbers for a seed on every machine.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
