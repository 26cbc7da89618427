import Foundation
import SwiftData

// Models with a property of every kind of stored value, and every kind of relationship.

protocol Entitled {
  var title: String { get }
}

@Model
final class Specimen: Entitled {
  @Attribute(.unique) let serial: Int
  var title: String
  var note: String?
  var letter: Character
  var number: Int
  /// Small enough for arithmetic, where Swift traps on overflow.
  var small: Int
  var maybe: Int?
  var tiny: Int8
  var huge: UInt64
  var real: Double
  var ratio: Double?
  var single: Float
  var price: Decimal
  var flag: Bool
  var answer: Bool?
  var stamp: Date
  var due: Date?
  var code: UUID
  var link: URL?
  var bytes: Data
  var level: Rank
  var mood: Tint?
  var tone = Tint.red
  var shape: Outline
  var address: Postal
  var home: Postal?
  var words: [String]
  var numbers: Set<Int>
  var ranks: [Rank?]
  var places: [Postal.Place]
  var scores: [String: Int]
  @Attribute(.externalStorage) var picture: Data?
  @Transient var isOpen = false
  var weight = Weight(grams: 0)
  var drawer: Drawer?
  var stickers: [Sticker] = []

  var upperTitle: String { title.uppercased() }
  var alias: String { title }
  var firstSticker: Sticker? { stickers.first }

  init(serial: Int) {
    self.serial = serial
    title = ""
    letter = "a"
    number = 0
    small = 0
    tiny = 0
    huge = 0
    real = 0
    single = 0
    price = 0
    flag = false
    stamp = Date(timeIntervalSinceReferenceDate: 0)
    code = UUID()
    bytes = Data()
    level = .low
    shape = .point
    address = Postal(city: "", lines: [], place: Postal.Place(x: 0, y: 0))
    words = []
    numbers = []
    ranks = []
    places = []
    scores = [:]
  }
}

@Model
class Drawer {
  var name: String
  var size: Int?
  var isLocked: Bool
  var cabinet: Cabinet?
  @Relationship(inverse: \Specimen.drawer) var specimens: [Specimen] = []

  init(name: String, size: Int? = nil, isLocked: Bool = false) {
    self.name = name
    self.size = size
    self.isLocked = isLocked
  }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
@Model
final class StrongBox: Drawer {
  var combination: Int

  init(name: String, combination: Int) {
    self.combination = combination
    super.init(name: name)
  }
}

@Model
final class Cabinet {
  var row: Int
  var sticker: Sticker
  @Relationship(inverse: \Drawer.cabinet) var drawers: [Drawer] = []

  init(row: Int, sticker: Sticker) {
    self.row = row
    self.sticker = sticker
  }
}

@Model
final class Sticker {
  var text: String
  var weight: Double?
  var label = Label(city: "", size: Postal.Place(x: 0, y: 0))
  @Relationship(inverse: \Specimen.stickers) var specimens: [Specimen] = []

  init(text: String, weight: Double? = nil) {
    self.text = text
    self.weight = weight
  }
}

enum Rank: Int, Codable, CaseIterable, Comparable {
  case low = 10
  case middle = 5
  case high = 1

  /// Against the order of the raw values.
  static func < (left: Rank, right: Rank) -> Bool { left.rawValue > right.rawValue }
}

enum Tint: String, Codable {
  case red
  case green
}

enum Outline: Codable, Equatable {
  case point
  case circle(radius: Double)
}

@Composite
struct Postal: Codable, Hashable {
  var city: String
  var lines: [String]
  var place: Place
  var zip: String?

  var shout: String { city.uppercased() }

  @Composite
  struct Place: Codable, Hashable {
    var x: Double
    var y: Int
  }

  enum CodingKeys: String, CodingKey {
    case city = "town"
    case lines
    case place
    case zip
  }
}

struct Label: Codable, Hashable {
  var city: String
  var size: Postal.Place
}

/// Comparable, but not by anything that SQL sees.
struct Weight: Codable, Comparable {
  var grams: Int

  static func < (left: Weight, right: Weight) -> Bool { left.grams < right.grams }
}
