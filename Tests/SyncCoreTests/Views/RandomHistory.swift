import Foundation
import SyncCore
import SyncProtocol

/// A history of a replica that a seed determines: what it takes in, as changed records.
///
/// Few names, zones, times and values, so that writes meet. Any participant may have written any of it.
struct RandomHistory {
  static let zones: [ZoneName] = [SyncGroup.ann, .share("share0"), .share("share1"), .share("share2")]

  enum Step {
    case changes([RecordKey: Registers?])
    /// The program is updated.
    case program(SyncModels)
  }

  private var random: RandomLog
  private let programs: [SyncModels]
  private var program = 0
  /// The class of each name.
  private let classes: [WireName]
  private let percentOfUnique: Int
  private let zones: [ZoneName]
  /// The zones that the replica lost, with what came to them since.
  private var away: [ZoneName: ZoneState] = [:]
  private var commit: Int64 = 0
  private var clock: Int64 = 5
  /// Whether records often get other homes, also in the zone in which they are.
  var raisesHomes = false

  init(seed: Int) {
    random = RandomLog(seed: seed)
    programs = seed % 3 == 0 ? [TestModels.new, TestModels.old] : [RichModels.new, RichModels.old]
    let families: [[WireName]] =
      seed % 3 == 0
      ? [
        ["Project", "Task", "Task", "Label"], ["Project", "Person"], ["Person", "Badge", "Half"],
        ["Mark", "Task", "Project"],
      ]
      : [
        ["Item", "Item", "Box"], ["Item", "Box", "Crate", "Label", "Label"], ["Box", "Lid"],
        ["Box", "Crate", "Note", "Lid"],
        ["Note", "Album"], ["Person", "Badge"], ["Person", "Club"], ["Person", "Badge", "Club"],
      ]
    let family = random.pick(families) + (random.chance(40) ? random.pick(families) : [])
    var classes = family
    for _ in 0..<random.pick([2, 5, 9, 14]) { classes.append(random.pick(family)) }
    self.classes = classes
    percentOfUnique = random.pick([30, 60, 90])
    zones = Array(Self.zones.prefix(random.pick([1, 2, 3, 4])))
  }

  var models: SyncModels { programs[program] }

  private mutating func name() -> RecordName { TraceTables.name(random.below(classes.count)) }

  /// A name, mostly one that a record of a class has.
  private mutating func target(_ property: SyncModels.Property) -> RecordName {
    let fitting = classes.indices.filter { programs[0].isKind(classes[$0], of: property.destination ?? "") }
    return fitting.isEmpty || random.chance(10) ? name() : TraceTables.name(random.pick(fitting))
  }

  private mutating func hint() -> ZoneName? { random.chance(40) ? random.pick(zones) : nil }

  /// A time. Most writes are later than all before, as those of programs are.
  private mutating func time() -> HybridTime {
    if random.chance(60) { clock += 1 }
    return HybridTimes.time(
      random.chance(60) ? clock : Int64(random.below(Int(clock))) + 1, UInt64(random.below(2)) + 1)
  }

  /// The class that the program of a name made. Some records get another one, or one that no program knows.
  private mutating func entity(_ name: RecordName) -> WireName {
    let classes = programs[0].classes.keys.sorted()
    if random.chance(4) { return random.chance(30) ? "Unknown" : random.pick(classes) }
    return self.classes.indices.first { TraceTables.name($0) == name }.map { self.classes[$0] } ?? ""
  }

  private mutating func edge() -> Edge {
    var edge = Edge(removed: random.chance(30) ? time() : .zero)
    if random.chance(75) { edge.added = time() }
    if random.chance(70) { edge.place = Stamped(time(), Place(random.pick(["4", "8", "84", "c"]), hint: hint())) }
    return edge
  }

