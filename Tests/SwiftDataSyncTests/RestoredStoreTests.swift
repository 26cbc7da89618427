#if Sync
import Foundation
import SwiftData
import SyncCore
import Testing

@testable import SwiftDataSync

/// A store file that was restored from a copy of yesterday.
@Suite("A restored store")
struct RestoredStoreTests {
  private let server = ZoneServer()
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("restored-\(UUID().uuidString)")

  private func container(
    _ name: String, _ models: [any PersistentModel.Type] = [CellUnique.self]
  ) throws -> ModelContainer {
    let url = folder.appendingPathComponent(name).appendingPathComponent("user.store")
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    let schema = Schema(models)
    return try ModelContainer(
      for: schema, configurations: ModelConfiguration(schema: schema, url: url, cloudKitDatabase: .none))
  }

  private func replica(_ container: ModelContainer) throws -> ZoneReplica {
    try ZoneReplica(
      user: UserStore(container),
      now: {
        server.now += 1
        return server.now
      })
  }

  private func sync(_ replica: ZoneReplica) throws { try replica.sync(with: server) }

  private func save(_ container: ModelContainer, _ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(container)
    try body(context)
    try context.save()
  }

  private func set(_ code: String, _ left: String, _ container: ModelContainer) throws {
    try save(container) { context in
      let found = try context.fetch(FetchDescriptor<CellUnique>(predicate: #Predicate { $0.code == code })).first
      let object = found ?? CellUnique(code)
      if found == nil { context.insert(object) }
      object.left = left
    }
  }

  private func contents(_ container: ModelContainer) throws -> [String: String] {
    let objects = try ModelContext(container).fetch(FetchDescriptor<CellUnique>())
    return Dictionary(objects.map { ($0.code, $0.left) }) { "\($0) and \($1)" }
  }

  @Test(
    "gets what it lacks, and sends what was saved since, whether that was fewer or more saves than it lacks",
    arguments: [1, 3, 7])
  func restored(saves: Int) throws {
    let manager = FileManager.default
    defer { try? manager.removeItem(at: folder) }
    var first: ModelContainer? = try container("first")
    var replica: ZoneReplica? = try self.replica(first!)
    try sync(replica!)
    for (code, left) in [("a", "1"), ("b", "1")] { try set(code, left, first!) }
    try sync(replica!)
    let storeFile = folder.appendingPathComponent("first/user.store").path
    let copyFile = folder.appendingPathComponent("yesterday.store").path
    (first, replica) = (nil, nil)
    try copyFiles(storeFile, copyFile)
    first = try container("first")
    replica = try self.replica(first!)
    for (code, left) in [("a", "2"), ("later", "1"), ("later", "2")] {
      try set(code, left, first!)
      try sync(replica!)
    }
    (first, replica) = (nil, nil)
    try copyFiles(copyFile, storeFile)
    let restored = try container("first")
    for number in 0..<saves { try set("new\(number % 2)", "\(number)", restored) }
    replica = try self.replica(restored)
    let other = try container("other")
    let otherReplica = try self.replica(other)
    for _ in 0..<2 { for replica in [replica!, otherReplica] { try sync(replica) } }
    var expected = ["a": "2", "b": "1", "later": "2"]
    for number in 0..<saves { expected["new\(number % 2)"] = "\(number)" }
    #expect(try contents(restored) == expected)
    #expect(try contents(other) == expected)
  }

  /// Syncs a store, restores it from a copy, and syncs again.
  /// - Parameters:
  ///   - before: what happens after the copy was made.
  ///   - exchangesFirst: whether changes of the other device come before the restored store shows all that its replica knows.
  ///   - after: what the program saves into the restored store before the sync begins.
  private func restore(
    _ other: ModelContainer, _ models: [any PersistentModel.Type] = [CellUnique.self],
    exchangesFirst: Bool = false, _ before: (_ first: ModelContainer, _ syncAll: () throws -> Void) throws -> Void,
    after: (ModelContainer) throws -> Void
  ) throws -> (container: ModelContainer, replica: ZoneReplica) {
    let storeFile = folder.appendingPathComponent("first/user.store").path
    let copyFile = folder.appendingPathComponent("yesterday.store").path
    let otherReplica = try replica(other)
    var first: ModelContainer? = try container("first", models)
    var replica: ZoneReplica? = try self.replica(first!)
    func syncAll() throws { for _ in 0..<2 { for replica in [replica!, otherReplica] { try sync(replica) } } }
    try syncAll()
    (first, replica) = (nil, nil)
    try copyFiles(storeFile, copyFile)
    first = try container("first", models)
    replica = try self.replica(first!)
    try before(first!, syncAll)
    (first, replica) = (nil, nil)
    try copyFiles(copyFile, storeFile)
    first = try container("first", models)
    try after(first!)
    replica = try self.replica(first!)
    if exchangesFirst {
      try sync(otherReplica)
      try replica!.capture()
      try replica!.exchange(with: server)
    }
    try syncAll()
    return (first!, replica!)
  }

  @Test(
    "gets what it lacks, and sends what was saved since, if all that it lacks came from other devices",
    arguments: [1, 3, 7])
  func imported(saves: Int) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let other = try container("other")
    try set("a", "1", other)
    let restored = try restore(other) { _, syncAll in
      for (code, left) in [("a", "2"), ("b", "1"), ("c", "1")] {
        try set(code, left, other)
        try syncAll()
      }
    } after: { restored in
      for number in 0..<saves { try set("new\(number % 2)", "\(number)", restored) }
    }
    var expected = ["a": "2", "b": "1", "c": "1"]
    for number in 0..<saves { expected["new\(number % 2)"] = "\(number)" }
    #expect(try contents(restored.container) == expected)
    #expect(try contents(other) == expected)
  }

  @Test("has one object of a unique value that its program inserts again (seed 60073)", arguments: [false, true])
  func insertedAgain(exchangesFirst: Bool) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let other = try container("other")
    let restored = try restore(other, exchangesFirst: exchangesFirst) { first, syncAll in
      try set("a", "1", first)
      try syncAll()
    } after: {
      try set("a", "2", $0)
      try set("b", "1", other)
    }
    for container in [restored.container, other] { #expect(try contents(container) == ["a": "2", "b": "1"]) }
    #expect(try restored.replica.shownRows().count == 2)
  }

  @Test("does not bring back what was deleted since the copy")
  func deleted() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let other = try container("other")
    try set("a", "1", other)
    try set("b", "1", other)
    let restored = try restore(other) { first, syncAll in
      try save(first) { try $0.delete(model: CellUnique.self, where: #Predicate { $0.code == "a" }) }
      try syncAll()
      try save(other) { try $0.delete(model: CellUnique.self, where: #Predicate { $0.code == "b" }) }
      try syncAll()
    } after: {
      try set("c", "1", $0)
    }
    for container in [restored.container, other] { #expect(try contents(container) == ["c": "1"]) }
  }

  @Test(
    "loses what its program gives to a list that was deleted since the copy, as a device that was offline (seeds 1036, 1053)"
  )
  func usedDeleted() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let other = try container("other", [JoinedList.self, JoinedItem.self])
    try save(other) { $0.insert(JoinedList("a")) }
    let restored = try restore(other, [JoinedList.self, JoinedItem.self]) { first, syncAll in
      try save(first) { try $0.delete(model: JoinedList.self) }
      try syncAll()
    } after: { restored in
      try save(restored) { context in
        let item = JoinedItem("1", "new")
        context.insert(item)
        item.list = try context.fetch(FetchDescriptor<JoinedList>()).first
      }
    }
    for container in [restored.container, other] {
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<JoinedList>()) == 0)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<JoinedItem>()) == 0)
    }
  }

