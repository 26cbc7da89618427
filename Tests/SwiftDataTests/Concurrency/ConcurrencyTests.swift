#if os(Linux)
  import CrashModels
#endif
import Foundation
import SwiftData
import Testing

private enum Busy {
  @Model final class Counter {
    @Attribute(.unique) var name: String
    var value = 0
    init(name: String) { self.name = name }
  }
}

@ModelActor private actor Writer {
  func add(_ names: [String]) throws {
    for name in names { modelContext.insert(Busy.Counter(name: name)) }
    try modelContext.save()
  }

  func names() throws -> [String] {
    try modelContext.fetch(FetchDescriptor<Busy.Counter>(sortBy: [SortDescriptor(\.name)])).map(\.name)
  }

  func raise(_ id: PersistentIdentifier) throws {
    guard let counter = self[id, as: Busy.Counter.self] else { return }
    counter.value += 1
    try modelContext.save()
  }
}

@Suite struct ConcurrencyTests {
  @Test("Eight model actors that write at once lose nothing, and each sees the others' saves")
  func actors() async throws {
    let store = try TemporaryStore()
    let container = try store.container(Busy.Counter.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let writer = Writer(modelContainer: container)
          for batch in 0..<10 { try await writer.add((0..<5).map { "\(number).\(batch).\($0)" }) }
          // Its own are there, whatever the others do.
          let own = try await writer.names().filter { $0.hasPrefix("\(number).") }
          #expect(own.count == 50)
        }
      }
      try await group.waitForAll()
    }
    #expect(try await Writer(modelContainer: container).names().count == 400)
    #expect(try store.shell("SELECT count(*) FROM Counter; PRAGMA integrity_check") == "400\nok")
  }

  @Test("One actor's increments are in order, and a reader that holds the object sees the last")
  func oneActor() async throws {
    let store = try TemporaryStore()
    let container = try store.container(Busy.Counter.self)
    let context = ModelContext(container)
    let counter = Busy.Counter(name: "c")
    context.insert(counter)
    try context.save()
    let id = counter.persistentModelID
    let writer = Writer(modelContainer: container)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 { group.addTask { try? await writer.raise(id) } }
    }
    _ = try context.fetch(FetchDescriptor<Busy.Counter>())
    #expect(counter.value == 50)
  }

  #if os(Linux)
    @Test("What a second process saves is seen by the next fetch, in registered objects too")
    func secondProcess() throws {
      let store = try TemporaryStore()
      let container = try ledgerContainer(store.url.path)
      let context = ModelContext(container)
      #expect(try context.fetchCount(FetchDescriptor<Ledger>()) == 0)
      let first = try save(until: 3, store)
      let ledger = try #require(try context.fetch(FetchDescriptor<Ledger>()).first)
      #expect(ledger.total >= 3 * Ledger.entriesInBatch)
      #expect(ledger.batches.map(\.number).contains(first))
      let second = try save(until: first + 3, store)
      _ = try context.fetch(FetchDescriptor<Ledger>())
      #expect(ledger.total >= second * Ledger.entriesInBatch)
      #expect(ledger.batches.map(\.number).contains(second))
    }

    @Test("What a second process saves after a save of this one is seen by the next fetch")
    func secondProcessAfterOwnSave() throws {
      let store = try TemporaryStore()
      let container = try ledgerContainer(store.url.path)
      let context = ModelContext(container)
      let ledger = Ledger()
      context.insert(ledger)
      try context.save()
      #expect(try context.fetch(FetchDescriptor<Ledger>()).count == 1)
      ledger.batches.append(Batch(number: 1))
      try context.save()
      let last = try save(until: 4, store)
      _ = try context.fetch(FetchDescriptor<Ledger>())
      #expect(ledger.total >= (last - 1) * Ledger.entriesInBatch)
      #expect(ledger.batches.map(\.number).contains(last))
    }

    /// Runs the helper until it has saved a batch of this number.
    /// - Returns: the last one that it acknowledged.
    private func save(until number: Int, _ store: TemporaryStore) throws -> Int {
      let helper = try Helper("save", store.url.path)
      let hasSaved = helper.wait { Int($0).map { $0 >= number } ?? false }
      let lines = try helper.kill()
      try #require(hasSaved, "the helper ended by itself")
      return lines.last.flatMap { Int($0) } ?? 0
    }
  #endif
}