  /// Registers that a program writes to a record.
  private mutating func registers(_ name: RecordName, isNew: Bool) -> Registers {
    let entity = entity(name)
    var registers = Registers()
    if isNew || random.chance(15) { registers.born = Stamped(time(), entity) }
    if random.chance(4) { registers.dead = time() }
    if random.chance(5) { registers.home = Home(moves: random.below(3), time: time(), zone: random.pick(zones)) }
    if raisesHomes, random.chance(25) {
      registers.home = Home(moves: random.below(6), time: time(), zone: random.pick(zones))
    }
    let share = isNew ? 60 : 25
    for property in programs[0].classes[entity] ?? [] where random.chance(share) {
      let wire = random.pick(property.readNames)
      switch property.kind {
      case .attribute:
        let value = random.chance(percentOfUnique) ? RegisterValue.integer(Int64(random.below(3))) : .null
        registers.fields[wire] = Stamped(time(), random.chance(97) ? value : random.value())
      case .toOne:
        let value = random.chance(85) ? RegisterValue.reference(Reference(target(property), hint: hint())) : .null
        registers.fields[wire] = Stamped(time(), random.chance(97) ? value : random.value())
        if random.chance(60) {
          registers.fields[WireName("place:\(wire)")] = Stamped(time(), .text(random.pick(["4", "8", "84", "c"])))
        }
      case .members: for _ in 0...random.below(3) { registers.edges[wire, default: [:]][target(property)] = edge() }
      case .inverseMembers:
        var edge = edge()
        edge.added = .zero
        registers.edges[wire, default: [:]][target(property)] = edge
      case .list, .inverseToOne: continue
      }
    }
    return registers
  }

  /// What comes next to a replica with the given states.
  mutating func next(_ states: ZoneStates, updatesProgram: Bool = true) -> Step {
    commit += 1
    switch random.below(updatesProgram ? 100 : 96) {
    case 0..<62: return .changes(write(states))
    case 62..<72: return .changes(move(states))
    case 72..<78: return .changes(death(states))
    case 78..<86: return .changes(forget(states))
    case 86..<96: return .changes(zone(states))
    default:
      program = 1 - program
      return .program(models)
    }
  }

  private func joined(_ writes: [RecordKey: Registers], _ states: ZoneStates) -> [RecordKey: Registers?] {
    Dictionary(
      uniqueKeysWithValues: writes.map { key, registers in
        var registers = registers
        registers.commit = commit
        return (key, .some((states[key] ?? Registers()).joining(registers)))
      })
  }

  private mutating func write(_ states: ZoneStates) -> [RecordKey: Registers?] {
    var writes: [RecordKey: Registers] = [:]
    for _ in 0...random.below(random.chance(10) ? 12 : 3) {
      let key = RecordKey(random.pick(zones.filter { away[$0] == nil }), name())
      writes[key, default: Registers()].join(registers(key.name, isNew: states[key] == nil))
    }
    return joined(writes, states)
  }

  private mutating func here(_ states: ZoneStates) -> [RecordKey] {
    states.zones.flatMap { zone, state in
      state.records.filter { $0.value.isHere(zone) }.keys.map { RecordKey(zone, $0) }
    }
    .sorted()
  }

  /// Some records move to another zone, as ``Rebase`` moves them.
  private mutating func move(_ states: ZoneStates) -> [RecordKey: Registers?] {
    var writes: [RecordKey: Registers] = [:]
    let here = here(states)
    guard !here.isEmpty else { return [:] }
    let target = random.pick(zones.filter { away[$0] == nil })
    let time = time()
    for key in Set((0...random.below(3)).map { _ in random.pick(here) }) where key.zone != target {
      guard let record = states[key] else { continue }
      var departure = Registers()
      departure.home = Home(moves: (record.home?.moves ?? 0) + 1, time: time, zone: target)
      writes[key, default: Registers()].join(departure)
      writes[RecordKey(target, key.name), default: Registers()].join(record.leaving(key.zone).joining(departure))
    }
    return joined(writes, states)
  }

  private mutating func death(_ states: ZoneStates) -> [RecordKey: Registers?] {
    let here = here(states)
    guard !here.isEmpty else { return [:] }
    var dead = Registers()
    dead.dead = time()
    return joined([random.pick(here): dead], states)
  }

  /// The server forgets what it may, or anything: a restored server lacks living records too.
  private mutating func forget(_ states: ZoneStates) -> [RecordKey: Registers?] {
    let chosen = random.pick(zones)
    var names = states[chosen].forgettable(among: Set(states[chosen].records.keys), in: chosen).sorted()
    if random.chance(40) { names = states[chosen].records.keys.sorted().filter { _ in random.chance(20) } }
    return Dictionary(uniqueKeysWithValues: names.map { (RecordKey(chosen, $0), nil) })
  }

