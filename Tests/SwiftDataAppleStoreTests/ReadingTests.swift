import Foundation
import SwiftData
import Testing

@testable import SwiftDataAppleStore

@Suite("Reading a file in Apple's format") struct ReadingTests {
  @Test("Every kind of value comes back as it was saved")
  func values() throws {
    let context = ModelContext(try Library.container(try Library.filled(), allowsSave: false))
    let books = try context.fetch(FetchDescriptor<Library.Book>(sortBy: [SortDescriptor(\.pages)]))
    #expect(books.map(\.title) == ["Dispossessed", "Lathe of Heaven", "Café", "Cafe\u{301} again"])
    #expect(books.map(\.price) == [0.5, 1.5, 2.5, 3.5])
    #expect(books.map(\.isLent) == [false, true, false, false])
    #expect(books.map(\.weight) == [nil, 1, 2, 3])
    #expect(books[1].link == URL(string: "https://example.org/1"))
    #expect(books[3].cover == Data([1, 2, 3]))
    #expect(books.map(\.rating) == [nil, .good, .good, .good])
    #expect(books.map { $0.binding.map { "\($0)" } } == ["hardcover", "digital", nil, "hardcover"])
    #expect(books[1].size == Library.Size(width: 1, height: 2.5, notes: ["a", "b"]))
    #expect(books[3].size == nil)
    #expect(books.map(\.keywords) == [[], ["k1"], ["k2", "k2"], ["k3", "k3", "k3"]])
    #expect(books[2].scan == Data(repeating: 7, count: 200_000))
    #expect(books[1].scan == Data([9]))
    #expect(books[0].author?.name == "Ursula")
    #expect(books[0].author?.born == Date(timeIntervalSinceReferenceDate: -2_248_000_000))
  }

  @Test("Relationships of every kind lead to the objects")
  func relationships() throws {
    let context = ModelContext(try Library.container(try Library.filled(), allowsSave: false))
    let author = try #require(try context.fetch(FetchDescriptor<Library.Author>()).first)
    #expect(Set(author.books.map(\.title)) == ["Dispossessed", "Lathe of Heaven", "Café"])
    let tag = try #require(try context.fetch(FetchDescriptor<Library.Tag>()).first)
    #expect(Set(tag.books.map(\.pages)) == [0, 200])
    #expect(tag.books[0].tags.map(\.name) == ["classic"])
    let shelf = try #require(try context.fetch(FetchDescriptor<Library.Shelf>()).first)
    #expect(Set(shelf.media.map(\.year)) == [1979, 1950])
    #expect((shelf.favourite as? Library.Film)?.director == "Tarkovsky")
    #expect(try context.fetchCount(FetchDescriptor<Library.Medium>()) == 2)
    #expect(try context.fetchCount(FetchDescriptor<Library.Film>()) == 1)
  }

  @Test("Predicates and sorts run as SQL and agree with Swift")
  func predicates() throws {
    let context = ModelContext(try Library.container(try Library.filled(), allowsSave: false))
    let all = try context.fetch(FetchDescriptor<Library.Book>())
    let predicates: [Predicate<Library.Book>] = [
      #Predicate { $0.title.contains("afé") }, #Predicate { $0.title == "Café" }, #Predicate { $0.pages > 100 },
      #Predicate { $0.weight == nil }, #Predicate { $0.rating == .good }, #Predicate { $0.author?.name == "Ursula" },
      #Predicate { $0.tags.contains { $0.name == "classic" } }, #Predicate { $0.size?.height == 2.5 },
      #Predicate { $0.price > 2 }, #Predicate { $0.isLent }, #Predicate { $0.keywords.count > 1 },
      #Predicate { $0.keywords.contains("k1") }, #Predicate { $0.link != nil },
    ]
    for predicate in predicates {
      let (found, statements) = try SQLTrace.record {
        try ModelContext(context.container).fetch(
          FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title)]))
      }
      let expected = try all.filter { try predicate.evaluate($0) }.sorted(using: SortDescriptor(\.title))
      #expect(found.map(\.id) == expected.map(\.id), "\(predicate)")
      #expect(statements.contains { $0.contains("WHERE") }, "\(predicate)")
    }
    let middle = Date(timeIntervalSinceReferenceDate: -3e9)
    let old = #Predicate<Library.Author> { $0.born ?? .distantFuture > middle }
    #expect(try context.fetchCount(FetchDescriptor(predicate: old)) == 1)
  }

  @Test("One hundred owners' lists take no statement each")
  func statements() throws {
    let file = try Library.store()
    let context = ModelContext(try Library.container(file))
    for index in 0..<100 { context.insert(Library.Book("b\(index)", author: Library.Author("a\(index)"))) }
    try context.save()
    let reader = ModelContext(try Library.container(file, allowsSave: false))
    let (count, statements) = try SQLTrace.record {
      try reader.fetch(FetchDescriptor<Library.Author>()).reduce(0) { $0 + $1.books.count }
    }
    #expect(count == 100)
    #expect(statements.count < 8)
  }

  @Test("The history has what was saved, with the names of what changed and what is left of the deleted")
  func history() throws {
    let file = try Library.filled()
    let container = try Library.container(file)
    let context = ModelContext(container)
    context.author = "second"
    let lathe = #Predicate<Library.Book> { $0.pages == 100 }
    let book = try #require(try context.fetch(FetchDescriptor(predicate: lathe)).first)
    (book.isLent, book.size) = (false, nil)
    try context.save()
    context.delete(book)
    try context.save()
    let reader = ModelContext(try Library.container(file, allowsSave: false))
    let history = try reader.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.author) == ["test", "second", "second"])
    #expect(history[0].changes.count == 9)
    guard case .update(let update) = history[1].changes[0],
      let update = update as? DefaultHistoryUpdate<Library.Book>
    else { throw CocoaError(.coderInvalidValue) }
    #expect(Set(update.updatedPropertyNames) == ["isLent", "size"])
    let deletion = history[2].changes.compactMap { change -> DefaultHistoryDelete<Library.Book>? in
      if case .delete(let delete) = change { return delete as? DefaultHistoryDelete<Library.Book> }
      return nil
    }
    #expect(deletion.first?.tombstone[\.title] as? String == "Lathe of Heaven")
    let token = history[0].token
    let later = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
    #expect(try reader.fetchHistory(later).count == 2)
  }

  @Test("A token from before a purged history has expired, also if no transaction is left")
  func purgedHistory() throws {
    typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>
    let context = ModelContext(try Library.container(try Library.filled()))
    let first = try #require(try context.fetchHistory(Descriptor()).last).token
    for name in ["a", "b"] {
      context.insert(Library.Tag(name))
      try context.save()
    }
    let last = try #require(try context.fetchHistory(Descriptor()).last).token
    try context.deleteHistory(Descriptor())
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > first }))
    }
    #expect(try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > last })).isEmpty)
    context.insert(Library.Tag("c"))
    try context.save()
    #expect(try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > last })).count == 1)
  }
}

