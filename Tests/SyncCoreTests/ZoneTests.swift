import SyncCore
import Testing

/// Cases of several zones: `cases.py` of the model.
@Suite("Zones")
struct ZoneTests {
  private let ann = SyncGroup.ann
  private let bob = SyncGroup.bob

  @Test("An object is in the zone of its owner: it comes into a share and leaves it with the transaction that says so")
  func shared() {
    let group = SyncGroup(ann, ann, bob)
    let project = group.insert(0, "Project")
    let task = group.insert(0, "Task", [("title", .text("t")), ("project", .toOne(project))])
    group.sync()
    group.set(1, task, "title", .text("late"))  // The second device has not seen the move.
    let zone = group.share(0, project, [bob: true])
    let (sharedProject, sharedTask) = (RecordKey(zone, project.name), RecordKey(zone, task.name))
    for index in 0...2 {
      #expect(group.value(index, sharedTask, "title") == .text("late") && group.replicas[index].rows.count == 2)
    }
    group.set(2, sharedTask, "title", .text("bob"))
    let own = group.insert(2, "Task", [("title", .text("u"))])
    group.set(2, own, "project", .toOne(sharedProject))
    group.sync()
    #expect(group.value(0, RecordKey(zone, own.name), "title") == .text("u") && group.replicas[2].rows[own] == nil)
    let other = group.insert(0, "Project")
    group.set(0, sharedTask, "project", .toOne(other))  // It leaves the share.
    group.set(2, sharedTask, "title", .text("too late"))
    group.sync()
    #expect(group.value(1, task, "title") == .text("bob") && group.replicas[2].rows[sharedTask] == nil)
    #expect(group.lost(2).contains(.movedOutOfSight))
    group.set(2, sharedProject, "title", .text("unsent"))
    group.server.shares[zone]?.members = [:]
    group.sync()
    #expect(group.replicas[2].rows.isEmpty && group.replicas[0].rows.count == 4)
  }

  @Test("The server takes the first of two concurrent moves, and the second one starts from there")
  func twoMoves() {
    let group = SyncGroup(ann, ann)
    let (one, two) = (group.insert(0, "Project"), group.insert(0, "Project"))
    let task = group.insert(0, "Task")
    group.sync()
    let (first, second) = (group.share(0, one), group.share(0, two))
    group.set(0, task, "project", .toOne(RecordKey(first, one.name)))
    group.set(1, task, "project", .toOne(RecordKey(second, two.name)))
    #expect(group.push(0) == [.taken] && group.push(1) == [.moved])
    group.sync()
    #expect(Array(group.rows(0, "Task").keys) == [RecordKey(second, task.name)])
    #expect(group.rows(0, "Task") == group.rows(1, "Task"))
  }

  @Test("A change of a zone that became read-only is dropped, with its reason")
  func readOnly() {
    let group = SyncGroup(ann, bob)
    let project = group.insert(0, "Project", [("title", .text("a"))])
    let zone = group.share(0, project, [bob: true])
    let shared = RecordKey(zone, project.name)
    group.set(1, shared, "title", .text("b"))
    group.server.shares[zone]?.members[bob] = false
    #expect(group.push(1) == [.forbidden])
    group.sync()
    #expect(group.lost(1) == [.readOnly])
    #expect((0...1).allSatisfy { group.value($0, shared, "title") == .text("a") })
  }

  @Test("A participant can neither hide nor change a private object by giving a shared record its name")
  func forgedName() {
    let (zone, time) = (ZoneName.share("share0"), HybridTimes.time(5))
    let (project, task) = (TraceTables.name(1), TraceTables.name(2))
    var own = ZoneState()
    own.join(project, .born("Project", at: time, ["title": .text("mine"), "code": .integer(1)]))
    own.join(task, .born("Task", at: time, ["project": .reference(Reference(project))]))
    let alone = View(ZoneStates([ann: own]), TestModels.new).rows
    var forged = ZoneState()
    var dead = Registers.born("Project", at: HybridTimes.time(9), ["title": .text("theirs"), "code": .integer(1)])
    forged.join(task, .born("Task", at: time, ["project": .reference(Reference(project, hint: ann))]))
    let equal = View(ZoneStates([ann: own, zone: forged.joining(project, dead)]), TestModels.new).rows
    dead.dead = HybridTimes.time(9)
    let gone = View(ZoneStates([ann: own, zone: forged.joining(project, dead)]), TestModels.new).rows
    for rows in [equal, gone] {
      let private_ = rows.filter { $0.key.zone == ann }
      #expect(Set(private_.keys) == Set(alone.keys))
      #expect(private_[RecordKey(ann, project)]?.values["title"] == .text("mine"))
      #expect(private_[RecordKey(ann, task)] == alone[RecordKey(ann, task)])
    }
  }

