import Foundation
import SwiftData
import Testing

@Suite struct HistoryObserverTests {
  @Test("It counts saves from now on, of any context, and keeps its place")
  func counts() throws {
    let container = try Live.container()
    let context = ModelContext(container)
    context.insert(Live.Visitor(name: "Before"))
    try context.save()
    let observer = try HistoryObserver(modelContainer: container)
    #expect(observer.eventCounter == 0)
    context.insert(Live.Visitor(name: "Ada"))
    try context.save()
    #expect(observer.eventCounter == 1)
    let counter = ChangeCounter { _ = observer.eventCounter }
    for name in ["Eve", "Bob"] {
      context.insert(Live.Visitor(name: name))
      try context.save()
    }
    #expect(observer.eventCounter == 2)
    #expect(counter.count == 1)
    let token = try #require(observer.historyTokens.values.first as? DefaultHistoryToken)
    let last = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last
    #expect(token == last?.token)
  }

  @Test("It can be read on any thread, and counts each save once")
  func threads() async throws {
    let container = try Live.container()
    let observer = try HistoryObserver(modelContainer: container)
    for number in 1...20 {
      let context = ModelContext(container)
      context.insert(Live.Visitor(name: "\(number)"))
      try context.save()
      let counts = await withTaskGroup(of: Int.self) { group in
        for _ in 0..<8 { group.addTask { observer.eventCounter } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(counts.allSatisfy { $0 == number || $0 == number - 1 })
      #expect(observer.eventCounter == number)
    }
  }

  @Test("It counts only the models and authors that it was given")
  func filters() throws {
    let container = try Live.container()
    let models = try HistoryObserver(observedModels: [Live.Book.self], modelContainer: container)
    let authors = try HistoryObserver(authors: ["sync"], modelContainer: container)
    let context = ModelContext(container)
    context.author = "person"
    context.insert(Live.Book("One"))
    try context.save()
    #expect((models.eventCounter, authors.eventCounter) == (1, 0))
    context.author = "sync"
    context.insert(Live.Visitor(name: "Ada"))
    try context.save()
    #expect((models.eventCounter, authors.eventCounter) == (1, 1))
  }

  @Test("A change that it cannot read counts when it can")
  func countsLater() throws {
    let store = try TemporaryStore()
    let container = try store.container(Live.Shelf.self)
    let observer = try HistoryObserver(observedModels: [Live.Shelf.self], modelContainer: container)
    let context = ModelContext(container)
    context.insert(Live.Shelf(name: "A"))
    try context.save()
    #expect(try store.shell("UPDATE _swiftdata_history SET changes = '{' || changes") == "")
    #expect(observer.eventCounter == 0)
    #expect(try store.shell("UPDATE _swiftdata_history SET changes = substr(changes, 2)") == "")
    #expect(observer.eventCounter == 1)
    #expect(observer.eventCounter == 1)
  }

  @Test("It goes on from a token, and refuses one whose history is gone")
  func continues() throws {
    let container = try Live.container()
    let context = ModelContext(container)
    for name in ["Ada", "Eve"] {
      context.insert(Live.Visitor(name: name))
      try context.save()
    }
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let token = transactions[0].token
    let observer = try HistoryObserver(
      historyTokens: [token.storeIdentifier: token], modelContainer: container)
    #expect(observer.eventCounter == 1)
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect {
      _ = try HistoryObserver(historyTokens: [token.storeIdentifier: token], modelContainer: container)
    } throws: {
      ($0 as? SwiftDataError)?.code == .historyTokenExpired
    }
  }

  @Test("The main actor hears of the save of another container, which is announced too")
  func hearsOfOthers() async {
    // In a process of its own: reading the notification's name makes all containers of a process watch their stores, and a watch that
    // looks holds a container that another test expects to end.
    await #expect(processExitsWith: .success) {
      // Ends the process if it hangs.
      alarm(600)
      try await HistoryObserverTests.hear()
    }
  }

  @MainActor private static func hear() async throws {
    let store = try TemporaryStore()
    let container = try store.container(Live.Shelf.self)
    let observer = try HistoryObserver(modelContainer: container)
    let foreign = ModelContext(try store.container(Live.Shelf.self))
    let identifier = try #require(observer.historyTokens.keys.first)
    let (changes, changed) = AsyncStream.makeStream(of: Void.self)
    let (notes, told) = AsyncStream.makeStream(of: String?.self)
    let token = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange, object: container, queue: nil
    ) { told.yield($0.userInfo?["storeIdentifier"] as? String) }
    defer { NotificationCenter.default.removeObserver(token) }
    withObservationTracking {
      _ = observer.eventCounter
    } onChange: {
      changed.yield()
    }
    foreign.insert(Live.Book("Theirs"))
    try foreign.save()
    for await _ in changes { break }
    // The watch posts it after the observer has heard.
    for await note in notes {
      #expect(note == identifier)
      break
    }
    #expect(observer.eventCounter == 1)
  }
}
