import Foundation

/// A message as an archive has it. Its identifier depends on nothing but the archive, so that importing the archive
/// again finds the same message.
public struct ImportedMessage: Equatable, Sendable {
  /// Unique in the store.
  public var id: String
  /// The name that the archive shows.
  public var sender: String
  /// What it says, made readable.
  public var text: String
  /// When it was written; no two messages of a conversation have the same time.
  public var createdAt: Date

  /// Makes one.
  public init(id: String, sender: String, text: String, createdAt: Date) {
    self.id = id
    self.sender = sender
    self.text = text
    self.createdAt = createdAt
  }
}

/// A conversation as a file of an archive has it: its messages in order, or some of them.
public struct ImportedConversation: Equatable, Sendable {
  /// Unique in the store.
  public var id: String
  /// What it is called when it is made.
  public var name: String
  /// Whether it is no talk of two.
  public var isGroup: Bool
  /// In the order of the archive.
  public var messages: [ImportedMessage]

  /// Makes one.
  public init(id: String, name: String, isGroup: Bool, messages: [ImportedMessage]) {
    self.id = id
    self.name = name
    self.isGroup = isGroup
    self.messages = messages
  }
}

/// A line or record that became neither a message nor an event.
public struct SkippedLine: Equatable, Sendable, Codable {
  /// The name of the file.
  public var file: String
  /// Counted from 1; for a JSON export the number of the message.
  public var line: Int
  /// Why, for a person to read.
  public var reason: String

  /// Makes one.
  public init(file: String, line: Int, reason: String) {
    self.file = file
    self.line = line
    self.reason = reason
  }
}

/// What reading one file gave. Each of its lines is a message, an event or skipped.
public struct ParsedFile: Sendable {
  /// The conversations that the file has messages of.
  public var conversations: [ImportedConversation] = []
  /// Joins, renames, actions, notices: counted, not stored.
  public var events = 0
  /// How many lines or records there are.
  public var lines = 0
  /// The lines that are neither message nor event.
  public var skipped: [SkippedLine] = []

  /// Makes one.
  public init(
    conversations: [ImportedConversation] = [], events: Int = 0, lines: Int = 0, skipped: [SkippedLine] = []
  ) {
    self.conversations = conversations
    self.events = events
    self.lines = lines
    self.skipped = skipped
  }

  /// How many messages it has in all its conversations.
  public var messageCount: Int { conversations.reduce(0) { $0 + $1.messages.count } }
}

/// Reads one format of archive, a file at a time.
public protocol ArchiveReader {
  /// The files of the archive, in the order in which to read them.
  /// - Throws: ``DataLayerError/invalidData(_:)`` where there are none.
  func files() throws -> [URL]
  /// Reads one file.
  /// - Throws: ``DataLayerError/invalidData(_:)`` where it is not of the format at all.
  func read(_ file: URL) throws -> ParsedFile
}

/// Sets apart messages of one time, so that sorting by time keeps the order of the archive: each is a microsecond
/// after the one before it. (A `Date` of these centuries tells apart a tenth of that.)
struct DistinctTimes {
  private var taken: [Date: Int] = [:]

  mutating func next(_ time: Date) -> Date {
    let count = taken[time, default: 0]
    taken[time] = count + 1
    return time.addingTimeInterval(Double(count) / 1_000_000)
  }
}

extension Date {
  /// Whether it lies in the years 1 to 9999, the ones that calendars and ISO 8601 can write.
  var isWritable: Bool { (-62_135_596_800..<253_402_300_800).contains(timeIntervalSince1970) }
}

/// The files of an archive.
enum ArchiveFiles {
  /// The path itself if it is a file, else the files of the folder that are of the format, by name.
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

  /// What is in a file.
  static func contents(_ file: URL) throws -> Data {
    do {
      return try Data(contentsOf: file)
    } catch {
      throw DataLayerError.invalidData("\(file.path) cannot be read: \(error.localizedDescription)")
    }
  }

  /// The lines of a file, without the line feed that ends each. A line ends there and nowhere else.
  static func lines(_ file: URL) throws -> [Data] {
    var lines = try contents(file).split(separator: 0x0A, omittingEmptySubsequences: false)
    // What follows the last line feed is a line only if there is something.
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }
}
