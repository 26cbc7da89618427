import Foundation
import SwiftData
import Testing

@Suite("An undo manager")
struct UndoManagerTests {
  /// A number whose changes can be undone and redone.
  private final class Counter {
    let manager = UndoManager()
    private(set) var value = 0

    func set(_ new: Int) {
      let old = value
      manager.registerUndo(withTarget: self) { $0.set(old) }
      value = new
    }
  }

  private func grouped(_ manager: UndoManager, _ body: () -> Void) {
    manager.beginUndoGrouping()
    body()
    manager.endUndoGrouping()
  }

  @Test("undoes and redoes group by group")
  func groups() {
    let counter = Counter()
    for value in 1...3 { grouped(counter.manager) { counter.set(value) } }
    counter.manager.undo()
    #expect(counter.value == 2)
    counter.manager.undo()
    #expect(counter.value == 1)
    counter.manager.redo()
    #expect(counter.value == 2)
    counter.manager.redo()
    #expect(counter.value == 3)
    #expect(!counter.manager.canRedo)
    for _ in 0..<3 { counter.manager.undo() }
    #expect(counter.value == 0)
    #expect(!counter.manager.canUndo)
    counter.manager.undo()
    #expect(counter.value == 0)
  }

  @Test("undoes the changes of one event together, the last first")
  func events() {
    let counter = Counter()
    counter.set(1)
    counter.set(2)
    #expect(counter.manager.groupingLevel == 1)
    counter.manager.endImplicitGroup()
    counter.set(3)
    counter.manager.undo()
    #expect(counter.value == 2)
    counter.manager.undo()
    #expect(counter.value == 0)
    counter.manager.redo()
    #expect(counter.value == 2)
  }

  @Test("without groups by event undoes each change by itself")
  func single() {
    let counter = Counter()
    counter.manager.groupsByEvent = false
    counter.set(1)
    counter.set(2)
    counter.manager.undo()
    #expect(counter.value == 1)
  }

  @Test("undoes nested groups with the outer one")
  func nested() {
    let counter = Counter()
    grouped(counter.manager) {
      counter.set(1)
      grouped(counter.manager) { counter.set(2) }
      counter.manager.endImplicitGroup()
    }
    counter.manager.undo()
    #expect(counter.value == 0)
  }

  @Test("forgets what could be redone when something new is done")
  func branching() {
    let counter = Counter()
    grouped(counter.manager) { counter.set(1) }
    counter.manager.undo()
    #expect(counter.manager.canRedo)
    grouped(counter.manager) { counter.set(5) }
    #expect(!counter.manager.canRedo)
  }

  @Test("registers nothing while registration is disabled")
  func disabled() {
    let counter = Counter()
    counter.manager.disableUndoRegistration()
    counter.set(1)
    #expect(!counter.manager.canUndo)
    counter.manager.enableUndoRegistration()
    counter.set(2)
    counter.manager.undo()
    #expect(counter.value == 1)
  }

  @Test("remembers as many groups as it is told")
  func levels() {
    let counter = Counter()
    counter.manager.levelsOfUndo = 2
    for value in 1...5 { grouped(counter.manager) { counter.set(value) } }
    for _ in 0..<5 { counter.manager.undo() }
    #expect(counter.value == 3)
  }

  @Test("does not keep its targets")
  func targets() {
    let manager = UndoManager()
    var target: NSObject? = NSObject()
    weak let reference = target
    var performed = false
    manager.registerUndo(withTarget: target!) { _ in performed = true }
    target = nil
    #expect(reference == nil)
    manager.undo()
    #expect(!performed)
  }

  @Test("forgets everything, or the actions of one target")
  func forgetting() {
    let (first, second) = (Counter(), NSObject())
    var performed = false
    first.set(1)
    first.manager.registerUndo(withTarget: second) { _ in performed = true }
    first.manager.endImplicitGroup()
    first.manager.removeAllActions(withTarget: second)
    first.manager.undo()
    #expect(!performed)
    #expect(first.value == 0)
    first.manager.removeAllActions()
    #expect(!first.manager.canRedo)
  }

  @Test("names what it would undo and redo")
  func names() {
    let counter = Counter()
    grouped(counter.manager) {
      counter.set(1)
      counter.manager.setActionName("Counting")
    }
    #expect(counter.manager.undoMenuItemTitle == "Undo Counting")
    counter.manager.undo()
    #expect(counter.manager.redoActionName == "Counting")
    #expect(counter.manager.undoMenuItemTitle == "Undo")
    counter.manager.redo()
    #expect(counter.manager.undoActionName == "Counting")
  }

  @Test("tells when it undid something")
  func notifications() async {
    let counter = Counter()
    grouped(counter.manager) { counter.set(1) }
    await confirmation { undone in
      let token = NotificationCenter.default.addObserver(
        forName: .NSUndoManagerDidUndoChange,
        object: counter.manager,
        queue: nil
      ) { _ in undone() }
      counter.manager.undo()
      NotificationCenter.default.removeObserver(token)
    }
  }
}
