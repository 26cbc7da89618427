import Foundation
import Foundation
import SwiftData
import Testing

/// A tree and a many-to-many.
private enum Forest {
  @Model final class Trunk {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Leaf.trunk) var leaves: [Leaf] = []
    init(name: String = "") { self.name = name }
  }

  @Model final class Leaf {
    var number: Int
    var trunk: Trunk?
    @Relationship(inverse: \Mark.leaves) var marks: [Mark]? = []
    init(_ number: Int, trunk: Trunk? = nil) {
      self.number = number
      self.trunk = trunk
    }
  }

  @Model final class Mark {
    var number: Int
    var leaves: [Leaf] = []
    init(_ number: Int) { self.number = number }
  }
}

/// Relating objects in a loop.
@Suite("Linking in a loop") struct LinkingTests {
  private typealias Trunk = Forest.Trunk
  private typealias Leaf = Forest.Leaf
  private typealias Mark = Forest.Mark

  enum Side: CaseIterable { case list, toOne, initialiser, toOneAndList, listAndToOne }

  /// A stored trunk with leaves, loaded.
  private static func stored(_ count: Int) throws -> (ModelContext, Trunk) {
    let context = try Growth.context(Trunk.self, Mark.self)
    let trunk = Trunk()
    context.insert(trunk)
    trunk.leaves = (0..<count).map { Leaf($0) }
    try context.save()
    #expect(trunk.leaves.count == count)
    return (context, trunk)
  }

  @Test("Links are made by either side, while the number of children is read", arguments: Side.allCases)
  func links(side: Side) throws {
    try Growth.expectLinear { count in
      let context = try Growth.context(Trunk.self, Mark.self)
      let trunk = Trunk()
      context.insert(trunk)
      for number in 0..<count {
        switch side {
        case .list: trunk.leaves.append(Leaf(number))
        case .toOne: Leaf(number).trunk = trunk
        case .initialiser: context.insert(Leaf(number, trunk: trunk))
        case .toOneAndList:
          let leaf = Leaf(number)
          leaf.trunk = trunk
          trunk.leaves.append(leaf)
        case .listAndToOne:
          let leaf = Leaf(number)
          trunk.leaves.append(leaf)
          leaf.trunk = trunk
        }
        #expect(trunk.leaves.count == number + 1)
      }
      #expect(trunk.leaves.allSatisfy { $0.trunk === trunk && $0.modelContext == context })
      #expect(ContextInvariants(of: context.state).violations() == [])
      let work = context.state.work.total
      try context.save()
      let fresh = ModelContext(context.container)
      #expect(try fresh.fetch(FetchDescriptor<Trunk>())[0].leaves.map(\.number) == Array(0..<count))
      return work
    }
  }

  /// `GROWTH=100000` does it with so many targets.
  @Test("Setting both sides in a loop is no work for each target that is there", arguments: [true, false])
  func bothSides(isStored: Bool) throws {
    let length = ProcessInfo.processInfo.environment["GROWTH"].flatMap(Int.init) ?? 4_000
    try Growth.expectLinear(length / 2) { count in
      let (context, trunk) = try isStored ? Self.stored(8) : (Growth.context(Trunk.self, Mark.self), Trunk())
      context.insert(trunk)
      let work = try Growth.work(of: context) {
        for number in 0..<count {
          let leaf = Leaf(number)
          leaf.trunk = trunk
          trunk.leaves.append(leaf)
        }
      }
      let expected = (isStored ? Array(0..<8) : []) + Array(0..<count)
      #expect(trunk.leaves.map(\.number) == expected)
      #expect(ContextInvariants(of: context.state).violations() == [])
      try context.save()
      #expect(try ModelContext(context.container).fetch(FetchDescriptor<Trunk>())[0].leaves.map(\.number) == expected)
      return work.total
    }
  }

  @Test(
    "To append to a stored list, and to save that, is no work for each that is there", arguments: [true, false])
  func appendAndSave(byList: Bool) throws {
    func run(_ count: Int) throws -> WorkCounter {
      let (context, trunk) = try Self.stored(count)
      func append(_ number: Int) throws {
        if byList { trunk.leaves.append(Leaf(number)) } else { Leaf(number).trunk = trunk }
        try context.save()
      }
      // What is kept beside the list is made by the first.
      for number in 0..<8 { try append(count + number) }
      let work = try Growth.work(of: context) { for number in 8..<14 { try append(count + number) } }
      let (_, statements) = try SQLTrace.record { try append(count + 14) }
      #expect(!statements.contains { $0.hasPrefix("UPDATE \"Leaf\"") }, "\(statements)")
      #expect(try ModelContext(context.container).fetch(FetchDescriptor<Trunk>())[0].leaves.count == count + 15)
      return work
    }
    let (small, large) = (try run(200), try run(2000))
    #expect(large.elements <= small.elements + 20)
    #expect(large.listed + large.registered + large.evaluated <= 50)
  }

