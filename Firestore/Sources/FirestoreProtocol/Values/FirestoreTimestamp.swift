public import Foundation
import UntrustedInput

/// A moment in Firestore's form: seconds and nanoseconds. Google's servers keep microseconds.
public struct FirestoreTimestamp: Hashable, Sendable, Comparable, Codable, CustomStringConvertible {
  /// Seconds since 1970, UTC.
  public var seconds: Int64
  /// 0 ..< 1,000,000,000, counted forward from `seconds`.
  public var nanoseconds: Int32

  /// Makes a moment.
  public init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// The seconds of the years 1 to 9999, which Firestore can represent.
  private static let representable = -62_135_596_800.0...253_402_300_799.0

  /// Makes the moment of a date, rounded down to a microsecond. A date that Firestore cannot represent becomes the nearest one that
  /// it can.
  public init(_ date: Date) {
    let time = UntrustedDouble(date.timeIntervalSince1970).clamped(to: Self.representable)
    let microseconds = (time * 1_000_000).rounded(.down)
    let seconds = (microseconds / 1_000_000).rounded(.down)
    self.init(
      seconds: Int64(seconds), nanoseconds: Int32(microseconds - seconds * 1_000_000) * 1_000)
  }

  /// The date, with the precision of a `Double`.
  public var date: Date { Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1e9) }

  /// RFC 3339 in UTC with 0, 3, 6 or 9 fractional digits, as Google writes it.
  public var description: String {
    let days = (seconds - Self.modulo(seconds, 86_400)) / 86_400
    let second = Self.modulo(seconds, 86_400)
    let (year, month, day) = Self.civil(days)
    let clock = [year, month, day, second / 3_600, second / 60 % 60, second % 60].enumerated()
      .map { Self.padded($1, $0 == 0 ? 4 : 2) }
    return clock[0...2].joined(separator: "-") + "T" + clock[3...5].joined(separator: ":") + fraction + "Z"
  }

  private var fraction: String {
    let digits = Self.padded(Int64(nanoseconds), 9)
    if nanoseconds == 0 { return "" }
    if nanoseconds % 1_000_000 == 0 { return "." + digits.prefix(3) }
    return "." + (nanoseconds % 1_000 == 0 ? String(digits.prefix(6)) : digits)
  }

  /// Parses RFC 3339 with `Z` or an offset and up to nine fractional digits. Returns nil for anything else.
  public init?(_ text: String) {
    let pattern = /(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))/
    guard let parts = try? pattern.wholeMatch(in: text)?.output, let year = Int64(parts.1), let month = Int64(parts.2),
      let day = Int64(parts.3), let hour = Int64(parts.4), let minute = Int64(parts.5), let second = Int64(parts.6),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60
    else { return nil }
    let days = Self.days(year, month, day)
    guard Self.civil(days) == (year, month, day) else { return nil }
    var offset: Int64 = 0
    if let sign = parts.8, let hours = parts.9.flatMap({ Int64($0) }), let minutes = parts.10.flatMap({ Int64($0) }) {
      offset = (hours * 60 + minutes) * (sign == "-" ? -60 : 60)
    }
    let digits = parts.7.map { $0 + String(repeating: "0", count: 9 - $0.count) } ?? "0"
    self.init(
      seconds: days * 86_400 + hour * 3_600 + minute * 60 + second - offset, nanoseconds: Int32(digits) ?? 0)
  }

  /// Compares by time.
  public static func < (lhs: Self, rhs: Self) -> Bool {
    (lhs.seconds, lhs.nanoseconds) < (rhs.seconds, rhs.nanoseconds)
  }

  /// Decodes the format of ``description``.
  /// - Throws: `DecodingError` if the text is not a time.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let time = Self(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\"\(text)\" is not an RFC 3339 time")
    }
    self = time
  }

  /// Encodes ``description``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  // MARK: - The calendar
  // Foundation's formatters keep at most milliseconds. These are the usual conversions of the proleptic Gregorian
  // calendar, with years that begin in March.

  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let ofEra = year - era * 400
    let ofYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }

  private static func civil(_ days: Int64) -> (Int64, Int64, Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let ofEra = shifted - era * 146_097
    let year = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * year + year / 4 - year / 100)
    let shiftedMonth = (5 * ofYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (year + era * 400 + (month <= 2 ? 1 : 0), month, ofYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private static func modulo(_ value: Int64, _ by: Int64) -> Int64 { (value % by + by) % by }

  private static func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
