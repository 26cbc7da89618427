import Foundation

/// The used parts of Telegram Desktop's `result.json`.
struct TelegramExport: Decodable {
  /// The chats of the export.
  let chats: [Chat]

  private struct Chats: Decodable {
    let list: [Chat]
  }

  private enum CodingKeys: String, CodingKey {
    case chats, messages
    case leftChats = "left_chats"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let single = container.contains(.messages) ? [try Chat(from: decoder)] : []
    let all = try container.decodeIfPresent(Chats.self, forKey: .chats)
    let left = try container.decodeIfPresent(Chats.self, forKey: .leftChats)
    guard !single.isEmpty || all != nil || left != nil else {
      throw DecodingError.keyNotFound(CodingKeys.messages, .init(codingPath: [], debugDescription: ""))
    }
    chats = single + (all?.list ?? []) + (left?.list ?? [])
  }

  /// The reason why a file is not an export.
  static func reason(_ error: any Error) -> String {
    func place(_ path: [any CodingKey]) -> String {
      path.map { $0.intValue.map { "[\($0)]" } ?? "." + $0.stringValue }.joined()
    }
    switch error {
    case DecodingError.keyNotFound(let key, let context)
    where context.codingPath.isEmpty && key.stringValue == "messages":
      return "it has neither \"messages\" nor \"chats\""
    case DecodingError.keyNotFound(let key, let context):
      return "\"\(key.stringValue)\" is missing at \(place(context.codingPath))"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      return context.codingPath.isEmpty ? "it is not an object" : "\(place(context.codingPath)) has the wrong type"
    default:
      return "it is not JSON"
    }
  }

  struct Chat: Decodable {
    let id: Int64?
    let name: String?
    let type: String?
    let messages: [Lossy<Message>]

    var isGroup: Bool { type != "personal_chat" && type != "bot_chat" && type != "saved_messages" }

    /// The identifier of the chat. Users, groups and channels have separate numbers.
    var key: String {
      let kind =
        switch type {
        case "private_group": "group"
        case "personal_chat", "bot_chat", "saved_messages", nil: "user"
        default: "channel"
        }
      return id.map { "\(kind)-\($0)" } ?? "\(kind)-\(name ?? "saved")"
    }
  }

  struct Message: Decodable {
    let id: Int64
    let type: String
    let sender: String
    let time: Date?
    let plainText: String

    private enum CodingKeys: String, CodingKey {
      case id, type, date, from, text, file, photo
      case unixTime = "date_unixtime"
      case fromID = "from_id"
      case mediaType = "media_type"
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(Int64.self, forKey: .id)
      type = try container.decode(String.self, forKey: .type)
      // A deleted account has a number and no name. Old exports write the number without quotes.
      let number =
        (try? container.decodeIfPresent(String.self, forKey: .fromID))
        ?? (try? container.decodeIfPresent(Int64.self, forKey: .fromID)).map { "user\($0)" }
      sender = try container.decodeIfPresent(String.self, forKey: .from) ?? number ?? "Deleted Account"

      if let seconds = try container.decodeIfPresent(String.self, forKey: .unixTime).flatMap(Double.init) {
        time = Date(timeIntervalSince1970: seconds)
      } else {
        time = try container.decodeIfPresent(String.self, forKey: .date)
          .flatMap { try? Date($0 + "Z", strategy: .iso8601) }
      }

      let text = try container.decodeIfPresent(Text.self, forKey: .text)?.plain ?? ""
      if !text.isEmpty || type != "message" {
        plainText = text
      } else if container.contains(.photo) {
        plainText = "[photo]"
      } else if let media = try container.decodeIfPresent(String.self, forKey: .mediaType) {
        plainText = "[\(media)]"
      } else {
        plainText = container.contains(.file) ? "[file]" : ""
      }
    }
  }

  /// A string, or a list of strings and of entities with text.
  private struct Text: Decodable {
    let plain: String

    private struct Part: Decodable {
      let text: String

      private enum CodingKeys: CodingKey { case text }

      init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
          self.text = text
        } else {
          text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .text)
        }
      }
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        plain = text
      } else {
        plain = try container.decode([Part].self).map(\.text).joined()
      }
    }
  }

  /// A value, or the reason why decoding failed, so that one malformed message does not fail the whole export.
  struct Lossy<Value: Decodable>: Decodable {
    let value: Value?
    let reason: String?

    init(from decoder: any Decoder) throws {
      do {
        value = try Value(from: decoder)
        reason = nil
      } catch DecodingError.keyNotFound(let key, _) {
        (value, reason) = (nil, "\"\(key.stringValue)\" is missing")
      } catch DecodingError.typeMismatch(_, let context) {
        (value, reason) = (nil, context.codingPath.last.map { "\"\($0.stringValue)\" has the wrong type" })
      } catch {
        (value, reason) = (nil, "it is not a message")
      }
    }
  }
}
