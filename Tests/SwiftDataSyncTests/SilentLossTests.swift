#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import Testing

@testable import SwiftDataSync

@Suite("Nothing that the program saved is passed over")
struct SilentLossTests {
  private func bytes(_ number: UInt8) -> Data { Data(repeating: number, count: SyncWire.assetThreshold + 1) }

  private func edit(_ node: ZoneNode, _ body: (SimTask) -> Void) throws {
    let context = ModelContext(node.container)
    for task in try context.fetch(FetchDescriptor<SimTask>()) { body(task) }
    try context.save()
  }

  private func attachments(_ node: ZoneNode) throws -> [Data?] {
    try ModelContext(node.container).fetch(FetchDescriptor<SimTask>()).map(\.attachment)
  }

  /// Two devices of an account with a task.
  private func devices() throws -> (ZoneServer, ZoneNode, ZoneNode) {
    let server = ZoneServer()
    let (first, second) = (try ZoneNode(0, server, seed: 0), try ZoneNode(1, server, seed: 1))
    let context = ModelContext(first.container)
    context.insert(SimTask(title: "t"))
    try context.save()
    for node in [first, second] { try node.settle() }
    return (server, first, second)
  }

  @Test("while a transaction loses a large value whose bytes vanished")
  func lostAsset() throws {
    let (_, first, second) = try devices()
    try edit(first) { $0.attachment = bytes(1) }
    for node in [first, second] { try node.settle() }
    try edit(first) { $0.attachment = bytes(2) }
    try first.capture()
    let replica = first.replica!
    try replica.transaction { try replica.store.tables.remove(.assets, where: "1 = 1", []) }
    // The object has no bytes of the unsent value any more, and no capture has seen the new one.
    try edit(first) { $0.attachment = bytes(3) }
    replica.unavailable = [UserStore.sha256(bytes(2))]
    #expect(try replica.dropLostAssets())
    for node in [first, second] { try node.settle() }
    for node in [first, second] { #expect(try attachments(node) == [bytes(3)]) }
  }

  @Test("by a step that writes objects without a capture before: it fails")
  func stepWithoutCapture() throws {
    let (_, first, second) = try devices()
    let replica = first.replica!
    let key = try replica.row(of: try #require(ModelContext(first.container).fetch(FetchDescriptor<SimTask>()).first))
    var registers = try #require(try replica.store.registers(of: key))
    registers.fields["estimate"] = Stamped(replica.tick(), .real(bits: Double(1).bitPattern))
    registers.fields["effort"] = registers.fields["estimate"]
    try edit(first) { $0.title = "saved" }
    #expect(throws: ReplicaError.self) { try replica.transaction { try replica.update([key: registers]) } }
    for node in [first, second] { try node.settle() }
    for node in [first, second] {
      #expect(try ModelContext(node.container).fetch(FetchDescriptor<SimTask>()).map(\.title) == ["saved"])
    }
  }

  @Test("An object gets a large value whose bytes come back after its program was started again")
  func bytesComeBack() throws {
    let (server, first, second) = try devices()
    try edit(first) { $0.attachment = bytes(1) }
    try first.settle()
    server.loseAssets()
    try second.settle()
    #expect(try attachments(second) == [nil])
    try second.start()
    try server.put(UserStore.sha256(bytes(1)), bytes(1), zone: .account("ann"), account: "ann")
    try second.settle()
    #expect(try attachments(second) == [bytes(1)])
    #expect(try second.replica.store.postponedRows().isEmpty)
  }

  @Test("A clock that jumps ahead by a year does not empty the log of conflicts")
  func conflictsAfterJump() throws {
    let group = try ZoneGroup([ZoneItem.self])
    try group.save(0) { $0.insert(ZoneItem("a")) }
    try group.syncAll()
    try group.save(0) { try group.first(ZoneItem.self, $0).name = "lost" }
    try group.replicas[0].capture()
    try group.save(1) { try group.first(ZoneItem.self, $0).name = "later" }
    try group.sync(1)
    try group.sync(0)
    #expect(try group.replicas[0].conflicts().map(\.lost) == ["lost"])
    group.skews[0] = 365 * 86_400_000
    try group.sync(0)
    try group.replicas[0].dropConflicts(olderThan: .seconds(30 * 86_400))
    #expect(try group.replicas[0].conflicts().count == 1)
    group.server.now += 31 * 86_400_000
    try group.replicas[0].dropConflicts(olderThan: .seconds(30 * 86_400))
    #expect(try group.replicas[0].conflicts().isEmpty)
  }
}
#endif
