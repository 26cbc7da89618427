import Foundation

/// A moment of a hybrid logical clock: wall-clock time where clocks are right, and an order that respects causality where
/// they are wrong.
///
/// Moments of one replica ascend. A new moment of a replica is later than every moment that the replica has seen.
public struct HybridTime: Hashable, Comparable, Sendable {
  // Each field of a record has moments, so that they are small. 48 bits of milliseconds last for 8,900 years.
  @usableFromInline package let bits: UInt64
  /// The replica that gave the moment. It breaks ties.
  public let replica: UInt64

  /// Milliseconds since 1970, in UTC.
  public var milliseconds: Int64 { Int64(bits >> 16) }
  /// Orders moments within a millisecond.
  public var counter: UInt16 { UInt16(truncatingIfNeeded: bits) }

  /// The moment before all others.
  public static let zero = HybridTime(milliseconds: 0, counter: 0, replica: 0)

  /// Makes a moment. Milliseconds before 1970, or that take more than 48 bits, become the nearest ones that can be kept.
  public init(milliseconds: Int64, counter: UInt16, replica: UInt64) {
    self.init(bits: UInt64(min(max(milliseconds, 0), 1 << 48 - 1)) << 16 | UInt64(counter), replica: replica)
  }

  /// Makes a moment of the milliseconds and, in the lowest 16 bits, the counter.
  package init(bits: UInt64, replica: UInt64) { (self.bits, self.replica) = (bits, replica) }

  /// Orders moments by time, then by counter, then by replica.
  @inlinable public static func < (left: HybridTime, right: HybridTime) -> Bool {
    left.bits == right.bits ? left.replica < right.replica : left.bits < right.bits
  }
}

extension HybridTime: CustomStringConvertible, Codable {
  private static let digits = Array("0123456789abcdef".utf8)

  /// 32 hexadecimal digits, 12 for the milliseconds, 4 for the counter, 16 for the replica. Texts sort as moments do.
  public var description: String {
    String(unsafeUninitializedCapacity: 32) { buffer in
      var index = 0
      func append(_ value: UInt64, _ count: Int) {
        for place in stride(from: (count - 1) * 4, through: 0, by: -4) {
          buffer[index] = Self.digits[Int(value >> UInt64(place) & 15)]
          index += 1
        }
      }
      append(bits, 16)
      append(replica, 16)
      return 32
    }
  }

  /// Reads what ``description`` wrote; nil for anything else.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 32 else { return nil }
    var parts: (UInt64, UInt64) = (0, 0)
    for (index, byte) in bytes.enumerated() {
      guard let digit = Self.digits.firstIndex(of: byte) else { return nil }
      if index < 16 { parts.0 = parts.0 << 4 | UInt64(digit) } else { parts.1 = parts.1 << 4 | UInt64(digit) }
    }
    self.init(bits: parts.0, replica: parts.1)
  }

  /// Decodes the text of a moment.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let time = HybridTime(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\"\(text.prefix(40))\" is not a moment")
    }
    self = time
  }

  /// Encodes the moment as its text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// Gives the moments of one replica.
public struct HybridClock: Codable, Sendable {
  /// The replica whose moments it gives.
  public package(set) var replica: UInt64
  /// The latest moment that the clock gave or witnessed.
  public private(set) var latest: HybridTime
  /// The latest moment that another replica's accepted change carried.
  public private(set) var witnessed: HybridTime

  /// Makes the clock of a new replica.
  public init(replica: UInt64) {
    self.replica = replica
    (latest, witnessed) = (.zero, .zero)
  }

  /// A moment that is later than all before.
  /// - Parameter now: milliseconds since 1970 by the clock on the wall.
  public mutating func next(_ now: Int64) -> HybridTime {
    if now > latest.milliseconds {
      latest = HybridTime(milliseconds: now, counter: 0, replica: replica)
    } else if latest.counter < .max {
      latest = HybridTime(milliseconds: latest.milliseconds, counter: latest.counter + 1, replica: replica)
    } else {
      latest = HybridTime(milliseconds: latest.milliseconds + 1, counter: 0, replica: replica)
    }
    return latest
  }

  /// Notes a moment that an accepted change carried.
  public mutating func witness(_ time: HybridTime) {
    witnessed = max(witnessed, time)
    latest = max(latest, time)
  }

  /// Goes back to the latest witnessed moment, after the server refused moments that are too far ahead.
  public mutating func setBack() { latest = witnessed }
}
