#if Sync
#if DEBUG
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import Testing

@testable import SwiftDataSync

/// The work in memory, counted as uses of records' names: nearly all of it looks a record up or compares two. Statements of the store are
/// counted elsewhere.
@Suite("The work of sync in memory", .serialized)
struct MemoryGrowthTests {
  /// Expects that eight times as much to do takes about eight times as many uses of names.
  /// - Parameters:
  ///   - sizes: the numbers of objects, each twice the one before.
  ///   - uses: the uses for so many objects.
  private func expectLinear(
    _ sizes: [Int], _ name: String, sourceLocation: SourceLocation = #_sourceLocation, _ uses: (Int) throws -> Int
  ) rethrows {
    let counts = try sizes.map(uses)
    #expect(sizes.count == 4 && counts[0] > sizes[0], "\(name): \(counts)", sourceLocation: sourceLocation)
    // A zone that comes in parts costs more than one that comes at once. Work that is quadratic takes 64 times as many.
    #expect(counts[3] < 12 * counts[0], "\(name): \(counts)", sourceLocation: sourceLocation)
  }

  private func uses(_ body: () throws -> Void) rethrows -> Int { try NameUses.count(body) }

  @Test("grows with the number of changed objects of a save, for the device that sends it and for one that takes it in")
  func changedObjects() throws {
    var taken: [Int: Int] = [:]
    let sizes = [50, 100, 200, 400]
    try expectLinear(sizes, "sent") { count in
      let group = try ZoneGroup(simulationModels)
      try group.save(0) { context in
        for number in 0..<count {
          let project = SimProject(title: "\(number)")
          context.insert(project)
          project.tasks = [SimTask(title: "a"), SimTask(title: "b")]
        }
      }
      try group.syncAll()
      // Of each project one member comes, one changes and one goes.
      try group.save(0) { context in
        for project in try context.fetch(FetchDescriptor<SimProject>()) {
          project.title += "!"
          context.delete(try #require(project.tasks.first { $0.title == "a" }))
          try #require(project.tasks.first { $0.title == "b" }).estimate = 1
          let task = SimTask(title: "c")
          context.insert(task)
          task.project = project
        }
      }
      let sent = try uses { try group.sync(0) }
      taken[count] = try uses { try group.sync(1) }
      let projects = try group.all(SimProject.self, 1)
      #expect(projects.count == count && projects.allSatisfy { $0.tasks.map(\.title) == ["b", "c"] })
      return sent
    }
    expectLinear(sizes, "taken") { taken[$0] ?? 0 }
  }

  @Test("of one save does not grow with the number of saves that wait to be sent")
  func unsentSaves() throws {
    let counts = try [50, 400].map { count in
      let group = try ZoneGroup(simulationModels)
      try group.save(0) { $0.insert(SimProject(title: "p")) }
      try group.syncAll()
      for number in 0..<count {
        try group.save(0) { $0.insert(SimProject(title: "\(number)")) }
        try group.replicas[0].capture()
      }
      try group.save(0) { $0.insert(SimProject(title: "last")) }
      let uses = try uses { try group.replicas[0].capture() }
      #expect(group.replicas[0].pendingCount == count + 1)
      return uses
    }
    #expect(counts[0] > 10 && counts[1] < counts[0] * 2, "\(counts)")
  }

  @Test("grows with the number of saves")
  func saves() throws {
    var taken: [Int: Int] = [:]
    let sizes = [50, 100, 200, 400]
    try expectLinear(sizes, "sent") { count in
      let group = try ZoneGroup(simulationModels)
      try group.save(0) { $0.insert(SimProject(title: "p")) }
      try group.syncAll()
      for number in 0..<count {
        try group.save(0) { context in
          let task = SimTask(title: "\(number)")
          context.insert(task)
          task.project = try group.first(SimProject.self, context)
        }
      }
      let sent = try uses { try group.sync(0) }
      taken[count] = try uses { try group.sync(1) }
      #expect(try group.all(SimTask.self, 1).count == count)
      return sent
    }
    expectLinear(sizes, "taken") { taken[$0] ?? 0 }
  }

  @Test("grows with the number of objects that move into a share")
  func moves() throws {
    var taken: [Int: Int] = [:]
    let sizes = [50, 100, 200, 400]
    try expectLinear(sizes, "sent") { count in
      let group = try SharedGroup(["ann", "ann"])
      try group.save(0) { context in
        let playlist = SharedPlaylist("Jazz")
        context.insert(playlist)
        playlist.tracks = (0..<count).map { SharedTrack("\($0)") }
        for track in playlist.tracks { track.comments = [SharedComment("c")] }
      }
      try group.syncAll()
      let sent = try uses {
        try group.share(0)
        try group.sync(0)
      }
      taken[count] = try uses { try group.sync(1) }
      #expect(try group.contents(1).filter { $0.hasSuffix("in Jazz, c") }.count == count)
      return sent
    }
    expectLinear(sizes, "taken") { taken[$0] ?? 0 }
  }

  // MARK: - The updates of one step

  private static let ann = ZoneName.account("ann")
  private static let share = ZoneName.share("1")
  private static let models = SyncModels([
    "List": .init([.init("title", .attribute), .init("items", .list("Item", inverse: "list", isCascade: true))]),
    "Item": .init([.init("list", .toOne("List", isExclusive: false))]),
  ])

  private static func name(_ number: Int) -> RecordName {
    RecordName("00000000-0000-7000-8000-\(100_000_000_000 + number)")
  }
  private static func time(_ milliseconds: Int64) -> HybridTime {
    HybridTime(milliseconds: milliseconds, counter: 0, replica: 1)
  }

  @Test("does not grow with what earlier updates of the step changed")
  func updates() throws {
    try expectLinear([50, 100, 200, 400], "added") { count in
      var states = ZoneStates([Self.ann: ZoneState(), Self.share: ZoneState()])
      func list(_ title: String, at time: Int64) -> Registers {
        var registers = Registers()
        registers.born = Stamped(Self.time(1), "List")
        registers.fields["title"] = Stamped(Self.time(time), .text(ExactText(title)))
        return registers
      }
      for number in 0..<count { states[Self.ann].join(Self.name(number), list("a", at: 1)) }
      var records = MemoryRecords(states, Self.models)
      for (key, row) in View(states, Self.models).groups.row { records.show(key, by: row) }
      var work = RowWork()
      var used = 0
      func add(_ changes: [RecordKey: Registers?]) throws {
        // What is read of one update must not be kept for the next one.
        let before = ShownRows(records, Self.models)
        let update = try ViewUpdate(before, changes: changes)
        used += try uses { try work.add(update, before, saved: [:], of: []) }
      }
      for number in 0..<count {
        try add([RecordKey(Self.ann, Self.name(number)): list("b", at: 2)])
      }
      for number in 0..<count {
        var item = Registers()
        item.born = Stamped(Self.time(2), "Item")
        item.fields["list"] = Stamped(Self.time(2), .reference(Reference(Self.name(number))))
        try add([RecordKey(Self.ann, Self.name(count + number)): item])
      }
      #expect(work.appended.count == count)
      for number in 0..<count {
        var departure = Registers()
        departure.home = Home(moves: 1, time: Self.time(3), zone: Self.share)
        try add([
          RecordKey(Self.ann, Self.name(number)): list("a", at: 1).joining(departure),
          RecordKey(Self.share, Self.name(number)): list("a", at: 1).joining(departure),
        ])
      }
      #expect(work.former.count == count)
      return used
    }
  }
}
#endif
#endif
