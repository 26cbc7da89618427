#if Sync
import Foundation
import SwiftData
import SyncCore
import Testing

@testable import SwiftDataSync

@Model final class GrowthItem {
  var name: String = ""
  init(_ name: String) { self.name = name }
}

/// A relationship without an inverse.
@Model final class GrowthLink {
  var number: Int
  var next: GrowthLink?
  init(_ number: Int) { self.number = number }
}

@Suite("The cost of sync")
struct SyncGrowthTests {
  /// The statements that sending and taking in one change cost, beside so many objects.
  private func statements(_ count: Int) throws -> (sent: Int, taken: Int) {
    let group = try ZoneGroup([GrowthItem.self])
    try group.save(0) { context in for number in 0..<count { context.insert(GrowthItem("\(number)")) } }
    try group.syncAll()
    try group.save(0) { try group.first(GrowthItem.self, $0).name = "changed" }
    let sent = try SQLTrace.record { try group.sync(0) }.statements.count
    let taken = try SQLTrace.record { try group.sync(1) }.statements.count
    #expect(try group.all(GrowthItem.self, 1).contains { $0.name == "changed" })
    return (sent, taken)
  }

  @Test("A program may give its context any author")
  func author() throws {
    let group = try ZoneGroup([GrowthItem.self])
    try group.syncAll()
    try group.save(0) { context in
      context.author = "sync"
      context.insert(GrowthItem("a"))
    }
    try group.syncAll()
    #expect(try group.all(GrowthItem.self, 1).map(\.name) == ["a"])
  }

  @Test("Many large changes are sent in several requests of at most 4 MB")
  func largeChanges() throws {
    let group = try ZoneGroup([GrowthItem.self])
    try group.syncAll()
    for _ in 0..<3 {
      try group.save(0) { context in
        for _ in 0..<100 { context.insert(GrowthItem(String(repeating: "x", count: 20_000))) }
      }
      try group.replicas[0].capture()
    }
    let request = try #require(try group.replicas[0].pushRequest())
    #expect(request.transactions.reduce(0) { $0 + $1.encoded.count } <= 4 << 20)
    try group.syncAll()
    #expect(try group.all(GrowthItem.self, 1).count == 300)
  }

  @Test("An object of a large store leads to one that comes in a later part")
  func laterPart() throws {
    let group = try ZoneGroup([GrowthLink.self])
    try group.save(0) { context in
      let links = (0..<1500).map(GrowthLink.init)
      for link in links { context.insert(link) }
      links[0].next = links[1499]
    }
    try group.sync(0)
    // Each answer has one entry.
    try group.replicas[1].pull(from: group.server, limit: 1)
    let first = try group.all(GrowthLink.self, 1).filter { $0.number == 0 }
    #expect(first.map { $0.next?.number } == [1499])
  }

  @Test("A save beside unsent ones costs the same number of statements, however many these are, with shares too")
  func besideUnsent() throws {
    func statements(unsent: Int) throws -> (saved: Int, sent: Int) {
      let group = try SharedGroup(["ann"])
      try group.save(0) { context in
        context.insert(SharedPlaylist("Jazz"))
        for number in 0..<400 { context.insert(SharedTrack("\(number)")) }
      }
      try group.sync(0)
      try group.share(0, playlist: "Jazz")
      try group.sync(0)
      func rate(_ number: Int) throws {
        try group.save(0) { try group.track("\(number)", $0).rating = 5 }
        try group.devices[0].replica.capture()
      }
      for number in 0..<unsent { try rate(number) }
      let saved = try SQLTrace.record { try rate(399) }.statements.count
      let sent = try SQLTrace.record { try group.sync(0) }.statements.count
      return (saved, sent)
    }
    let (few, many) = (try statements(unsent: 20), try statements(unsent: 380))
    #expect(few.saved == many.saved)
    // Sent in two parts instead of one.
    #expect(many.sent <= few.sent * 4, "\(few.sent), \(many.sent)")
  }

  @Test("An answer beside unsent deletions costs the same number of statements, however many these are")
  func besideDeletions() throws {
    func statements(deletions: Int) throws -> Int {
      let group = try SharedGroup(["ann", "ann"])
      try group.save(0) { context in for number in 0...200 { context.insert(SharedTrack("\(number)")) } }
      try group.syncAll()
      try group.save(0) { context in
        for track in try context.fetch(FetchDescriptor<SharedTrack>()) where Int(track.title)! < deletions {
          context.delete(track)
        }
      }
      try group.devices[0].replica.capture()
      try group.save(1) { try group.track("200", $0).rating = 5 }
      try group.sync(1)
      return try SQLTrace.record { try group.devices[0].replica.pull(from: group.server) }.statements.count
    }
    #expect(try statements(deletions: 2) == statements(deletions: 150))
  }

