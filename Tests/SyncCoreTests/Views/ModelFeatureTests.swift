import SyncCore
import SyncProtocol
import Testing

/// What the model in Python does not have: subclasses, several unique sets, cascades on either side, lists with two orders, renamed properties.
@Suite("Rules of richer models")
struct ModelFeatureTests {
  private let ann = SyncGroup.ann
  private let share = ZoneName.share("share0")
  private let time = HybridTimes.time(1)
  private func name(_ index: Int) -> RecordName { TraceTables.name(index) }
  private func key(_ index: Int) -> RecordKey { RecordKey(ann, name(index)) }
  private func to(_ index: Int, hint: ZoneName? = nil) -> RegisterValue { .reference(Reference(name(index), hint: hint)) }

  /// The rows of records of a private zone, taken in one after the other, and checked against the whole view.
  private func rows(_ records: [(Int, Registers)]) throws -> [RecordKey: Row] {
    var shown = ShownView(RichModels.new)
    for (index, registers) in records {
      try shown.take([key(index): (shown.records.states[key(index)] ?? Registers()).joining(registers)])
      try shown.check()
    }
    return shown.rows
  }

  private func edges(_ property: WireName, _ members: [Int: ExactText], isPresent: Bool = true) -> Registers {
    var registers = Registers()
    for (member, place) in members {
      let edge = Edge(added: isPresent ? time : .zero, place: Stamped(time, Place(place)))
      registers.edges[property, default: [:]][name(member)] = edge
    }
    return registers
  }

  private var dead: Registers {
    var registers = Registers()
    registers.dead = HybridTimes.time(9)
    return registers
  }

  @Test("A relationship to a class leads to the objects of its subclasses, and to no others")
  func subclasses() throws {
    let rows = try rows([
      (1, .born("Crate", at: time)), (2, .born("Note", at: time)), (3, .born("Item", at: time, ["parent": to(1)])),
      (4, .born("Item", at: time, ["parent": to(2)])), (5, .born("Box", at: time, ["parent": to(1)])),
    ])
    #expect(rows[key(3)]?.values["parent"] == .toOne(key(1)) && rows[key(4)]?.values["parent"] == .toOne(nil))
    #expect(rows[key(1)]?.values["children"] == .toMany([key(3), key(5)]))
  }

  @Test("Objects of two subclasses with one value of the class that they inherit from are one row of the class of the least record")
  func inheritedUniqueness() throws {
    let rows = try rows([
      (2, .born("Crate", at: time, ["tag": .integer(1), "weight": .integer(7)])),
      (1, .born("Box", at: time, ["tag": .integer(1), "size": .integer(3)])),
    ])
    #expect(rows.keys.sorted() == [key(1)] && rows[key(1)]?.entity == "Box")
    #expect(rows[key(1)]?.values["size"] == .value(.integer(3)) && rows[key(1)]?.values["weight"] == nil)
  }

  @Test("Several unique sets join records in a chain, and a set with a missing value joins none")
  func uniqueSets() throws {
    let joined = try rows([
      (1, .born("Box", at: time, ["number": .integer(1), "name": .integer(4), "size": .integer(5)])),
      (2, .born("Box", at: time, ["number": .integer(1), "tag": .integer(6)])),
      (3, .born("Box", at: time, ["tag": .integer(6)])),
      (4, .born("Box", at: time, ["name": .integer(4), "size": .integer(5)])),
    ])
    #expect(joined.keys.sorted() == [key(1)])
    let apart = try rows([
      (1, .born("Box", at: time, ["name": .integer(4)])), (2, .born("Box", at: time, ["name": .integer(4)])),
    ])
    #expect(apart.count == 2)
  }

  @Test("Unique values that a database treats as equal are equal, and no text imitates two values")
  func equalValues() throws {
    let one = ("e\u{301}", "\u{e9}")
    let texts = try rows([
      (1, .born("Person", at: time, ["email": .text(ExactText(one.0))])),
      (2, .born("Person", at: time, ["email": .text(ExactText(one.1))])),
      (3, .born("Person", at: time, ["email": .integer(2)])), (4, .born("Person", at: time, ["email": .real(2)])),
      (5, .born("Person", at: time, ["email": .real(.nan)])), (6, .born("Person", at: time, ["email": .real(.nan)])),
    ])
    #expect(texts.keys.sorted() == [key(1), key(3), key(5), key(6)])
    let forged = try rows([
      (1, .born("Box", at: time, ["name": .text("x\u{1F}size\u{1F}2\u{1F}ty"), "size": .text("z")])),
      (2, .born("Box", at: time, ["name": .text("x"), "size": .text("y\u{1F}size\u{1F}2\u{1F}tz")])),
    ])
    #expect(forged.count == 2)
  }

  @Test("What a deleted object held with a cascade goes with it, whichever came first", arguments: [true, false])
  func ownedToOne(isDeletedFirst: Bool) throws {
    let box = Registers.born("Box", at: time, ["cover": to(2)])
    let note = Registers.born("Note", at: time)
    let rows = try rows(isDeletedFirst ? [(1, box), (1, dead), (2, note)] : [(1, box), (2, note), (1, dead)])
    #expect(rows.isEmpty)
    var detached = Registers.fields(["cover": .null], at: HybridTimes.time(2))
    detached.dead = HybridTimes.time(2)
    #expect(try self.rows([(1, box), (2, note), (1, detached)]).keys.sorted() == [key(2)])
  }

