#if Sync
import Foundation
import SwiftData
import Testing

@testable import SwiftDataSync

@Model private final class ReadReceipt {
  var readers: String = ""
  init() {}
}

/// Readers of both sides.
private struct AllReaders: ConflictResolver {
  func resolve(local: ReadReceipt, remote: ReadReceipt) { local.readers = remote.readers + local.readers }
}

@Suite("A crash in an import")
struct InterruptedImportTests {
  private let server = ZoneServer()

  private func save(_ node: ZoneNode, _ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(node.container)
    try body(context)
    try context.save()
  }

  /// Takes in the whole log and crashes.
  private func crashWhileImporting(_ node: ZoneNode, at crash: CrashPoint) throws {
    // The first answer has the epochs.
    let first = node.replica.pullRequest()
    _ = try node.replica.take(server.pull(first, by: node.account, limit: 100), for: first)
    let request = node.replica.pullRequest()
    let response = server.pull(request, by: node.account, limit: 100)
    node.crashesAt = crash
    #expect(throws: SimulatedCrash.self) { try node.replica.take(response, for: request) }
    try node.start()
  }

  @Test(
    "Two records that the import merged stay one object, and later changes reach it",
    arguments: (0..<8).map(CrashPoint.statement) + [.commit(0)])
  func merged(_ crash: CrashPoint) throws {
    let (one, other) = (
      try ZoneNode(0, server, seed: 1),
      try ZoneNode(1, server, seed: 2)
    )
    // The record of the first replica has the smaller name, so the second replica's object changes its record.
    try save(one) { context in
      context.insert(SimPerson(email: "ann@example.com"))
      // The import has something to save besides the merge.
      context.insert(SimMark(id: UUID(), after: nil))
    }
    try one.settle()
    server.now += 1000
    try save(other) { $0.insert(SimPerson(email: "ann@example.com")) }
    try crashWhileImporting(other, at: crash)
    try other.settle()
    try one.settle()
    try save(one) { context in
      let badge = SimBadge(number: 7)
      context.insert(badge)
      badge.person = try context.fetch(FetchDescriptor<SimPerson>())[0]
    }
    for node in [one, other] { try node.settle() }
    for node in [one, other] {
      let badges = try ModelContext(node.container).fetch(FetchDescriptor<SimBadge>())
      #expect(badges.map(\.person?.email) == ["ann@example.com"], "replica \(node.index)")
    }
  }

  @Test(
    "A resolver decides each conflict once", arguments: (0..<5).map(CrashPoint.statement) + [.commit(0)])
  func resolver(_ crash: CrashPoint) throws {
    var resolvers = ConflictResolvers()
    resolvers.add(AllReaders())
    let group = try ZoneGroup([ReadReceipt.self], resolvers: resolvers)
    try group.save(0) { $0.insert(ReadReceipt()) }
    try group.syncAll()
    // The second one loses by its time, so that the import changes the object.
    for (index, reader) in [(1, "b"), (0, "a")] {
      try group.save(index) { try group.first(ReadReceipt.self, $0).readers = reader }
      try group.replicas[index].capture()
    }
    try group.sync(0)
    group.crashesAt = crash
    #expect(throws: SimulatedCrash.self) { try group.sync(1) }
    if crash == .commit(0) { try group.save(1) { try group.first(ReadReceipt.self, $0).readers += "c" } }
    try group.restart(1)
    try group.sync(1)
    try group.syncAll()
    for index in 0..<2 {
      let expected = crash == .commit(0) ? "abc" : "ab"
      #expect(try group.all(ReadReceipt.self, index).map(\.readers) == [expected], "replica \(index)")
    }
  }

  @Test("A resolver is asked also if its replica sent its change first", arguments: [[0, 1], [1, 0]])
  func sentFirst(_ order: [Int]) throws {
    var resolvers = ConflictResolvers()
    resolvers.add(AllReaders())
    let group = try ZoneGroup([ReadReceipt.self], resolvers: resolvers)
    try group.save(0) { $0.insert(ReadReceipt()) }
    try group.syncAll()
    for index in order {
      try group.save(index) { try group.first(ReadReceipt.self, $0).readers = ["a", "b"][index] }
      try group.replicas[index].capture()
    }
    try group.sync(0)
    try group.push(1)
    try group.sync(1)
    try group.syncAll()
    for index in 0..<2 {
      #expect(try group.all(ReadReceipt.self, index).map(\.readers) == ["ab"], "replica \(index)")
    }
  }
}
#endif
