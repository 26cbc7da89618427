import Dispatch
import Foundation
import Synchronization
import Testing

@testable import SwiftData

enum Ending {
  @Model final class Shelf {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.shelf) var books: [Book] = []
    @Relationship(inverse: \Label.shelf) var label: Label?
    init(name: String) { self.name = name }
  }
  @Model final class Book {
    var title: String
    var shelf: Shelf?
    @Relationship(deleteRule: .cascade, inverse: \Page.book) var pages: [Page] = []
    init(title: String) { self.title = title }
  }
  @Model final class Page {
    var number: Int
    var book: Book?
    init(number: Int) { self.number = number }
  }
  @Model final class Label {
    var text: String
    var shelf: Shelf?
    init(text: String) { self.text = text }
  }
  @Model final class Node {
    var name: String
    var parent: Node?
    @Relationship(inverse: \Node.parent) var children: [Node] = []
    init(_ name: String, children: [Node] = []) { (self.name, self.children) = (name, children) }
  }
  @Model final class Note {
    var text: String
    @Relationship(deleteRule: .noAction) var about: Shelf
    init(text: String, about: Shelf) {
      self.text = text
      self.about = about
    }
  }
}

/// What is left in memory, and in whoever's hands, when a context ends.
@Suite struct ContextEndTests {
  private static func container() throws -> ModelContainer {
    try ModelContainer(
      for: Ending.Shelf.self, Ending.Book.self, Ending.Page.self, Ending.Label.self, Ending.Note.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  /// Runs a body in a context over a stored shelf with a book of two pages, and says what of it outlived the context.
  private func survivors(
    _ body: (ModelContext, Ending.Shelf) throws -> Void
  ) throws -> (state: Bool, shelf: Bool) {
    let container = try Self.container()
    weak var state: ContextState?
    weak var shelf: Ending.Shelf?
    try {
      let first = ModelContext(container)
      let stored = Ending.Shelf(name: "A")
      first.insert(stored)
      stored.books = [Ending.Book(title: "one")]
      stored.books[0].pages = [Ending.Page(number: 1), Ending.Page(number: 2)]
      try first.save()
      let context = ModelContext(container)
      let found = try #require(try context.fetch(FetchDescriptor<Ending.Shelf>()).first)
      try body(context, found)
      (state, shelf) = (context.state, found)
    }()
    return (state != nil, shelf != nil)
  }

  @Test("Objects that were deleted together by a save go with their context, and so does what they pointed at")
  func deletedTogether() throws {
    let left = try survivors { context, shelf in
      for book in shelf.books { context.delete(book) }
      try context.save()
      #expect(shelf.books.isEmpty)
    }
    #expect(left == (false, false))
  }

  @Test("What objects load and change after the end of their context goes with them, and so does the container")
  func lateLoads() throws {
    weak var core: ContainerCore?
    weak var state: ContextState?
    weak var lastBook: Ending.Book?
    try {
      let container = try Self.container()
      core = container.core
      let writer = ModelContext(container)
      let stored = Ending.Shelf(name: "A")
      writer.insert(stored)
      stored.books = [Ending.Book(title: "one"), Ending.Book(title: "two")]
      for book in stored.books { book.pages = [Ending.Page(number: 1), Ending.Page(number: 2)] }
      try writer.save()
      let shelf = try #require(try ModelContext(container).fetch(FetchDescriptor<Ending.Shelf>()).first)
      state = shelf.__state.context
      for book in shelf.books {
        #expect(book.pages.count == 2)
        book.title += "!"
        lastBook = book
      }
      #expect(shelf.books.allSatisfy { $0.pages.count == 2 } && shelf.label == nil)
      shelf.name = "B"
      #expect(shelf.name == "B" && shelf.hasChanges)
    }()
    #expect(core == nil && state == nil && lastBook == nil)
  }

  @Test("A tree that is walked down after the end of its context goes")
  func lateTree() throws {
    weak var state: ContextState?
    try {
      let container = try ModelContainer(
        for: Ending.Node.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      let writer = ModelContext(container)
      writer.insert(Ending.Node("root", children: [Ending.Node("a", children: [Ending.Node("c")]), Ending.Node("b")]))
      try writer.save()
      let roots = FetchDescriptor<Ending.Node>(predicate: #Predicate { $0.name == "root" })
      let root = try #require(try ModelContext(container).fetch(roots).first)
      state = root.__state.context
      func names(_ node: Ending.Node) -> [String] { [node.name] + node.children.flatMap(names) }
      for _ in 0..<2 { #expect(names(root) == ["root", "a", "c", "b"]) }
    }()
    #expect(state == nil)
  }

  @Test("A new object that is related to an object of an ended context is saved by the context that takes both")
  func lateRelation() throws {
    let container = try Self.container()
    let writer = ModelContext(container)
    writer.insert(Ending.Shelf(name: "A"))
    try writer.save()
    let shelf = try #require(try ModelContext(container).fetch(FetchDescriptor<Ending.Shelf>()).first)
    shelf.books.append(Ending.Book(title: "new"))
    #expect(shelf.__state.context?.inserted.isEmpty == true)
    let other = ModelContext(container)
    other.insert(shelf)
    try other.save()
    let stored = try ModelContext(container).fetch(FetchDescriptor<Ending.Shelf>())
    #expect(stored.map { $0.books.map(\.title) } == [["new"]])
  }

  @Test("What a context reads again after its end takes back no later change of an object")
  func lateChangesStay() throws {
    let container = try Self.container()
    let writer = ModelContext(container)
    for name in ["A", "B"] {
      let shelf = Ending.Shelf(name: name)
      writer.insert(shelf)
      shelf.books = [Ending.Book(title: name + "1"), Ending.Book(title: name + "2")]
    }
    try writer.save()
    let (shelves, books) = try Self.fetch(container) { $0.state.staleStores = [0] }
    books[0].title = "late"
    // The rows of this list are also read into objects that are there already.
    #expect(shelves[0].books.map(\.title) == ["late", "A2"])
    shelves[1].books.removeLast()
    // As after a commit of another program.
    let context = shelves[1].__state.context
    try #require(context).refault(pointingTo: nil, merging: true)
    #expect(shelves[1].books.map(\.title) == ["B1"])
    let other = ModelContext(container)
    other.insert(books[0])
    try other.save()
    #expect(try Self.fetch(container).books.map(\.title) == ["A2", "B1", "B2", "late"])
  }

  /// All shelves and books in order, in a context that has ended.
  private static func fetch(
    _ container: ModelContainer, _ prepare: (ModelContext) -> Void = { _ in }
  ) throws -> (shelves: [Ending.Shelf], books: [Ending.Book]) {
    let context = ModelContext(container)
    prepare(context)
    return (
      try context.fetch(FetchDescriptor<Ending.Shelf>(sortBy: [SortDescriptor(\.name)])),
      try context.fetch(FetchDescriptor<Ending.Book>(sortBy: [SortDescriptor(\.title)]))
    )
  }

  @Test("A list that loads after the end of its context has what was related to its owner since then")
  func lateMembers() throws {
    let container = try Self.container()
    let writer = ModelContext(container)
    let stored = Ending.Shelf(name: "A")
    writer.insert(stored)
    writer.insert(Ending.Shelf(name: "B"))
    stored.books = [Ending.Book(title: "one"), Ending.Book(title: "two")]
    try writer.save()
    let (shelves, books) = try Self.fetch(container)
    books[0].shelf = shelves[1]
    #expect(shelves[1].books.map(\.title) == ["one"])
    #expect(shelves[0].books.map(\.title) == ["two"])
  }

  @Test("Objects that were never saved go with their context, and so does what they pointed at")
  func neverSaved() throws {
    let left = try survivors { context, shelf in
      let book = Ending.Book(title: "new")
      shelf.books.append(book)
      book.pages = [Ending.Page(number: 1)]
    }
    #expect(left == (false, false))
  }

  @Test("Objects that were inserted and deleted again, or rolled back, go with their context")
  func forgotten() throws {
    let left = try survivors { context, shelf in
      for isRolledBack in [false, true] {
        let book = Ending.Book(title: "new")
        shelf.books.append(book)
        book.pages = [Ending.Page(number: 1)]
        isRolledBack ? context.rollback() : context.delete(book)
      }
      try context.save()
    }
    #expect(left == (false, false))
  }

  @Test("What an undo manager would bring back goes with the context")
  func undoable() throws {
    let left = try survivors { context, shelf in
      context.undoManager = UndoManager()
      shelf.name = "B"
      shelf.books[0].pages[0].number = 7
      try context.save()
      for book in shelf.books { context.delete(book) }
    }
    #expect(left == (false, false))
  }

  @Test("Whose deletion was saved has its relationships when it is inserted again, as long as the context is there")
  func insertedAgain() throws {
    let context = ModelContext(try Self.container())
    let shelf = Ending.Shelf(name: "A")
    context.insert(shelf)
    shelf.books = [Ending.Book(title: "one")]
    try context.save()
    let book = shelf.books[0]
    context.delete(book)
    try context.save()
    #expect(book.shelf === shelf)
    context.insert(book)
    try context.save()
    #expect(shelf.books.map(\.title) == ["one"])
  }

  @Test("A held object whose unsaved target went with the context has its stored one again")
  func unsavedTarget() throws {
    let container = try Self.container()
    let shelf = try {
      let context = ModelContext(container)
      let shelf = Ending.Shelf(name: "A")
      context.insert(shelf)
      shelf.label = Ending.Label(text: "old")
      try context.save()
      shelf.label = Ending.Label(text: "new")
      shelf.books = [Ending.Book(title: "unsaved")]
      return shelf
    }()
    #expect(shelf.modelContext == nil)
    #expect(shelf.label?.text == "old")
    #expect(shelf.books.isEmpty)
  }

  @Test("Of unsaved objects that somebody holds the values stay, and they can be inserted anew")
  func heldUnsaved() throws {
    let container = try Self.container()
    let book = try {
      let book = Ending.Book(title: "held")
      let context = ModelContext(container)
      context.insert(book)
      book.shelf = try {
        let shelf = Ending.Shelf(name: "A")
        context.insert(shelf)
        try context.save()
        return shelf
      }()
      context.delete(book)
      try context.save()
      return book
    }()
    #expect(book.title == "held")
    #expect(book.shelf == nil)
    let other = ModelContext(container)
    other.insert(book)
    try other.save()
    #expect(try other.fetch(FetchDescriptor<Ending.Book>()).map(\.title) == ["held"])
  }

  @Test("The required target of a deleted object that never loaded it can be read: a placeholder stands in")
  func requiredTarget() throws {
    let container = try Self.container()
    let first = ModelContext(container)
    first.insert(Ending.Note(text: "n", about: Ending.Shelf(name: "A")))
    try first.save()
    let context = ModelContext(container)
    let note = try #require(try context.fetch(FetchDescriptor<Ending.Note>()).first)
    context.delete(note)
    try context.save()
    #expect(note.text == "n")
    #expect(note.about.modelContext == nil)
  }

  // MARK: - The thread that ends a context

  @Test("B7: A thread that awaits a context's notifications does not end the context")
  @MainActor func awaitedNotification() async throws {
    let container = try Self.container()
    var context: ModelContext? = ModelContext(container)
    let shelf = Ending.Shelf(name: "A")
    context!.insert(shelf)
    shelf.books = [Ending.Book(title: "one")]
    // Only of this context: a notification that waits keeps the container that other tests expect to end.
    var iterator: NotificationCenter.Notifications.AsyncIterator? = NotificationCenter.default.notifications(
      named: ModelContext.didSave, object: context
    ).makeAsyncIterator()
    try context!.save()
    var received = await iterator!.next()?.object as? ModelContext
    iterator = nil
    #expect(received === context)
    #expect(received?.hasChanges == false)
    weak let own = context
    context = nil
    // It ended here, though the other one still has what it received.
    #expect(own == nil)
    #expect(shelf.modelContext == nil)
    #expect(received?.container === container)
    received = nil
    #expect(shelf.books.map(\.title) == ["one"])
  }

  /// A shelf of a main context whose container another thread released last, while the main actor was busy.
  @MainActor private static func shelf(of container: ModelContainer) throws -> Ending.Shelf {
    let writer = ModelContext(container)
    let stored = Ending.Shelf(name: "A")
    writer.insert(stored)
    stored.books = [Ending.Book(title: "one")]
    try writer.save()
    let shelf = try #require(try container.mainContext.fetch(FetchDescriptor<Ending.Shelf>()).first)
    #expect(shelf.books.map(\.title) == ["one"])
    return shelf
  }

  @MainActor private static func release(_ container: inout ModelContainer?) {
    weak var main: ModelContext?
    main = container?.mainContext
    #expect(main != nil)
    let last = Mutex(container)
    container = nil
    let isReleased = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      last.withLock { $0 = nil }
      isReleased.signal()
    }
    isReleased.wait()
    #expect(main == nil)
  }

  @Test("B7: The main context ends on the main actor, also where another thread releases its container last")
  @MainActor func mainContext() async throws {
    var container: ModelContainer? = try Self.container()
    let shelf = try Self.shelf(of: container!)
    Self.release(&container)
    let (_, before) = SQLTrace.record { #expect(shelf.books.count == 1) }
    #expect(before == [])
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    let (_, after) = SQLTrace.record { #expect(shelf.books.count == 1) }
    #expect(!after.isEmpty)
  }

  @Test("B7: An object of a main context that waits for its end can be inserted elsewhere")
  @MainActor func mainContextIsLeft() throws {
    let file = try TemporaryStore()
    func container() throws -> ModelContainer { try file.container(Ending.Shelf.self, Ending.Note.self) }
    var first: ModelContainer? = try container()
    let shelf = try Self.shelf(of: first!)
    Self.release(&first)
    let other = ModelContext(try container())
    shelf.name = "B"
    other.insert(shelf)
    try other.save()
    #expect(try ModelContext(other.container).fetch(FetchDescriptor<Ending.Shelf>()).map(\.name) == ["B"])
  }
}