  @Test("does not bring back what a participant took out of a list after the move")
  func wholeMoved() throws {
    let owner = try ZoneNode(0, server, seed: 1, isRestorable: true)
    let participant = try ZoneNode(1, server, account: "bob", seed: 2)
    try save(owner.container) { context in
      let project = SimProject(title: "shared")
      context.insert(project)
      project.tasks.append(SimTask(title: "first"))
      project.labels.append(SimLabel(text: "red"))
    }
    try owner.settle()
    let project = try #require(try ModelContext(owner.container).fetch(FetchDescriptor<SimProject>()).first)
    let row = try owner.replica.row(of: project)
    let zone = ZoneName.share("1")
    server.shares[zone] = ZoneServer.Share(owner: "ann", root: row.name, members: ["bob": true])
    try owner.backUp()
    try owner.settle()
    try owner.replica.startShare(row, zone: zone.text)
    for node in [owner, participant] { try node.settle() }
    try save(participant.container) { try $0.fetch(FetchDescriptor<SimProject>())[0].labels = [] }
    try participant.settle()
    _ = try owner.restore {}
    for _ in 0..<2 { for node in [owner, participant] { try node.settle() } }
    for node in [owner, participant] {
      let projects = try ModelContext(node.container).fetch(FetchDescriptor<SimProject>())
      #expect(projects.map { $0.tasks.map(\.title) } == [["first"]])
      #expect(projects.map(\.labels.count) == [0])
      #expect(try ModelContext(node.container).fetchCount(FetchDescriptor<SimLabel>()) == 1)
    }
  }

  /// Copies a store that nothing has open, with its log.
  private func copyFiles(_ from: String, _ to: String) throws {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: to + suffix)
      guard FileManager.default.fileExists(atPath: from + suffix) else { continue }
      try FileManager.default.copyItem(atPath: from + suffix, toPath: to + suffix)
    }
  }
}
#endif