  @Test("A derived to-one shows its source, and with a cascade the source goes with the object")
  func derivedToOne() throws {
    let records: [(Int, Registers)] = [
      (1, .born("Person", at: time)), (2, .born("Badge", at: time, ["holder": to(1)])),
      (3, .born("Badge", at: HybridTimes.time(2), ["person": to(1)])),
    ]
    let rows = try rows(records)
    #expect(rows[key(1)]?.values["badge"] == .toOne(key(3)))
    #expect(rows[key(2)]?.values["person"] == .toOne(nil) && rows[key(3)]?.values["person"] == .toOne(key(1)))
    #expect(try self.rows(records + [(1, dead)]).isEmpty)
  }

  @Test("Each side of a many-to-many has an order of its own, and a cascade of the derived side hides its members")
  func twoOrders() throws {
    let records: [(Int, Registers)] = [
      (1, .born("Label", at: time).joining(edges("items", [3: "8", 4: "4"]))),
      (2, .born("Label", at: time).joining(edges("items", [3: "8"]))),
      (3, .born("Item", at: time).joining(edges("labels", [1: "c", 2: "4"], isPresent: false))),
      (4, .born("Item", at: time)),
    ]
    let rows = try rows(records)
    #expect(rows[key(1)]?.values["items"] == .toMany([key(4), key(3)]))
    #expect(rows[key(3)]?.values["labels"] == .toMany([key(2), key(1)]))
    #expect(rows[key(4)]?.values["labels"] == .toMany([key(1)]))
    let clubs = try self.rows([
      (1, .born("Person", at: time)), (2, .born("Club", at: time).joining(edges("people", [1: "8"]))), (1, dead),
    ])
    #expect(clubs.isEmpty)
  }

  @Test("A renamed property shows the later write of its two names")
  func renamed() throws {
    let early = Registers.fields(["body": .text("old"), "text": .text("new")], at: time)
    let later = Registers.fields(["body": .text("later")], at: HybridTimes.time(2))
    let note = Registers.born("Note", at: time)
    #expect(try rows([(1, note.joining(early).joining(later))])[key(1)]?.values["text"] == .value(.text("later")))
    let newer = Registers.fields(["text": .text("newer")], at: HybridTimes.time(3))
    #expect(try rows([(1, note.joining(early).joining(later)), (1, newer)])[key(1)]?.values["text"] == .value(.text("newer")))
    let album = Registers.born("Album", at: time).joining(edges("pages", [1: "8"])).joining(edges("notes", [2: "4"]))
    let rows = try rows([(1, note), (2, note), (3, album)])
    #expect(rows[key(3)]?.values["notes"] == .toMany([key(2), key(1)]))
  }

  @Test("What an object holds with a cascade comes into its zone, also if the program does not know the class")
  func moves() {
    var states = ZoneStates([ann: ZoneState(), share: ZoneState()])
    states[share].join(name(1), .born("Box", at: time))
    states[ann].join(name(2), .born("Note", at: time))
    states[ann].join(name(3), .born("Unknown", at: time))
    states[ann].join(name(4), .born("Album", at: time).joining(edges("pages", [3: "8"])))
    let save = LocalTransaction(
      time: HybridTimes.time(2),
      changes: [RecordKey(share, name(1)): .fields(["cover": to(2, hint: ann)], at: HybridTimes.time(2))])
    var rebase = Rebase(states, outbox: [save], models: RichModels.new, writable: [ann, share])
    #expect(rebase.states.isHere(RecordKey(share, name(2))) && !rebase.states.isHere(key(2)))
    var shared = LocalTransaction(time: HybridTimes.time(2), changes: [:])
    shared.moves = [.init(key(4), to: share)]
    rebase = Rebase(states, outbox: [shared], models: RichModels.new, writable: [ann, share])
    #expect(rebase.states.isHere(RecordKey(share, name(3))) && !rebase.states.isHere(key(3)))
  }

  @Test("A row keeps its object when its record moves, and when another record becomes the least one of the row")
  func identity() throws {
    var shown = ShownView(RichModels.new)
    let person = Registers.born("Person", at: time, ["email": .integer(1)])
    try shown.take([key(5): person, key(6): .born("Badge", at: time, ["person": to(5)])])
    let object = try #require(shown.objects[key(5)])
    try shown.take([key(3): person])
    #expect(shown.objects[key(3)] == object && shown.rows[key(6)]?.values["person"] == .toOne(key(3)))
    var departure = Registers()
    departure.home = Home(moves: 1, time: HybridTimes.time(2), zone: share)
    let moved = RecordKey(share, name(3))
    try shown.take([key(3): person.joining(departure), moved: person.joining(departure), key(5): nil])
    try shown.check()
    #expect(shown.objects[moved] == object && shown.rows.count == 2)
  }
}
