import Foundation

/// Reads Telegram Desktop's `result.json`: the export of one chat or of all, including chats that the user left.
///
/// A message is a message, a service message is an event. Text is a string or parts, which are joined. A message
/// without text becomes a description such as `[photo]`. The time is `date_unixtime`; an old export without it has
/// `date`, which is read as UTC. Senders are the names in the export.
public struct TelegramReader: ArchiveReader {
  private let path: URL

  /// - Parameter path: `result.json`, or the folder that contains it.
  public init(path: URL) { self.path = path }

  /// Returns the one file.
  public func files() throws -> [URL] {
    try ArchiveFiles.list(path, of: "telegram", named: "result.json") { $0 == "result.json" }
  }

  /// Reads the export.
  public func read(_ file: URL) throws -> ParsedFile {
    let export: TelegramExport
    let data = try ArchiveFiles.contents(file)
    do {
      // Telegram writes UTF-8. Invalid bytes are replaced instead of failing the whole export.
      export = try JSONDecoder().decode(TelegramExport.self, from: Data(String(decoding: data, as: UTF8.self).utf8))
    } catch {
      throw DataLayerError.invalidData(
        "\(file.path) is not a Telegram export in JSON: \(TelegramExport.reason(error))")
    }
    var result = ParsedFile()
    var known = Set<String>()
    for chat in export.chats { add(chat, from: file, to: &result, &known) }
    return result
  }

  private func add(_ chat: TelegramExport.Chat, from file: URL, to result: inout ParsedFile, _ known: inout Set<String>)
  {
    let id = "telegram/" + chat.key
    var conversation = ImportedConversation(
      id: id, name: ArchiveText.readable(chat.name ?? chat.key, keepingLines: false), isGroup: chat.isGroup,
      messages: [])
    var times = DistinctTimes()
    for entry in chat.messages {
      result.lines += 1
      func skip(_ reason: String) {
        result.skipped.append(SkippedLine(file: file.lastPathComponent, line: result.lines, reason: reason))
      }
      guard let message = entry.value else {
        skip(entry.reason ?? "it is not a message")
        continue
      }
      guard message.type == "message" else {
        result.events += 1
        continue
      }
      guard let time = message.time, time.isWritable else {
        skip("the message has no date_unixtime and no date that can be read")
        continue
      }
      guard known.insert("\(id)/\(message.id)").inserted else {
        skip("the chat has a message \(message.id) before this one")
        continue
      }
      conversation.messages.append(
        ImportedMessage(
          id: "\(id)/\(message.id)", sender: ArchiveText.readable(message.sender, keepingLines: false),
          text: ArchiveText.readable(message.plainText), createdAt: times.next(time)))
    }
    result.conversations.append(conversation)
  }
}
