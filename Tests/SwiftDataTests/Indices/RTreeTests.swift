import Foundation
import SwiftData
import Testing

@Suite("R*Trees")
struct RTreeTests {
  typealias Sample = Mapped.Sample
  private let context: ModelContext

  init() throws { context = try memoryContext(Sample.self) }

  /// Values at and between the 32-bit numbers, and at all ends.
  private static let numbers: [Double] = [
    0, -0.0, 1, -1, 0.1, -0.1, 1.0000000001, 16_777_217, 16_777_216, -16_777_217, 1e-300, -1e-300,
    .leastNonzeroMagnitude, 1e30, 3e38,
    -3e38, 3.1e38, 3.5e38, -3.5e38, 1e300, -1e300, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .infinity,
    -.infinity, .nan, Double(Float(0.1)), Double(Float(0.1).nextUp), 123.456789,
  ]
  private static let wholes = [
    0, 1, -1, 16_777_217, 16_777_216, 1 << 53, (1 << 53) + 1, (1 << 60) - 1, 1 << 60, (1 << 60) + 1, .max, .max - 1,
    .min, .min + 1,
  ]

  private func fill(_ random: inout RandomSource, _ count: Int) throws -> [Sample] {
    var all = [Sample]()
    for _ in 0..<count {
      let sample = Sample(
        x: random.pick(Self.numbers), y: random.chance(1, in: 4) ? nil : random.pick(Self.numbers),
        whole: random.pick(Self.wholes), date: Date(timeIntervalSinceReferenceDate: random.pick(Self.numbers)),
        small: Float(random.pick(Self.numbers)),
        place: .init(
          latitude: random.pick(Self.numbers.filter(\.isFinite)), longitude: 0))
      context.insert(sample)
      all.append(sample)
    }
    try context.save()
    return all
  }

  /// Whether a fetch goes through a tree and gives what Swift makes of all objects in memory.
  private func check(_ predicate: Predicate<Sample>, _ all: [Sample], _ note: String) throws {
    let descriptor = FetchDescriptor(predicate: predicate)
    let found = try context.fetch(descriptor)
    let expected = try all.filter { try predicate.evaluate($0) }
    let wrong = Set(found.map(ObjectIdentifier.init)).symmetricDifference(expected.map(ObjectIdentifier.init))
    #expect(wrong.isEmpty, "\(note)")
    #expect(found.count == expected.count)
  }

  private func usesTree(_ predicate: Predicate<Sample>) throws -> Bool {
    try context.explain(FetchDescriptor(predicate: predicate)).plan.contains {
      $0.detail.contains("_swiftdata_Sample.") && $0.detail.contains("VIRTUAL TABLE")
    }
  }

