import Foundation
import SwiftData
import SyncProtocol
import Testing

@testable import SwiftDataSync

@Model final class JoinedList {
  @Attribute(.unique) var name: String = ""
  @Relationship(deleteRule: .cascade, inverse: \JoinedItem.list) var items: [JoinedItem] = []
  init(_ name: String) { self.name = name }
}
@Model final class JoinedItem {
  @Attribute(.unique) var code: String = ""
  var text: String = ""
  var list: JoinedList?
  init(_ code: String, _ text: String) { (self.code, self.text) = (code, text) }
}

/// Devices whose stores had the same objects before they synced.
@Suite("Joining with objects")
struct JoiningTests {
  private let group: ReplicaGroup

  init() throws {
    group = try ReplicaGroup([JoinedList.self, JoinedItem.self])
    for index in 0...1 {
      try group.save(index) { context in
        let list = JoinedList("list")
        context.insert(list)
        for number in 0..<5 { list.items.append(JoinedItem("\(number)", "old")) }
      }
    }
  }

  private func edit(_ index: Int, _ code: String, _ text: String) throws {
    try group.save(index) { context in
      let found = try context.fetch(FetchDescriptor<JoinedItem>(predicate: #Predicate { $0.code == code }))
      try #require(found.first).text = text
    }
  }

  private func texts(_ index: Int) throws -> [String: String] {
    Dictionary(try group.all(JoinedItem.self, index).map { ($0.code, $0.text) }) { "\($0) and \($1)" }
  }

  @Test("What one device edited stays when another one joins later with the old values")
  func olderValues() throws {
    try group.sync(0)
    try edit(0, "3", "edited")
    try group.syncAll()
    let expected = ["0": "old", "1": "old", "2": "old", "3": "edited", "4": "old"]
    for index in 0...1 { #expect(try texts(index) == expected) }
    try edit(1, "3", "later")
    try group.syncAll()
    for index in 0...1 { #expect(try texts(index)["3"] == "later") }
  }

  @Test("The order of a list stays that of the device that began, and what is added comes to its end")
  func order() throws {
    try group.sync(0)
    try group.save(0) { try group.first(JoinedList.self, $0).items.append(JoinedItem("5", "new")) }
    try group.syncAll()
    for index in 0...1 {
      let list = try #require(try group.all(JoinedList.self, index).first)
      #expect(list.items.last?.code == "5" && list.items.count == 6)
    }
    #expect(
      try group.all(JoinedList.self, 0)[0].items.map(\.code) == group.all(JoinedList.self, 1)[0].items.map(\.code))
  }

  @Test("Objects that become one are no conflicts of the relationships that lead to them")
  func noConflicts() throws {
    try group.syncAll()
    for replica in group.replicas { #expect(try replica.conflicts() == []) }
  }
}

enum RenamedV1 {
  @Model final class Note {
    var headline: String = ""
    var folder: Folder?
    init(_ headline: String) { self.headline = headline }
  }
  @Model final class Folder {
    var name: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Note.folder) var notes: [Note] = []
    init(_ name: String) { self.name = name }
  }
}
enum RenamedV2 {
  @Model final class Note {
    @Attribute(originalName: "headline") var title: String = ""
    @Relationship(originalName: "folder") var home: Folder?
    init(_ title: String) { self.title = title }
  }
  @Model final class Folder {
    var name: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Note.home) var notes: [Note] = []
    init(_ name: String) { self.name = name }
  }
}

@Suite("Renamed properties")
struct RenamedPropertyTests {
  private let server = SimulatedServer()
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("renamed-\(UUID().uuidString)")

  /// A device with a program of one version.
  private final class Device {
    let container: ModelContainer
    let replica: Replica

    init(_ models: [any PersistentModel.Type], at url: URL, _ ledger: ModelContainer, _ server: SimulatedServer) throws
    {
      let schema = Schema(models)
      container = try ModelContainer(
        for: schema, configurations: ModelConfiguration(schema: schema, url: url, cloudKitDatabase: .none))
      replica = try Replica(
        user: UserStore(container), ledger: ledger, spare: .memory(),
        now: {
          server.now += 1
          return server.now
        })
    }

    func sync(_ server: SimulatedServer) throws {
      let zone = SyncWire.privateZone
      while let after = try replica.refoldPosition(zone) {
        try replica.didRefold(server.changes(after: after, limit: 2, replica: 0), zone: zone)
      }
      try replica.catchUp()
      try replica.scan()
      try replica.exchange(with: server)
    }

    func save(_ body: (ModelContext) throws -> Void) throws {
      let context = ModelContext(container)
      try body(context)
      try context.save()
    }

    /// The titles of notes with their folders' names.
    func notes() throws -> [String: String?] {
      let notes = try ModelContext(container).fetch(FetchDescriptor<RenamedV2.Note>())
      return Dictionary(notes.map { ($0.title, $0.home?.name) }) { "\($0 ?? "none") and \($1 ?? "none")" }
    }
  }

  private func url(_ name: String) -> URL { folder.appendingPathComponent("\(name).store") }

  @Test("An updated device, a new one and one that is updated later have the values of the old and of the new name")
  func renamed() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (v1, v2): ([any PersistentModel.Type], [any PersistentModel.Type]) = (
      [RenamedV1.Note.self, RenamedV1.Folder.self], [RenamedV2.Note.self, RenamedV2.Folder.self]
    )
    let ledgers = try (0..<3).map { _ in try Ledger.container(at: nil) }
    var first: Device? = try Device(v1, at: url("first"), ledgers[0], server)
    var second: Device? = try Device(v1, at: url("second"), ledgers[1], server)
    try first!.sync(server)
    try first!.save { context in
      let folder = RenamedV1.Folder("f")
      context.insert(folder)
      for name in ["a", "b", "c"] {
        let note = RenamedV1.Note(name)
        context.insert(note)
        if name != "c" { note.folder = folder }
      }
    }
    for device in [first!, second!] { try device.sync(server) }
    first = nil
    let updated = try Device(v2, at: url("first"), ledgers[0], server)
    try updated.sync(server)
    let expected: [String: String?] = ["a": "f", "b": "f", "c": nil]
    #expect(try updated.notes() == expected)
    let fresh = try Device(v2, at: url("fresh"), ledgers[2], server)
    try fresh.sync(server)
    #expect(try fresh.notes() == expected)
    // Programs of both versions change the same property; the later change wins.
    try fresh.save { try $0.fetch(FetchDescriptor<RenamedV2.Note>()).first { $0.title == "a" }?.title = "new" }
    try fresh.sync(server)
    try second!.save { try $0.fetch(FetchDescriptor<RenamedV1.Note>()).first { $0.headline == "b" }?.headline = "old" }
    try second!.sync(server)
    second = nil
    let late = try Device(v2, at: url("second"), ledgers[1], server)
    for _ in 0..<2 { for device in [late, updated, fresh] { try device.sync(server) } }
    for device in [late, updated, fresh] { #expect(try device.notes() == ["new": "f", "old": "f", "c": nil]) }
  }
}
