import Foundation
import SwiftData

/// The models of the tests in this folder: a property of each type, required and optional.
enum Values {
  enum Color: String, Codable, CaseIterable { case red, green = "grün", empty = "" }
  enum Level: Int, Codable { case low = -1, high = 9_000_000_000_000 }
  enum Plain: Codable, Equatable, Hashable { case north, south }
  indirect enum Shape: Codable, Equatable, Hashable {
    case point
    case circle(radius: Double)
    case label(String, size: Int)
    case group([Shape])
  }
  struct Flags: OptionSet, Codable, Hashable {
    let rawValue: Int
    static let one = Flags(rawValue: 1)
    static let two = Flags(rawValue: 2)
  }
  struct Street: Codable, Equatable, Hashable {
    var name: String
    var number: Int?
  }
  struct Address: Codable, Equatable, Hashable {
    var street: Street
    var lines: [String]
    var shape: Shape
    var since: Date?
    var weight: Double
  }

  @Model final class Numbers {
    var bool: Bool
    var int: Int
    var int8: Int8
    var int16: Int16
    var int32: Int32
    var int64: Int64
    var uint: UInt
    var uint8: UInt8
    var uint16: UInt16
    var uint32: UInt32
    var uint64: UInt64
    var float: Float
    var double: Double
    var decimal: Decimal
    var optionalBool: Bool?
    var optionalInt: Int?
    var optionalInt8: Int8?
    var optionalInt16: Int16?
    var optionalInt32: Int32?
    var optionalInt64: Int64?
    var optionalUInt: UInt?
    var optionalUInt8: UInt8?
    var optionalUInt16: UInt16?
    var optionalUInt32: UInt32?
    var optionalUInt64: UInt64?
    var optionalFloat: Float?
    var optionalDouble: Double?
    var optionalDecimal: Decimal?

    init() {
      (bool, int, int8, int16, int32, int64) = (false, 0, 0, 0, 0, 0)
      (uint, uint8, uint16, uint32, uint64) = (0, 0, 0, 0, 0)
      (float, double, decimal) = (0, 0, 0)
    }
  }

  @Model final class Texts {
    var string: String = ""
    var character: Character = " "
    var url: URL = URL(fileURLWithPath: "/")
    var color: Color = Color.red
    var level: Level = Level.low
    var optionalString: String?
    var optionalCharacter: Character?
    var optionalURL: URL?
    var optionalColor: Color?
    var optionalLevel: Level?
    init() {}
  }

  @Model final class Others {
    var date: Date = Date(timeIntervalSinceReferenceDate: 0)
    var uuid: UUID = UUID()
    var data: Data = Data()
    var plain: Plain = Plain.north
    var shape: Shape = Shape.point
    var flags: Flags = Flags.one
    var address: Address?
    var optionalDate: Date?
    var optionalUUID: UUID?
    var optionalData: Data?
    var optionalPlain: Plain?
    var optionalShape: Shape?
    var optionalFlags: Flags?
    init() {}
  }

  @Model final class Collections {
    var ints: [Int] = []
    var doubles: [Double] = []
    var uints: [UInt64] = []
    var strings: [String] = []
    var holes: [Int?] = []
    var optionalStrings: [String]?
    var dates: [Date] = []
    var uuids: [UUID] = []
    var datas: [Data] = []
    var urls: [URL] = []
    var decimals: [Decimal] = []
    var colors: [Color] = []
    var shapes: [Shape] = []
    var addresses: [Address] = []
    var nested: [[Int]] = []
    var set: Set<String> = []
    var colorSet: Set<Color>?
    var byName: [String: Int] = [:]
    var byNumber: [Int: String] = [:]
    var byColor: [Color: Shape] = [:]
    var byUUID: [UUID: [String]]?
    init() {}
  }
}
