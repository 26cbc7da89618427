import ArgumentParser
import Foundation
import Sorted

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the conversations: pinned ones first, then the latest.",
    discussion: """
      Marks: * pinned, m muted, a archived. Then the number of unread messages,
      the day of the last message (UTC), the id, the name, the last message.

      EXAMPLE
        sorted list --unread
        sorted list --category urgent
        sorted list --sort opportunity
      """)

  @Flag(exclusivity: .exclusive, help: "List only some conversations.")
  var filter: Filter?

  @Option(help: "List only conversations with a message of this category: fan, business, spam or urgent.")
  var category: MessageCategory?

  @Option(help: "The order: latest, or opportunity, which has the most promising business first.")
  var sort = ConversationOrder.latest

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  enum Filter: EnumerableFlag {
    case unread, pinned, archived

    static func help(for value: Filter) -> ArgumentHelp? {
      switch value {
      case .unread: "List only conversations with unread messages."
      case .pinned: "List only pinned conversations."
      case .archived: "List only archived conversations, which are left out otherwise."
      }
    }

    var inbox: InboxService.Filter {
      switch self {
      case .unread: .unread
      case .pinned: .pinned
      case .archived: .archived
      }
    }
  }

  func run() throws {
    let list = try store.withInbox {
      try $0.conversations(filter?.inbox ?? .all, category: category, order: sort).map(ConversationSummary.init)
    }
    try output.print(list) { $0.list(list) }
  }
}

extension MessageCategory: ExpressibleByArgument {}
extension ConversationOrder: ExpressibleByArgument {}

struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a page of a conversation, the newest message last, and mark the conversation as read.",
    discussion: """
      EXAMPLE
        sorted show irc/ubuntu/2008-04-27 --page 2
      """)

  @OptionGroup var target: ConversationArgument

  @Option(help: "The page of 20 messages. Page 1 has the newest.")
  var page = 1

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let summary = try store.withInbox { inbox in
      let conversation = try inbox.conversation(target.id)
      let summary = PageSummary(try inbox.page(page, of: conversation), of: conversation)
      try inbox.markAsRead(conversation)
      return summary
    }
    try output.print(summary) { $0.page(summary) }
  }
}

struct SearchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Find messages by words and show the newest 50 of them.",
    discussion: """
      Words may come in any order; case and accents do not matter. A word also
      finds longer words that begin with it. Quotation marks find a phrase.
      from:NAME, in:CONVERSATION, before:DAY, after:DAY and has:file narrow it.

      With --meaning it shows the 50 messages that mean most nearly the same, in
      whatever words; the conditions narrow that too. It needs the sentence model
      (`sorted assist --install`), which knows English.

      EXAMPLE
        sorted search "rescue grub from:ann before:2026-01-31"
        sorted search --meaning "my computer does not start in:help after:2025-01-01"
      """)

  @Flag(help: "Search for what the text means.")
  var meaning = false

  @Argument(help: "The words and conditions.")
  var text: String

  @Option(help: "Show the page after this message: the last one of the page before.")
  var after: String?

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    if meaning { return try searchByMeaning() }
    let found = try store.withInbox { inbox in
      SearchSummary(try inbox.search(text, after: try after.map { try inbox.message($0) }))
    }
    try output.print(found) { $0.found(found) }
  }
}

struct StatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Print the number of objects in the store.",
    discussion: """
      EXAMPLE
        sorted stats --json
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let statistics = try store.withInbox { try $0.statistics() }
    try output.print(statistics) { $0.table(rows(statistics)) }
  }

  private func rows(_ statistics: InboxService.Statistics) -> [(String, String)] {
    [
      ("conversations", "\(statistics.conversations)"), ("  unread", "\(statistics.unread)"),
      ("  pinned", "\(statistics.pinned)"), ("  archived", "\(statistics.archived)"),
      ("messages", "\(statistics.messages)"), ("  waiting to be sent", "\(statistics.pending)"),
      ("  failed to send", "\(statistics.failed)"), ("attachments", "\(statistics.attachments)"),
      ("users", "\(statistics.users)"), ("answers", "\(statistics.faqs)"),
      ("first message", statistics.firstMessageAt?.formatted(.iso8601) ?? "-"),
      ("last message", statistics.lastMessageAt?.formatted(.iso8601) ?? "-"),
    ]
  }
}
