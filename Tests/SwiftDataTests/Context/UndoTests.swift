import Foundation
import SwiftData
import Testing

private enum Undo {
  @Model final class Board {
    var name: String
    var size: Int = 0
    @Relationship(deleteRule: .cascade, inverse: \Card.board) var cards: [Card] = []
    @Relationship(inverse: \Label.boards) var labels: [Label] = []
    init(name: String) { self.name = name }
  }

  @Model final class Card {
    var text: String
    var board: Board?
    init(_ text: String, board: Board? = nil) { (self.text, self.board) = (text, board) }
  }

  @Model final class Label {
    var name: String
    var boards: [Board] = []
    init(name: String) { self.name = name }
  }
}

@Suite struct UndoTests {
  private let context: ModelContext
  private let undo = UndoManager()

  init() throws {
    context = try memoryContext(Undo.Board.self)
    undo.groupsByEvent = false
  }

  /// Does something as one group of the undo stack.
  private func step(_ body: () throws -> Void) rethrows {
    undo.beginUndoGrouping()
    try body()
    undo.endUndoGrouping()
  }

  private func saved(_ board: Undo.Board) throws -> Undo.Board {
    context.insert(board)
    try context.save()
    context.undoManager = undo
    return board
  }

  @Test("There is no undo manager unless one is set")
  func none() throws {
    #expect(context.undoManager == nil)
    context.undoManager = undo
    #expect(context.undoManager === undo)
  }

