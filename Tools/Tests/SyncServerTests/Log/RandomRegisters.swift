import Foundation
import SyncProtocol

/// Registers that a seed determines. Few times and names, so that many writes meet.
struct RandomRegisters: RandomNumberGenerator {
  private var state: UInt64

  init(seed: Int) { state = UInt64(truncatingIfNeeded: seed &+ 1) &* 0x9e37_79b9_7f4a_7c15 }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
  mutating func name() -> RecordName { .numbered(below(12)) }
  mutating func time() -> HybridTime { Registers.time(Int64(below(20)) + 1, UInt64(below(3)) + 1) }

  mutating func id() -> UUID {
    let (high, low) = (next(), next())
    var bytes = (high, low)
    return UUID(uuid: withUnsafeBytes(of: &bytes) { $0.loadUnaligned(as: uuid_t.self) })
  }

  mutating func registers(_ zones: [ZoneName]) -> Registers {
    var registers = Registers()
    if chance(60) { registers.born = Stamped(time(), "Note") }
    if chance(12) { registers.dead = time() }
    if chance(20) { registers.home = Home(moves: below(4), time: time(), zone: pick(zones)) }
    for property in ["x", "y", "owner"] as [WireName] where chance(50) {
      let late = chance(3) ? Registers.time(.max) : time()
      registers.fields[property] = Stamped(late, value(zones))
    }
    if chance(30) {
      registers.edges["members"] = [
        name(): Edge(added: time(), removed: chance(30) ? time() : .zero, place: Stamped(time(), Place("8")))
      ]
    }
    return registers
  }

  private mutating func value(_ zones: [ZoneName]) -> RegisterValue {
    switch below(8) {
    case 0: .null
    case 1: .integer(Int64(below(5)) - 2)
    case 2: .text("text")
    case 3: .sealed(Data([1, 2, 3]))
    case 4: chance(30) ? LogFixture.asset(pick(["one", "two", "six"])) : .real(0.5)
    default: .reference(Reference(name(), hint: chance(30) ? pick(zones) : nil))
    }
  }
}
