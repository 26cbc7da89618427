import Foundation

/// A message of an archive. Its identifier depends on the archive only, so importing the archive again finds the same
/// message.
public struct ImportedMessage: Equatable, Sendable {
  /// Unique in the store.
  public var id: String
  /// The sender's name in the archive.
  public var sender: String
  /// The text, made safe to display.
  public var text: String
  /// The creation time. It is unique within a conversation.
  public var createdAt: Date

  /// Makes a message.
  public init(id: String, sender: String, text: String, createdAt: Date) {
    self.id = id
    self.sender = sender
    self.text = text
    self.createdAt = createdAt
  }
}

/// A conversation in a file of an archive: its messages in order, or some of them.
public struct ImportedConversation: Equatable, Sendable {
  /// Unique in the store.
  public var id: String
  /// The name of a new conversation.
  public var name: String
  /// Whether it is a group conversation.
  public var isGroup: Bool
  /// The messages in the order of the archive.
  public var messages: [ImportedMessage]

  /// Makes a conversation.
  public init(id: String, name: String, isGroup: Bool, messages: [ImportedMessage]) {
    self.id = id
    self.name = name
    self.isGroup = isGroup
    self.messages = messages
  }
}

/// A line or record that is neither a message nor an event.
public struct SkippedLine: Equatable, Sendable, Codable {
  /// The name of the file.
  public var file: String
  /// The line number, starting at 1. In a JSON export, the number of the message.
  public var line: Int
  /// The reason, for a person.
  public var reason: String

  /// Makes a record of a skipped line.
  public init(file: String, line: Int, reason: String) {
    self.file = file
    self.line = line
    self.reason = reason
  }
}

/// The contents of a file. Each line is a message, an event or skipped.
public struct ParsedFile: Sendable {
  /// The conversations with messages in the file.
  public var conversations: [ImportedConversation] = []
  /// The number of joins, renames, actions and notices, which are not stored.
  public var events = 0
  /// The number of lines or records.
  public var lines = 0
  /// The lines that are neither messages nor events.
  public var skipped: [SkippedLine] = []

  /// Makes a result.
  public init(
    conversations: [ImportedConversation] = [], events: Int = 0, lines: Int = 0, skipped: [SkippedLine] = []
  ) {
    self.conversations = conversations
    self.events = events
    self.lines = lines
    self.skipped = skipped
  }

  /// The number of messages in all conversations.
  public var messageCount: Int { conversations.reduce(0) { $0 + $1.messages.count } }
}

/// Reads a format of archives, one file at a time.
public protocol ArchiveReader {
  /// The files of the archive, in reading order.
  /// - Throws: ``DataLayerError/invalidData(_:)`` if there are none.
  func files() throws -> [URL]
  /// Reads one file.
  /// - Throws: ``DataLayerError/invalidData(_:)`` if the file has another format.
  func read(_ file: URL) throws -> ParsedFile
}

/// Separates messages with equal times: each gets a microsecond more than the one before, so that sorting by time keeps
/// the order of the archive. (A current `Date` distinguishes a tenth of that.)
struct DistinctTimes {
  private var taken: [Date: Int] = [:]

  mutating func next(_ time: Date) -> Date {
    let count = taken[time, default: 0]
    taken[time] = count + 1
    return time.addingTimeInterval(Double(count) / 1_000_000)
  }
}

extension Date {
  /// Whether the date is in the years 1 to 9999, which calendars and ISO 8601 can represent.
  var isWritable: Bool { (-62_135_596_800..<253_402_300_800).contains(timeIntervalSince1970) }
}

/// Lists and reads the files of an archive.
enum ArchiveFiles {
  /// The path itself if it is a file, else the files of the format in the folder, by name.
  static func list(_ path: URL, of format: String, named pattern: String, _ isOfFormat: (String) -> Bool) throws
    -> [URL]
  {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path.path, isDirectory: &isFolder) else {
      throw DataLayerError.invalidData("\(path.path) does not exist")
    }
    if !isFolder.boolValue { return [path] }
    let files = try FileManager.default.contentsOfDirectory(at: path, includingPropertiesForKeys: nil)
      .filter { isOfFormat($0.lastPathComponent) }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
    if files.isEmpty {
      throw DataLayerError.invalidData("\(path.path) has no file \(pattern), which the format \(format) needs")
    }
    return files
  }

  /// The contents of a file.
  static func contents(_ file: URL) throws -> Data {
    do {
      return try Data(contentsOf: file)
    } catch {
      throw DataLayerError.invalidData("\(file.path) cannot be read: \(error.localizedDescription)")
    }
  }

  /// The lines of a file without their line feeds. A line ends at LF only.
  static func lines(_ file: URL) throws -> [Data] {
    var lines = try contents(file).split(separator: 0x0A, omittingEmptySubsequences: false)
    // Text after the last line feed is a line unless it is empty.
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }
}
