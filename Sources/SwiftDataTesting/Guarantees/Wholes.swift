import Foundation
import SwiftData

extension StoreGuarantee {
  static let wholes: [StoreGuarantee] = [
    StoreGuarantee("wholes.many", "Two thousand models of one save come back unchanged.") { store in
      let writer = store.context
      for number in 0..<2_000 { writer.insert(Single(number)) }
      try writer.save()
      let context = store.context
      try expectEqual(try context.all(Single.self).map(\.number), Array(0..<2_000), "the numbers, in order of age")
      try expectLaw(context, "some of many", where: #Predicate<Single> { $0.number % 100 == 7 })
    },
    StoreGuarantee("wholes.random", "Random changes, saves and rollbacks match plain Swift values.") {
      store in
      for seed in 1...6 { try RandomRun(seed: UInt64(seed), store).run() }
    },
  ]
}

/// Applies the same random changes to models and to plain values.
private final class RandomRun {
  private struct Row: Equatable {
    var title: String
    var pages: Int
    var rating: Double?
    var author: Int?
  }

  private let seed: UInt64
  private var state: UInt64
  private let context: ModelContext
  private let store: StoreFixture
  private var saved: [Int: Row] = [:]
  private var now: [Int: Row] = [:]
  private var books: [Int: Book] = [:]
  private var savedBooks: [Int: Book] = [:]
  private var authors: [Author] = []
  private var next = 0

  init(seed: UInt64, _ store: StoreFixture) {
    self.seed = seed
    self.state = seed &* 0x9e37_79b9_7f4a_7c15
    self.store = store
    self.context = store.context
  }

  /// SplitMix64.
  private func below(_ bound: Int) -> Int {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return Int((value ^ (value >> 31)) % UInt64(bound))
  }

  func run() throws {
    try context.delete(model: Book.self)
    try context.delete(model: Author.self)
    authors = (0..<3).map { Author("\($0)") }
    for author in authors { context.insert(author) }
    try context.save()
    for _ in 0..<60 {
      switch below(10) {
      case 0, 1, 2: insert()
      case 3, 4: change()
      case 5: delete()
      case 6:
        try context.save()
        (saved, savedBooks) = (now, books)
        try check(store.context, saved, "after a save")
      case 7:
        if below(3) == 0 {
          context.rollback()
          (now, books) = (saved, savedBooks)
        }
      default: try check(context, now, "with unsaved changes")
      }
    }
    try context.save()
    try check(store.context, now, "at the end")
  }

  private func randomRow() -> Row {
    Row(
      title: ["a", "b", "é", "e\u{301}", "", "Z"][below(6)], pages: below(5) - 2,
      rating: below(3) == 0 ? nil : Double(below(3)), author: below(3) == 0 ? nil : below(3))
  }

  private func insert() {
    let row = randomRow()
    let book = Book(row.title, pages: row.pages, rating: row.rating)
    context.insert(book)
    book.author = row.author.map { authors[$0] }
    (now[next], books[next]) = (row, book)
    next += 1
  }

  private func pick() -> Int? { now.isEmpty ? nil : now.keys.sorted()[below(now.count)] }

  private func change() {
    guard let key = pick(), let book = books[key] else { return }
    let row = randomRow()
    switch below(3) {
    case 0:
      now[key]!.title = row.title
      book.title = row.title
    case 1:
      (now[key]!.pages, now[key]!.rating) = (row.pages, row.rating)
      (book.pages, book.rating) = (row.pages, row.rating)
    default:
      now[key]!.author = row.author
      book.author = row.author.map { authors[$0] }
    }
  }

  private func delete() {
    guard let key = pick(), let book = books[key] else { return }
    context.delete(book)
    (now[key], books[key]) = (nil, nil)
  }

  private func check(_ context: ModelContext, _ expected: [Int: Row], _ moment: String) throws {
    func rows(_ books: [Book]) -> [Row] {
      books.map {
        Row(title: $0.title, pages: $0.pages, rating: $0.rating, author: $0.author.flatMap { Int($0.name) })
      }
    }
    func key(_ row: Row) -> String { "\(row)" }
    let found = rows(try context.all(Book.self))
    try expectEqual(
      found.sorted { key($0) < key($1) }.map(key), expected.values.map(key).sorted(), "seed \(seed) \(moment)")
    let bound = below(4) - 2
    try expectLaw(
      context, "seed \(seed) \(moment)", where: #Predicate<Book> { $0.pages >= bound && $0.rating != 1 },
      sortedBy: [SortDescriptor(\.title), SortDescriptor(\.rating, order: .reverse), SortDescriptor(\.pages)],
      limit: below(2) == 0 ? nil : below(8), offset: below(2) == 0 ? nil : below(3))
    let name = "\(below(3))"
    try expectLaw(context, "seed \(seed) \(moment), related", where: #Predicate<Book> { $0.author?.name != name })
    for author in try context.all(Author.self) {
      let count = expected.values.filter { $0.author == Int(author.name) }.count
      try expectEqual(author.books.count, count, "seed \(seed) \(moment), the books of \(author.name)")
    }
  }
}
