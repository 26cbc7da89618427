import Foundation

/// The classified lines of one day's log.
struct IRCLog {
  struct Message {
    /// The line number, starting at 1.
    let number: Int
    let nick: String
    let text: String
    let time: Date
  }

  private(set) var messages: [Message] = []
  /// The number of lines.
  private(set) var count = 0
  private(set) var events = 0
  private(set) var skipped: [SkippedLine] = []

  private let file: String
  private let day: Date
  private var clock = LogClock()
  private var times = DistinctTimes()

  init(file: String, day: Date) {
    self.file = file
    self.day = day
  }

  /// Adds the bytes of one line.
  mutating func add(_ line: [UInt8]) {
    count += 1
    if line.starts(with: "===".utf8) {
      events += 1
      return
    }
    guard let timeOfDay = Self.minutes(line) else {
      return skip(line.isEmpty ? "the line is empty" : "it begins with no time of day, as in [09:30]")
    }
    let minutes = clock.minutes(at: timeOfDay)
    let rest = line.dropFirst(8)
    guard rest.first == UInt8(ascii: "<") else {
      let mark = rest.first { $0 != 0x20 }
      // `* nick waves` is an action, `-nick- text` a notice.
      if mark == UInt8(ascii: "*") || mark == UInt8(ascii: "-") { return events += 1 }
      return skip("there is no <nick>, action or notice after the time")
    }
    guard let end = rest.firstIndex(of: UInt8(ascii: ">")), end > rest.startIndex + 1 else {
      return skip("the <nick> is empty or does not end")
    }
    guard end + 1 < line.endIndex, line[end + 1] == 0x20 else { return skip("no space follows the <nick>") }
    messages.append(
      Message(
        number: count, nick: ArchiveText.readable(rest[(rest.startIndex + 1)..<end]),
        text: ArchiveText.readable(line[(end + 2)...]),
        time: times.next(day.addingTimeInterval(Double(minutes) * 60))))
  }

  private mutating func skip(_ reason: String) {
    skipped.append(SkippedLine(file: file, line: count, reason: reason))
  }

  /// Minutes since midnight of `[HH:MM] `.
  private static func minutes(_ line: [UInt8]) -> Int? {
    func digit(_ index: Int) -> Int? {
      let value = Int(line[index]) - 0x30
      return (0...9).contains(value) ? value : nil
    }
    guard line.count >= 8, line[0] == UInt8(ascii: "["), line[3] == UInt8(ascii: ":"), line[6] == UInt8(ascii: "]"),
      line[7] == 0x20, let h1 = digit(1), let h2 = digit(2), let m1 = digit(4), let m2 = digit(5)
    else { return nil }
    let (hour, minute) = (h1 * 10 + h2, m1 * 10 + m2)
    return hour < 24 && minute < 60 ? hour * 60 + minute : nil
  }
}

/// The clock of a log, whose lines have a time of day but no date.
///
/// Some logs run past midnight, and some use a 12-hour clock: 00:00 or 01:00 follows 23:59 or 12:59. A jump back of
/// more than six hours therefore adds as few half days as make it go forward. A smaller jump is a clock that was set;
/// such times stay as written.
struct LogClock {
  private static let halfDay = 720
  private var turns = 0
  private var last = 0

  /// Minutes since the beginning of the log's day.
  mutating func minutes(at timeOfDay: Int) -> Int {
    if last - (timeOfDay + turns * Self.halfDay) > Self.halfDay / 2 {
      while timeOfDay + turns * Self.halfDay < last { turns += 1 }
    }
    last = timeOfDay + turns * Self.halfDay
    return last
  }
}
