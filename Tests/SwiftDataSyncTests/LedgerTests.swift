#if Sync
import Foundation
import SyncProtocol
import Testing

@testable import SwiftData
@testable import SwiftDataSync

@Suite("The bookkeeping of a replica") struct LedgerTests {
  private let tables: SyncTables

  init() throws { tables = try .inMemory() }

  private func open() throws -> Ledger { try Ledger(tables) { 1 } }

  private func save(_ ledger: Ledger) throws { try ledger.tables.database.transaction(ledger.save) }

  private func count(_ table: SyncTable) throws -> Int { try tables.rows(table, "1").count }

  private func name(_ number: Int, _ random: inout SeededGenerator) -> RecordName {
    // Some names come in the order of their age, some are between others, some are no UUIDs.
    switch Int.random(in: 0..<10, using: &random) {
    case 0: RecordName("name \(Int.random(in: 0..<50, using: &random))")
    case 1..<4: RecordName(milliseconds: Int64.random(in: 0..<2000, using: &random), using: &random)
    default: RecordName(milliseconds: Int64(number), using: &random)
    }
  }

  @Test(
    "It has what was put into it, in whatever order, after any save and after it was opened again", arguments: 1...3)
  func sameAsDictionary(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var (expected, ledger) = ([RecordName: String](), try open())
    for step in 0..<1500 {
      switch Int.random(in: 0..<40, using: &random) {
      case 0: try save(ledger)
      case 1:
        try save(ledger)
        ledger = try open()
      case 2..<8:
        guard let name = expected.keys.sorted().randomElement(using: &random) else { continue }
        if Bool.random(using: &random) {
          try ledger.remove(name)
          expected[name] = nil
        } else {
          // An object goes from one record to another.
          let other = self.name(step, &random)
          guard expected[other] == nil, let object = expected.removeValue(forKey: name) else { continue }
          try ledger.setObject(object, of: other, "Note", zone: "zone")
          try ledger.remove(name)
          expected[other] = object
        }
      default:
        let name = name(step, &random)
        let object = step.isMultiple(of: 3) ? "Note=custom \(step)" : "Note/\(step)"
        try ledger.setObject(object, of: name, "Note", zone: "zone")
        let text = String(repeating: "x", count: Int.random(in: 0..<600, using: &random))
        try ledger.change(name) { $0.state = .bytes(Data(text.utf8)) }
        expected[name] = object
      }
    }
    try save(ledger)
    ledger = try open()
    #expect(try ledger.names(zone: "zone") == expected.keys.sorted())
    for (name, object) in expected { #expect(try ledger.object(of: name) == object) }
    let objects = (0..<1500).flatMap { ["Note/\($0)", "Note=custom \($0)"] }
    let known = Dictionary(uniqueKeysWithValues: expected.map { ($1, $0) })
    #expect(try ledger.names(of: objects) == objects.map { known[$0] })
    // Records of 300 bytes leave room for twenty of them in a page.
    let sizes = try tables.rows(.pages).map { $0[2].syncData?.count ?? 0 }
    #expect(sizes.count < expected.count / 5 && sizes.allSatisfy { $0 < 12_000 })
  }

  @Test("It finds what is apart for a record behind it, written or not, also on further pages", arguments: 1...3)
  func zonesApart(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    // The last ones lie between a name and what is apart for it.
    var names = (0..<100).map { RecordName(milliseconds: Int64($0), using: &random) } + ["a", "b"].map(RecordName.init)
    names += names.suffix(3).map { RecordName("\($0)-1") }
    let (many, ledger) = (try #require(names.randomElement(using: &random)), try open())
    var expected: [RecordName: Set<String>] = [:]
    func check() throws { for name in names { #expect(try ledger.zonesApart(of: name) == expected[name] ?? []) } }
    for step in 0..<600 {
      let zone = "zone-\(step)"
      let record = step.isMultiple(of: 2) ? many : try #require(names.randomElement(using: &random))
      for name in [record, record.apart(zone)] where name.isApart || Bool.random(using: &random) {
        try ledger.setObject("Note/\(step) \(name)", of: name, "Note", zone: zone)
        try ledger.change(name) { $0.state = .bytes(Data(count: 100)) }
      }
      expected[record, default: []].insert(zone)
      if step.isMultiple(of: 150) { try save(ledger) }
      if step.isMultiple(of: 40) { try check() }
    }
    try check()
    for (name, zones) in expected {
      let gone = zones.filter { _ in Bool.random(using: &random) }
      for zone in gone { try ledger.remove(name.apart(zone)) }
      expected[name] = zones.subtracting(gone)
    }
    try save(ledger)
    try check()
  }

  @Test("Pages without records are removed")
  func emptyPages() throws {
    let ledger = try open()
    var random = SeededGenerator(seed: 1)
    let names = (0..<1000).map { RecordName(milliseconds: Int64($0), using: &random) }
    for (number, name) in names.enumerated() { try ledger.setObject("Note/\(number)", of: name, "Note", zone: "zone") }
    try save(ledger)
    #expect(try count(.pages) > 3)
    for name in names { try ledger.remove(name) }
    try save(ledger)
    #expect(try count(.pages) == 1)
    #expect(try count(.objects) == 0)
  }

  @Test("One record costs the same statements, whatever the number of records")
  func oneRecord() throws {
    func statements(_ count: Int) throws -> Int {
      var random = SeededGenerator(seed: 1)
      let names = (0..<count).map { RecordName(milliseconds: Int64($0), using: &random) }
      let ledger = try Ledger()
      for (number, name) in names.enumerated() {
        try ledger.setObject("Note/\(number)", of: name, "Note", zone: "zone")
      }
      try save(ledger)
      return try SQLTrace.record {
        try ledger.change(names[count / 2]) { $0.state = .bytes(Data([1])) }
        try save(ledger)
      }.statements.count
    }
    let (small, large) = (try statements(10), try statements(5000))
    #expect(small == large)
  }

  @Test("The bookkeeping of a build that kept all zones in one row is read")
  func zonesInOneRow() throws {
    let share = ZoneInfo(name: "share-1", owner: "ann", isWritable: false, latest: 0, root: RecordName("root"))
    let ledger = try open()
    ledger.replica.account = "bob"
    (ledger.replica.positions, ledger.replica.shares) = (["private": 3, "share-1": 7], [share])
    try save(ledger)
    for _ in 0..<2 {
      let ledger = try open()
      #expect(ledger.replica.positions == nil && ledger.replica.shares == nil)
      #expect(ledger.places.positions == ["private": 3, "share-1": 7] && ledger.places.shares == [share])
      #expect(ledger.zones.all == ["private", "share-1"] && !ledger.isWritable("share-1"))
      try save(ledger)
    }
  }

  @Test("A save writes the zones that changed, and no others")
  func manyZones() throws {
    func cost(_ count: Int) throws -> (statements: Int, steps: Int, state: Int) {
      let ledger = try Ledger()
      ledger.replica.account = "bob"
      ledger.places.setShares(
        (0..<count).map { ZoneInfo(name: "share-\($0)", owner: "ann", isWritable: true, latest: 0) })
      for number in 0..<count { ledger.places.setPosition(1, of: "share-\(number)") }
      try save(ledger)
      func move(_ position: Int64) throws {
        ledger.places.setPosition(position, of: "share-1")
        try save(ledger)
      }
      let statements = try SQLTrace.record { try move(2) }.statements.count
      let steps = try SQLTrace.steps { try move(3) }
      let state = try #require(try ledger.tables.rows(.replica).first?[1].syncData)
      return (statements, steps, state.count)
    }
    let (few, many) = (try cost(3), try cost(300))
    #expect(few.statements == many.statements && few.state == many.state)
    #expect(many.steps < few.steps + few.steps / 5, "\(few.steps) became \(many.steps)")
  }

  @Test("The bookkeeping of another version is refused")
  func otherFormat() throws {
    let ledger = try open()
    ledger.replica.format = nil
    try save(ledger)
    #expect(throws: ReplicaError.self) { try open() }
  }
}
#endif
