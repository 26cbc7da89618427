import Foundation
import UntrustedInput

/// Reads logs of an IRC channel: one file per day, `YYYY-MM-DD….raw.txt`.
///
/// A line ends at LF only. A message is `[HH:MM] <nick> ` and the rest of the line, which may be empty. Lines that
/// begin with `===` (joins, renames and the like) and, after the time, with `*` (actions) or `-` (notices) are events.
/// A file is a group conversation named after channel and day. With threads, each annotated conversation with a message
/// is a separate one, and the day keeps the rest.
public struct IRCReader: ArchiveReader {
  private let path: URL
  private let channel: String
  private let threads: [String: [[Int]]]

  /// - Parameters:
  ///   - path: a folder of logs, or one log.
  ///   - channel: the name of the channel, which the logs do not contain.
  ///   - withThreads: whether to read the annotated conversations next to the logs (`*.clusters.txt`).
  /// - Throws: ``DataLayerError/invalidData(_:)`` if the annotations cannot be read.
  public init(path: URL, channel: String = "#ubuntu", withThreads: Bool = false) throws {
    self.path = path
    self.channel = channel
    self.threads = withThreads ? try ThreadAnnotations.read(beside: path) : [:]
  }

  /// The logs, by name.
  public func files() throws -> [URL] {
    try ArchiveFiles.list(path, of: "irc", named: "YYYY-MM-DD*.raw.txt") {
      $0.hasSuffix(".raw.txt") && Self.day(Self.stem($0)) != nil
    }
  }

  /// Reads one log.
  public func read(_ file: URL) throws -> ParsedFile {
    let name = file.lastPathComponent
    let stem = Self.stem(name)
    guard let day = Self.day(stem) else {
      throw DataLayerError.invalidData("\(name): the name of an IRC log begins with its day, as in 2008-04-27")
    }
    var log = IRCLog(file: name, day: day)
    for line in try ArchiveFiles.lines(file) { log.add(Array(line)) }
    return parsed(log, stem: stem)
  }

  /// The day and part at the beginning of a file name.
  private static func stem(_ name: String) -> String { String(name.prefix { $0 != "." }) }

  private static func day(_ stem: String) -> Date? {
    let day = stem.prefix(10)
    // Parsing accepts 30 February, so a valid day must format to the same text.
    guard let date = try? Date(day + "T00:00:00Z", strategy: .iso8601), date.formatted(.iso8601).prefix(10) == day
    else {
      return nil
    }
    return date
  }

  // MARK: - Conversations

  private func parsed(_ log: IRCLog, stem: String) -> ParsedFile {
    let id = "irc/\(channel.drop { $0 == "#" })/\(stem)"
    let name = "\(channel) \(stem.prefix(10))"
    func record(_ line: IRCLog.Message) -> ImportedMessage {
      ImportedMessage(id: "\(id)/\(line.number)", sender: line.nick, text: line.text, createdAt: line.time)
    }
    let byNumber = Dictionary(uniqueKeysWithValues: log.messages.map { ($0.number, $0) })
    var inThreads = Set<Int>()
    var result = ParsedFile(events: log.events, lines: log.count, skipped: log.skipped)
    for thread in threads[stem] ?? [] {
      // A line belongs to the first thread that names it.
      let lines = Set(thread).sorted().compactMap { byNumber[$0] }.filter { inThreads.insert($0.number).inserted }
      guard let first = lines.first else { continue }
      result.conversations.append(
        ImportedConversation(
          id: "\(id)/thread-\(first.number)", name: "\(name), thread at line \(first.number)", isGroup: true,
          messages: lines.map(record)))
    }
    let rest = log.messages.filter { !inThreads.contains($0.number) }
    if !rest.isEmpty {
      let day = ImportedConversation(id: id, name: name, isGroup: true, messages: rest.map(record))
      result.conversations.insert(day, at: 0)
    }
    return result
  }
}

/// The annotated conversations of `*.clusters.txt` files: `DAY:line line …`, lines counted from 0.
enum ThreadAnnotations {
  /// More lines than a file can have.
  private static let maximumLines = 1 << 40

  /// The conversations of each day, as lists of lines, counted from 1.
  static func read(beside path: URL) throws -> [String: [[Int]]] {
    var isFolder: ObjCBool = false
    _ = FileManager.default.fileExists(atPath: path.path, isDirectory: &isFolder)
    let folder = isFolder.boolValue ? path : path.deletingLastPathComponent()
    var result: [String: [[Int]]] = [:]
    let files = try ArchiveFiles.list(folder, of: "irc --threads", named: "*.clusters.txt") {
      $0.hasSuffix(".clusters.txt")
    }
    for file in files {
      for (index, line) in try ArchiveFiles.lines(file).enumerated() where !line.isEmpty {
        let parts = String(decoding: line, as: UTF8.self).split(separator: ":", maxSplits: 1)
        let words = parts.count == 2 ? parts[1].split(whereSeparator: \.isWhitespace) : []
        let numbers = words.compactMap { Int($0) }.compactMap {
          Untrusted($0).value(in: 0...maximumLines).map { $0 + 1 }
        }
        guard !numbers.isEmpty, numbers.count == words.count else {
          throw DataLayerError.invalidData("\(file.path):\(index + 1) is not of the form DAY:line line …")
        }
        result[String(parts[0]), default: []].append(numbers)
      }
    }
    return result
  }
}
