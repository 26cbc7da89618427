import Foundation

/// Reads Telegram Desktop's `result.json`: the export of one chat, or of all.
public struct TelegramReader: ArchiveReader {
  private let path: URL

  /// - Parameter path: `result.json`, or the folder that has it.
  public init(path: URL) { self.path = path }

  public func files() throws -> [URL] {
    try ArchiveFiles.list(path, suffix: "result.json", format: "telegram")
  }

  public func read(_ file: URL) throws -> ParsedFile {
    let export: Export
    do {
      export = try JSONDecoder().decode(Export.self, from: Data(contentsOf: file))
    } catch {
      throw DataLayerError.invalidData("\(file.path) is no Telegram export in JSON: \(error)")
    }
    var result = ParsedFile()
    for chat in export.allChats { add(chat, from: file, to: &result) }
    return result
  }

  private func add(_ chat: Chat, from file: URL, to result: inout ParsedFile) {
    let id = "telegram/\(chat.id ?? 0)"
    var conversation = ImportedConversation(
      id: id, name: ArchiveText.readable(chat.name ?? "Chat \(chat.id ?? 0)"),
      isGroup: chat.type != "personal_chat" && chat.type != "bot_chat", messages: [])
    for message in chat.messages {
      result.lines += 1
      if message.type != "message" {
        result.events += 1
        continue
      }
      func skip(_ reason: String) {
        result.skipped.append(SkippedLine(file: file.lastPathComponent, line: result.lines, reason: reason))
      }
      guard let number = message.id else {
        skip("the message has no id")
        continue
      }
      guard let time = message.time else {
        skip("the message has no date_unixtime and no date that can be read")
        continue
      }
      conversation.messages.append(
        ImportedMessage(
          id: "\(id)/\(number)", sender: ArchiveText.readable(message.from ?? message.from_id ?? "Deleted Account"),
          text: ArchiveText.readable(message.plainText), createdAt: time))
    }
    result.conversations.append(conversation)
  }

  // MARK: - The format

  private struct Export: Decodable {
    struct Chats: Decodable { let list: [Chat] }
    let chats: Chats?
    let single: Chat?

    enum CodingKeys: String, CodingKey { case chats, messages }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      chats = try container.decodeIfPresent(Chats.self, forKey: .chats)
      single = container.contains(.messages) ? try Chat(from: decoder) : nil
      guard chats != nil || single != nil else {
        throw DecodingError.keyNotFound(
          CodingKeys.messages, .init(codingPath: [], debugDescription: "neither \"messages\" nor \"chats\""))
      }
    }

    var allChats: [Chat] { (single.map { [$0] } ?? []) + (chats?.list ?? []) }
  }

  private struct Chat: Decodable {
    let id: Int64?
    let name: String?
    let type: String?
    let messages: [Message]
  }

  private struct Message: Decodable {
    let id: Int64?
    let type: String
    let date: String?
    let date_unixtime: String?
    let from: String?
    let from_id: String?
    let text: Text?
    let media_type: String?
    let file: String?
    let photo: String?

    /// `date` has no time zone; `date_unixtime` is exact where the export has it.
    var time: Date? {
      if let seconds = date_unixtime.flatMap({ Double($0) }) { return Date(timeIntervalSince1970: seconds) }
      guard let date else { return nil }
      return try? Date(date + "Z", strategy: .iso8601)
    }

    /// The text, or what the message carries instead.
    var plainText: String {
      let text = text?.plain ?? ""
      guard text.isEmpty else { return text }
      if photo != nil { return "[photo]" }
      if let media_type { return "[\(media_type)]" }
      return file == nil ? "" : "[file]"
    }
  }

  /// A string, or a list of strings and of entities with a text.
  private enum Text: Decodable {
    case plain(String)
    case parts([Part])

    enum Part: Decodable {
      case plain(String)
      case entity(String)

      init(from decoder: any Decoder) throws {
        struct Entity: Decodable { let text: String }
        if let text = try? decoder.singleValueContainer().decode(String.self) {
          self = .plain(text)
        } else {
          self = .entity(try Entity(from: decoder).text)
        }
      }

      var text: String {
        switch self {
        case .plain(let text), .entity(let text): text
        }
      }
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        self = .plain(text)
      } else {
        self = .parts(try container.decode([Part].self))
      }
    }

    var plain: String {
      switch self {
      case .plain(let text): text
      case .parts(let parts): parts.map(\.text).joined()
      }
    }
  }
}
