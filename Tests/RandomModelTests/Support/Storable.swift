import Foundation

/// A type of property that the random models have.
protocol Storable: Codable, Equatable, Sendable {
  static func random(_ random: inout Random) -> Self
  /// The value without its type.
  var plain: Value { get }
}

extension Storable where Self: FixedWidthInteger {
  static func random(_ random: inout Random) -> Self {
    if random.hasExtremes, random.chance(10) { return random.pick([Self.min, Self.max, Self.max / 2]) }
    return Self(random.below(100))
  }
  var plain: Value { Value(self) }
}

extension Int: Storable {}
extension Int8: Storable {}
extension Int16: Storable {}
extension Int32: Storable {}
extension Int64: Storable {}
extension UInt: Storable {}
extension UInt8: Storable {}
extension UInt16: Storable {}
extension UInt32: Storable {}
extension UInt64: Storable {}

extension Bool: Storable {
  static func random(_ random: inout Random) -> Bool { random.chance(50) }
  var plain: Value { .bool(self) }
}

extension Double: Storable {
  // NaN is missing: a sort in Swift has no place for it. `DifferentialTests` has data with NaN.
  static func random(_ random: inout Random) -> Double {
    if random.hasExtremes, random.chance(20) {
      return random.pick([0, -0.0, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1])
    }
    return Double(random.below(2_000) - 1_000) / 8
  }
  var plain: Value { .real(self) }
}

extension Float: Storable {
  static func random(_ random: inout Random) -> Float {
    random.chance(20) ? 0.1 : Float(random.below(2_000) - 1_000) / 8
  }
  var plain: Value { .real(Double(self)) }
}

extension Decimal: Storable {
  static func random(_ random: inout Random) -> Decimal {
    // Never zero, because Foundation takes a negative zero for NaN.
    let magnitude = Decimal(sign: .plus, exponent: -random.below(4), significand: Decimal(1 + random.below(100_000)))
    return random.chance(50) ? magnitude : -magnitude
  }
  var plain: Value { .decimal(self) }
}

extension String: Storable {
  /// Texts that SQL and Swift compare differently, and the raw values of ``Grade``.
  private static let texts = [
    "", "a", "A", "b", "B", "Z\u{fc}rich", "Zu\u{308}rich", "zebra", "\u{1F600}", "a b", "a'b\"c", "%", "_", "10", "9",
    "line\nbreak", "\r\n", "\u{0}nul", "null", "low", "middle", "high", "low", "middle", "high",
  ]
  static func random(_ random: inout Random) -> String {
    random.hasExtremes ? random.pick(texts) : random.pick(["low", "middle", "high"])
  }
  var plain: Value { .text(self) }
}

extension Date: Storable {
  static func random(_ random: inout Random) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(random.below(2_000_000_000) - 1_000_000_000) / 8)
  }
  var plain: Value { .date(self) }
}

extension UUID: Storable {
  static func random(_ random: inout Random) -> UUID {
    var bytes = [UInt8](repeating: 0, count: 16)
    // Few of them, so that equal ones occur.
    bytes[random.below(2) * 15] = UInt8(random.below(6) * 40)
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9], bytes[10],
        bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
  var plain: Value { .uuid(self) }
}

extension URL: Storable {
  static func random(_ random: inout Random) -> URL {
    URL(
      string: random.pick(["https://example.org/", "https://example.org", "file:///a%20b", "mailto:a@b.c", "a/b?c#d"]))!
  }
  var plain: Value { .url(self) }
}

extension Data: Storable {
  static func random(_ random: inout Random) -> Data {
    Data((0..<random.below(4)).map { _ in UInt8(random.below(4) * 85) })
  }
  var plain: Value { .data(self) }
}

extension Optional: Storable where Wrapped: Storable {
  static func random(_ random: inout Random) -> Wrapped? {
    random.hasNil && random.chance(30) ? nil : Wrapped.random(&random)
  }
  var plain: Value { map(\.plain) ?? .null }
}

extension Array: Storable where Element: Storable {
  static func random(_ random: inout Random) -> [Element] {
    (0..<random.below(4)).map { _ in Element.random(&random) }
  }
  var plain: Value { .list(map(\.plain)) }
}

extension Set: Storable where Element: Storable {
  static func random(_ random: inout Random) -> Set<Element> {
    Set<Element>((0..<random.below(4)).map { _ in Element.random(&random) })
  }
  var plain: Value { .set(Set<Value>(map(\.plain))) }
}

extension Dictionary: Storable where Key == String, Value: Storable {
  static func random(_ random: inout Random) -> [String: Value] {
    var result = [String: Value]()
    for key in random.some(of: ["", "a", "b.c", "\u{fc}"], atMost: 3) { result[key] = Value.random(&random) }
    return result
  }
  var plain: RandomModelTests.Value { .record(mapValues(\.plain)) }
}
