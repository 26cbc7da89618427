import Foundation
import SwiftData
import SwiftDataRecovery

/// A damaged store: it is used as an app would, and then recovered.
struct DamagedStore {
  private let folder: URL
  private let original: OriginalStore
  private let damage: Damage
  private var url: URL { folder.appendingPathComponent(OriginalStore.name) }

  init(_ folder: URL, _ original: OriginalStore, _ damage: Damage) {
    (self.folder, self.original, self.damage) = (folder, original, damage)
  }

  func run() throws -> Tally {
    var tally = Tally(stores: 1)
    let copy = folder.appendingPathComponent("copy")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    // To use it may write to it.
    for name in ["\(OriginalStore.name)", "\(OriginalStore.name)-wal", ".\(OriginalStore.name)_external"] {
      let place = folder.appendingPathComponent(name)
      guard FileManager.default.fileExists(atPath: place.path) else { continue }
      try FileManager.default.copyItem(at: place, to: copy.appendingPathComponent(name))
    }
    let problems = use(copy.appendingPathComponent(OriginalStore.name))
    if !problems.isEmpty { tally.refused = 1 }
    for problem in problems {
      guard let problem = problem as? SwiftDataError else { throw Difference("\(problem) is no SwiftDataError") }
      try Difference.require(problem.description.count > 30, "\(problem) says nothing")
    }
    if damage == .none { for problem in problems { throw problem } }
    tally.objects = original.counts.values.reduce(0, +)
    tally.recovered = try recover()
    return tally
  }

  // MARK: - Using it

  /// - Returns: what was thrown.
  private func use(_ url: URL) -> [any Error] {
    var problems = [any Error]()
    func attempt(_ body: () throws -> Void) {
      do { try body() } catch { problems.append(error) }
    }
    attempt {
      let container = try LibraryStore.open(url) { $0.lockTimeout = .seconds(0.5) }
      let context = ModelContext(container)
      // A wrong value that is a value is nothing that can be noticed.
      attempt { do { _ = try World(context) } catch is Difference {} }
      for type in LibraryStore.schema.entities.map(\.name) { attempt { try fetchAll(type, context) } }
      attempt { _ = try context.search(Book.self, matching: "river") }
      attempt { _ = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) }
      attempt {
        let book = Book(code: 77_000_000, title: "river", pages: 5, cover: Data(count: 140_000))
        context.insert(book)
        book.author = try context.fetch(FetchDescriptor<Author>()).first
        try context.save()
      }
      attempt {
        let writer = ModelContext(container)
        for book in try writer.fetch(FetchDescriptor<Book>()).prefix(20) { book.pages += 1 }
        try writer.save()
      }
      attempt {
        let writer = ModelContext(container)
        try writer.fetch(FetchDescriptor<Book>()).suffix(20).forEach(writer.delete)
        try writer.save()
      }
      attempt { for store in container.core.stores { try store.deleteAllRows() } }
    }
    return problems
  }

  private func fetchAll(_ entity: String, _ context: ModelContext) throws {
    switch entity {
    case "Author": for author in try context.fetch(FetchDescriptor<Author>()) { _ = (author.books.count, author.photo) }
    case "Book":
      for book in try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])) {
        _ = (book.author?.name, book.publisher?.code, book.tags.count, book.loans.count, book.cover?.count)
        _ = (book.chapters.map(\.text), book.size, book.binding)
      }
    case "Chapter": for chapter in try context.fetch(FetchDescriptor<Chapter>()) { _ = chapter.book?.title }
    case "Tag": for tag in try context.fetch(FetchDescriptor<Tag>()) { _ = tag.books.map(\.title) }
    default: _ = try context.fetch(FetchDescriptor<Loan>()).map(\.book?.title)
    }
  }

  // MARK: - Recovering it

  /// - Returns: how many objects were recovered.
  private func recover() throws -> Int {
    let new = folder.appendingPathComponent("recovered/new.store")
    let before = try Data(contentsOf: url)
    let report: ModelContainer.RecoveryReport
    do {
      report = try ModelContainer.recover(from: url, to: new, for: LibraryStore.schema)
    } catch SwiftDataError.notADatabase where [.letter, .emptied].contains(damage) {
      return 0
    }
    try Difference.require(try Data(contentsOf: url) == before, "recovering changed the damaged file")
    if damage == .none { try Difference.require(report.isComplete, "of a sound store: \(report)") }
    let container = try LibraryStore.open(new)
    try container.core.sqliteStores[0].read { connection in
      let answer = try connection.database.rows("PRAGMA integrity_check") { $0.string(0) }
      let keys = try connection.database.rows("PRAGMA foreign_key_check") { $0.values }
      try Difference.require(answer == ["ok"] && keys.isEmpty, "the new store: \(answer) \(keys)")
    }
    do { _ = try World(ModelContext(container)) } catch is Difference {}
    var total = 0
    for (entity, count) in original.counts {
      guard let found = report.entities.first(where: { $0.name == entity }) else { throw Difference("no \(entity)") }
      total += min(found.recovered, count)
      let lost = found.lost.reduce(into: Int?(0)) { sum, loss in
        sum = loss.count.flatMap { count in sum.map { $0 + count } }
      }
      // A tree that is mended by nothing but luck has fewer objects and does not know it.
      guard let lost, Self.isLocal.contains("\(damage)") else { continue }
      try Difference.require(
        found.recovered + lost >= count - 1, "\(found.recovered) of \(count) \(entity) recovered, \(lost) reported lost"
      )
    }
    return total
  }

  /// The kinds of damage that leave the rest of the file as it is.
  private static let isLocal: Set<String> = ["leaf", "zeroedPage", "noise"]
}
