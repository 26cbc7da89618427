import Foundation

/// The name of an object, the same on all replicas: a UUID of version 7 in lowercase, which sorts by age.
public struct RecordName: Hashable, Sendable {
  // A UUID takes 16 bytes here, which are hashed and compared much faster than its text.
  @usableFromInline package let high, low: UInt64
  /// A name that is not a UUID in lowercase.
  @usableFromInline let other: OtherName?

  // A reference, which takes half the room of a text.
  @usableFromInline final class OtherName: Sendable {
    @usableFromInline let text: String
    init(_ text: String) { self.text = text }
  }

  /// Takes a name as it is.
  public init(_ text: String) {
    if let (high, low) = Self.parse(text) {
      (self.high, self.low, other) = (high, low, nil)
    } else {
      (high, low, other) = (0, 0, OtherName(text))
    }
  }

  /// Takes the bytes of a UUID, the first one as the highest.
  package init(high: UInt64, low: UInt64) { (self.high, self.low, other) = (high, low, nil) }

  /// Makes a new name.
  /// - Parameters:
  ///   - milliseconds: the time since 1970.
  ///   - random: where its 74 random bits come from.
  public init(milliseconds: Int64, using random: inout some RandomNumberGenerator) {
    let first = random.next() >> 52
    let second = random.next() >> 2
    self.init(
      high: UInt64(bitPattern: milliseconds) << 16 | 0x7000 | first, low: second | 0x8000_0000_0000_0000)
  }

  /// Whether the name is a UUID in lowercase.
  public var isUUID: Bool { other == nil }

  /// The text.
  public var text: String {
    other?.text
      ?? String(unsafeUninitializedCapacity: 36) { buffer in
        for place in Self.dashes { buffer[place] = UInt8(ascii: "-") }
        for digit in 0..<32 {
          let half = digit < 16 ? high : low
          let dashes = digit < 8 ? 0 : digit < 20 ? (digit - 4) / 4 : 4
          buffer[digit + dashes] = Self.digits[Int(half >> UInt64(60 - digit % 16 * 4) & 15)]
        }
        return 36
      }
  }

  private static let digits = Array("0123456789abcdef".utf8)
  /// The places of the dashes in a UUID.
  private static let dashes: [Int] = [8, 13, 18, 23]

  private static func parse(_ text: String) -> (high: UInt64, low: UInt64)? {
    var text = text
    return text.withUTF8 { text -> (high: UInt64, low: UInt64)? in
      guard text.count == 36 else { return nil }
      var halves: (high: UInt64, low: UInt64) = (0, 0)
      for (index, byte) in text.enumerated() {
        if dashes.contains(index) {
          guard byte == UInt8(ascii: "-") else { return nil }
          continue
        }
        let digit: UInt8
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
        default: return nil
        }
        // The second half begins behind the third dash.
        if index < 18 {
          halves.high = halves.high << 4 | UInt64(digit)
        } else {
          halves.low = halves.low << 4 | UInt64(digit)
        }
      }
      return halves
    }
  }
}

extension RecordName {
  /// Compares the bytes.
  @inlinable public static func == (left: RecordName, right: RecordName) -> Bool {
    #if DEBUG
      NameUses.note()
    #endif
    guard left.low == right.low, left.high == right.high else { return false }
    guard let one = left.other, let two = right.other else { return left.other == nil && right.other == nil }
    // `String` treats canonically equivalent texts as equal.
    return one.text.utf8.elementsEqual(two.text.utf8)
  }

  /// Hashes what can differ: few names are not UUIDs.
  public func hash(into hasher: inout Hasher) {
    #if DEBUG
      NameUses.note()
    #endif
    if let other { return other.text.hashBytes(into: &hasher) }
    hasher.combine(low)
    hasher.combine(high)
  }

  /// The hash that a dictionary uses. ``quickHash`` has random keys already, and hashing it again took a third of a pull's time.
  ///
  /// The seed is mixed in, because each dictionary has its own. If two dictionaries had one order, copying the elements of one into the other
  /// would take quadratic time.
  @inlinable public func _rawHashValue(seed: Int) -> Int {
    let (high, low) = UInt(bitPattern: quickHash ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return Int(bitPattern: high ^ low)
  }

  @usableFromInline static let hashKeys = (UInt64.random(in: 1...(.max)), UInt64.random(in: 1...(.max)))

  @usableFromInline static func hash(of text: String) -> Int {
    var hasher = Hasher()
    text.hashBytes(into: &hasher)
    return hasher.finalize()
  }

  /// A hash of few instructions. Its keys are random in each process, so that no peer can choose names that collide.
  @inlinable package var quickHash: Int {
    #if DEBUG
      NameUses.note()
    #endif
    if let other { return Self.hash(of: other.text) }
    let (high, low) = (high ^ Self.hashKeys.0).multipliedFullWidth(by: low ^ Self.hashKeys.1)
    return Int(truncatingIfNeeded: high ^ low)
  }
}

extension RecordName: Comparable, CustomStringConvertible {
  /// The same as ``text``.
  public var description: String { text }

  /// Orders names by the bytes of their texts.
  @inlinable public static func < (left: RecordName, right: RecordName) -> Bool {
    if left.other == nil, right.other == nil {
      return left.high == right.high ? left.low < right.low : left.high < right.high
    }
    return left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

extension RecordName: Codable, CodingKeyRepresentable {
  /// Decodes the text.
  public init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(String.self)) }

  /// Encodes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
  /// The text as the key of a JSON object.
  public var codingKey: any CodingKey { Key(stringValue: text) }
  /// Reads the key of a JSON object.
  public init?<T: CodingKey>(codingKey: T) { self.init(codingKey.stringValue) }
}
