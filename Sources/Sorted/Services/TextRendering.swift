import Foundation

/// Plain text for a terminal, 80 columns unless told.
public struct TextRendering {
  private let width: Int
  private let now: Date

  public init(width: Int = 80, now: Date = Date()) {
    self.width = max(40, width)
    self.now = now
  }

  /// A line for each conversation: marks, unread count, time, id, name and the last message.
  public func list(_ conversations: [ConversationSummary]) -> String {
    if conversations.isEmpty { return "No conversations." }
    let idWidth = min(24, conversations.map { Self.columns($0.id) }.max() ?? 0)
    let nameWidth = min(20, conversations.map { Self.columns($0.name) }.max() ?? 0)
    return conversations.map { conversation in
      let marks =
        (conversation.isPinned ? "*" : " ") + (conversation.isMuted ? "m" : " ")
        + (conversation.isArchived ? "a" : " ")
      let unread = conversation.unreadCount == 0 ? "" : "\(conversation.unreadCount)"
      let head = [
        marks, Self.pad(unread, 3, right: true), Self.pad(conversation.lastMessageAt.map(time) ?? "", 10),
        Self.pad(conversation.id, idWidth), Self.pad(conversation.name, nameWidth),
      ].joined(separator: " ")
      let rest = max(0, width - Self.columns(head) - 2)
      return Self.trimmed(head + "  " + Self.clipped(Self.oneLine(conversation.lastMessageText ?? ""), rest))
    }.joined(separator: "\n")
  }

  /// A conversation's page: a line or more for each message, wrapped.
  public func page(_ page: PageSummary) -> String {
    let messages = page.messages.map { message in
      let mark = message.syncStatus == .pending ? " (sending)" : message.syncStatus == .failed ? " (not sent)" : ""
      let head = "\(time(message.createdAt))  \(message.sender)\(mark)"
      return head + "\n" + wrapped(message.text, indent: 4)
    }
    let title = "\(page.conversation.name)  [page \(page.page) of \(page.pages), \(page.total) messages]"
    return ([title] + (messages.isEmpty ? ["No messages."] : messages)).joined(separator: "\n")
  }

  /// A line for each message found.
  public func found(_ messages: [MessageSummary]) -> String {
    if messages.isEmpty { return "Nothing found." }
    return messages.map { message in
      let head = "\(time(message.createdAt))  \(message.conversationID)  \(message.sender): "
      return head + Self.clipped(Self.oneLine(message.text), max(20, width - Self.columns(head)))
    }.joined(separator: "\n")
  }

  /// Numbers with their names, aligned.
  public func table(_ rows: [(String, String)]) -> String {
    let left = rows.map { Self.columns($0.0) }.max() ?? 0
    let right = rows.map { Self.columns($0.1) }.max() ?? 0
    return rows.map { Self.pad($0.0, left) + "  " + Self.pad($0.1, right, right: true) }.joined(separator: "\n")
  }

  /// The time of day for today, the date otherwise. UTC, as archives are.
  public func time(_ date: Date) -> String {
    let iso = date.formatted(.iso8601)
    let day = iso.prefix(10)
    return now.formatted(.iso8601).prefix(10) == day ? String(iso.dropFirst(11).prefix(5)) : String(day)
  }

  // MARK: - Columns

  private func wrapped(_ text: String, indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    var lines = [String]()
    for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
      var line = ""
      for word in paragraph.split(separator: " ", omittingEmptySubsequences: false) {
        if !line.isEmpty, Self.columns(line) + 1 + Self.columns(String(word)) > width - indent {
          lines.append(line)
          line = String(word)
        } else {
          line += (line.isEmpty ? "" : " ") + word
        }
      }
      lines.append(line)
    }
    return lines.map { margin + $0 }.joined(separator: "\n")
  }

  private static func oneLine(_ text: String) -> String { text.replacingOccurrences(of: "\n", with: " ") }

  private static func clipped(_ text: String, _ width: Int) -> String {
    text.count <= width ? text : String(text.prefix(max(0, width - 1))) + "…"
  }

  /// Characters stand for columns; wide ones of East Asian scripts take two on some terminals.
  private static func columns(_ text: String) -> Int { text.count }

  private static func pad(_ text: String, _ width: Int, right: Bool = false) -> String {
    let text = clipped(text, width)
    let space = String(repeating: " ", count: max(0, width - columns(text)))
    return right ? space + text : text + space
  }

  private static func trimmed(_ line: String) -> String {
    String(line.reversed().drop { $0 == " " }.reversed())
  }
}
