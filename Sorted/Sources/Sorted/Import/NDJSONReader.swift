import Foundation

/// Reads one JSON object per line:
///
/// ```
/// {"conversation": "c1", "sender": "ann", "text": "Hi", "createdAt": "2026-01-31T09:30:00Z"}
/// ```
///
/// `conversation`, `sender`, `text` and `createdAt` (ISO 8601 with a time zone, or seconds since 1970) are required.
/// Optional are `id` (unique within the conversation; by default derived from the contents), `conversationName` (by
/// default the conversation's id) and `isGroup` (by default false).
public struct NDJSONReader: ArchiveReader {
  private let path: URL

  /// - Parameter path: a file, or a folder of `*.ndjson` or `*.jsonl` files.
  public init(path: URL) { self.path = path }

  /// The files, by name.
  public func files() throws -> [URL] {
    try ArchiveFiles.list(path, of: "ndjson", named: "*.ndjson or *.jsonl") {
      $0.hasSuffix(".ndjson") || $0.hasSuffix(".jsonl")
    }
  }

  /// Reads one file.
  public func read(_ file: URL) throws -> ParsedFile {
    var result = ParsedFile()
    var conversations: [String: ImportedConversation] = [:]
    var times: [String: DistinctTimes] = [:]
    var identifiers = NDJSONIdentifiers()
    var order: [String] = []
    for line in try ArchiveFiles.lines(file) {
      result.lines += 1
      do throws(NDJSONRecord.Refusal) {
        let record = try NDJSONRecord(line: line)
        let messageID = try identifiers.next(for: record, line: result.lines)
        let id = NDJSONIdentifiers.conversation(record)
        if conversations[id] == nil {
          order.append(id)
          conversations[id] = ImportedConversation(id: id, name: "", isGroup: false, messages: [])
        }
        if let name = record.conversationName { conversations[id]!.name = ArchiveText.readable(name) }
        if conversations[id]!.name.isEmpty { conversations[id]!.name = ArchiveText.readable(record.conversation) }
        if let isGroup = record.isGroup { conversations[id]!.isGroup = isGroup }
        conversations[id]!.messages.append(
          ImportedMessage(
            id: messageID, sender: ArchiveText.readable(record.sender), text: ArchiveText.readable(record.text),
            createdAt: times[id, default: DistinctTimes()].next(record.createdAt)))
      } catch {
        result.skipped.append(SkippedLine(file: file.lastPathComponent, line: result.lines, reason: error.reason))
      }
    }
    result.conversations = order.map { conversations[$0]! }
    return result
  }
}

/// Derives identifiers that do not depend on file names or line numbers, so that an archive may be moved and may grow
/// between two imports.
private struct NDJSONIdentifiers {
  private var explicit: [String: Int] = [:]
  private var byContent: [UInt64: Int] = [:]

  static func conversation(_ record: NDJSONRecord) -> String {
    // The only slash after the prefix precedes a message's own identifier.
    "ndjson/"
      + record.conversation.replacingOccurrences(of: "%", with: "%25", options: .literal)
      .replacingOccurrences(of: "/", with: "%2F", options: .literal)
  }

  mutating func next(for record: NDJSONRecord, line: Int) throws(NDJSONRecord.Refusal) -> String {
    let prefix = Self.conversation(record)
    if let own = record.id {
      let id = "\(prefix)/\(own)"
      if let first = explicit[id] { throw NDJSONRecord.Refusal(reason: "its id is that of line \(first)") }
      explicit[id] = line
      return id
    }
    let content = Self.hash([
      record.conversation, record.sender, record.text, "\(record.createdAt.timeIntervalSince1970)",
    ])
    let count = byContent[content, default: 0]
    byContent[content] = count + 1
    return "\(prefix)/=" + String(content, radix: 16) + (count == 0 ? "" : "-\(count)")
  }

  /// FNV-1a. Messages with equal hashes are distinguished by a count, so collisions are harmless.
  private static func hash(_ parts: [String]) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for part in parts {
      // A byte that UTF-8 never contains ends each part.
      for byte in Array(part.utf8) + [0xFF] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    return hash
  }
}

/// One line of the format.
private struct NDJSONRecord: Decodable {
  /// The reason why a line is not a record.
  struct Refusal: Error {
    let reason: String
  }

  let id: String?
  let conversation: String
  let conversationName: String?
  let isGroup: Bool?
  let sender: String
  let text: String
  let createdAt: Date

  private enum CodingKeys: String, CodingKey {
    case id, conversation, conversationName, isGroup, sender, text, createdAt
  }

  /// Parses a line. Repairs invalid UTF-8 and bare control characters first.
  init(line: Data) throws(Refusal) {
    if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { throw Refusal(reason: "the line is empty") }
    do {
      self = try JSONDecoder().decode(Self.self, from: line)
    } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
      let spaced = line.map { $0 == 0x09 || $0 == 0x0D ? 0x20 : $0 }
      let repaired = Data(ArchiveText.readable(spaced).utf8)
      do {
        self = try JSONDecoder().decode(Self.self, from: repaired)
      } catch {
        throw Refusal(reason: Self.reason(error))
      }
    } catch {
      throw Refusal(reason: Self.reason(error))
    }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decodeIfPresent(String.self, forKey: .id)
    conversation = try container.decode(String.self, forKey: .conversation)
    conversationName = try container.decodeIfPresent(String.self, forKey: .conversationName)
    isGroup = try container.decodeIfPresent(Bool.self, forKey: .isGroup)
    sender = try container.decode(String.self, forKey: .sender)
    text = try container.decode(String.self, forKey: .text)
    let date: Date?
    if let seconds = try? container.decode(Double.self, forKey: .createdAt) {
      date = Date(timeIntervalSince1970: seconds)
    } else {
      date = Self.date(try container.decode(String.self, forKey: .createdAt))
    }
    guard let date, date.isWritable else {
      throw DecodingError.dataCorruptedError(
        forKey: .createdAt, in: container,
        debugDescription: "\"createdAt\" is not a date and time of the years 1 to 9999")
    }
    createdAt = date
  }

  private static func date(_ text: String) -> Date? {
    (try? Date(text, strategy: .iso8601))
      ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, _): "\"\(key.stringValue)\" is missing"
    case DecodingError.valueNotFound(_, let context) where !context.codingPath.isEmpty:
      "\"\(context.codingPath.last!.stringValue)\" is null"
    case DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty:
      "\"\(context.codingPath.last!.stringValue)\" has the wrong type"
    case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty: context.debugDescription
    default: "the line is not a JSON object"
    }
  }
}
