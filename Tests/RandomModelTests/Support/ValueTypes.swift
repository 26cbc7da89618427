import Foundation

// The enums and structs that are types of properties.

extension Storable where Self: RawRepresentable & CaseIterable, RawValue: Storable, AllCases == [Self] {
  static func random(_ random: inout Random) -> Self { random.pick(allCases) }
  var plain: Value { rawValue.plain }
}

enum Grade: String, Codable, CaseIterable, Storable { case low, middle, high }
/// As ``Grade``, without one of its cases.
enum Half: String, Codable, CaseIterable, Storable { case low, high }
enum Rank: Int, Codable, CaseIterable, Storable { case first = 1, second, third }

/// An enum with values of its own.
enum Figure: Codable, Equatable, Storable {
  case point
  case circle(radius: Int)

  static func random(_ random: inout Random) -> Figure {
    random.chance(50) ? .point : .circle(radius: .random(&random))
  }
  var plain: Value {
    switch self {
    case .point: .record([:])
    case .circle(let radius): .record(["radius": radius.plain])
    }
  }
}

/// A struct with synthesized coding.
struct Look: Codable, Equatable, Storable {
  var dark: Bool
  var size: Int
  var font: String?

  static func random(_ random: inout Random) -> Look {
    Look(dark: .random(&random), size: .random(&random), font: .random(&random))
  }
  var plain: Value { .record(["dark": dark.plain, "size": size.plain, "font": font.plain]) }
}

/// As ``Look`` with one more member, which data that ``Look`` wrote does not have.
struct WideLook: Codable, Equatable, Storable {
  var dark: Bool
  var size: Int
  var font: String?
  var zoom: Int

  init(dark: Bool, size: Int, font: String?, zoom: Int) {
    (self.dark, self.size, self.font, self.zoom) = (dark, size, font, zoom)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    dark = try container.decode(Bool.self, forKey: .dark)
    size = try container.decode(Int.self, forKey: .size)
    font = try container.decodeIfPresent(String.self, forKey: .font)
    zoom = try container.decodeIfPresent(Int.self, forKey: .zoom) ?? 12
  }

  static func random(_ random: inout Random) -> WideLook {
    WideLook(dark: .random(&random), size: .random(&random), font: .random(&random), zoom: .random(&random))
  }
  var plain: Value { .record(["dark": dark.plain, "size": size.plain, "font": font.plain, "zoom": zoom.plain]) }
}

/// A struct that is coded as one text, and whose decoder refuses other texts.
struct Badge: Codable, Equatable, Storable {
  var word: String
  init(word: String) { self.word = word }

  init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard text.hasPrefix("#") else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no badge: \(text)"))
    }
    word = String(text.dropFirst())
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode("#" + word)
  }

  static func random(_ random: inout Random) -> Badge { Badge(word: .random(&random)) }
  var plain: Value { .record(["word": word.plain]) }
}

/// A struct that holds another one.
struct Frame: Codable, Equatable, Storable {
  var look: Look
  var numbers: [Int]
  static func random(_ random: inout Random) -> Frame { Frame(look: .random(&random), numbers: .random(&random)) }
  var plain: Value { .record(["look": look.plain, "numbers": numbers.plain]) }
}

/// The default of properties that are UUIDs.
let zeroUUID: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
