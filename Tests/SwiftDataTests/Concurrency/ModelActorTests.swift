import Dispatch
import Foundation
import SwiftData
import Synchronization
import Testing

private enum Desk {
  @Model final class Paper {
    @Attribute(.unique) var name: String
    var pages = 0
    init(name: String) { self.name = name }
  }
}

@ModelActor private actor Clerk {
  /// Meets another actor: each waits, inside its job, until the other is in its own.
  func meet(signal: DispatchSemaphore, wait: DispatchSemaphore) {
    signal.signal()
    wait.wait()
  }

  func context() -> ObjectIdentifier { ObjectIdentifier(modelContext) }

  func file(_ name: String) throws {
    modelContext.insert(Desk.Paper(name: name))
    try modelContext.save()
  }

  func turn(_ name: String) throws {
    let found = try modelContext.fetch(FetchDescriptor<Desk.Paper>(predicate: #Predicate { $0.name == name }))
    found[0].pages += 1
    try modelContext.save()
  }
}

@Suite struct ModelActorTests {
  private static func container() throws -> ModelContainer {
    try ModelContainer(for: Desk.Paper.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test("An actor that the main actor made works while its maker's thread is blocked")
  @MainActor func ownExecutor() throws {
    let clerk = Clerk(modelContainer: try Self.container())
    let isDone = DispatchSemaphore(value: 0)
    let isOpen = DispatchSemaphore(value: 0)
    isOpen.signal()
    // Ahead of the tests that fill the cooperative pool, since this one holds the main thread.
    Task.detached(priority: .high) { await clerk.meet(signal: isDone, wait: isOpen) }
    // Without an executor of its own it could not get here, and the wait would never end.
    isDone.wait()
  }

  @Test("Two actors of one container have executors and contexts of their own: each can wait for the other in a job")
  func twoExecutors() async throws {
    let container = try Self.container()
    let first = Clerk(modelContainer: container)
    let second = Clerk(modelContainer: container)
    let one = DispatchSemaphore(value: 0)
    let two = DispatchSemaphore(value: 0)
    async let left: Void = first.meet(signal: one, wait: two)
    async let right: Void = second.meet(signal: two, wait: one)
    _ = await (left, right)
    #expect(await first.context() != second.context())
    #expect(first.modelExecutor !== second.modelExecutor)
  }

  @Test("More actors than cores, all blocked inside a save, leave the cooperative pool free for other tasks")
  func blockedSaves() async throws {
    let container = try Self.container()
    let count = ProcessInfo.processInfo.activeProcessorCount * 2 + 4
    let clerks = (0..<count).map { _ in Clerk(modelContainer: container) }
    var contexts = Set<ObjectIdentifier>()
    for clerk in clerks { contexts.insert(await clerk.context()) }
    let own = contexts
    let (inside, entered) = AsyncStream.makeStream(of: Void.self)
    let door = DispatchSemaphore(value: 0)
    let observer = NotificationCenter.default.addObserver(forName: ModelContext.willSave, object: nil, queue: nil) {
      guard let context = $0.object as? ModelContext, own.contains(ObjectIdentifier(context)) else { return }
      entered.yield()
      door.wait()
    }
    defer { NotificationCenter.default.removeObserver(observer) }

    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, clerk) in clerks.enumerated() { group.addTask { try await clerk.file("\(number)") } }
      var saving = inside.makeAsyncIterator()
      for _ in 0..<count { await saving.next() }
      // All are blocked now. These tasks hop through the pool; they could not, if it had no thread left.
      let sum = await withTaskGroup(of: Int.self) { others in
        for number in 0..<100 {
          others.addTask {
            await Task.yield()
            return number
          }
        }
        return await others.reduce(0, +)
      }
      #expect(sum == 4_950)
      for _ in 0..<count { door.signal() }
      try await group.waitForAll()
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Desk.Paper>()) == count)
  }

  @Test("The main context's object shows what an actor saved at the next fetch, and keeps its own unsaved changes")
  @MainActor func seenByMain() async throws {
    let container = try Self.container()
    let clerk = Clerk(modelContainer: container)
    try await clerk.file("a")
    let context = container.mainContext
    context.autosaveEnabled = false
    let paper = try #require(try context.fetch(FetchDescriptor<Desk.Paper>()).first)
    try await clerk.turn("a")
    #expect(try context.fetch(FetchDescriptor<Desk.Paper>()).first === paper)
    #expect(paper.pages == 1)
    // Of another property: both stay.
    paper.name = "b"
    try await clerk.turn("a")
    _ = try context.fetch(FetchDescriptor<Desk.Paper>())
    #expect(paper.name == "b")
    #expect(paper.pages == 2)
    try context.save()
    try await clerk.turn("b")
    _ = try context.fetch(FetchDescriptor<Desk.Paper>())
    #expect(paper.pages == 3)
  }
}
