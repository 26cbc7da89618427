#if Sync
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
  private let group: ZoneGroup

  init() throws {
    group = try ZoneGroup([JoinedList.self, JoinedItem.self]) { context in
      let list = JoinedList("list")
      context.insert(list)
      for number in 0..<5 { list.items.append(JoinedItem("\(number)", "old")) }
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
#endif
