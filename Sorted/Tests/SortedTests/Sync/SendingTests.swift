import FirestoreProtocol
import Foundation
import SwiftData
import Testing

@testable import Sorted

@Suite("Sending with faults") struct SendingTests {
  private let server: LocalServer
  private let ann: SyncClient

  init() async throws {
    server = try await LocalServer()
    ann = try SyncClient("ann", server.client)
    try ann.begin("c", with: "bob")
  }

  private func texts() async throws -> [FirestoreValue?] {
    try await server.messages(in: "c").map { $0.fields["text"] }
  }

  private static func poisoned(_ status: FirestoreError.Status) -> @Sendable ([FirestoreWrite]) -> FaultyDatabase.Fault?
  {
    { writes in
      writes.contains { $0.update?.fields["text"] == .string("poison") }
        ? .refusal(FirestoreError(status, "not this one")) : nil
    }
  }

  @Test("An answer that is lost after the commit makes no second message, in the same run or after a crash")
  func lostAnswer() async throws {
    let id = try ann.send("once", to: "c")
    await ann.database.decide { _ in .lostAnswer }
    await #expect(throws: FaultyDatabase.silence) { try await ann.sync() }
    #expect(try ann.message(id) == "once sending/pending")
    #expect(try ann.inbox { try $0.message(id).retryCount } == 0)
    #expect(try ann.status().lastError == "UNAVAILABLE: nobody answers")
    await ann.database.decide(nil)
    let second = try ann.send("twice", to: "c")
    let report = try await ann.sync()
    #expect(report.outgoing.sent == 2)
    #expect(try ann.message(id) == "once sent/synced")
    #expect(try ann.message(second) == "twice sent/synced")
    #expect(try await texts() == [.string("once"), .string("twice")])
    #expect(try ann.status().lastError == nil)
  }

  @Test("A text changed after a lost answer replaces the one that went out")
  func changedAfterLostAnswer() async throws {
    let id = try ann.send("frist", to: "c")
    await ann.database.decide { _ in .lostAnswer }
    await #expect(throws: FaultyDatabase.silence) { try await ann.sync() }
    await ann.database.decide(nil)
    try ann.inbox { try $0.edit(try $0.message(id), text: "first") }
    try await ann.sync()
    #expect(try ann.message(id) == "first sent/synced")
    #expect(try await texts() == [.string("first")])
  }

  @Test("A change that is made between a commit and its answer is sent afterwards")
  func changeInFlight() async throws {
    let id = try ann.send("frist", to: "c")
    let container = ann.container
    await ann.database.beforeNextAnswer {
      let context = ModelContext(container)
      let inbox = InboxService(context: context)
      try inbox.edit(try inbox.message(id), text: "first")
      try context.save()
    }
    try await ann.sync()
    #expect(try ann.message(id) == "first sent/synced")
    #expect(try await texts() == [.string("first")])
  }

  @Test("A message that is refused for good fails with the reason, alone; the others go in their order")
  func poison() async throws {
    for number in 0..<20 { try ann.send(number == 7 ? "poison" : "\(number)", to: "c") }
    await ann.database.decide(Self.poisoned(.invalidArgument))
    let report = try await ann.sync()
    #expect(report.outgoing.sent == 19 && report.outgoing.failed == 1)
    #expect(try await texts() == (0..<20).filter { $0 != 7 }.map { .string("\($0)") })
    let failed = try ann.status().failed
    #expect(failed.map(\.text) == ["poison"])
    #expect(failed.map(\.reason) == ["INVALID_ARGUMENT: not this one"])
    #expect(failed.map(\.nextAttempt) == [nil])
    ann.clock.advance(3_600)
    let commits = await ann.database.commits
    try await ann.sync(ignoringDelays: true)
    #expect(await ann.database.commits == commits, "it is not tried again by itself")
    await ann.database.decide(nil)
    #expect(try ann.inbox { try $0.retry(failed[0].id) } == 1)
    try await ann.sync()
    #expect(try ann.message(failed[0].id) == "poison sent/synced")
  }

  @Test("What fails for now is tried again after 1 and 2 s, and stays failed after the third time, until it is retried")
  func retries() async throws {
    let id = try ann.send("later", to: "c")
    await ann.database.decide { _ in .refusal(FirestoreError(.resourceExhausted, "too much")) }
    for (failures, delay) in [(1, 1.0), (2, 2.0)] {
      try await ann.sync()
      let next = try ann.inbox { try $0.message(id).nextSyncAttempt }
      #expect(next == ann.clock.now.addingTimeInterval(delay))
      let commits = await ann.database.commits
      #expect(commits == failures)
      ann.clock.advance(delay - 0.01)
      try await ann.sync()
      #expect(await ann.database.commits == commits, "it waits")
      ann.clock.advance(0.01)
    }
    try await ann.sync()
    #expect(try ann.message(id) == "later sending/failed")
    #expect(try ann.inbox { try !$0.message(id).shouldRetry })
    #expect(try ann.status().failed.map(\.reason) == ["RESOURCE_EXHAUSTED: too much"])
    ann.clock.advance(3_600)
    await ann.database.decide(nil)
    #expect(try await ann.sync(ignoringDelays: true).pending == 0)
    #expect(try ann.message(id) == "later sending/failed")
    #expect(try ann.inbox { try $0.retry() } == 1)
    try await ann.sync()
    #expect(try ann.message(id) == "later sent/synced")
  }

