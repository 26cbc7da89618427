import Foundation
import Hummingbird

/// How times read, seen from one moment, in the current language.
struct PageClock: Sendable {
  let now: Date
  private(set) var calendar: Calendar

  init(now: Date = Date(), calendar: Calendar = .current) {
    self.now = now
    self.calendar = calendar
    self.calendar.locale = Locale(identifier: Language.current.rawValue)
  }

  /// In the zone of the browser, where its script has said it before.
  init(_ request: Request) {
    var calendar = Calendar.current
    let name = request.cookies["zone"]?.value.removingPercentEncoding
    if let zone = name.flatMap(TimeZone.init(identifier:)) { calendar.timeZone = zone }
    self.init(calendar: calendar)
  }

  /// What pages sort by.
  static func order(_ date: Date) -> Int64 {
    Int64(exactly: (date.timeIntervalSince1970 * 1_000_000).rounded()) ?? 0
  }

  /// The time that pages sort by a number, as the first or the last of a range: what is rounded is within it.
  /// - Throws: ``PageError``, which names the field, for what is no number.
  static func date(_ text: String, isLast: Bool, field: String) throws -> Date {
    let furthest: Int64 = 1 << 60
    let number = try PageError.number(text, in: -furthest...furthest, field: field)
    return Date(timeIntervalSince1970: Double(number + (isLast ? 2 : -2)) / 1_000_000)
  }

  /// "Today", "Yesterday", the weekday of the last six days, or the date.
  func day(_ date: Date) -> String {
    switch age(date) {
    case 0: String(translated: "Today")
    case 1: String(translated: "Yesterday")
    case 2...6: calendar.weekdaySymbols[calendar.component(.weekday, from: date) - 1]
    default: "\(calendar.component(.day, from: date)) \(month(date)) \(calendar.component(.year, from: date))"
    }
  }

  func time(_ date: Date) -> String {
    let parts = calendar.dateComponents([.hour, .minute], from: date)
    return String(format: "%02d:%02d", parts.hour ?? 0, parts.minute ?? 0)
  }

  func full(_ date: Date) -> String { "\(day(date)), \(time(date))" }

  /// For a list: the time of today, the day of the last week, the date of older ones.
  func short(_ date: Date) -> String {
    switch age(date) {
    case 0: return time(date)
    case 1: return String(translated: "Yesterday")
    case 2...6: return calendar.shortWeekdaySymbols[calendar.component(.weekday, from: date) - 1]
    default:
      let year = calendar.component(.year, from: date)
      let day = "\(calendar.component(.day, from: date)) \(month(date).prefix(3))"
      return year == calendar.component(.year, from: now) ? day : "\(day) \(year)"
    }
  }

  private func month(_ date: Date) -> String {
    calendar.monthSymbols[calendar.component(.month, from: date) - 1]
  }

  /// In days of the calendar; negative for the future.
  private func age(_ date: Date) -> Int {
    let start = calendar.startOfDay(for: date)
    return calendar.dateComponents([.day], from: start, to: calendar.startOfDay(for: now)).day ?? .max
  }
}