  /// The statements that a step costs a device of an account with so many shares.
  private func statements(
    shares: Int, scopes: [SyncScope] = [], before: (SharedGroup) throws -> Void = { _ in },
    change: (SharedGroup) throws -> Void
  ) throws -> Int {
    let group = try SharedGroup(["ann", "ann"], scopes: scopes)
    try group.save(0) { context in
      context.insert(SharedTrack("single"))
      for number in 0..<shares { context.insert(SharedPlaylist("\(number)")) }
    }
    try group.sync(0)
    for number in 0..<shares { try group.share(0, as: .share(ExactText("\(number)")), playlist: "\(number)") }
    try group.syncAll()
    try before(group)
    try change(group)
    try group.sync(0)
    return try SQLTrace.record { try group.devices[1].replica.pull(from: group.server) }.statements.count
  }

  @Test("A change of a personal attribute costs the same number of statements, whatever the number of shares")
  func personal() throws {
    func cost(_ shares: Int) throws -> Int {
      try statements(shares: shares, scopes: [.account(\SharedPlaylist.isPinned)]) { group in
        try group.save(0) { try group.playlist("0", $0).isPinned = true }
      }
    }
    #expect(try cost(2) == cost(12))
  }

  @Test("A value that is lost costs the same number of statements, whatever the number of shares")
  func lostValue() throws {
    func cost(_ shares: Int) throws -> Int {
      try statements(shares: shares) { group in
        try group.save(1) { try group.track("single", $0).rating = 5 }
        try group.devices[1].replica.capture()
      } change: { group in
        try group.save(0) { context in context.delete(try group.track("single", context)) }
      }
    }
    #expect(try cost(2) == cost(12))
  }

  // A search of all values would take minutes.
  @Test("A value that a step may lose is found by its record", .timeLimit(.minutes(1)))
  func lossesByRecord() {
    var losses = ZoneReplica.Losses()
    let keys = (0..<200_000).map { RecordKey(.account("ann"), RecordName("\($0)")) }
    let property = SyncModels.Property("name", .attribute)
    func write(_ number: Int) -> Stamped<RegisterValue> { Stamped(.zero, .integer(Int64(number))) }
    for (number, key) in keys.enumerated() { losses.add(key, nil, [(property, write(number))]) }
    for (number, key) in keys.enumerated() {
      guard losses.has(write(number), of: key, "name"), !losses.has(write(-1), of: key, "name") else {
        Issue.record("\(key)")
        return
      }
    }
  }

  @Test("A device that began without objects does not compare what it took in with its objects")
  func noComparison() throws {
    let group = try ZoneGroup([GrowthItem.self])
    try group.save(0) { context in for number in 0..<100 { context.insert(GrowthItem("\(number)")) } }
    try group.syncAll()
    #expect(try group.all(GrowthItem.self, 1).count == 100)
    for replica in group.replicas {
      let statements = try SQLTrace.record { try replica.catchUp() }.statements
      #expect(statements.isEmpty)
    }
  }

  @Test("A device reads new objects once, to send them")
  func readsNewObjectsOnce() throws {
    let group = try ZoneGroup([GrowthItem.self])
    try group.syncAll()
    try group.save(0) { context in for number in 0..<100 { context.insert(GrowthItem("\(number)")) } }
    let statements = try SQLTrace.record { try group.replicas[0].capture() }.statements
    #expect(statements.count { $0.hasPrefix("SELECT") && $0.contains("GrowthItem") } == 1, "\(statements)")
    try group.syncAll()
    #expect(try group.all(GrowthItem.self, 1).count == 100)
  }

  @Test("One change costs the same number of statements, whatever the number of objects")
  func oneChange() throws {
    let (small, large) = (try statements(10), try statements(400))
    #expect(small == large)
  }

