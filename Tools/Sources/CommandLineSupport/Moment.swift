public import ArgumentParser
public import Foundation

/// A time, as people write it: `2026-11-29`, `2026-11-29T04:20:00Z`, or an age such as `90s`, `30m`, `2h`, `7d`.
public struct Moment: Sendable, ExpressibleByArgument {
  /// The time. An age counts back from the moment when it was read.
  public let date: Date

  /// Reads a time. Returns nil for a text that is not one. A day begins at midnight in UTC.
  public init?(argument: String) {
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    if let unit = argument.last.flatMap({ units[$0] }), let count = UInt32(argument.dropLast()) {
      date = Date(timeIntervalSinceNow: -Double(count) * unit)
      return
    }
    // The parsers ignore what follows a date.
    let day = /[0-9]{4}-[0-9]{2}-[0-9]{2}/
    let time = /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:?[0-9]{2})/
    let styles: [Date.ISO8601FormatStyle]
    if argument.wholeMatch(of: day) != nil {
      styles = [Date.ISO8601FormatStyle().year().month().day()]
    } else if argument.wholeMatch(of: time) != nil {
      styles = [Date.ISO8601FormatStyle(includingFractionalSeconds: true), Date.ISO8601FormatStyle()]
    } else {
      return nil
    }
    guard let date = styles.lazy.compactMap({ try? $0.parse(argument) }).first else { return nil }
    self.date = date
  }
}