  /// A zone disappears, or one that disappeared comes whole, with changes that others made meanwhile.
  private mutating func zone(_ states: ZoneStates) -> [RecordKey: Registers?] {
    guard zones.count > 1 else { return write(states) }
    let zone = random.pick(Array(zones.dropFirst()))
    guard let kept = away.removeValue(forKey: zone) else {
      away[zone] = states[zone]
      return Dictionary(uniqueKeysWithValues: states[zone].records.keys.map { (RecordKey(zone, $0), nil) })
    }
    var writes = Dictionary(uniqueKeysWithValues: kept.records.map { (RecordKey(zone, $0), $1) })
    for (key, registers) in write(states) where key.zone == zone {
      if let registers { writes[key, default: Registers()].join(registers) }
    }
    return joined(writes, states)
  }

  // MARK: - Saves

  /// What a program saves that shows the given states: it changes records that it sees, makes others, gives them owners, deletes and shares.
  mutating func save(_ states: ZoneStates) -> LocalTransaction {
    clock += 1
    let time = HybridTimes.time(clock, 3)
    let here = here(states)
    var changes: [RecordKey: Registers] = [:]
    var owners: [RecordKey: RecordKey] = [:]
    for _ in 0...random.below(3) {
      let isNew = here.isEmpty || random.chance(25)
      let key = isNew ? RecordKey(random.pick(zones), name()) : random.pick(here)
      if !isNew, random.chance(15) {
        var dead = Registers()
        dead.dead = time
        changes[key, default: Registers()].join(dead)
        if random.chance(40) { owners[key] = random.pick(here) }
        continue
      }
      let entity = states[key]?.born?.value ?? entity(key.name)
      changes[key, default: Registers()].join(fields(entity, here, states, in: key.zone, at: time))
      if isNew { changes[key]?.born = Stamped(time, entity) }
    }
    var transaction = LocalTransaction(id: id(), time: time, changes: changes)
    transaction.owners = owners
    if let row = here.randomElement(using: &random), random.chance(10) {
      transaction.moves = [.init(row, to: random.pick(zones))]
    }
    transaction.isResent = random.chance(4)
    return transaction
  }

  private mutating func id() -> UUID {
    let (high, low) = (random.next(), random.next())
    func byte(_ word: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> (index * 8)) }
    return UUID(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5), byte(high, 6),
        byte(high, 7),
        byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
      ))
  }

  /// Some properties of a record, with references to records that the program sees.
  private mutating func fields(
    _ entity: WireName, _ here: [RecordKey], _ states: ZoneStates, in zone: ZoneName, at time: HybridTime
  ) -> Registers {
    var registers = Registers()
    for property in models.classes[entity] ?? [] where random.chance(50) {
      let targets = here.filter { models.isKind(states[$0]?.born?.value ?? "", of: property.destination ?? "") }
      let target = targets.randomElement(using: &random)
      let hint = target.flatMap { $0.zone == zone ? nil : $0.zone }
      switch property.kind {
      case .attribute: registers.fields[property.wire] = Stamped(time, .integer(Int64(random.below(3))))
      case .toOne:
        let value = target.map { RegisterValue.reference(Reference($0.name, hint: hint)) } ?? .null
        registers.fields[property.wire] = Stamped(time, value)
      case .members:
        guard let target else { continue }
        let edge = Edge(added: time, place: Stamped(time, Place("8", hint: hint)))
        registers.edges[property.wire] = [target.name: edge]
      case .list, .inverseToOne, .inverseMembers: continue
      }
    }
    return registers
  }

  mutating func below(_ count: Int) -> Int { random.below(count) }
  mutating func chance(_ percent: Int) -> Bool { random.chance(percent) }

  /// Zones that an account may write.
  mutating func permissions() -> Set<ZoneName> { Set(zones.filter { _ in random.chance(75) }) }

  /// Shared objects.
  mutating func roots(_ states: ZoneStates) -> Set<RecordKey> { Set(here(states).filter { _ in random.chance(10) }) }
}
