import Foundation
import SwiftData

/// The models of the tests of live results.
enum Live {
  @Model final class Shelf {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.shelf) var books: [Book] = []
    init(name: String) { self.name = name }
  }

  @Model final class Book {
    var title: String
    var rank: Int
    var genre: String?
    var shelf: Shelf?
    @Relationship(inverse: \Keyword.books) var keywords: [Keyword] = []

    init(_ title: String, rank: Int = 0, genre: String? = nil, shelf: Shelf? = nil) {
      self.title = title
      self.rank = rank
      self.genre = genre
      self.shelf = shelf
    }
  }

  @Model final class Keyword {
    var word: String
    var books: [Book] = []
    init(word: String) { self.word = word }
  }

  /// What no query of the tests reads.
  @Model final class Visitor {
    var name: String
    init(name: String) { self.name = name }
  }

  static func container() throws -> ModelContainer {
    try ModelContainer(
      for: Shelf.self, Visitor.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  /// A context over ten books of rank 0 to 9.
  static func library(_ count: Int = 10) throws -> ModelContext {
    let context = ModelContext(try container())
    for rank in 0..<count { context.insert(Book("Book \(rank)", rank: rank)) }
    try context.save()
    return context
  }
}

/// Counts how often observers of a value are told that it changes.
final class ChangeCounter {
  private(set) var count = 0
  private let read: () -> Void

  init(_ read: @escaping () -> Void) {
    self.read = read
    track()
  }

  private func track() {
    let told = Told { [weak self] in self?.count += 1 }
    withObservationTracking(read) { told.tell() }
  }

  /// Starts to wait for the next change.
  func rearm() { track() }

  // @unchecked Sendable because the tests that use it stay on one thread.
  private final class Told: @unchecked Sendable {
    let tell: () -> Void
    init(_ tell: @escaping () -> Void) { self.tell = tell }
  }
}
