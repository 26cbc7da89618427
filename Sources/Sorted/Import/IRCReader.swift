import Foundation

/// Reads logs of an IRC channel: a file a day, `YYYY-MM-DD….raw.txt`.
///
/// A line ends at LF and nowhere else. A message is `[HH:MM] <nick> ` and whatever follows. Times are taken as UTC;
/// the messages of one minute are a millisecond apart, in the order of their lines. A file is a group conversation
/// named after the channel and its day; with threads, each annotated conversation of two or more messages
/// (`*.clusters.txt`: `DAY:line line …`, lines counted from 0) is one of its own.
public struct IRCReader: ArchiveReader {
  private let path: URL
  private let channel: String
  private let threads: [String: [[Int]]]

  /// - Parameters:
  ///   - path: a folder of logs, or one log.
  ///   - withThreads: whether to read the annotated conversations beside the logs.
  /// - Throws: ``DataLayerError/invalidData(_:)`` where the annotations cannot be read.
  public init(path: URL, channel: String = "#ubuntu", withThreads: Bool = false) throws {
    self.path = path
    self.channel = channel
    self.threads = withThreads ? try ThreadAnnotations.read(beside: path) : [:]
  }

  public func files() throws -> [URL] {
    try ArchiveFiles.list(path, suffix: ".raw.txt", format: "irc")
  }

  public func read(_ file: URL) throws -> ParsedFile {
    let name = file.lastPathComponent
    let stem = String(name.prefix { $0 != "." })
    guard let day = Self.day(stem) else {
      throw DataLayerError.invalidData("\(name): the name of an IRC log begins with its day, as in 2008-04-27")
    }
    var log = DayLog(file: name, day: day)
    for line in try Data(contentsOf: file).split(separator: 0x0A, omittingEmptySubsequences: false) {
      log.add(line)
    }
    log.endOfFile()
    return log.parsed(id: "irc/\(stem)", name: "\(channel) \(stem.prefix(10))", threads: threads[stem] ?? [])
  }

  private static func day(_ stem: String) -> Date? {
    let parts = stem.prefix(10).split(separator: "-").compactMap { Int($0) }
    guard stem.count >= 10, parts.count == 3 else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let components = DateComponents(year: parts[0], month: parts[1], day: parts[2])
    guard let date = calendar.date(from: components), calendar.component(.day, from: date) == parts[2] else {
      return nil
    }
    return date
  }
}

/// The lines of one day, sorted out.
private struct DayLog {
  private struct Line {
    let number: Int
    let nick: String
    let text: String
    let time: Date
  }

  private let file: String
  private let day: Date
  private var messages: [Line] = []
  private var count = 0
  private var events = 0
  private var skipped: [SkippedLine] = []
  private var lastMinute = -1
  private var inMinute = 0

  init(file: String, day: Date) {
    self.file = file
    self.day = day
  }

  mutating func add(_ line: Data) {
    count += 1
    let bytes = Array(line)
    if bytes.starts(with: Array("===".utf8)) {
      events += 1
      return
    }
    guard let minute = Self.minute(bytes) else {
      return skip(bytes.isEmpty ? "the line is empty" : "it begins with no time of day, as in [09:30]")
    }
    let rest = bytes[8...]
    guard rest.first == UInt8(ascii: "<") else {
      let begin = rest.drop { $0 == 0x20 }.first
      // `* nick waves` is an action, `-nick- text` a notice.
      if begin == UInt8(ascii: "*") || begin == UInt8(ascii: "-") { return events += 1 }
      return skip("there is no <nick>, action or notice after the time")
    }
    guard let end = rest.firstIndex(of: UInt8(ascii: ">")), end > rest.startIndex + 1 else {
      return skip("the <nick> is empty or does not end")
    }
    guard end + 1 < bytes.count, bytes[end + 1] == 0x20 else { return skip("no space follows the <nick>") }
    inMinute = minute == lastMinute ? inMinute + 1 : 0
    lastMinute = minute
    messages.append(
      Line(
        number: count - 1, nick: ArchiveText.readable(rest[(rest.startIndex + 1)..<end]),
        text: ArchiveText.readable(bytes[(end + 2)...]),
        time: day.addingTimeInterval(Double(minute) * 60 + Double(inMinute) / 1000)))
  }

  /// A file that ends with a line feed has no line after it.
  mutating func endOfFile() {
    guard let last = skipped.last, last.line == count, last.reason == "the line is empty" else { return }
    skipped.removeLast()
    count -= 1
  }

  private mutating func skip(_ reason: String) {
    skipped.append(SkippedLine(file: file, line: count, reason: reason))
  }

  /// Minutes since midnight of `[HH:MM] `.
  private static func minute(_ line: [UInt8]) -> Int? {
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

  func parsed(id: String, name: String, threads: [[Int]]) -> ParsedFile {
    let threads = threads.map { Set($0) }.map { thread in messages.filter { thread.contains($0.number) } }
      .filter { $0.count > 1 }
    let inThreads = Set(threads.joined().map(\.number))
    func record(_ line: Line) -> ImportedMessage {
      ImportedMessage(id: "\(id)/\(line.number + 1)", sender: line.nick, text: line.text, createdAt: line.time)
    }
    var result = ParsedFile(events: events, lines: count, skipped: skipped)
    result.conversations = [
      ImportedConversation(
        id: id, name: name, isGroup: true,
        messages: messages.filter { !inThreads.contains($0.number) }.map(record))
    ]
    for thread in threads {
      let first = thread[0].number + 1
      result.conversations.append(
        ImportedConversation(
          id: "\(id)/thread-\(first)", name: "\(name), thread at line \(first)", isGroup: true,
          messages: thread.map(record)))
    }
    return result
  }
}

/// The annotated conversations of `*.clusters.txt` files.
enum ThreadAnnotations {
  /// The conversations of each day, as lists of lines counted from 0.
  static func read(beside path: URL) throws -> [String: [[Int]]] {
    var isFolder: ObjCBool = false
    _ = FileManager.default.fileExists(atPath: path.path, isDirectory: &isFolder)
    let folder = isFolder.boolValue ? path : path.deletingLastPathComponent()
    var result: [String: [[Int]]] = [:]
    for file in try ArchiveFiles.list(folder, suffix: ".clusters.txt", format: "irc --threads") {
      for line in String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n") {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else {
          throw DataLayerError.invalidData("\(file.lastPathComponent): \"\(line)\" is not DAY:line line …")
        }
        result[String(parts[0]), default: []].append(parts[1].split(separator: " ").compactMap { Int($0) })
      }
    }
    return result
  }
}

/// The files of an archive.
enum ArchiveFiles {
  static func list(_ path: URL, suffix: String, format: String) throws -> [URL] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path.path, isDirectory: &isFolder) else {
      throw DataLayerError.invalidData("\(path.path) does not exist")
    }
    if !isFolder.boolValue { return [path] }
    let files = try FileManager.default.contentsOfDirectory(at: path, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasSuffix(suffix) }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
    if files.isEmpty { throw DataLayerError.invalidData("\(path.path) has no *\(suffix) files for format \(format)") }
    return files
  }
}
