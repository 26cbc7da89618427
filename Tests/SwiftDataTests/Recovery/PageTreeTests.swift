import Foundation
import SwiftData
import SwiftDataRecovery
import Testing

@Suite struct PageTreeTests {
  enum Models {
    @Model final class Row {
      var number: Int
      init(_ number: Int) { self.number = number }
    }
  }

  @Test("A divider of a page tree that repeats the one before does not stop the recovery")
  func repeatedDivider() throws {
    let store = try TemporaryStore()
    #expect(
      try store.shell("PRAGMA page_size = 512; CREATE TABLE t (x); DROP TABLE t; VACUUM; PRAGMA page_size") == "512")
    let schema = Schema([Models.Row.self])
    do {
      let context = ModelContext(try store.container(Models.Row.self))
      for number in 0..<4000 { context.insert(Models.Row(number)) }
      try context.save()
    }
    _ = try store.shell("PRAGMA wal_checkpoint(TRUNCATE)")
    let root = try #require(Int(try store.shell("SELECT rootpage FROM sqlite_schema WHERE name = 'Row'")))
    var bytes = [UInt8](try Data(contentsOf: store.url))
    func number(_ offset: Int, _ size: Int) -> Int {
      var value = 0
      for place in offset..<offset + size { value = value << 8 | Int(bytes[place]) }
      return value
    }
    func page(_ number: Int) -> Int { (number - 1) * 512 }
    /// The offset of the key in a cell of an interior page, after the number of the child.
    func key(_ start: Int, _ index: Int) -> Int { start + number(start + 12 + 2 * index, 2) + 4 }
    func length(_ key: Int) -> Int {
      var length = 1
      while bytes[key + length - 1] > 127 { length += 1 }
      return length
    }
    let top = page(root)
    #expect(bytes[top] == 5)
    let first = key(top, 0)
    let child = page(number(first - 4, 4))
    #expect(bytes[child] == 5)
    // The divider in the parent gets the key of a divider in the middle of its child.
    let middle = key(child, number(child + 3, 2) / 2)
    let size = length(middle)
    #expect(length(first) == size)
    for place in 0..<size { bytes[first + place] = bytes[middle + place] }
    let damaged = store.folder.appendingPathComponent("damaged.store")
    try Data(bytes).write(to: damaged)
    let new = store.folder.appendingPathComponent("new.store")
    let report = try ModelContainer.recover(from: damaged, to: new, for: schema)
    #expect(report.entities.first { $0.name == "Row" }?.recovered == 4000)
  }
}
