#if Sync
import Foundation
import SwiftData
import Testing

@testable import SwiftDataSync

@Suite("A server that was restored from an older copy")
struct RestoredServerTests {
  @Test("Replicas bring back what the server lost, keep unsent changes, and end equal")
  func restored() throws {
    let group = try ZoneGroup([CellOwner.self, CellUnique.self])
    try group.save(0) { context in
      let owner = CellOwner("before")
      context.insert(owner)
      owner.parts = "abc".map { CellPart(String($0)) }
    }
    try group.syncAll()
    let copy = group.server.copy()
    try group.save(0) { context in
      try group.first(CellOwner.self, context).name = "after"
      context.insert(CellUnique("k"))
    }
    try group.syncAll()
    try group.save(1) { try group.first(CellOwner.self, $0).links.append(CellLink("unsent")) }
    group.server.restore(copy)
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
