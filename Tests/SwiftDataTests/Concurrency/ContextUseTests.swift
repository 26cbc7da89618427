import Dispatch
import Foundation
import SwiftData
import Testing

private enum Hands {
  @Model final class Note {
    var text: String
    init(text: String) { self.text = text }
  }

  /// Carries what may not be carried, as careless code does.
  // @unchecked Sendable because the tests are about exactly that.
  final class Smuggled<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  static let mainQueue = DispatchSpecificKey<Bool>()

  static func container() throws -> ModelContainer {
    try ModelContainer(for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }
}

@ModelActor private actor Hopper {
  func add(_ text: String) throws -> String {
    modelContext.insert(Hands.Note(text: text))
    try modelContext.save()
    return "\(Unmanaged.passUnretained(Thread.current).toOpaque())"
  }

  func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Hands.Note>()) }
}

@Suite struct ContextUseTests {
  #if DEBUG
    @Test(
      "Where it is asked for, a fetch while another thread is in the context stops with both activities and what to do")
    func twoThreads() async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        setenv("SWIFTDATA_CONCURRENCY_DEBUG", "1", 1)
        let context = Hands.Smuggled(ModelContext(try Hands.container()))
        let isInside = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          try? context.value.transaction {
            isInside.signal()
            // Stays inside until the process is gone.
            DispatchSemaphore(value: 0).wait()
          }
        }
        isInside.wait()
        _ = try context.value.fetch(FetchDescriptor<Hands.Note>())
      }
      let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(message.contains("while a transaction runs on another thread"))
      #expect(message.contains("ModelContext(container)"))
      #expect(message.contains("@ModelActor"))
      #expect(message.contains("persistentModelID"))
    }

    @Test("Where it is asked for, a change of an object while another thread is in its context stops too")
    func changedObject() async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        setenv("SWIFTDATA_CONCURRENCY_DEBUG", "1", 1)
        let own = ModelContext(try Hands.container())
        let stored = Hands.Note(text: "a")
        own.insert(stored)
        try own.save()
        let context = Hands.Smuggled(own)
        let note = Hands.Smuggled(stored)
        let isInside = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          try? context.value.transaction {
            isInside.signal()
            DispatchSemaphore(value: 0).wait()
          }
        }
        isInside.wait()
        note.value.text = "b"
      }
      let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(message.contains("a change on a ModelContext, or on one of its objects, while a transaction runs"))
    }

    @Test("Where it is asked for, the main context off the main actor stops, also when nobody else is in it")
    func mainContext() async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        setenv("SWIFTDATA_CONCURRENCY_DEBUG", "1", 1)
        let context = try await MainActor.run { Hands.Smuggled(try Hands.container().mainContext) }
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          context.value.insert(Hands.Note(text: "a"))
          isDone.signal()
        }
        isDone.wait()
      }
      let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(message.contains("the mainContext of a container"))
      #expect(message.contains("MainActor.run"))
    }
  #endif

  @Test("The main context works in every job of the main actor, with pauses between")
  @MainActor func mainActor() async throws {
    let container = try Hands.container()
    for number in 0..<20 {
      container.mainContext.insert(Hands.Note(text: "\(number)"))
      await Task.yield()
      try container.mainContext.save()
    }
    #expect(try container.mainContext.fetchCount(FetchDescriptor<Hands.Note>()) == 20)
  }

  @Test("A context may go from thread to thread, one after the other, within transactions and enumerations too")
  func handedOn() throws {
    let context = Hands.Smuggled(ModelContext(try Hands.container()))
    // A semaphore, because Thread Sanitizer does not see that a continuation hands the context on.
    let isDone = DispatchSemaphore(value: 0)
    for number in 0..<20 {
      Thread.detachNewThread {
        try? context.value.transaction { context.value.insert(Hands.Note(text: "\(number)")) }
        try? context.value.enumerate(FetchDescriptor<Hands.Note>()) { _ = $0.text }
        isDone.signal()
      }
      isDone.wait()
    }
    #expect(try context.value.fetchCount(FetchDescriptor<Hands.Note>()) == 20)
    // A block that throws leaves no mark behind.
    struct Stop: Error {}
    #expect(throws: Stop.self) { try context.value.transaction { throw Stop() } }
    Thread.detachNewThread {
      context.value.rollback()
      isDone.signal()
    }
    isDone.wait()
  }

  @Test("A model actor whose jobs run on changing threads is not flagged")
  func hops() async throws {
    let container = try Hands.container()
    let actors = (0..<8).map { _ in Hopper(modelContainer: container) }
    let threads = try await withThrowingTaskGroup(of: Set<String>.self) { group in
      for actor in actors {
        group.addTask {
          var threads = Set<String>()
          for number in 0..<30 { threads.insert(try await actor.add("\(number)")) }
          return threads
        }
      }
      return try await group.reduce(into: Set()) { $0.formUnion($1) }
    }
    #expect(!threads.isEmpty)
    #expect(try await actors[0].count() == 240)
  }

  @Test("Autosave does not wait for a save of another thread whose observer waits for the main actor")
  func autosaveBesideObserver() async {
    await #expect(processExitsWith: .success) {
      // Ends the process if it hangs.
      alarm(600)
      let context = try await MainActor.run { Hands.Smuggled(try Hands.container().mainContext) }
      let (isPosting, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: nil, queue: nil) { _ in
        isPosting.signal()
        if !Thread.isMainThread, DispatchQueue.getSpecific(key: Hands.mainQueue) == nil { DispatchQueue.main.sync {} }
      }
      await MainActor.run {
        DispatchQueue.main.setSpecific(key: Hands.mainQueue, value: true)
        Thread.detachNewThread {
          // The change schedules an autosave, which runs as soon as the main actor is free.
          context.value.insert(Hands.Note(text: "a"))
          try? context.value.save()
          isDone.signal()
        }
        isPosting.wait()
      }
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          isDone.wait()
          continuation.resume()
        }
      }
      NotificationCenter.default.removeObserver(token)
      let count = try await MainActor.run { try context.value.fetchCount(FetchDescriptor<Hands.Note>()) }
      #expect(count == 1)
    }
  }
}
