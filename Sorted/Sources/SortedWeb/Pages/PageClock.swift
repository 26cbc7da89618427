import Foundation

/// How times read, seen from one moment.
struct PageClock: Sendable {
  let now: Date
  let calendar: Calendar

  init(now: Date = Date(), calendar: Calendar = .current) {
    self.now = now
    self.calendar = calendar
  }

  /// What pages sort by.
  static func order(_ date: Date) -> Int64 {
    Int64(exactly: (date.timeIntervalSince1970 * 1_000_000).rounded()) ?? 0
  }

  /// "Today", "Yesterday", the weekday of the last six days, or the date.
  func day(_ date: Date) -> String {
    switch age(date) {
    case 0: "Today"
    case 1: "Yesterday"
    case 2...6: calendar.weekdaySymbols[calendar.component(.weekday, from: date) - 1]
    default: "\(calendar.component(.day, from: date)) \(month(date)) \(calendar.component(.year, from: date))"
    }
  }

  func time(_ date: Date) -> String {
    let parts = calendar.dateComponents([.hour, .minute], from: date)
    return String(format: "%02d:%02d", parts.hour ?? 0, parts.minute ?? 0)
  }

  /// For a list: the time of today, the day of the last week, the date of older ones.
  func short(_ date: Date) -> String {
    switch age(date) {
    case 0: return time(date)
    case 1: return "Yesterday"
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