  @Test("Changed properties are undone and redone, step by step")
  func properties() throws {
    let board = try saved(Undo.Board(name: "a"))
    step { board.name = "b" }
    step {
      board.name = "c"
      board.size = 5
      board.name = "d"
    }
    undo.undo()
    #expect(board.name == "b" && board.size == 0)
    undo.undo()
    #expect(board.name == "a")
    #expect(!undo.canUndo)
    undo.redo()
    #expect(board.name == "b")
    undo.redo()
    #expect(board.name == "d" && board.size == 5)
    #expect(!undo.canRedo)
    undo.undo()
    step { board.size = 9 }
    #expect(!undo.canRedo)
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Undo.Board>()).first?.name == "b")
  }

  @Test("Undoing an insertion takes the object out, redoing puts it back with its values")
  func insertion() throws {
    context.undoManager = undo
    let board = Undo.Board(name: "a")
    step { context.insert(board) }
    step { board.name = "b" }
    undo.undo()
    undo.undo()
    #expect(board.modelContext == nil)
    #expect(!context.hasChanges)
    #expect(try context.fetchCount(FetchDescriptor<Undo.Board>()) == 0)
    undo.redo()
    #expect(board.modelContext == context)
    #expect(board.name == "a")
    undo.redo()
    #expect(board.name == "b")
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Undo.Board>()).map(\.name) == ["b"])
  }

  @Test("Undoing a deletion brings the object back with all that was deleted along and its relationships")
  func deletion() throws {
    let board = Undo.Board(name: "a")
    board.cards = [Undo.Card("1"), Undo.Card("2")]
    let label = Undo.Label(name: "l")
    board.labels = [label]
    _ = try saved(board)
    step { context.delete(board) }
    #expect(board.isDeleted && board.cards.allSatisfy(\.isDeleted))
    #expect(label.boards.isEmpty)
    undo.undo()
    #expect(!board.isDeleted && board.cards.map(\.text) == ["1", "2"])
    #expect(!board.cards.contains(where: \.isDeleted) && board.cards.allSatisfy { $0.board === board })
    #expect(label.boards.map(\.name) == ["a"])
    #expect(context.deletedModelsArray.isEmpty)
    try context.save()
    let reader = ModelContext(context.container)
    #expect(try reader.fetch(FetchDescriptor<Undo.Board>()).first?.cards.count == 2)
    #expect(try reader.fetch(FetchDescriptor<Undo.Label>()).first?.boards.count == 1)
  }

  @Test("Redoing a deletion deletes again, and the save writes it")
  func redoneDeletion() throws {
    let board = Undo.Board(name: "a")
    board.cards = [Undo.Card("1")]
    _ = try saved(board)
    step { context.delete(board) }
    undo.undo()
    undo.redo()
    #expect(board.isDeleted)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Undo.Board>()) == 0)
    #expect(try context.fetchCount(FetchDescriptor<Undo.Card>()) == 0)
  }

  @Test("Both sides of a to-one are undone and redone")
  func toOne() throws {
    let one = Undo.Board(name: "1")
    let two = Undo.Board(name: "2")
    let card = Undo.Card("c", board: one)
    context.insert(two)
    context.insert(card)
    _ = try saved(one)
    step { card.board = two }
    #expect(one.cards.isEmpty && two.cards.map(\.text) == ["c"])
    undo.undo()
    #expect(card.board === one && one.cards.map(\.text) == ["c"] && two.cards.isEmpty)
    undo.redo()
    #expect(card.board === two && one.cards.isEmpty && two.cards.map(\.text) == ["c"])
    step { card.board = nil }
    undo.undo()
    #expect(card.board === two && two.cards.map(\.text) == ["c"])
    try context.save()
    let reader = ModelContext(context.container)
    #expect(try reader.fetch(FetchDescriptor<Undo.Card>()).first?.board?.name == "2")
  }

  @Test("A changed array is undone with its order, and the other side follows")
  func toMany() throws {
    let board = Undo.Board(name: "a")
    let cards = ["1", "2", "3"].map { Undo.Card($0) }
    board.cards = cards
    _ = try saved(board)
    step { board.cards = [cards[2], cards[0]] }
    #expect(cards[1].board == nil)
    undo.undo()
    #expect(board.cards.map(\.text) == ["1", "2", "3"])
    #expect(cards.allSatisfy { $0.board === board })
    undo.redo()
    #expect(board.cards.map(\.text) == ["3", "1"])
    #expect(cards[1].board == nil)
    try context.save()
    let reader = ModelContext(context.container)
    #expect(try reader.fetch(FetchDescriptor<Undo.Board>()).first?.cards.map(\.text) == ["3", "1"])
  }

  @Test("Many-to-many is undone on both sides")
  func manyToMany() throws {
    let board = try saved(Undo.Board(name: "a"))
    let label = Undo.Label(name: "l")
    step { board.labels.append(label) }
    #expect(label.boards.count == 1)
    undo.undo()
    #expect(board.labels.isEmpty && label.boards.isEmpty)
    #expect(label.modelContext == nil)
    undo.redo()
    #expect(board.labels.count == 1 && label.boards.count == 1 && label.modelContext == context)
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Undo.Label>()).first?.boards.count == 1)
  }

  @Test("A side that was loaded after the change is undone too")
  func lateLoading() throws {
    let setup = ModelContext(context.container)
    setup.insert(Undo.Board(name: "a"))
    setup.insert(Undo.Card("c"))
    try setup.save()
    context.undoManager = undo
    let board = try #require(try context.fetch(FetchDescriptor<Undo.Board>()).first)
    let card = try #require(try context.fetch(FetchDescriptor<Undo.Card>()).first)
    step { card.board = board }
    #expect(board.cards.map(\.text) == ["c"])
    undo.undo()
    #expect(card.board == nil)
    #expect(board.cards.isEmpty)
    undo.redo()
    #expect(board.cards.map(\.text) == ["c"])
  }

  @Test("Undoing the insertion of a related object takes it out of the other side")
  func insertedChild() throws {
    let setup = ModelContext(context.container)
    setup.insert(Undo.Board(name: "a"))
    try setup.save()
    context.undoManager = undo
    let board = try #require(try context.fetch(FetchDescriptor<Undo.Board>()).first)
    step { context.insert(Undo.Card("c", board: board)) }
    #expect(board.cards.count == 1)
    undo.undo()
    #expect(board.cards.isEmpty)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Undo.Card>()) == 0)
    #expect(board.cards.isEmpty)
  }

  @Test("A rollback empties the stack")
  func rollback() throws {
    let board = try saved(Undo.Board(name: "a"))
    step { board.name = "b" }
    undo.undo()
    #expect(undo.canRedo)
    step { board.name = "c" }
    context.rollback()
    #expect(!undo.canUndo && !undo.canRedo)
    #expect(board.name == "a")
    undo.undo()
    #expect(board.name == "a")
  }

  @Test("A save keeps the stack: what was saved can be undone and saved again")
  func saving() throws {
    let board = try saved(Undo.Board(name: "a"))
    step { board.name = "b" }
    try context.save()
    #expect(undo.canUndo)
    undo.undo()
    #expect(board.name == "a" && context.hasChanges)
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Undo.Board>()).first?.name == "a")
  }

  @Test("An insertion that was saved is undone by deleting the row, and redone by inserting again")
  func savedInsertion() throws {
    context.undoManager = undo
    let board = Undo.Board(name: "a")
    step { context.insert(board) }
    try context.save()
    undo.undo()
    #expect(board.isDeleted)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Undo.Board>()) == 0)
    undo.redo()
    #expect(board.modelContext == context)
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Undo.Board>()).map(\.name) == ["a"])
  }

  @Test("A deletion that was saved is undone by inserting the object again")
  func savedDeletion() throws {
    let board = Undo.Board(name: "a")
    board.cards = [Undo.Card("1")]
    _ = try saved(board)
    step { context.delete(board) }
    try context.save()
    undo.undo()
    try context.save()
    let found = try ModelContext(context.container).fetch(FetchDescriptor<Undo.Board>())
    #expect(found.map(\.name) == ["a"])
    #expect(found.first?.cards.map(\.text) == ["1"])
  }

  @Test("With groupsByEvent, what happens between two saves is one group")
  func implicitGroups() throws {
    undo.groupsByEvent = true
    let board = try saved(Undo.Board(name: "a"))
    board.name = "b"
    board.size = 1
    try context.save()
    board.name = "c"
    context.processPendingChanges()
    board.size = 2
    undo.undo()
    #expect(board.size == 1 && board.name == "c")
    undo.undo()
    #expect(board.name == "b")
    undo.undo()
    #expect(board.name == "a" && board.size == 0)
    #expect(!undo.canUndo)
  }

  @Test("Nothing is registered while registration is disabled, nor by fetching or refreshing")
  func disabled() throws {
    let board = try saved(Undo.Board(name: "a"))
    undo.disableUndoRegistration()
    board.name = "b"
    undo.enableUndoRegistration()
    #expect(!undo.canUndo)
    try context.save()
    let other = ModelContext(context.container)
    let same = try #require(try other.fetch(FetchDescriptor<Undo.Board>()).first)
    same.name = "c"
    try other.save()
    _ = try context.fetch(FetchDescriptor<Undo.Board>())
    #expect(board.name == "c")
    #expect(!undo.canUndo)
  }
}