  private static func positionUpdates(_ statements: [String]) -> Int {
    statements.count { $0.hasPrefix("UPDATE \"Leaf\" SET \"trunk#position\"") }
  }

  @Test("To take one out, to move one and to put one in between is no work for each that is there")
  func edits() throws {
    func run(_ count: Int) throws -> Int {
      let (context, trunk) = try Self.stored(count)
      var expected = trunk.leaves.map(\.number)
      var updates = 0
      func save() throws {
        let (_, statements) = try SQLTrace.record { try context.save() }
        updates += Self.positionUpdates(statements)
      }
      func edit(_ round: Int) throws {
        let place = count / 2 + round
        trunk.leaves.remove(at: place)
        expected.remove(at: place)
        try save()
        trunk.leaves.insert(Leaf(count + round), at: place - 1)
        expected.insert(count + round, at: place - 1)
        try save()
        trunk.leaves.append(trunk.leaves.remove(at: 1))
        expected.append(expected.remove(at: 1))
        try save()
      }
      // The first give the list positions, and make what is kept beside it.
      for round in 0..<8 { try edit(round) }
      updates = 0
      let work = try Growth.work(of: context) { for round in 8..<13 { try edit(round) } }
      #expect(updates <= 10)
      #expect(trunk.leaves.map(\.number) == expected)
      #expect(ContextInvariants(of: context.state).violations() == [])
      #expect(try ModelContext(context.container).fetch(FetchDescriptor<Trunk>())[0].leaves.map(\.number) == expected)
      return work.elements
    }
    let (small, large) = (try run(200), try run(800))
    #expect(large <= small + small / 2 + 20)
  }

  @Test("A moved target gets a position between its neighbours, and the others keep theirs")
  func positions() throws {
    let (context, trunk) = try Self.stored(100)
    trunk.leaves.insert(trunk.leaves.removeLast(), at: 3)
    try context.save()
    var expected = trunk.leaves.map(\.number)
    for round in 0..<60 {
      trunk.leaves.insert(trunk.leaves.removeLast(), at: 50)
      expected.insert(expected.removeLast(), at: 50)
      let (_, statements) = try SQLTrace.record { try context.save() }
      let updates = Self.positionUpdates(statements)
      // Once there is no room between two, all are written anew.
      #expect(updates == 1 || updates == 100 && round > 25, "\(updates) in round \(round)")
      #expect(try ModelContext(context.container).fetch(FetchDescriptor<Trunk>())[0].leaves.map(\.number) == expected)
    }
  }

  @Test("A many-to-many is as much work as it has pairs")
  func manyToMany() throws {
    func run(_ count: Int) throws -> Int {
      let context = try Growth.context(Trunk.self, Mark.self)
      let (leaves, marks) = ((0..<count).map { Leaf($0) }, (0..<count).map { Mark($0) })
      for leaf in leaves { context.insert(leaf) }
      for mark in marks { context.insert(mark) }
      for leaf in leaves { for mark in marks { leaf.marks?.append(mark) } }
      #expect(marks.allSatisfy { $0.leaves.count == count })
      #expect(ContextInvariants(of: context.state).violations() == [])
      let work = context.state.work.total
      let (_, statements) = try SQLTrace.record { try context.save() }
      // Each pair once, though both sides have it; their order is that of the lists.
      #expect(statements.count { $0.hasPrefix("INSERT OR IGNORE INTO \"Leaf.marks\"") } == count * count)
      #expect(!statements.contains { $0.hasPrefix("UPDATE \"Leaf.marks\"") })
      let fresh = ModelContext(context.container)
      let stored = try fresh.fetch(FetchDescriptor<Leaf>(sortBy: [SortDescriptor(\.number)]))
      #expect(stored.allSatisfy { $0.marks?.map(\.number) == Array(0..<count) })
      return work
    }
    let (one, two) = (try run(60), try run(120))
    // Twice as many on both sides are four times the pairs.
    #expect(two <= one * 4 + one)
  }