@Suite("A file that is only read") struct UntouchedFileTests {
  private func readAll(_ file: URL) throws {
    let context = ModelContext(try Library.container(file, allowsSave: false))
    #expect(try context.fetch(FetchDescriptor<Library.Book>()).count == 4)
    _ = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
  }

  @Test("neither changes nor gets a file beside it")
  func unchanged() throws {
    let file = try Library.filled()
    let before = try FolderState.of(file.deletingLastPathComponent())
    try readAll(file)
    #expect(try FolderState.of(file.deletingLastPathComponent()) == before)
  }

  @Test("shows rows that are only in its log, and leaves the log alone")
  func log() throws {
    // A connection that stays open keeps the log.
    let file = try Library.filled()
    let writer = try FileConnection(uri: FileAccess.uri(file.path, "mode=rw"), place: file.path, lockTimeout: 5)
    try writer.execute("PRAGMA wal_autocheckpoint = 0")
    try writer.run("UPDATE ZBOOK SET ZTITLE = 'only in the log' WHERE ZPAGES = 0")
    let copy = try Library.folder().appendingPathComponent("default.store")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: file.path + suffix, toPath: copy.path + suffix)
    }
    let before = try FolderState.of(copy.deletingLastPathComponent())
    let context = ModelContext(try Library.container(copy, allowsSave: false))
    let titles = try context.fetch(FetchDescriptor<Library.Book>()).map(\.title)
    #expect(titles.contains("only in the log"))
    #expect(try FolderState.of(copy.deletingLastPathComponent()) == before)
  }

  @Test(
    "is opened with any duration as its lock timeout", arguments: [.seconds(Int64.max), .seconds(-1)] as [Duration])
  func lockTimeout(_ timeout: Duration) throws {
    let configuration = AppleStoreConfiguration(url: try Library.filled(), lockTimeout: timeout)
    let container = try ModelContainer(for: Schema(Library.all), configurations: configuration)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Library.Book>()) > 0)
  }

  @Test("is read while another process has locked it")
  func locked() throws {
    let file = try Library.filled()
    let writer = try FileConnection(uri: FileAccess.uri(file.path, "mode=rw"), place: file.path, lockTimeout: 5)
    try writer.execute("PRAGMA journal_mode = DELETE")
    try writer.execute("BEGIN EXCLUSIVE")
    try readAll(file)
    try writer.execute("ROLLBACK")
  }

  @Test("is read from a folder without write permission")
  func readOnlyFolder() throws {
    let file = try Library.filled()
    let folder = file.deletingLastPathComponent()
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: file.path)
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.path)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path) }
    try readAll(file)
  }

  @Test("is played back in a copy where its last writer left a journal")
  func journal() throws {
    let file = try Library.filled()
    let writer = try FileConnection(uri: FileAccess.uri(file.path, "mode=rw"), place: file.path, lockTimeout: 5)
    for statement in [
      "PRAGMA journal_mode = DELETE", "PRAGMA cache_size = 1", "BEGIN", "UPDATE ZBOOK SET ZTITLE = hex(zeroblob(4000))",
      "UPDATE ZAUTHOR SET ZNAME = hex(zeroblob(4000))",
    ] { try writer.execute(statement) }
    let copy = try Library.folder().appendingPathComponent("default.store")
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(atPath: file.path + suffix, toPath: copy.path + suffix)
    }
    let before = try FolderState.of(copy.deletingLastPathComponent())
    let context = ModelContext(try Library.container(copy, allowsSave: false))
    #expect(try context.fetch(FetchDescriptor<Library.Book>()).allSatisfy { $0.title.count < 100 })
    #expect(try FolderState.of(copy.deletingLastPathComponent()) == before)
    try writer.execute("ROLLBACK")
  }

  @Test("shows at the next fetch what another program saved")
  func changedByOthers() throws {
    let file = try Library.filled()
    let context = ModelContext(try Library.container(file, allowsSave: false))
    #expect(try context.fetchCount(FetchDescriptor<Library.Book>()) == 4)
    let writer = ModelContext(try Library.container(file))
    writer.insert(Library.Book("new"))
    try writer.save()
    #expect(try context.fetchCount(FetchDescriptor<Library.Book>()) == 5)
  }

  @Test("refuses to be saved to, and says how to allow it")
  func refusal() throws {
    let context = ModelContext(try Library.container(try Library.filled(), allowsSave: false))
    context.insert(Library.Tag("new"))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.code == .storeReadOnly)
    #expect(error?.message?.contains("allowsSave: true") == true)
  }
}
