import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

private enum BackV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Guest.self, Ticket.self] }

  @Model final class Guest {
    @Attribute(originalName: "nick") var name: String
    init(_ name: String) { self.name = name }
  }
  @Model final class Ticket {
    var code: String
    init(_ code: String) { self.code = code }
  }
}

private enum BackV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Guest.self, Ticket.self] }

  @Model final class Guest {
    @Attribute(.unique, originalName: "name") var nick: String
    var points: Int = 0
    init(_ nick: String, points: Int) {
      self.nick = nick
      self.points = points
    }
  }
  @Model final class Ticket {
    var code: String
    var owner: Guest
    init(_ code: String, _ owner: Guest) {
      self.code = code
      self.owner = owner
    }
  }
}

private struct Refused: Error {}

private enum BothWays: SchemaMigrationPlan {
  @TaskLocal static var isRefused = false
  static var schemas: [any VersionedSchema.Type] { [BackV1.self, BackV2.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: BackV1.self, toVersion: BackV2.self),
      .custom(
        fromVersion: BackV2.self, toVersion: BackV1.self,
        willMigrate: { context in
          for guest in try context.fetch(FetchDescriptor<BackV2.Guest>()) { guest.nick += "/\(guest.points)" }
        },
        didMigrate: { context in
          for ticket in try context.fetch(FetchDescriptor<BackV1.Ticket>()) { ticket.code += "'" }
          if isRefused { throw Refused() }
        }),
    ]
  }
}

private enum OneWay: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [BackV1.self, BackV2.self] }
  static var stages: [MigrationStage] { [.lightweight(fromVersion: BackV1.self, toVersion: BackV2.self)] }
}

@Suite("Leading back in PostgreSQL", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct BackwardMigrationTests {
  private let store = TestStore()

  private func open(
    _ version: any VersionedSchema.Type, _ plan: any SchemaMigrationPlan.Type = BothWays.self
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan, configurations: [store.configuration]))
  }

  private func fill() throws {
    let context = try open(BackV2.self)
    let ann = BackV2.Guest("ann", points: 5)
    context.insert(BackV2.Ticket("t", ann))
    context.insert(BackV2.Guest("bob", points: 7))
    try context.save()
  }

  @Test("runs the stages, and the older program saves what its models allow")
  func back() throws {
    try fill()
    let old = try open(BackV1.self)
    let sorted = FetchDescriptor<BackV1.Guest>(sortBy: [SortDescriptor(\.name)])
    let guests = try old.fetch(sorted)
    #expect(guests.map(\.name) == ["ann/5", "bob/7"])
    #expect(try old.fetch(FetchDescriptor<BackV1.Ticket>()).map(\.code) == ["t'"])
    // Names were unique, tickets had owners, and guests had points.
    old.insert(BackV1.Guest("bob/7"))
    old.insert(BackV1.Ticket("u"))
    old.delete(guests[0])
    try old.save()
    #expect(try ModelContext(old.container).fetch(sorted).map(\.name) == ["bob/7", "bob/7"])
    #expect(try open(BackV1.self).fetchCount(sorted) == 2)
  }

  @Test("can go forward again, with the values that only the newer models have")
  func forward() throws {
    try fill()
    let old = try open(BackV1.self)
    for ticket in try old.fetch(FetchDescriptor<BackV1.Ticket>()) { old.delete(ticket) }
    let double = BackV1.Guest("bob/7")
    for guest in [double, BackV1.Guest("eve")] { old.insert(guest) }
    try old.save()
    #expect(throws: SwiftDataError.uniquenessViolation) { try open(BackV2.self) }
    old.delete(double)
    try old.save()
    let new = try open(BackV2.self)
    let guests = try new.fetch(FetchDescriptor<BackV2.Guest>(sortBy: [SortDescriptor(\.nick)]))
    #expect(guests.map(\.nick) == ["ann/5", "bob/7", "eve"])
    #expect(guests.map(\.points) == [5, 7, 0])
    // Names are unique again.
    new.insert(BackV2.Guest("eve", points: 9))
    try new.save()
    #expect(try ModelContext(new.container).fetch(FetchDescriptor<BackV2.Guest>()).map(\.points).sorted() == [5, 7, 9])
  }

  @Test("changes nothing where a closure throws")
  func refused() throws {
    try fill()
    #expect(throws: Refused.self) { try BothWays.$isRefused.withValue(true) { try open(BackV1.self) } }
    let guests = try open(BackV2.self).fetch(FetchDescriptor<BackV2.Guest>(sortBy: [SortDescriptor(\.nick)]))
    #expect(guests.map(\.nick) == ["ann", "bob"])
    #expect(guests.map(\.points) == [5, 7])
  }

  @Test("says that no stages lead back where none do, and touches nothing")
  func noWayBack() throws {
    try fill()
    let error = #expect(throws: SwiftDataError.backwardMigration) { try open(BackV1.self, OneWay.self) }
    #expect(error?.description.contains("no stages of the plan lead from the one to the other") == true)
    #expect(error?.description.contains("2.0.0") == true)
    #expect(try open(BackV2.self, OneWay.self).fetchCount(FetchDescriptor<BackV2.Ticket>()) == 1)
  }
}