  @Test("A list that is touched takes in its own unsaved members, not all there are")
  func faults() throws {
    try Growth.expectLinear(100) { count in
      let context = try Growth.context(Trunk.self, Mark.self)
      for number in 0..<count { context.insert(Trunk(name: "\(number)")) }
      try context.save()
      let fresh = ModelContext(context.container)
      let trunks = try fresh.fetch(FetchDescriptor<Trunk>())
      for (number, trunk) in trunks.enumerated() { Leaf(number).trunk = trunk }
      for (number, trunk) in trunks.enumerated() { #expect(trunk.leaves.map(\.number) == [number]) }
      return fresh.state.work.total
    }
  }

  @Test("What an upsert writes over is looked for among what is saved, not among all objects")
  func upserts() throws {
    let context = try memoryContext(Artist.self, RecordShop.self)
    for number in 0..<200 { context.insert(Artist(name: "artist \(number)")) }
    try context.save()
    let held = try context.fetch(FetchDescriptor<Artist>())
    let work = try Growth.work(of: context) {
      for number in 0..<20 {
        context.insert(Artist(name: "artist \(number)", country: "somewhere"))
        try context.save()
      }
    }
    #expect(work.registered == 0)
    #expect(held[7].country == "somewhere")
  }

  // MARK: - What a change in place may do

  @Test("An access that replaces and appends is a replacement", arguments: [40, 400])
  func replaceAndAppend(count: Int) throws {
    let (context, trunk) = try Self.stored(count)
    func change(_ leaves: inout [Leaf], _ place: Int) -> Leaf {
      let old = leaves[place]
      leaves[place] = Leaf(1000)
      leaves.append(Leaf(1001))
      return old
    }
    // Places that the comparison of a part sees at once, and some that it does not.
    for place in [0, 1, 17, count / 2, count - 2, count - 1] {
      let old = change(&trunk.leaves, place)
      let new = trunk.leaves[place]
      try context.save()
      #expect(old.trunk == nil)
      #expect(new.trunk === trunk)
      #expect(ContextInvariants(of: context.state).violations() == [])
      let stored = try ModelContext(context.container).fetch(FetchDescriptor<Trunk>())[0]
      #expect(stored.leaves.map(\.number) == trunk.leaves.map(\.number))
    }
  }

  @Test("A reader of a list sees the old list while it is changed in place")
  func readWhileChanging() throws {
    let (context, trunk) = try Self.stored(100)
    var seen = Set<Int>()
    trunk.leaves.removeAll { leaf in
      seen.insert(trunk.leaves.count)
      return leaf.number.isMultiple(of: 2)
    }
    #expect(seen == [100])
    #expect(trunk.leaves.map(\.number) == (0..<50).map { $0 * 2 + 1 })
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Trunk>())[0].leaves.count == 50)
  }

  @Test("A change in place that ends with an error keeps what it did")
  func throwingChange() throws {
    struct Stop: Error {}
    let (context, trunk) = try Self.stored(50)
    func change(_ leaves: inout [Leaf]) throws {
      leaves.removeFirst()
      throw Stop()
    }
    #expect(throws: Stop.self) { try change(&trunk.leaves) }
    #expect(trunk.leaves.count == 49)
    #expect(context.hasChanges)
    context.rollback()
    #expect(trunk.leaves.count == 50)
    #expect(ContextInvariants(of: context.state).violations() == [])
  }

  @Test("An inner change of the same list is replaced by the outer one, as with a getter and a setter")
  func nestedChange() throws {
    let (context, trunk) = try Self.stored(60)
    func change(_ leaves: inout [Leaf]) {
      trunk.leaves.append(Leaf(1000))
      leaves.append(Leaf(1001))
    }
    change(&trunk.leaves)
    #expect(trunk.leaves.map(\.number) == Array(0..<60) + [1001])
    #expect(ContextInvariants(of: context.state).violations() == [])
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Trunk>())[0].leaves.count == 61)
  }

  @Test("A target that is there already is not appended again", arguments: [5, 500])
  func repetition(count: Int) throws {
    let (context, trunk) = try Self.stored(count)
    for _ in 0..<3 { trunk.leaves.append(trunk.leaves[count / 2]) }
    trunk.leaves += [trunk.leaves[0], Leaf(1000), trunk.leaves[1]]
    trunk.leaves.insert(trunk.leaves[3], at: 0)
    #expect(trunk.leaves.count == count + 1)
    #expect(trunk.leaves.map(\.number).prefix(2) == [3, 0])
    #expect(ContextInvariants(of: context.state).violations() == [])
  }
}
