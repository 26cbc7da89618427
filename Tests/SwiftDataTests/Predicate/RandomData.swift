import Foundation
import SwiftData

/// Random objects with the values that SQL and Swift are most likely to see differently.
struct RandomData {
  var random: RandomSource
  /// What was added later draws from a source of its own, so that the seeds of other tests keep their meaning.
  private var extra: RandomSource
  var isNormalized = false
  /// Swift's sort has no place for NaN.
  var hasNaN = true

  static let integers = [0, 1, -1, 2, 5, 7, 100, Int.max, Int.min, Int.max - 1, 1 << 53, (1 << 53) + 1]
  static let doubles = [
    0, -0.0, 1, -1, 0.1, 0.2, 0.30000000000000004, 1.5, .nan, .infinity, -.infinity, 1e300, .leastNonzeroMagnitude,
    .greatestFiniteMagnitude, 9007199254740994,
  ]
  static let decimals = [
    "0", "1", "-1", "0.1", "1.50", "100", "-0.001", "99999999999999999999", "NaN", "1e-20", "12.5", "-12.5", "-12",
  ]
  .map { $0 == "NaN" ? Decimal.nan : Decimal(string: $0)! }
  static let codes = [
    "00000000-0000-0000-0000-000000000000", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F",
    "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
  ]
  .map { UUID(uuidString: $0)! }
  static let links =
    ["http://a.example/x", "http://a.example/X", "file:///a%20b", "mailto:a@b.example"].map { URL(string: $0)! }
    + [URL(string: "x", relativeTo: URL(string: "http://a.example/"))!]
  static let bytes = [Data(), Data([0]), Data([0, 1]), Data("a".utf8), Data([255])]
  static let shapes = [Outline.point, .circle(radius: 1), .circle(radius: 0.1), .circle(radius: .infinity)]
  static let hugeNumbers: [UInt64] = [0, 1, 5, UInt64(Int64.max), UInt64(Int64.max) + 1, .max, .max - 1]

  init(seed: UInt64) {
    random = RandomSource(seed: seed)
    extra = RandomSource(seed: seed &+ 1_000_000_007)
  }

  private mutating func added<T>(_ body: (inout RandomData) -> T) -> T {
    swap(&random, &extra)
    defer { swap(&random, &extra) }
    return body(&self)
  }

  mutating func double() -> Double {
    let value = random.pick(Self.doubles)
    return value.isNaN && !hasNaN ? 3 : value
  }

  mutating func text() -> String {
    let text = random.pick(nastyTexts)
    return isNormalized ? SwiftText.nfc(text) : text
  }
  mutating func maybe<T>(_ value: T) -> T? { random.chance(1, in: 3) ? nil : value }

  mutating func postal() -> Postal {
    Postal(
      city: text(),
      lines: (0..<random.int(0..<3)).map { _ in text() },
      place: place(),
      zip: maybe(text())
    )
  }

  mutating func place() -> Postal.Place {
    Postal.Place(x: double(), y: random.int(-2..<3))
  }

  mutating func specimen(_ serial: Int) -> Specimen {
    let specimen = Specimen(serial: serial)
    specimen.title = text()
    specimen.note = maybe(text())
    specimen.letter = text().first ?? "a"
    specimen.number = random.pick(Self.integers)
    specimen.small = random.int(-4..<5)
    specimen.maybe = maybe(random.int(-2..<3))
    specimen.tiny = random.pick([0, 1, -1, .max, .min])
    specimen.huge = random.pick(Self.hugeNumbers)
    specimen.real = double()
    specimen.ratio = maybe(double())
    specimen.single = Float(double())
    specimen.price = random.pick(Self.decimals)
    specimen.flag = random.chance(1, in: 2)
    specimen.answer = maybe(random.chance(1, in: 2))
    specimen.stamp = Date(timeIntervalSinceReferenceDate: double())
    specimen.due = maybe(Date(timeIntervalSinceReferenceDate: double()))
    specimen.code = random.pick(Self.codes)
    specimen.link = maybe(random.pick(Self.links))
    specimen.bytes = random.pick(Self.bytes)
    specimen.level = random.pick(Rank.allCases)
    specimen.mood = maybe(random.pick([Tint.red, .green]))
    specimen.tone = added { $0.random.pick([Tint.red, .green]) }
    specimen.shape = random.pick(Self.shapes)
    specimen.address = postal()
    specimen.home = maybe(postal())
    specimen.words = (0..<random.int(0..<4)).map { _ in text() }
    specimen.numbers = Set((0..<random.int(0..<4)).map { _ in random.pick(Self.integers) })
    specimen.ranks = (0..<random.int(0..<3)).map { _ in maybe(random.pick(Rank.allCases)) }
    specimen.places = (0..<random.int(0..<3)).map { _ in place() }
    specimen.scores = Dictionary((0..<random.int(0..<4)).map { _ in (text(), random.int(-2..<3)) }) { $1 }
    return specimen
  }

  /// A whole library of objects.
  mutating func objects(_ count: Int) -> [any PersistentModel] {
    let stickers = (0..<6).map { _ in
      let sticker = Sticker(text: text(), weight: maybe(double()))
      sticker.label = added { Label(city: $0.text(), size: $0.place()) }
      return sticker
    }
    let cabinets = (0..<3).map { row in Cabinet(row: row, sticker: random.pick(stickers)) }
    let drawers = (0..<6).map { _ in
      let name = text()
      let drawer: Drawer = added {
        $0.random.chance(1, in: 3) ? StrongBox(name: name, combination: $0.random.int(-2..<3)) : Drawer(name: name)
      }
      drawer.size = maybe(random.int(-2..<3))
      drawer.isLocked = random.chance(1, in: 2)
      drawer.cabinet = maybe(random.pick(cabinets))
      return drawer
    }
    let specimens = (0..<count).map { serial in
      let specimen = specimen(serial)
      specimen.drawer = maybe(random.pick(drawers))
      specimen.stickers = stickers.filter { _ in random.chance(1, in: 3) }
      return specimen
    }
    return stickers as [any PersistentModel] + cabinets + drawers + specimens
  }

  /// Changes, deletes and inserts some of what a context has, and does not save.
  mutating func change(_ context: ModelContext) throws {
    let (specimens, stickers) = (
      try context.fetch(FetchDescriptor<Specimen>()), try context.fetch(FetchDescriptor<Sticker>())
    )
    let drawers = try context.fetch(FetchDescriptor<Drawer>())
    for specimen in specimens {
      switch random.int(0..<6) {
      case 0: context.delete(specimen)
      case 1: specimen.title = text()
      case 2: specimen.drawer = maybe(random.pick(drawers))
      case 3: specimen.stickers = stickers.filter { _ in random.chance(1, in: 3) }
      default: break
      }
    }
    random.pick(drawers).name = text()
    random.pick(stickers).text = text()
    for serial in 1_000..<1_003 {
      let specimen = specimen(serial)
      context.insert(specimen)
      specimen.drawer = maybe(random.pick(drawers))
    }
  }
}