  @Test("A one-to-one shows the source in the target's own zone, though a participant wrote another one later")
  func foreignSource() {
    let (zone, person) = (ZoneName.share("share0"), TraceTables.name(1))
    let (own, foreign) = (RecordKey(ann, TraceTables.name(2)), RecordKey(zone, TraceTables.name(3)))
    var states = ZoneStates()
    states[ann].join(person, .born("Person", at: HybridTimes.time(1)))
    states[ann].join(own.name, .born("Badge", at: HybridTimes.time(5), ["person": .reference(Reference(person))]))
    states[zone].join(
      foreign.name, .born("Badge", at: HybridTimes.time(9), ["person": .reference(Reference(person, hint: ann))]))
    let rows = View(states, TestModels.new).rows
    #expect(rows[own]?.values["person"] == .toOne(RecordKey(ann, person)))
    #expect(rows[foreign]?.values["person"] == .toOne(nil))
  }

  @Test("Pointers of moves that lead in a circle end a search")
  func circle() {
    let (one, two, name) = (ZoneName.share("share0"), ZoneName.share("share1"), TraceTables.name(1))
    var states = ZoneStates([ann: ZoneState()])
    for (from, to) in [(one, two), (two, one)] {
      var registers = Registers.born("Task", at: HybridTimes.time(1))
      registers.home = Home(moves: .max, time: HybridTimes.time(1), zone: to)
      states[from].join(name, registers)
    }
    #expect(states.locate(Reference(name), from: one) == nil)
    #expect(View(states, TestModels.new).rows.isEmpty)
    // A move of a record whose number of moves is the greatest does not overflow.
    var arrived = Registers()
    arrived.home = Home(moves: .max, time: HybridTimes.time(2), zone: one)
    states[one].join(name, arrived)
    let move = LocalTransaction(
      time: HybridTimes.time(3),
      changes: [
        RecordKey(two, TraceTables.name(2)): .born("Project", at: HybridTimes.time(3)),
        RecordKey(one, name): .fields(
          ["project": .reference(Reference(TraceTables.name(2), hint: two))], at: HybridTimes.time(3)),
      ])
    let rebase = Rebase(states, outbox: [move], models: TestModels.new, writable: [one, two])
    #expect(rebase.states.isHere(RecordKey(two, name)) && !rebase.states.isHere(RecordKey(one, name)))
  }

  @Test("Unique values that lead through 100,000 zones, from one to the next, end no client")
  func chainOfGroups() throws {
    let models = SyncModels([
      "Item": .init(
        [
          .init("left", .attribute), .init("right", .attribute), .init("owner", .toOne("Item", isExclusive: false)),
          .init("items", .list("Item", inverse: "owner", isCascade: true)),
        ], unique: [["left"], ["right"]])
    ])
    let (own, owner) = (ZoneName.account("ann"), RecordName("owner"))
    var records = MemoryRecords(models)
    records.set(RecordKey(own, owner), .born("Item", at: HybridTimes.time(1)))
    let items = (0..<100_000).map { RecordKey(.share(ExactText("\(1_000_000 + $0)")), RecordName("item\($0)")) }
    for (number, item) in items.enumerated() {
      var registers = Registers.fields(
        ["left": .integer(Int64(number / 2)), "right": .integer(Int64((number + 1) / 2))], at: HybridTimes.time(1))
      registers.born = Stamped(HybridTimes.time(1), "Item")
      records.set(item, registers)
    }
    let last = items[items.count - 1]
    let move = LocalTransaction(
      time: HybridTimes.time(2),
      changes: [last: .fields(["owner": .reference(Reference(owner, hint: own))], at: HybridTimes.time(2))])
    var outbox = LaidOutbox(models)
    _ = try outbox.update(records, appended: [move], writable: [own, last.zone])
    #expect(outbox.outgoing.first?.parts[own]?[last.name]?.born != nil)
  }
}
