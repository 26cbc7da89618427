#if Sync
import Foundation
import SwiftData
import SyncProtocol
import Testing

@testable import SwiftDataSync

@Suite("A server that was restored from an older copy")
struct RestoredServerTests {
  @Test("Replicas bring back what the server lost, keep unsent changes, and end equal")
  func restored() throws {
    let group = try ReplicaGroup([CellOwner.self, CellUnique.self])
    try group.save(0) { context in
      let owner = CellOwner("before")
      context.insert(owner)
      owner.parts = "abc".map { CellPart(String($0)) }
    }
    try group.syncAll()
    let kept = group.server.log.count
    try group.save(0) { context in
      try group.first(CellOwner.self, context).name = "after"
      context.insert(CellUnique("k"))
    }
    try group.syncAll()
    try group.save(1) { try group.first(CellOwner.self, $0).links.append(CellLink("unsent")) }
    group.server.restore(to: kept)
    for replica in group.replicas { try replica.startAnew(zone: SyncWire.privateZone) }
    try group.syncAll()
    try group.syncAll()
    for index in 0...1 {
      let owner = try #require(try group.all(CellOwner.self, index).first)
      #expect(owner.name == "after" && owner.parts.map(\.name) == ["a", "b", "c"])
      #expect(owner.links.map(\.name) == ["unsent"])
      #expect(try group.all(CellUnique.self, index).map(\.code) == ["k"])
    }
  }
}
#endif
