import Foundation

/// Plain text for a terminal, by default 80 columns wide. Control characters appear as pictures, so stored text cannot
/// control the terminal.
public struct TextRendering: Sendable {
  private let width: Int

  /// - Parameter width: the width of the terminal in columns, at least 40.
  public init(width: Int = 80) { self.width = max(40, width) }

  /// One line per conversation: marks, unread count, time, id, name and the last message.
  public func list(_ conversations: [ConversationSummary]) -> String {
    if conversations.isEmpty { return "No conversations." }
    let idWidth = conversations.map { Columns.count($0.id) }.max()!
    let nameWidth = min(20, conversations.map { Columns.count(Self.oneLine($0.name)) }.max()!)
    return conversations.map { conversation in
      let marks =
        (conversation.isPinned ? "*" : " ") + (conversation.isMuted ? "m" : " ")
        + (conversation.isArchived ? "a" : " ")
      // An id is never clipped, because users copy it.
      let head = [
        marks, Columns.padded(conversation.unreadCount == 0 ? "" : "\(conversation.unreadCount)", 3, right: true),
        Columns.padded(conversation.lastMessageAt.map(Self.day) ?? "", 10),
        Columns.padded(Self.oneLine(conversation.id), idWidth),
        Columns.padded(Self.oneLine(conversation.name), nameWidth),
      ].joined(separator: " ")
      return line(head + " ", conversation.lastMessageText ?? "")
    }.joined(separator: "\n")
  }

  /// A page of a conversation: at least two lines per message, wrapped.
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

  /// One line per match.
  public func found(_ result: SearchSummary) -> String {
    if result.messages.isEmpty { return "Nothing found." }
    var lines = result.messages.map { message in
      line("\(Self.time(message.createdAt))  \(message.conversationID)  \(message.sender):", message.text)
    }
    if result.hasMore, let last = result.messages.last {
      let number = result.total.map { "The newest \(result.messages.count) of \($0)" } ?? "There are more"
      lines.append("\(number); --after \(last.id) shows older ones.")
    }
    return lines.joined(separator: "\n")
  }

  /// Returns the conversations that need an answer, with a line for each one and its draft in the next line.
  public func digest(_ digest: Digest) -> String {
    let lines = digest.needAnswer.flatMap { item in
      let kind = item.opportunity.map { "business \($0)" } ?? item.category?.rawValue ?? ""
      let head = "\(Columns.padded(kind, 12)) \(Self.time(item.createdAt))  \(item.conversationID)  \(item.sender):"
      let draft = item.draft.map { line(String(repeating: " ", count: 12) + " answer:", $0) }
      return [line(head, item.text)] + (draft.map { [$0] } ?? [])
    }
    let counts = table([
      ("urgent", "\(digest.urgent)"), ("business", "\(digest.business)"), ("fans", "\(digest.fans)"),
      ("spam", "\(digest.spam)"),
    ])
    return ([digest.headline] + lines + [counts]).joined(separator: "\n")
  }

  /// One line per message, with its similarity in percent.
  package func nearest(_ hits: [(message: MessageSummary, similarity: Double)], last: String?) -> String {
    if hits.isEmpty { return last.map { "--after \($0) shows more." } ?? "Nothing found." }
    let lines = hits.map { message, similarity in
      let percent = Columns.padded("\(Int((100 * similarity).rounded())) %", 5, right: true)
      return line(
        "\(percent)  \(Self.time(message.createdAt))  \(message.conversationID)  \(message.sender):", message.text)
    }
    return (lines + (last.map { ["There are more; --after \($0) shows them."] } ?? [])).joined(separator: "\n")
  }

  /// The knowledge about people and a matter.
  public func about(_ about: About) -> String {
    func row(_ message: MessageSummary, _ head: String = "") -> String {
      line("\(head)\(Self.time(message.createdAt))  \(message.conversationID)  \(message.sender):", message.text)
    }
    let people = about.people.flatMap { person in
      let name = person.name.map { "\($0) (\(person.id))" } ?? person.id
      let span = [person.firstAt, person.lastAt].compactMap { $0.map(Self.day) }.joined(separator: " to ")
      let categories = person.categories.sorted { $0.key < $1.key }.map { ", \($1) \($0)" }.joined()
      let head =
        "\(name): \(person.messages) \(person.messages == 1 ? "message" : "messages") in \(person.conversations)"
        + " \(person.conversations == 1 ? "conversation" : "conversations"), \(span)\(categories)"
      return [Self.oneLine(head)] + person.themes.map { row($0.message, "  \($0.count) like ") }
    }
    let title = about.isByMeaning ? "By meaning:" : "With the words, the newest:"
    let messages = about.messages.isEmpty ? ["Nothing found."] : [title] + about.messages.map { row($0) }
    return (people + messages).joined(separator: "\n")
  }

  /// Aligned names and numbers.
  public func table(_ rows: [(String, String)]) -> String {
    let left = rows.map { Columns.count($0.0) }.max() ?? 0
    let right = rows.map { Columns.count($0.1) }.max() ?? 0
    return rows.map { Columns.padded($0.0, left) + "  " + Columns.padded($0.1, right, right: true) }
      .joined(separator: "\n")
  }

  /// A line of untrusted text, made safe.
  public func safe(_ line: String) -> String { Self.oneLine(line) }

  // MARK: - Parts

  /// Returns a time in UTC, as archives write it.
  private static func time(_ date: Date) -> String {
    String(date.formatted(.iso8601).prefix(16)).replacingOccurrences(of: "T", with: " ")
  }

  private static func day(_ date: Date) -> String { String(date.formatted(.iso8601).prefix(10)) }

  /// A heading in full, and as much of the text as fits, but always some.
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
