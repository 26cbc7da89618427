import SyncCore
import SyncProtocol

enum HybridTimes {
  static func time(_ milliseconds: Int64, _ session: UInt64 = 1) -> HybridTime {
    HybridTime(milliseconds: milliseconds, counter: 0, replica: session)
  }
}

extension Registers {
  static func fields(_ values: [WireName: RegisterValue], at time: HybridTime) -> Registers {
    var registers = Registers()
    registers.fields = values.mapValues { Stamped(time, $0) }
    return registers
  }

  static func born(_ entity: WireName, at time: HybridTime, _ values: [WireName: RegisterValue] = [:]) -> Registers {
    var registers = fields(values, at: time)
    registers.born = Stamped(time, entity)
    return registers
  }
}

extension ZoneState {
  func joining(_ name: RecordName, _ registers: Registers) -> ZoneState {
    var result = self
    result.join(name, registers)
    return result
  }
}

/// Registers, entries and edits that a seed determines. Few times and names, so that many writes meet, also at one time.
struct RandomLog: RandomNumberGenerator {
  static let zones: [ZoneName] = [SyncGroup.ann, .share("share0"), .share("share1")]
  /// Whether each name is in one zone, as where no participant gives the name of a record to another one. Only such records move.
  var isHonest = false
  private var state: UInt64

  init(seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x9e37_79b9_7f4a_7c15 }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  mutating func name() -> RecordName { TraceTables.name(below(12)) }
  mutating func time() -> HybridTime { HybridTimes.time(Int64(below(5)) + 1, UInt64(below(2)) + 1) }
  mutating func hint() -> ZoneName? { chance(40) ? pick(Self.zones) : nil }

  mutating func value() -> RegisterValue {
    switch below(7) {
    case 0: .null
    case 1: .integer(Int64(below(3)))
    case 2: .real(pick([Double.nan, 0, -0.0]))
    // Canonically equivalent texts of different bytes.
    case 3: .text(pick(["e\u{301}", "\u{e9}", "L"]))
    case 4: .asset(sha256: "a", size: below(2))
    default: .reference(Reference(name(), hint: hint()))
    }
  }

  mutating func edge() -> Edge {
    var edge = Edge(removed: chance(40) ? time() : .zero)
    if chance(70) { edge.added = time() }
    if chance(70) { edge.place = Stamped(time(), Place(pick(["4", "8", "84", "c"]), hint: hint())) }
    return edge
  }

  /// Registers of a record, of a class that its name tells.
  mutating func registers(_ name: RecordName, dead percent: Int = 10) -> Registers {
    let entities: [WireName] = ["Project", "Task", "Task", "Label", "Person", "Badge"]
    let entity = entities[(0..<12).firstIndex { TraceTables.name($0) == name }.map { $0 % 6 } ?? 0]
    var registers = Registers()
    if chance(70) { registers.born = Stamped(time(), entity) }
    if chance(percent) { registers.dead = time() }
    if chance(15) { registers.home = Home(moves: below(3), time: time(), zone: pick(Self.zones)) }
    for property in TestModels.new.classes[entity] ?? [] where chance(60) {
      switch property.kind {
      case .attribute:
        registers.fields[property.wire] = Stamped(time(), chance(80) ? .integer(Int64(below(3))) : value())
      case .toOne:
        registers.fields[property.wire] = Stamped(
          time(), chance(80) ? .reference(Reference(self.name(), hint: hint())) : value())
        if chance(60) { registers.fields[property.placeField] = Stamped(time(), .text(pick(["4", "8", "84", "c"]))) }
      case .list, .inverseToOne, .inverseMembers: continue
      case .members: for _ in 0..<2 { registers.edges[property.wire, default: [:]][self.name()] = edge() }
      }
    }
    return registers
  }

  /// Entries of a log, with commits from 1 on.
  mutating func entries(_ count: Int, dead: Int = 10) -> [ZoneStates.Entry] {
    (1...count).map { commit in
      var parts: [ZoneName: [RecordName: Registers]] = [:]
      for _ in 0...below(3) {
        let (zone, number) = (pick(Self.zones), below(12))
        let name = TraceTables.name(isHonest ? number / 3 * 3 + Self.zones.firstIndex(of: zone)! : number)
        parts[zone, default: [:]][name] = registers(name, dead: dead)
      }
      return ZoneStates.Entry(commit: Int64(commit), parts: parts.mapValues { .change($0) })
    }
  }

  static func states(_ entries: some Sequence<ZoneStates.Entry>) -> ZoneStates {
    entries.reduce(into: ZoneStates(Dictionary(uniqueKeysWithValues: zones.map { ($0, ZoneState()) }))) {
      $0.reduce($1)
    }
  }

  /// What a program does with the rows of a view in one save.
  mutating func save(_ view: View, at time: HybridTime) -> LocalTransaction {
    var (rows, edits) = (view.rows, [RowEdit]())
    for _ in 0...below(3) {
      let keys = rows.keys.sorted()
      guard !keys.isEmpty else { break }
      let key = pick(keys)
      let entity = rows[key]?.entity ?? ""
      if chance(15) {
        rows[key] = nil
        edits.append(.delete(key))
        continue
      }
      let property = pick(TestModels.new.classes[entity] ?? [])
      switch property.kind {
      case .attribute: rows[key]?.values[property.name] = .value(.integer(Int64(10 + below(5))))
      case .toOne(let target, _, _):
        let others = keys.filter { rows[$0]?.entity == target }
        rows[key]?.values[property.name] = .toOne(others.randomElement(using: &self))
      case .list, .inverseToOne, .inverseMembers: continue
      case .members(let target, _):
        let others = keys.filter { rows[$0]?.entity == target }
        rows[key]?.values[property.name] = .toMany(others.shuffled(using: &self).prefix(2).map { $0 })
      }
      edits.append(.set(key, property.name))
    }
    return LocalTransaction(time: time, changes: Capture(view, rows, edits, at: time).changes)
  }
}
