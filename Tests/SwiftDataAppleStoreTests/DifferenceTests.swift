import Foundation
import SwiftData
import Testing

@testable import SwiftDataAppleStore

/// Classes that differ from those of `Library` in every way.
enum Wrong {
  @Model final class Author {
    @Attribute(originalName: "name") var title: String
    var born: String?
    var nickname: String?
    init() { title = "" }
  }

  @Model final class Book {
    var pages: Int16
    var weight: Double
    var author: [Author] = []
    init() { (pages, weight) = (0, 0) }
  }

  @Model final class Magazine {
    var issue = 0
    init() {}
  }
}

@Suite("Models that differ from those in the file") struct DifferenceTests {
  @Test("One error lists every difference, and what to write")
  func differences() throws {
    let file = try Library.filled()
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Schema([Wrong.Author.self, Wrong.Book.self, Wrong.Magazine.self]),
        configurations: [AppleStoreConfiguration(url: file)])
    }
    let message = error?.message ?? ""
    #expect(error?.code == .loadIssueModelContainer)
    for part in [
      "Author.born: it is a value of type Date in the file", "write var born: Date?",
      "Author.nickname: the file has no such property", "Book.pages: it is a value of type Int in the file",
      "Book.weight: it may be nil in the file", "Book.author: it is a to-one relationship in the file",
      "Magazine: the file has no such entity", "swiftdata models",
    ] { #expect(message.contains(part), "\(part) is not in \(message)") }
    #expect(!message.contains("Author.title"))
  }

  @Test("Properties that a class leaves out stay in the file")
  func leftOut() throws {
    let file = try Library.filled()
    let container = try ModelContainer(
      for: Schema([Small.Tag.self]), configurations: [AppleStoreConfiguration(url: file, allowsSave: true)])
    let context = ModelContext(container)
    #expect(try context.fetch(FetchDescriptor<Small.Tag>()).map(\.label) == ["classic"])
  }

  @Test("A file that is no store of Apple's says what it is")
  func otherFiles() throws {
    let folder = try Library.folder()
    let text = folder.appendingPathComponent("text")
    try Data("hello, world, this is no database at all; it is long enough to be one".utf8).write(to: text)
    #expect(throws: SwiftDataError.notADatabase) { try AppleFile(text) }
    let own = folder.appendingPathComponent("own.store")
    _ = try ModelContainer(for: Schema([Small.Tag.self]), configurations: [ModelConfiguration(url: own)])
    let error = #expect(throws: SwiftDataError.self) { try AppleFile(own) }
    #expect(error?.message?.contains("ModelConfiguration(url:) opens") == true)
    #expect(throws: SwiftDataError.io) { try AppleFile(folder.appendingPathComponent("missing")) }
    #expect(throws: SwiftDataError.io) { try AppleFile(folder) }
  }
}

enum Small {
  @Model final class Tag {
    @Attribute(originalName: "name") var label: String
    init() { label = "" }
  }
}