  @Test("A new member of a list costs the same, whatever the number of the other members, on both sides")
  func newMember() throws {
    /// The steps of SQLite that sending and taking in one task cost, beside so many others of its project.
    func steps(_ count: Int) throws -> (sent: Int, taken: Int) {
      let group = try ZoneGroup(simulationModels)
      func add(_ titles: [String]) throws {
        try group.save(0) { context in
          let project = try group.first(SimProject.self, context)
          for title in titles {
            let task = SimTask(title: title)
            context.insert(task)
            task.project = project
          }
        }
      }
      try group.save(0) { $0.insert(SimProject(title: "p")) }
      try add((0..<count).map(String.init))
      try group.syncAll()
      try add(["first"])
      // SQLite adds up the steps of a statement until they are read.
      _ = try SQLTrace.steps { try group.syncAll() }
      try add(["new"])
      let sent = try SQLTrace.steps { try group.sync(0) }
      let taken = try SQLTrace.steps { try group.sync(1) }
      let tasks = try group.first(SimProject.self, ModelContext(group.containers[1])).tasks.map(\.title)
      #expect(tasks == (0..<count).map(String.init) + ["first", "new"])
      return (sent, taken)
    }
    let (short, long) = (try steps(100), try steps(1600))
    #expect(long.sent < short.sent * 3 / 2, "\(short.sent), \(long.sent)")
    #expect(long.taken < short.taken * 3 / 2, "\(short.taken), \(long.taken)")
  }

  @Test("A part of a long list costs the same, however many members came in the parts before")
  func listInParts() throws {
    let group = try ZoneGroup(simulationModels)
    try group.sync(1)
    try group.save(0) { $0.insert(SimProject(title: "p")) }
    // The names of records that are made in one millisecond are in no order.
    group.isClockStill = true
    for part in 0..<12 {
      try group.save(0) { context in
        let project = try group.first(SimProject.self, context)
        for number in 0..<100 {
          let task = SimTask(title: "\(part * 100 + number)")
          context.insert(task)
          task.project = project
        }
      }
      try group.sync(0)
    }
    let steps = try (0..<13).map { _ in
      try SQLTrace.steps {
        let request = group.replicas[1].pullRequest()
        _ = try group.replicas[1].take(group.server.pull(request, by: "ann", limit: 1), for: request)
      }
    }
    #expect(steps[12] < steps[3] * 5 / 4, "\(steps)")
    let tasks = try group.first(SimProject.self, ModelContext(group.containers[1])).tasks.map(\.title)
    #expect(tasks == (0..<1200).map(String.init))
  }

  @Test("A save of many objects costs few statements per object, not more for more objects")
  func manyObjects() throws {
    func perObject(_ count: Int) throws -> Double {
      let group = try ZoneGroup([GrowthItem.self])
      try group.sync(0)
      try group.sync(1)
      try group.save(0) { context in for number in 0..<count { context.insert(GrowthItem("\(number)")) } }
      let all = try SQLTrace.record { try group.syncAll() }.statements.count
      return Double(all) / Double(count)
    }
    let (small, large) = (try perObject(50), try perObject(400))
    #expect(large <= small)
    // One insertion at the receiver. The bookkeeping has one row for many objects.
    #expect(large < 1.5, "\(large)")
  }

  @Test("Taking in many new objects reads as often as taking in few")
  func newObjects() throws {
    func reads(_ count: Int) throws -> Int {
      let group = try ZoneGroup([GrowthItem.self])
      try group.sync(0)
      try group.sync(1)
      try group.save(0) { context in for number in 0..<count { context.insert(GrowthItem("\(number)")) } }
      try group.sync(0)
      let taken = try SQLTrace.record { try group.sync(1) }.statements
      return taken.count { $0.hasPrefix("SELECT") }
    }
    #expect(try reads(200) == reads(1600))
  }

  @Test("Taking in changes of many objects of a class without scopes looks nothing up for each object")
  func manyChanges() throws {
    let group = try ZoneGroup([GrowthItem.self])
    try group.save(0) { context in for number in 0..<400 { context.insert(GrowthItem("\(number)")) } }
    try group.syncAll()
    try group.save(0) { context in
      for item in try context.fetch(FetchDescriptor<GrowthItem>()) { item.name += "!" }
    }
    try group.sync(0)
    let taken = try SQLTrace.record { try group.sync(1) }.statements.count
    #expect(try group.all(GrowthItem.self, 1).allSatisfy { $0.name.hasSuffix("!") })
    // One change of the object.
    #expect(taken < 400 * 5 / 4, "\(taken)")
  }
}
#endif
