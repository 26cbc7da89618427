import Foundation

/// Plain text for a terminal, 80 columns unless told. Whatever the store has, nothing of it acts on the terminal:
/// control characters are shown as their pictures.
public struct TextRendering: Sendable {
  private let width: Int

  /// - Parameter width: the columns of the terminal; fewer than 40 are taken as 40.
  public init(width: Int = 80) { self.width = max(40, width) }

  /// A line for each conversation: marks, unread count, time, id, name and the last message.
  public func list(_ conversations: [ConversationSummary]) -> String {
    if conversations.isEmpty { return "No conversations." }
    let idWidth = conversations.map { Columns.count($0.id) }.max()!
    let nameWidth = min(20, conversations.map { Columns.count(Self.oneLine($0.name)) }.max()!)
    return conversations.map { conversation in
      let marks =
        (conversation.isPinned ? "*" : " ") + (conversation.isMuted ? "m" : " ")
        + (conversation.isArchived ? "a" : " ")
      // An id is for copying, so it is never cut.
      let head = [
        marks, Columns.padded(conversation.unreadCount == 0 ? "" : "\(conversation.unreadCount)", 3, right: true),
        Columns.padded(conversation.lastMessageAt.map(Self.day) ?? "", 10),
        Columns.padded(Self.oneLine(conversation.id), idWidth),
        Columns.padded(Self.oneLine(conversation.name), nameWidth),
      ].joined(separator: " ")
      return line(head + " ", conversation.lastMessageText ?? "")
    }.joined(separator: "\n")
  }

  /// A conversation's page: two lines or more for each message, wrapped.
  public func page(_ page: PageSummary) -> String {
    let messages = page.messages.map { message in
      let state =
        switch message.syncStatus {
        case .pending: "  (\(message.status.rawValue))"
        case .failed: "  (not sent)"
        case .synced: ""
        }
      let text = ArchiveText.readable(message.text)
      return
        (["\(Self.time(message.createdAt))  \(Self.oneLine(message.sender))\(state)"]
        + Columns.wrapped(text, width - 4).map { "    " + $0 }).map(Self.trimmed).joined(separator: "\n")
    }
    let name = Self.oneLine(page.conversation.name)
    let title =
      "\(name)  (page \(page.page) of \(page.pages), \(page.total) \(page.total == 1 ? "message" : "messages"))"
    return ([title] + (messages.isEmpty ? ["No messages."] : messages)).joined(separator: "\n")
  }

  /// A line for each message found.
  public func found(_ result: SearchSummary) -> String {
    if result.messages.isEmpty { return "Nothing found." }
    var lines = result.messages.map { message in
      line("\(Self.time(message.createdAt))  \(message.conversationID)  \(message.sender):", message.text)
    }
    if result.total > result.messages.count {
      lines.append("The newest \(result.messages.count) of \(result.total).")
    }
    return lines.joined(separator: "\n")
  }

  /// Numbers with their names, aligned.
  public func table(_ rows: [(String, String)]) -> String {
    let left = rows.map { Columns.count($0.0) }.max() ?? 0
    let right = rows.map { Columns.count($0.1) }.max() ?? 0
    return rows.map { Columns.padded($0.0, left) + "  " + Columns.padded($0.1, right, right: true) }
      .joined(separator: "\n")
  }

  /// A line of words that others wrote.
  public func safe(_ line: String) -> String { Self.oneLine(line) }

  // MARK: - Parts

  /// UTC, as archives are.
  private static func time(_ date: Date) -> String {
    String(date.formatted(.iso8601).prefix(16)).replacingOccurrences(of: "T", with: " ")
  }

  private static func day(_ date: Date) -> String { String(date.formatted(.iso8601).prefix(10)) }

  /// A head, shown in full, and as much of the text as the line has room for, but always some.
  private func line(_ head: String, _ text: String) -> String {
    let head = Self.oneLine(head)
    let room = max(12, width - Columns.count(head) - 1)
    return Self.trimmed(head + " " + Columns.clipped(Self.oneLine(text), room))
  }

  private static func oneLine(_ text: String) -> String {
    ArchiveText.readable(text.replacingOccurrences(of: "\n", with: " "), keepingLines: false)
  }

  private static func trimmed(_ line: String) -> String {
    String(line.reversed().drop { $0 == " " }.reversed())
  }
}