  @Test("Bounds at and beside 32-bit numbers lose no row and take none too many")
  func law() throws {
    var random = RandomSource(seed: 7)
    var all = try fill(&random, 300)
    for round in 0..<400 {
      let (a, b, c) = (random.pick(Self.numbers), random.pick(Self.numbers), random.pick(Self.numbers))
      let (i, j) = (random.pick(Self.wholes), random.pick(Self.wholes))
      let (d, f) = (Date(timeIntervalSinceReferenceDate: a), Float(b))
      let note = "round \(round): \(a), \(b), \(c), \(i), \(j)"
      switch round % 10 {
      case 0: try check(#Predicate { $0.x >= a && $0.x < b }, all, note)
      case 1: try check(#Predicate { $0.x > a && $0.x <= b && $0.whole != i }, all, note)
      case 2: try check(#Predicate { a <= $0.x && b > $0.x }, all, note)
      case 3: try check(#Predicate { $0.whole >= i && $0.whole <= j }, all, note)
      case 4: try check(#Predicate { $0.whole > i && j > $0.whole }, all, note)
      case 5: try check(#Predicate { $0.date <= d && $0.small > f }, all, note)
      case 6: try check(#Predicate { $0.date > d && $0.small <= f }, all, note)
      case 7: try check(#Predicate { ($0.y ?? c) > a && $0.x < b }, all, note)
      case 8: try check(#Predicate { $0.x == a || $0.whole == i }, all, note)
      default: try check(#Predicate { $0.place.latitude >= a && $0.place.latitude <= b }, all, note)
      }
      if round % 20 == 0 {
        let sample = random.pick(all)
        (sample.x, sample.y, sample.whole) = (random.pick(Self.numbers), nil, random.pick(Self.wholes))
        sample.place.latitude = random.pick(Self.numbers.filter(\.isFinite))
        context.delete(all.remove(at: random.int(0..<all.count)))
        if random.chance(1, in: 2) { try context.save() }
      }
    }
  }

  @Test("Ranges, captured or written out, go through the tree")
  func ranges() throws {
    var random = RandomSource(seed: 9)
    let all = try fill(&random, 100)
    let (half, closed, from) = (0.0..<10.0, -1.0...1.0, 0.5...)
    try check(#Predicate { half.contains($0.x) }, all, "half-open")
    try check(#Predicate { closed.contains($0.x) }, all, "closed")
    try check(#Predicate { from.contains($0.x) }, all, "from")
    #expect(try usesTree(#Predicate { half.contains($0.x) }))
    #expect(try usesTree(#Predicate { closed.contains($0.x) && $0.name == "" }))
    #expect(try usesTree(#Predicate { (0...3).contains($0.whole) }))
    #expect(try usesTree(#Predicate { $0.place.latitude > 3 }))
    #expect(try usesTree(#Predicate { $0.whole == 3 }))
  }

  @Test("Where a bound need not hold, the tree is left alone")
  func unbounded() throws {
    #expect(try !usesTree(#Predicate { $0.x > 3 || $0.whole > 3 }))
    #expect(try !usesTree(#Predicate { !($0.x > 3) }))
    let nothing = Double.nan
    #expect(try !usesTree(#Predicate { $0.x < nothing }))
    let huge = 1e300
    #expect(try !usesTree(#Predicate { $0.x < huge }))
  }

  @Test("Unsaved changes count")
  func pending() throws {
    var random = RandomSource(seed: 11)
    let all = try fill(&random, 20)
    for sample in all { sample.x = 5 }
    #expect(try context.fetchCount(FetchDescriptor<Sample>(predicate: #Predicate { $0.x > 4 && $0.x < 6 })) == 20)
    context.rollback()
    for sample in all.prefix(3) { context.delete(sample) }
    try check(#Predicate { $0.whole > -5 }, Array(all.dropFirst(3)), "deleted")
  }

  @Test("The tree of a subclass has its rows only and serves it only")
  func inheritance() throws {
    let context = try memoryContext(Mapped.Shape.self, Mapped.Circle.self, Mapped.Square.self)
    for index in 0..<10 {
      context.insert(Mapped.Circle(title: "c\(index)", radius: Double(index)))
      context.insert(Mapped.Square(title: "s\(index)", radius: Double(index)))
    }
    try context.save()
    let circles = FetchDescriptor<Mapped.Circle>(predicate: #Predicate { $0.radius > 3 && $0.radius < 6 })
    #expect(try context.fetch(circles).map(\.title) == ["c4", "c5"])
    #expect(
      try context.explain(circles).plan.contains { $0.detail.contains("_swiftdata_Circle.Circle.radius.rtree VIRTUAL") }
    )
    let squares = FetchDescriptor<Mapped.Square>(predicate: #Predicate { $0.radius > 3 && $0.radius < 6 })
    #expect(try context.fetch(squares).map(\.title) == ["s4", "s5"])
    #expect(try !context.explain(squares).plan.contains { $0.detail.contains("VIRTUAL") })
  }

  @Test("A store follows when an index becomes a tree, and the other way round")
  func changedKind() throws {
    let store = try TemporaryStore()
    let first = ModelContext(try store.container(BinarySpots.Spot.self))
    for index in 0..<20 { first.insert(BinarySpots.Spot(Double(index))) }
    try first.save()
    let second = ModelContext(try store.container(TreeSpots.Spot.self))
    let tree = FetchDescriptor<TreeSpots.Spot>(predicate: #Predicate { $0.x > 4 && $0.x < 6 })
    #expect(try second.fetch(tree).map(\.x) == [5])
    #expect(try second.explain(tree).plan.contains { $0.detail.contains("VIRTUAL TABLE") })
    let third = ModelContext(try store.container(BinarySpots.Spot.self))
    let binary = FetchDescriptor<BinarySpots.Spot>(predicate: #Predicate { $0.x > 4 && $0.x < 6 })
    #expect(try third.fetch(binary).map(\.x) == [5])
    #expect(try third.explain(binary).plan.contains { $0.detail.contains("Spot#x#index") })
    #expect(try store.shell("SELECT count(*) FROM sqlite_master WHERE name LIKE '%rtree%'") == "0")
  }

  @Test("The tree is what SQLite calls intact")
  func integrity() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(TreeSpots.Spot.self))
    let spots = Self.numbers.map(TreeSpots.Spot.init)
    for spot in spots { context.insert(spot) }
    try context.save()
    for spot in spots.prefix(10) { spot.x += 1 }
    for spot in spots.suffix(5) { context.delete(spot) }
    try context.save()
    #expect(try store.shell("SELECT rtreecheck('_swiftdata_Spot.x.rtree')") == "ok")
    #expect(try store.shell("SELECT count(*) FROM \"_swiftdata_Spot.x.rtree\"") == "\(spots.count - 5)")
  }

  @Test("A tree over text, or over more than five numbers, is refused with what to do")
  func refused() throws {
    let text = #expect(throws: SwiftDataError.self) { try memoryContext(WrongIndices.TextTree.self) }
    #expect(text?.code == .unsupportedKeyPath)
    #expect(text?.description.contains("TextTree.name") == true && text?.description.contains(".binary") == true)
    let wide = #expect(throws: SwiftDataError.self) { try memoryContext(WrongIndices.WideTree.self) }
    #expect(wide?.description.contains("one to five") == true)
  }
}
