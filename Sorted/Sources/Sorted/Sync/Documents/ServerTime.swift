import FirestoreProtocol
import Foundation
import UntrustedInput

/// Times in whole microseconds since 1970, Firestore's precision. Conversions between a date and its microseconds do
/// not drift.
package enum ServerTime {
  package static func microseconds(_ date: Date) -> Int64 {
    let value = (date.timeIntervalSince1970 * 1_000_000).rounded()
    // A date out of range is an error of its author.
    return Int64(exactly: value) ?? (value < 0 ? .min : .max)
  }

  static func microseconds(_ time: FirestoreTimestamp) -> Int64 {
    Untrusted(time.seconds).multiplyingSaturating(by: 1_000_000).addingSaturating(Int64(time.nanoseconds) / 1_000)
      .clamped(to: .min ... .max)
  }

  static func date(_ microseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }

  /// The date as a server returns it.
  static func rounded(_ date: Date) -> Date { self.date(microseconds(date)) }

  static func timestamp(_ microseconds: Int64) -> FirestoreTimestamp {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return rest < 0
      ? FirestoreTimestamp(seconds: seconds - 1, nanoseconds: Int32(rest + 1_000_000) * 1_000)
      : FirestoreTimestamp(seconds: seconds, nanoseconds: Int32(rest) * 1_000)
  }

  static func value(_ date: Date) -> FirestoreValue { .timestamp(timestamp(microseconds(date))) }
}

extension FirestoreValue {
  var text: String? { if case .string(let value) = self { value } else { nil } }
  var flag: Bool? { if case .boolean(let value) = self { value } else { nil } }
  var time: Date? {
    if case .timestamp(let value) = self { ServerTime.date(ServerTime.microseconds(value)) } else { nil }
  }
  var texts: [String]? { if case .array(let values) = self { values.compactMap(\.text) } else { nil } }
  var members: [String: FirestoreValue]? { if case .map(let fields) = self { fields } else { nil } }
}

extension FirestoreDocument {
  /// The server's update time, or 0 for a value that did not come from a server.
  var serverTime: Int64 { updateTime.map(ServerTime.microseconds) ?? 0 }
}