  @Test("A clock that is set back does not make a message wait longer")
  func clockSetBack() async throws {
    let id = try ann.send("later", to: "c")
    await ann.database.decide { _ in .refusal(FirestoreError(.aborted, "busy")) }
    try await ann.sync()
    await ann.database.decide(nil)
    ann.clock.advance(-86_400)
    try await ann.sync()
    #expect(try ann.message(id) == "later sent/synced")
  }

  @Test("No message overtakes an earlier one of its conversation that waits; other conversations do not wait")
  func order() async throws {
    try ann.begin("d", with: "bob")
    await ann.database.decide(Self.poisoned(.aborted))
    try ann.send("poison", to: "c")
    try await ann.sync()
    try ann.send("after", to: "c")
    let other = try ann.send("other", to: "d")
    let report = try await ann.sync()
    #expect(report.outgoing.sent == 1 && report.pending == 2)
    #expect(try ann.message(other) == "other sent/synced")
    #expect(try await texts() == [])
    await ann.database.decide(nil)
    try await ann.sync(ignoringDelays: true)
    #expect(try await texts() == [.string("poison"), .string("after")])
  }

  @Test("A server that does not know the user fails what it was asked for and is not asked for the rest")
  func stranger() async throws {
    try ann.begin("d", with: "bob")
    for number in 0..<600 { try ann.send("\(number)", to: number < 500 ? "c" : "d") }
    await ann.database.decide { _ in .refusal(FirestoreError(.unauthenticated, "who?")) }
    await #expect(throws: FirestoreError.self) { try await ann.sync() }
    #expect(await ann.database.commits == 1)
    let status = try ann.status()
    #expect(status.failedCount == 497 && status.pending == 103)
  }

  @Test("Another message with the same identifier on the server is not taken for ours")
  func identifiers() async throws {
    try ann.send("first", to: "c")
    try await ann.sync()
    let id = try ann.send("mine", to: "c")
    let name = "\(server.client.root)/conversations/c/messages/\(id)"
    let theirs: [String: FirestoreValue] = [
      "id": .string(id), "senderID": .string("eve"), "text": .string("theirs"),
      "createdAt": .timestamp(FirestoreTimestamp(seconds: 5)),
    ]
    try await server.client.commit([.update(FirestoreDocument(name: name, fields: theirs))])
    try await ann.sync()
    #expect(try ann.message(id) == "mine sending/failed")
    #expect(try ann.status().failed.first?.reason.contains("another message") == true)
    #expect(try await texts() == [.string("theirs"), .string("first")])
  }

  @Test("A message whose document was deleted is not made again by a change")
  func deleted() async throws {
    let id = try ann.send("first", to: "c")
    try await ann.sync()
    try await server.client.commit([.delete("\(server.client.root)/conversations/c/messages/\(id)")])
    try ann.inbox { try $0.edit(try $0.message(id), text: "second") }
    try await ann.sync()
    #expect(try ann.message(id) == "second sent/failed")
    #expect(try await texts() == [])
  }

  @Test(
    "10,000 queued messages of a conversation are 21 commits, those of 1,000 conversations 27; none has over 500 writes"
  )
  func batches() async throws {
    for (conversations, commits) in [(1, 21), (1_000, 27)] {
      let database = SwallowingDatabase()
      let container = try SortedContainer.inMemory()
      let context = ModelContext(container)
      for number in 0..<conversations {
        context.insert(ConversationEntity(id: "c\(number)", participantIDs: ["ann", "bob"]))
      }
      let start = Date(timeIntervalSince1970: 1_700_000_000)
      for number in 0..<10_000 {
        context.insert(
          MessageEntity(
            id: "m\(number)", conversationID: "c\(number % conversations)", senderID: "ann", text: "\(number)",
            createdAt: start.addingTimeInterval(Double(number))))
      }
      try context.save()
      let service = MessageSyncService(modelContainer: container, database: database, userID: "ann")
      let report = try await service.processSyncQueue()
      #expect(report.sent == 10_000 && report.failed == 0)
      #expect(report.commits == commits)
      let sizes = await database.sizes
      #expect(sizes.count == commits && sizes.max()! <= 500)
      let texts = await database.texts.compactMap { Int($0) }
      #expect(texts.count == 10_000 && Set(texts).count == 10_000)
      let threads = Dictionary(grouping: texts) { $0 % conversations }
      #expect(threads.values.allSatisfy { $0 == $0.sorted() })
      #expect(try await service.pendingCount() == 0)
    }
  }

  @Test("A conversation with more people than a commit has room for is refused with a reason")
  func crowd() async throws {
    _ = try ann.inbox { try $0.begin("crowd", with: (0..<401).map { "u\($0)" }) }
    let id = try ann.send("all", to: "crowd")
    try await ann.sync()
    #expect(try ann.message(id) == "all sending/failed")
    #expect(try ann.status().failed.first?.reason.contains("400 participants") == true)
  }

  @Test("A second sync of the same store is refused while one runs")
  func lock() async throws {
    let folder = try TemporaryFolder()
    let client = try SyncClient("ann", server.client, container: try SortedContainer.open(folder.store))
    let lock = try SyncLock(of: client.container)
    await #expect(throws: SyncError.busy(folder.store.path)) { try await client.sync() }
    withExtendedLifetime(lock) {}
  }
}
