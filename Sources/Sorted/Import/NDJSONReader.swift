import Foundation

/// Reads one JSON object a line:
///
/// ```
/// {"conversation": "c1", "sender": "ann", "text": "Hi", "createdAt": "2026-01-31T09:30:00Z"}
/// ```
///
/// `conversation`, `sender`, `text` and `createdAt` (ISO 8601, or seconds since 1970) are required; `id` (else the
/// number of the line), `conversationName` and `isGroup` (else false) are not.
public struct NDJSONReader: ArchiveReader {
  private let path: URL

  /// - Parameter path: a file, or a folder of `*.ndjson` files.
  public init(path: URL) { self.path = path }

  public func files() throws -> [URL] {
    try ArchiveFiles.list(path, suffix: ".ndjson", format: "ndjson")
  }

  public func read(_ file: URL) throws -> ParsedFile {
    var result = ParsedFile()
    var conversations: [String: ImportedConversation] = [:]
    var order: [String] = []
    let name = file.lastPathComponent
    let stem = file.deletingPathExtension().lastPathComponent
    let decoder = JSONDecoder()
    var lines = try Data(contentsOf: file).split(separator: 0x0A, omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    for line in lines {
      result.lines += 1
      let record: Record
      do {
        record = try decoder.decode(Record.self, from: line)
      } catch {
        result.skipped.append(SkippedLine(file: name, line: result.lines, reason: Record.reason(error)))
        continue
      }
      let id = "ndjson/\(record.conversation)"
      if conversations[id] == nil {
        order.append(id)
        conversations[id] = ImportedConversation(
          id: id, name: ArchiveText.readable(record.conversationName ?? record.conversation),
          isGroup: record.isGroup ?? false, messages: [])
      }
      conversations[id]!.messages.append(
        ImportedMessage(
          id: "ndjson/" + (record.id ?? "\(stem)/\(result.lines)"), sender: ArchiveText.readable(record.sender),
          text: ArchiveText.readable(record.text), createdAt: record.createdAt))
    }
    result.conversations = order.map { conversations[$0]! }
    return result
  }

  private struct Record: Decodable {
    let id: String?
    let conversation: String
    let conversationName: String?
    let isGroup: Bool?
    let sender: String
    let text: String
    let createdAt: Date

    enum CodingKeys: String, CodingKey {
      case id, conversation, conversationName, isGroup, sender, text, createdAt
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decodeIfPresent(String.self, forKey: .id)
      conversation = try container.decode(String.self, forKey: .conversation)
      conversationName = try container.decodeIfPresent(String.self, forKey: .conversationName)
      isGroup = try container.decodeIfPresent(Bool.self, forKey: .isGroup)
      sender = try container.decode(String.self, forKey: .sender)
      text = try container.decode(String.self, forKey: .text)
      if let seconds = try? container.decode(Double.self, forKey: .createdAt) {
        createdAt = Date(timeIntervalSince1970: seconds)
      } else {
        let text = try container.decode(String.self, forKey: .createdAt)
        guard let date = Self.date(text) else {
          throw DecodingError.dataCorruptedError(
            forKey: .createdAt, in: container, debugDescription: "\"\(text)\" is no ISO 8601 date and time")
        }
        createdAt = date
      }
    }

    private static func date(_ text: String) -> Date? {
      (try? Date(text, strategy: .iso8601))
        ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }

    static func reason(_ error: any Error) -> String {
      switch error {
      case DecodingError.keyNotFound(let key, _): "\"\(key.stringValue)\" is missing"
      case DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty,
        DecodingError.valueNotFound(_, let context) where !context.codingPath.isEmpty:
        "\"\(context.codingPath.last!.stringValue)\" has the wrong type"
      case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty: context.debugDescription
      default: "the line is no JSON object"
      }
    }
  }
}
