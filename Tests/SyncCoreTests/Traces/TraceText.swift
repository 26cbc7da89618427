import Foundation
import SyncCore
import SyncProtocol

/// Reads the notation of `scripts/sync-traces`, byte by byte.
struct TraceScanner {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private let bytes: ArraySlice<UInt8>
  private var position: Int

  init(_ word: ArraySlice<UInt8>) { (bytes, position) = (word, word.startIndex) }

  var isAtEnd: Bool { position == bytes.endIndex }
  var next: UInt8? { isAtEnd ? nil : bytes[position] }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func expect(_ character: Unicode.Scalar) throws {
    guard take(character) else {
      throw Failure(description: "no \(character) in \(String(decoding: bytes, as: UTF8.self))")
    }
  }

  mutating func byte() throws -> UInt8 {
    guard let byte = next else { throw Failure(description: "\(String(decoding: bytes, as: UTF8.self)) is too short") }
    position += 1
    return byte
  }

  private static func digit(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte) - 48
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte) - 87
    default: nil
    }
  }

  /// A number of base 36 with the given number of digits, or as many as follow.
  mutating func number(digits: Int = .max) throws -> Int {
    var (number, count) = (0, 0)
    while count < digits, let digit = next.flatMap(Self.digit) {
      number = number * 36 + digit
      position += 1
      count += 1
    }
    guard count > 0 else { throw Failure(description: "no number in \(String(decoding: bytes, as: UTF8.self))") }
    return number
  }

  /// The text up to a character that ends a value.
  mutating func text() -> ExactText {
    let start = position
    while let next, !",~@/ ".utf8.contains(next) { position += 1 }
    return ExactText(String(decoding: bytes[start..<position], as: UTF8.self))
  }
}

/// The tables of a trace, and what is read with them.
struct TraceTables {
  var entities: [WireName] = []
  var properties: [WireName] = []
  var zones: [ZoneName] = []
  var times: [HybridTime] = []
  var names: [RecordName] = []
  /// The digits of a name.
  var width = 1

  /// Names of ascending order. They are UUIDs, as those of programs are.
  static func name(_ index: Int) -> RecordName {
    let digits = String(index, radix: 16)
    return RecordName("00000000-0000-7000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)
  }

  func zone(_ scanner: inout TraceScanner) throws -> ZoneName { zones[try scanner.number(digits: 1)] }
  func name(_ scanner: inout TraceScanner) throws -> RecordName { names[try scanner.number(digits: width)] }
  func key(_ scanner: inout TraceScanner) throws -> RecordKey { RecordKey(try zone(&scanner), try name(&scanner)) }
  private func hint(_ scanner: inout TraceScanner) throws -> ZoneName? { scanner.take("@") ? try zone(&scanner) : nil }

  /// A time; `own` if none follows.
  func stamp(_ scanner: inout TraceScanner, _ own: HybridTime) throws -> HybridTime {
    scanner.take("~") ? times[try scanner.number()] : own
  }

  private func time(_ scanner: inout TraceScanner, _ own: HybridTime) throws -> HybridTime {
    if scanner.take("0") { return .zero }
    return scanner.take(".") ? own : try stamp(&scanner, own)
  }

  private func value(_ scanner: inout TraceScanner) throws -> RegisterValue {
    switch try scanner.byte() {
    case UInt8(ascii: "-"): return .null
    case UInt8(ascii: ">"): return .reference(Reference(try name(&scanner), hint: try hint(&scanner)))
    case UInt8(ascii: "#"): return .integer(Int64(scanner.text().text) ?? .min)
    case UInt8(ascii: "!"): return .asset(sha256: scanner.text(), size: 0)
    default: return .text(scanner.text())
    }
  }

  /// A record with its registers: `key:register,register`.
  func change(_ scanner: inout TraceScanner, _ own: HybridTime) throws -> (RecordKey, Registers) {
    let key = try key(&scanner)
    try scanner.expect(":")
    var registers = Registers()
    if scanner.isAtEnd { return (key, registers) }  // A hostile program wrote none.
    repeat {
      switch try scanner.byte() {
      case UInt8(ascii: "b"):
        let entity = entities[try scanner.number()]
        registers.born = Stamped(try stamp(&scanner, own), entity)
      case UInt8(ascii: "d"): registers.dead = try stamp(&scanner, own)
      case UInt8(ascii: "h"):
        let moves = try scanner.number()
        try scanner.expect(".")
        let zone = try zone(&scanner)
        registers.home = Home(moves: moves, time: try stamp(&scanner, own), zone: zone)
      case UInt8(ascii: "f"):
        let property = properties[try scanner.number()]
        try scanner.expect("=")
        let value = try value(&scanner)
        registers.fields[property] = Stamped(try stamp(&scanner, own), value)
      default:
        let property = properties[try scanner.number()]
        try scanner.expect(".")
        let member = try name(&scanner)
        try scanner.expect("=")
        registers.edges[property, default: [:]][member] = try edge(&scanner, own)
      }
    } while scanner.take(",")
    return (key, registers)
  }

  private func edge(_ scanner: inout TraceScanner, _ own: HybridTime) throws -> Edge {
    var edge = Edge()
    edge.added = try time(&scanner, own)
    try scanner.expect("/")
    edge.removed = try time(&scanner, own)
    try scanner.expect("/")
    if scanner.take("-") { return edge }
    let time = try time(&scanner, own)
    try scanner.expect("\"")
    let key = scanner.text()
    edge.place = Stamped(time, Place(key, hint: try hint(&scanner)))
    return edge
  }
}
